import { pause } from '../../../../../contract/pause.ts'
import { unlessAborted } from './retry.ts'

const PING_MS = [500, 1000, 2000, 4000, 8000, 15_000]
const PING_TIMEOUT_MS = 5000

const ping = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(PING_TIMEOUT_MS) }).then(
    (answer) => answer.status < 500,
    () => false,
  )

/** Tracks whether the server is reachable, and waits for it. */
export class Reach {
  #away: Promise<void> | undefined
  readonly #changed: (away: boolean) => void
  constructor(changed: (away: boolean) => void) {
    this.#changed = changed
  }

  /** Waits until the server responds. Returns whether it was unreachable. */
  readonly wait = async (signal: AbortSignal): Promise<boolean> => {
    if (!this.#away && (await ping())) return false
    this.#away ??= this.#untilBack().finally(() => {
      this.#away = undefined
    })
    await unlessAborted(this.#away, signal)
    return true
  }

  async #untilBack(): Promise<void> {
    this.#changed(true)
    for (let i = 0; ; i++) {
      const sooner = new AbortController()
      const wake = () => sooner.abort()
      addEventListener('online', wake, { once: true })
      await pause(PING_MS[Math.min(i, PING_MS.length - 1)] as number, sooner.signal).catch(() => undefined)
      removeEventListener('online', wake)
      if (await ping()) break
    }
    this.#changed(false)
  }
}
