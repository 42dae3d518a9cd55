// A service like `strongroom serve`, whose clock can be put forward or back, and whose collector has a grace period and a
// rhythm that let it work within a test. Told over IPC: { clock: <milliseconds> }.
import '../../server/process/runtime.ts'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { workersOf } from '../../server/process/workers.ts'

let offset = Number(process.env.CLOCK_OFFSET ?? 0)
process.on('message', ({ clock }: { clock: number }) => {
  offset = clock
  process.send?.({ clock })
})
process.on('disconnect', () => process.exit(1))
for (const worker of workersOf('all')) if (typeof worker.every === 'number') worker.every = Math.min(worker.every, 3000)
const config = { ...readConfig(process.env), blobGraceSeconds: Number(process.env.GRACE_SECONDS) }
const running = await start(config, { now: () => new Date(Date.now() + offset) })
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)))
process.stdout.write(`Strongroom serves at ${running.url}\n`)
