import { type Fault, ServiceError } from '../../../contract/errors.ts'
import type { PartChecksum } from './checksum.ts'
import type { PartRow, UploadRow } from './store.ts'

/** A part as whoever completes the upload names it. */
export interface NamedPart {
  part_number: number
  etag: string
  /** Base64, by the upload's algorithm. */
  checksum?: string | undefined
  /** One by another algorithm that the part came with. */
  brought?: PartChecksum | undefined
}

/**
 * The parts named, in order; throws conflict listing every one that is missing or different. A planned upload needs all
 * that were received, each of the size for its place; of a free one, any that are large enough to be joined.
 */
export function chooseParts(
  upload: UploadRow,
  received: readonly PartRow[],
  { named, leastPart, size: wanted }: { named: readonly NamedPart[]; leastPart: number; size?: number | undefined },
): PartRow[] {
  const there = new Map(received.map((part) => [part.part_number, part]))
  const faults: Fault[] = []
  const chosen: PartRow[] = []
  let small = 0
  let first: number | undefined
  for (const [i, { part_number, etag, checksum, brought }] of named.entries()) {
    const part = there.get(part_number)
    const fault = (message: string) => {
      first ??= i
      faults.push({ path: `body.parts.${i}`, message: `part ${part_number} ${message}` })
    }
    const previous = named[i - 1]
    const isLast = i === named.length - 1
    if (previous && previous.part_number >= part_number) fault('is out of order')
    else if (!part) fault('was not uploaded')
    else if (part.etag !== bareEtag(etag)) fault(`has the ETag ${part.etag}`)
    else if (upload.checksum_algorithm && part.checksum === null) fault('has no checksum; send it again')
    else if (checksum !== undefined && part.checksum !== checksum) fault(`has the checksum ${part.checksum ?? 'none'}`)
    else if (brought && part.brought !== checksumJson(brought))
      fault(`came without this checksum by ${brought.algorithm}`)
    else if (!isLast && upload.kind === 'planned' && part.size !== upload.part_size)
      fault(`has ${part.size} bytes but is not the last part`)
    else if (!isLast && part.size < leastPart) {
      small++
      fault(`has fewer than ${leastPart} bytes but is not the last part`)
    } else chosen.push(part)
  }
  if (upload.kind === 'planned') faults.push(...missingFrom(upload, { there, named }))
  const size = chosen.reduce((sum, part) => sum + part.size, 0)
  if (faults.length === 0 && upload.file_size !== null && size !== upload.file_size)
    faults.push({ path: 'body.parts', message: `have ${size} bytes in total, not ${upload.file_size}` })
  if (faults.length === 0 && wanted !== undefined && size !== wanted)
    faults.push({ path: 'body.size', message: `the parts have ${size} bytes in total, not ${wanted}` })
  if (faults.length > 0) throw new PartsConflict(faults, { tooSmall: faults.length === small, first })
  return chosen
}

/** What a planned upload lacks, and what arrived and is not named. */
function* missingFrom(
  { file_size, part_size }: UploadRow,
  { there, named }: { there: ReadonlyMap<number, PartRow>; named: readonly NamedPart[] },
): Generator<Fault> {
  const wanted = new Set(named.map(({ part_number }) => part_number))
  for (const part_number of there.keys())
    if (!wanted.has(part_number))
      yield { path: 'body.parts', message: `part ${part_number} was uploaded but is not listed` }
  const count = file_size === null ? 0 : Math.max(1, Math.ceil(file_size / part_size))
  for (let number = 1; number <= count; number++)
    if (!wanted.has(number) && !there.has(number)) yield { path: 'body.parts', message: `part ${number} is missing` }
}

/** What is wrong with the parts: at most 100 are listed. */
export class PartsConflict extends ServiceError {
  /** Whether the only thing wrong is the size of some. */
  readonly tooSmall: boolean
  /** Which of the parts named is the first with a fault. */
  readonly first: number | undefined
  constructor(faults: readonly Fault[], { tooSmall, first }: { tooSmall: boolean; first: number | undefined }) {
    const messages = faults.slice(0, 20).map(({ message }) => message)
    super('conflict', messages.join('; '), { faults: faults.slice(0, 100) })
    this.tooSmall = tooSmall
    this.first = first
  }
}

/** A checksum that a part brought, as its row has it. */
export const checksumJson = ({ algorithm, value }: PartChecksum): string => JSON.stringify({ algorithm, value })

/** An ETag as the database has it: lower-case, without quotes. */
export const bareEtag = (etag: string): string => etag.replace(/^"(.*)"$/, '$1').toLowerCase()
