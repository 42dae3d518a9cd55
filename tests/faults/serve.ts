// A service like `strongroom serve`, whose clock can be put forward or back, and whose collector has a grace period and a
// rhythm that let it work within a test. Told over IPC: { clock: <milliseconds> }. PROCESSES: how many of it serve.
import '../../server/process/runtime.ts'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { readConfig } from '../../server/config/config.ts'
import {
  announceToPrimary,
  isOneOfSeveral,
  leavePrimary,
  preparesOf,
  serveWithProcesses,
  shareOf,
} from '../../server/process/cluster.ts'
import { start } from '../../server/process/start.ts'
import { workersOf } from '../../server/process/workers.ts'

const { PROCESSES = '1', CLOCK_OFFSET = '0', GRACE_SECONDS } = process.env
let offset = Number(CLOCK_OFFSET)
const config = { ...readConfig(process.env, shareOf(process.env)), blobGraceSeconds: Number(GRACE_SECONDS) }
const several = isOneOfSeveral()
const isPrimary = !several && Number(PROCESSES) > 1

process.on('message', async (said: { clock?: number }) => {
  if (said.clock === undefined) return
  offset = said.clock
  // Those that are started later, too.
  process.env.CLOCK_OFFSET = String(offset)
  const others = Object.values(cluster.workers ?? {}).filter((one) => one?.isConnected())
  await Promise.all(
    others.map(async (one) => {
      const answer = Promise.race([answerOf(one), once(one as NonNullable<typeof one>, 'exit')])
      one?.send({ clock: offset })
      await answer
    }),
  )
  process.send?.({ clock: offset })
})
/** Until a process has told that it has the clock. */
async function answerOf(one: Worker | undefined): Promise<void> {
  if (!one) return
  let said: { clock?: number }
  do [said] = (await once(one, 'message')) as [{ clock?: number }]
  while (said.clock !== offset)
}

if (isPrimary) {
  const said = ({ url }: { url: string }) => void process.stdout.write(`Strongroom serves at ${url}\n`)
  process.exit(await serveWithProcesses(Number(PROCESSES), config, said))
}
for (const worker of workersOf('all')) if (typeof worker.every === 'number') worker.every = Math.min(worker.every, 3000)
const running = await start(config, {
  several,
  prepares: preparesOf(process.env),
  now: () => new Date(Date.now() + offset),
})
if (several) announceToPrimary(running)
else {
  process.on('disconnect', () => process.exit(1))
  process.stdout.write(`Strongroom serves at ${running.url}\n`)
}
process.on(
  'SIGTERM',
  () =>
    void running
      .stop()
      .then(leavePrimary)
      .then(() => process.exit(0)),
)
