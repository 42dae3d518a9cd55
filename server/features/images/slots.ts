import { ServiceError } from '../../../contract/errors.ts'

/** Who a render is for. */
export interface Principal {
  /** A user or a link. */
  id: string
  /** How many slots it may use at a time. */
  most: number
}
/** Limits on what may be in flight; passed with each request, since they are settings. */
export interface Bounds {
  slots: number
  queue: number
  bytes: number
  pixels: number
}
export interface Slot {
  /** Waits until this many more pixels may be in memory. */
  hold(pixels: number): Promise<void>
  /** Releases everything; calling it again has no effect. */
  release(): void
}
interface Waiting {
  principal: Principal
  bytes: number
  grant(slot: Slot): void
}

export const busy = (detail: string) => new ServiceError('busy', detail, { headers: { 'retry-after': '2' } })
export const isBusy = (error: unknown): boolean => error instanceof ServiceError && error.code === 'busy'

export type Slots = ReturnType<typeof createSlots>

/**
 * Limits the renders of this process: slots, source bytes and pixels in memory. Whoever has the fewest slots comes
 * first, then whoever has waited longest. A slot is released when libvips has finished, even if the client disconnected
 * before, since libvips cannot be stopped.
 */
export function createSlots() {
  const waiting: Waiting[] = []
  const held = new Map<string, number>()
  const thirsty: { pixels: number; grant(): void }[] = []
  let bounds: Bounds = { slots: 1, queue: 0, bytes: 0, pixels: 0 }
  let active = 0
  let bytes = 0
  let pixels = 0

  const heldBy = ({ id }: Principal): number => held.get(id) ?? 0
  const fits = (used: number, more: number, most: number): boolean => used === 0 || used + more <= most

  function next(): Waiting | undefined {
    let best: Waiting | undefined
    for (const one of waiting) {
      if (heldBy(one.principal) >= one.principal.most) continue
      if (!best || heldBy(one.principal) < heldBy(best.principal)) best = one
    }
    return best
  }

  function serve(): void {
    for (let one = thirsty[0]; one && fits(pixels, one.pixels, bounds.pixels); one = thirsty[0]) {
      thirsty.shift()
      pixels += one.pixels
      one.grant()
    }
    while (active < bounds.slots) {
      const one = next()
      if (!one || !fits(bytes, one.bytes, bounds.bytes)) return
      waiting.splice(waiting.indexOf(one), 1)
      one.grant(take(one))
    }
  }

  function take({ principal, bytes: size }: Waiting): Slot {
    active++
    bytes += size
    held.set(principal.id, heldBy(principal) + 1)
    let mine = 0
    let released = false
    return {
      hold(more) {
        return new Promise((resolve) => {
          const grant = () => {
            mine += more
            resolve()
          }
          thirsty.push({ pixels: more, grant })
          serve()
        })
      },
      release() {
        if (released) return
        released = true
        active--
        bytes -= size
        pixels -= mine
        const left = heldBy(principal) - 1
        if (left > 0) held.set(principal.id, left)
        else held.delete(principal.id)
        serve()
      },
    }
  }

  return {
    /** How many are waiting and rendering. */
    now: () => ({ queued: waiting.length, rendering: active, pixels, bytes }),
    /** Waits for a slot until `signal` aborts; throws `busy` if too many are already waiting. */
    async acquire(principal: Principal, size: number, limits: Bounds, signal: AbortSignal): Promise<Slot> {
      bounds = limits
      const theirs = waiting.filter((one) => one.principal.id === principal.id).length
      // One principal leaves a quarter of the queue to the others.
      if (waiting.length >= limits.queue || theirs >= Math.max(1, limits.queue * 0.75))
        if (active >= limits.slots || waiting.length > 0) throw busy('Too many images are waiting. Try again.')
      if (signal.aborted) throw tooSlow()
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.splice(waiting.indexOf(one), 1)
          reject(tooSlow())
        }
        const one: Waiting = {
          principal,
          bytes: size,
          grant(slot) {
            signal.removeEventListener('abort', leave)
            resolve(slot)
          },
        }
        signal.addEventListener('abort', leave, { once: true })
        waiting.push(one)
        serve()
      })
    },
  }
}
export const tooSlow = () => busy('The image was not ready in time. Try again.')
