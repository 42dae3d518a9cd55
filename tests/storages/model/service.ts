// A service that a test can kill, whose clock and workers are the test's. Told over IPC: { order, advance: milliseconds } or
// { order, tick: name of a worker }; answers { order, error }.
import '../../../server/process/runtime.ts'
import { readConfig } from '../../../server/config/config.ts'
import { start } from '../../../server/process/start.ts'

interface Order {
  order: number
  advance?: number
  tick?: string
}

let offset = Number(process.env.CLOCK_OFFSET ?? 0)
const running = await start(
  { ...readConfig(process.env), bcryptCost: 4 },
  { now: () => new Date(Date.now() + offset), timers: false },
)
process.on('message', async ({ order, advance, tick }: Order) => {
  if (advance !== undefined) offset += advance
  const error = tick === undefined ? undefined : await running.tick(tick).then(() => undefined, String)
  process.send?.({ order, error })
})
process.on('disconnect', () => process.exit(1))
process.send?.({ url: running.url })
