import type { Config } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'

const DAY_MS = 86_400_000

/**
 * Runs a service's workers two and three days from now, when everything that is kept for a day has expired. Its clock
 * passes through those days: one that started there would be distrusted, and nothing would be deleted.
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
