import { setTimeout as pause } from 'node:timers/promises'

/** Looks again every 20 ms until it holds; fails after 20 seconds. For what happens outside of this process's control. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (await holds()) return
    await pause(20)
  }
  throw new Error(`Still not so after 20 s: ${holds}`)
}
