import { api } from '../../../../contract/index.ts'
import { describeBackup } from '../../../features/system/backup.ts'
import { listDisks } from '../../../features/system/disks.ts'
import { scrape } from '../../../features/system/metrics.ts'
import { checkReadiness } from '../../../features/system/service.ts'
import { confirmClock, describeClock } from '../../../storage/locks/clock.ts'
import { handle } from '../handle.ts'

/** The content type of Prometheus's text format. */
const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8'

export const systemRoutes = [
  handle(api.healthz, () => ({ status: 'ok' as const })),
  handle(api.readyz, async (ctx, { reply }) => {
    const readiness = await checkReadiness(ctx)
    if (readiness.status !== 'ready') reply.code(503)
    return readiness
  }),
  handle(api.getClock, (ctx) => describeClock(ctx)),
  handle(api.confirmClock, (ctx) => confirmClock(ctx)),
  handle(api.listDisks, (ctx) => listDisks(ctx)),
  handle(api.getBackup, (ctx) => describeBackup(ctx)),
  handle(api.metrics, async (ctx, { reply }) => {
    const text = await scrape(ctx)
    return reply.header('cache-control', 'no-store').type(EXPOSITION).send(text)
  }),
]
