import type { Db } from '../../db/schema.ts'
import { SUM_BYTES, type SumRun } from '../../segments/sums.ts'
import { findRuns, findSums } from './store.ts'

/** What a caller knows of the stored bytes of a blob that it reads. */
export interface Expected {
  /** Bytes that a segment has in the storage. */
  segment: number
  /** The checksums that the blob's row has itself, null if none; undefined if that was not looked up. */
  sums?: Uint8Array | null | undefined
}

/** The checksums of a blob, found as the reading of it goes on. */
export class ExpectedSums {
  readonly segment: number
  readonly #db: Db
  readonly #id: string
  readonly #size: number
  #inBlob: Uint8Array | null | undefined
  #runs: readonly SumRun[] = []

  /** `size`: bytes that the blob has in the storage. */
  constructor(db: Db, { id, size }: { id: string; size: number }, { segment, sums }: Expected) {
    this.segment = segment
    this.#db = db
    this.#id = id
    this.#size = size
    this.#inBlob = sums
    if (sums) this.#runs = [{ start: 0, size, sums }]
  }

  /** The run with a byte, if it was found already. */
  known(at: number): SumRun | undefined {
    return this.#runs.find(({ start, size }) => start <= at && at < start + size)
  }

  /** The run with a byte; undefined if there are no checksums. */
  async find(at: number): Promise<SumRun | undefined> {
    const known = this.known(at)
    if (known) return known
    if (this.#inBlob === undefined) {
      this.#inBlob = await findSums(this.#db, this.#id)
      if (this.#inBlob) this.#runs = [{ start: 0, size: this.#size, sums: this.#inBlob }]
    }
    // Fewer segments than that would be in the row, unless they are of parts of odd sizes, or nobody knows them.
    if (!this.#inBlob) this.#runs = await findRuns(this.#db, this.#id, at)
    return this.known(at)
  }
}

/** The segment with a byte of a run: where it begins and ends in the storage, and its checksum. */
export function segmentAt(
  { start, size, sums }: SumRun,
  segment: number,
  at: number,
): { start: number; end: number; sum: number } {
  const number = Math.floor((at - start) / segment)
  const from = start + number * segment
  const place = number * SUM_BYTES
  return {
    start: from,
    end: Math.min(from + segment, start + size),
    sum: new DataView(sums.buffer, sums.byteOffset + place, SUM_BYTES).getUint32(0),
  }
}
