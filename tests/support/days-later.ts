import type { Config } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'

const DAY_MS = 86_400_000

/**
 * Runs the workers of a service two and three days from now, when all that is kept for a day is over. Its clock passes
 * through those days: one that began with them would be in doubt, and nothing would be deleted.
 */
export async function workDaysLater(config: Config): Promise<void> {
  let time = Date.now()
  const service = await start(config, { now: () => new Date(time), timers: false })
  for (const days of [2, 1]) {
    time += days * DAY_MS
    await service.tick()
  }
  await service.stop()
}
