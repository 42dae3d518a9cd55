import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { perSystem } from '../base/per-system.ts'
import type { Ctx } from '../context.ts'

/** Growth of the resident memory, in bytes, that is worth a collection. */
const WORTH = 16 * 1024 ** 2
/** The most that the event loop may have been busy: a collection stops it for a tenth of a second. */
const IDLE = 0.1

interface State {
  /** How busy the event loop was until the last run. */
  loop: ReturnType<typeof performance.eventLoopUtilization> | undefined
  /** Resident memory after the last collection, in bytes. */
  left: number
}
const stateOf = perSystem((): State => ({ loop: undefined, left: 0 }))

let collect: ((options: { type: 'major'; flavor: 'last-resort' }) => void) | undefined

/**
 * Releases what a load has left behind once the process has little to do: V8 keeps it for the next load,
 * which may never come, and starts no collection of its own while little is allocated.
 */
export const memoryRelease = {
  name: 'memory-release',
  every: 5000,
  local: true as const,
  async run({ config }: Ctx): Promise<void> {
    const state = stateOf(config)
    const before = state.loop
    state.loop = performance.eventLoopUtilization()
    if (!before || performance.eventLoopUtilization(state.loop, before).utilization > IDLE) return
    if (process.memoryUsage.rss() - state.left < WORTH) return
    collect ??= exposedCollection()
    collect({ type: 'major', flavor: 'last-resort' })
    state.left = process.memoryUsage.rss()
  },
}

function exposedCollection() {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as NonNullable<typeof collect>
}
