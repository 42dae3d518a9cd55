import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import { checkReadiness } from './service.ts'

export const systemRoutes = [
  handle(api.healthz, () => ({ status: 'ok' as const })),
  handle(api.readyz, async (ctx, { reply }) => {
    const readiness = await checkReadiness(ctx)
    if (readiness.status !== 'ready') reply.code(503)
    return readiness
  }),
]
