import { sizeOfRanges } from '../base/byte-range.ts'
import type { RecyclingSource } from '../base/recycling-source.ts'
import { type BlobDriver, WrongLength } from './driver.ts'

/** A finished call to the storage. Times in milliseconds; `began` as `performance.now()`. */
export interface BlobCall {
  operation: string
  began: number
  /** How much of that time was spent waiting for the source. */
  clientMs: number
  /** Bytes requested, and bytes stored. */
  read?: number
  written?: number
  error?: unknown
  /** Whether it failed because its source did: the client left, or sent something else than it announced. */
  bySource?: boolean
}
/** Called for every call, in its caller's asynchronous context. */
export type BlobObserver = (call: BlobCall) => void

/** The same storage with its calls reported. Streams pass through untouched. */
export function observeBlobs(driver: BlobDriver, observe: BlobObserver): BlobDriver {
  async function call<T>(
    operation: string,
    work: () => Promise<T>,
    bytes: (result: T) => { read?: number; written?: number } = () => ({}),
    waiting?: Waiting,
  ): Promise<T> {
    const began = performance.now()
    let result: T
    try {
      result = await work()
    } catch (error) {
      const bySource = error instanceof WrongLength || (waiting?.failed ?? false)
      observe({ operation, began, clientMs: waiting?.ms ?? 0, error: error ?? true, bySource })
      throw error
    }
    observe({ operation, began, clientMs: waiting?.ms ?? 0, ...bytes(result) })
    return result
  }
  return {
    traits: driver.traits,
    put(id, source, size) {
      const waiting = watch(source)
      return call(
        'put',
        () => driver.put(id, waiting.source, size),
        (written) => ({ written }),
        waiting,
      )
    },
    putOver(id, source, size) {
      const waiting = watch(source)
      return call(
        'put_over',
        () => driver.putOver(id, waiting.source, size),
        (written) => ({ written }),
        waiting,
      )
    },
    get: (id, size, range) =>
      call(
        'get',
        () => driver.get(id, size, range),
        () => ({ read: range ? range.end - range.start + 1 : size }),
      ),
    remove: (id) => call('remove', () => driver.remove(id)),
    holds: () => driver.holds(),
    hold: (...held) => call('hold', () => driver.hold(...held)),
    removeHeld: (id) => call('remove_held', () => driver.removeHeld(id)),
    beginParts: (id) => call('begin_parts', () => driver.beginParts(id)),
    putPart(id, handle, part, source) {
      const waiting = watch(source)
      const work = () => driver.putPart(id, handle, part, waiting.source)
      return call('put_part', work, () => ({ written: part.size }), waiting)
    },
    copyPart: (...part) =>
      call(
        'copy_part',
        () => driver.copyPart(...part),
        (ref) => (ref === null ? {} : { written: part[2].size }),
      ),
    removePart: (id, handle, part) => call('remove_part', () => driver.removePart(id, handle, part)),
    listParts: (id, handle) => call('list_parts', () => driver.listParts(id, handle)),
    completeParts: (id, handle, parts) => call('complete_parts', () => driver.completeParts(id, handle, parts)),
    copyRanges(id, from, ranges, onCopied) {
      const work = () => driver.copyRanges(id, from, ranges, onCopied)
      return call('copy_ranges', work, () => ({ written: sizeOfRanges(ranges) }))
    },
    abortParts: (id, handle) => call('abort_parts', () => driver.abortParts(id, handle)),
    partUrl: (...call) => driver.partUrl(...call),
    directUrl: (...call) => driver.directUrl(...call),
    list: (onDamaged) => driver.list(onDamaged),
    owner: () => driver.owner(),
    claimFor: (instance) => driver.claimFor(instance),
    unclaim: (instance) => driver.unclaim(instance),
    setAside: (id) => call('set_aside', () => driver.setAside(id)),
    bringBack: (id) => call('bring_back', () => driver.bringBack(id)),
    listAside: () => driver.listAside(),
    removeAside: (id) => call('remove_aside', () => driver.removeAside(id)),
    check: () => call('check', () => driver.check()),
    close: () => driver.close(),
  }
}

interface Waiting {
  source: RecyclingSource
  /** Time spent waiting for the source so far. */
  ms: number
  /** Whether it has failed. */
  failed: boolean
}

function watch(source: RecyclingSource): Waiting {
  const waiting: Waiting = {
    ms: 0,
    failed: false,
    source: {
      recycle: (chunk) => source.recycle?.(chunk),
      [Symbol.asyncIterator]() {
        const inner = source[Symbol.asyncIterator]()
        const timed = (next: Promise<IteratorResult<Uint8Array>>) => {
          const began = performance.now()
          const note = () => {
            waiting.ms += performance.now() - began
          }
          next.then(note, () => {
            note()
            waiting.failed = true
          })
          return next
        }
        return {
          next: () => timed(inner.next()),
          return: (value?: unknown) => inner.return?.(value) ?? Promise.resolve({ done: true, value: undefined }),
        }
      },
    },
  }
  return waiting
}
