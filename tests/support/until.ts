import { setTimeout as pause } from 'node:timers/promises'

/** Looks again every 10 ms until it holds; fails after 20 seconds. For what happens outside of this process's control. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    if (await holds()) return
    await pause(10)
  }
  throw new Error(`Still not so after 20 s: ${holds}`)
}
