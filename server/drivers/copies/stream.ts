import { Readable } from 'node:stream'
import type { ByteRange } from '../../base/byte-range.ts'
import { crc32 } from '../../base/crc32.ts'
import { BlobMissing, type RecyclingStream } from '../driver.ts'
import { segmentAt } from './expected.ts'
import { damaged, inTime, planOf, type Reading, TooSlow, worstOf } from './reading.ts'

interface Opened {
  /** Of the copy. */
  index: number
  body: Readable & Partial<Pick<RecyclingStream, 'recycle'>>
  /** Where it was opened. */
  plan: ByteRange
  failures: unknown[]
}

/**
 * Chunks of a copy, each passed on as it came once all segments of which it has bytes are verified: so its memory can be
 * used again as one. What is read is taken by events, since iterating would cost a promise for each chunk.
 */
export class VerifiedStream extends Readable implements RecyclingStream {
  readonly #reading: Reading
  readonly #end: number
  readonly #failures: unknown[]
  #index: number
  #body: Opened['body'] | undefined
  /** The next byte to pass on, and where the chunks that are held begin. */
  #out: number
  #heldFrom: number
  #held: Uint8Array[] = []
  /** The segment that is read: where it begins, how much of it came, and its checksum so far. */
  #segment: number
  #filled = 0
  #crc = 0
  /** Copies that were left in a row without a byte that could be passed on. */
  #leftInVain = 0
  /** Whether checksums are being looked up, or another copy is being opened. */
  #busy = false
  #timer: NodeJS.Timeout | undefined

  constructor(reading: Reading, wanted: ByteRange, { index, body, plan, failures }: Opened) {
    super({ highWaterMark: 512 * 1024 })
    this.#reading = reading
    this.#out = wanted.start
    this.#end = wanted.end + 1
    this.#failures = failures
    this.#index = index
    this.#heldFrom = plan.start
    this.#segment = plan.start
    this.#take(body)
  }

  override _read(): void {
    if (this.#busy) return
    this.#body?.resume()
    this.#wait()
  }

  override _destroy(error: Error | null, finish: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#body?.destroy()
    finish(error)
  }

  recycle(chunk: Uint8Array): void {
    this.#body?.recycle?.(chunk)
  }

  #take(body: Opened['body']): void {
    this.#body = body
    const current = <T extends unknown[]>(work: (...values: T) => void) => {
      return (...values: T) => {
        if (this.#body === body && !this.destroyed) work(...values)
      }
    }
    body.pause()
    body.on(
      'data',
      current((chunk: Uint8Array) => {
        this.#held.push(chunk)
        this.#verify(chunk, 0)
      }),
    )
    body.once(
      'end',
      current(() => {
        if (this.#out >= this.#end) this.push(null)
        else this.#leave(new BlobMissing(this.#reading.id))
      }),
    )
    body.on(
      'error',
      current((error: Error) => this.#leave(error)),
    )
    body.once(
      'close',
      current(() => {
        if (!body.readableEnded) this.#leave(new Error('What is stored was not read to its end'))
      }),
    )
  }

  /** Compares a chunk, from one of its bytes on, with the checksums, and passes on what is verified. */
  #verify(chunk: Uint8Array, from: number): void {
    const { sums, id } = this.#reading
    for (let at = from; at < chunk.length; ) {
      const run = sums.known(this.#segment)
      if (!run) return void this.#lookUp(chunk, at)
      const { end, sum } = segmentAt(run, sums.segment, this.#segment)
      const piece = chunk.subarray(at, at + end - this.#segment - this.#filled)
      this.#crc = crc32(piece, this.#crc)
      this.#filled += piece.length
      at += piece.length
      if (this.#segment + this.#filled < end) break
      if (this.#crc !== sum) return void this.#leave(damaged(id, this.#segment, sums.segment))
      this.#startSegment(end)
    }
    this.#pass(this.#segment)
  }

  #startSegment(at: number): void {
    this.#segment = at
    this.#filled = 0
    this.#crc = 0
  }

  /** Looks up the checksums of what follows; without any it is passed on as it comes. */
  #lookUp(chunk: Uint8Array, at: number): void {
    this.#busy = true
    this.#body?.pause()
    clearTimeout(this.#timer)
    this.#reading.sums.find(this.#segment).then(
      (run) => {
        this.#busy = false
        if (this.destroyed) return
        if (run) this.#verify(chunk, at)
        else {
          this.#startSegment(this.#segment + chunk.length - at)
          this.#pass(this.#segment)
        }
      },
      (error: Error) => this.destroy(error),
    )
  }

  /** Passes on the chunks that end before a byte. */
  #pass(verified: number): void {
    let goesOn = true
    for (let chunk = this.#held[0]; chunk && this.#heldFrom + chunk.length <= verified; chunk = this.#held[0]) {
      const some = chunk.subarray(Math.max(0, this.#out - this.#heldFrom), Math.max(0, this.#end - this.#heldFrom))
      this.#held.shift()
      this.#heldFrom += chunk.length
      if (some.length > 0) goesOn = this.#give(some)
      else this.recycle(chunk)
    }
    if (goesOn) {
      this.#body?.resume()
      this.#wait()
      return
    }
    this.#body?.pause()
    clearTimeout(this.#timer)
  }

  /** Leaves a copy that does not go on in time, if there is another. */
  #wait(): void {
    const { copies, limitMs } = this.#reading
    if (copies.length === 1 || this.#busy) return
    clearTimeout(this.#timer)
    if (this.#out < this.#end) this.#timer = setTimeout(() => this.#leave(new TooSlow(limitMs)), limitMs)
  }

  /** Passes on what is verified of chunks whose ends are not. */
  #passRest(): void {
    for (const chunk of this.#held) {
      const some = chunk.subarray(
        Math.max(0, this.#out - this.#heldFrom),
        Math.max(0, Math.min(this.#segment, this.#end) - this.#heldFrom),
      )
      this.#heldFrom += chunk.length
      if (some.length > 0) this.#give(some)
    }
    this.#held = []
  }

  #give(some: Uint8Array): boolean {
    this.#out += some.length
    this.#leftInVain = 0
    return this.push(some)
  }

  /**
   * Goes on with the next copy, after the last with the first again, from the segment that was reached. Ends where none has that
   * whole.
   */
  #leave(error: unknown): void {
    const { copies, onFailure } = this.#reading
    clearTimeout(this.#timer)
    const body = this.#body
    this.#body = undefined
    body?.on('error', () => undefined)
    body?.destroy()
    this.#passRest()
    this.#failures.push(error)
    const copy = copies[this.#index]
    if (copy && copies.length > 1) onFailure(copy, error)
    if (this.#out >= this.#end) return void this.push(null)
    this.#index = (this.#index + 1) % copies.length
    const next = copies[this.#index]
    if (!next || ++this.#leftInVain >= copies.length) return void this.destroy(worstOf(this.#failures) as Error)
    this.#busy = true
    const open = async () => {
      const plan = await planOf(this.#reading, { start: this.#out, end: this.#end - 1 })
      const opened = await inTime(this.#reading, next.get(plan))
      if (this.destroyed) {
        if (opened instanceof Readable) opened.destroy()
        return
      }
      this.#heldFrom = plan.start
      this.#startSegment(plan.start)
      this.#busy = false
      this.#take(opened instanceof Uint8Array ? Readable.from([opened], { objectMode: false }) : opened)
      this._read()
    }
    open().catch((failure: unknown) => this.#leave(failure))
  }
}
