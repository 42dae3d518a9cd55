import { setTimeout as pause } from 'node:timers/promises'

/** Polls every 20 ms until the condition holds; fails after 20 seconds. For events outside this process's control. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (await holds()) return
    await pause(20)
  }
  throw new Error(`Still not so after 20 s: ${holds}`)
}
