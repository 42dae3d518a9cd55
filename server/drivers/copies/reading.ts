import { Readable } from 'node:stream'
import type { ByteRange } from '../../base/byte-range.ts'
import { within } from '../../base/deadline.ts'
import { SegmentDamaged } from '../../segments/cipher.ts'
import { type BlobBody, isStorageOutage } from '../driver.ts'
import { type ExpectedSums, segmentAt } from './expected.ts'

/** One copy of the bytes of a blob. */
export interface Copy {
  get(range: ByteRange | undefined): Promise<BlobBody>
}

/** A blob to read, from whichever of its copies is whole. */
export interface Reading {
  id: string
  /** Bytes in the storage. */
  size: number
  /** The preferred one first. */
  copies: readonly Copy[]
  sums: ExpectedSums
  /** Milliseconds that a copy may take to begin or to go on, where there is another. */
  limitMs: number
  /** Called with what is wrong with a copy, before another is read. */
  onFailure(copy: Copy, error: unknown): void
}

/** The whole segments that a range touches. */
export async function planOf({ sums, size }: Reading, { start, end }: ByteRange): Promise<ByteRange> {
  if (size === 0) return { start: 0, end: -1 }
  const [first, last] = [await sums.find(start), await sums.find(end)]
  return {
    start: first ? segmentAt(first, sums.segment, start).start : start,
    end: last ? segmentAt(last, sums.segment, end).end - 1 : end,
  }
}

/** A storage that does not answer in time. */
export class TooSlow extends Error {
  readonly outage = true
  constructor(ms: number) {
    super(`The storage has not answered within ${ms} ms`)
  }
}

/** Only where there is another copy is it better to give up than to wait. What comes too late is closed. */
export async function inTime({ copies, limitMs }: Reading, work: Promise<BlobBody>): Promise<BlobBody> {
  if (copies.length === 1) return work
  let isLate = false
  work.then(
    (body) => {
      if (isLate && body instanceof Readable) body.destroy()
    },
    () => undefined,
  )
  try {
    return await within(limitMs, work)
  } catch (error) {
    isLate = true
    throw error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT' ? new TooSlow(limitMs) : error
  }
}

/** The error of copies none of which is whole: that a storage is away, which may pass, or what is wrong with the first. */
export const worstOf = (failures: readonly unknown[]): unknown => failures.find(isStorageOutage) ?? failures[0]

/** A segment that begins at `at` is not what was stored. */
export const damaged = (id: string, at: number, segment: number) =>
  new SegmentDamaged(id, { part: 0, number: Math.floor(at / segment) })
