import { ServiceError } from '../../../contract/errors.ts'
import { free } from '../../base/free.ts'
import type { Ctx } from '../../context.ts'
import { contentsOf } from '../../storage/objects/read.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import type { Kind, Source, Unusable } from './kinds.ts'
import { readHeader } from './render.ts'
import { findFault } from './structure.ts'

const latin = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, end)

/** Detects the format by the first bytes, never by name or declared type, which the uploader chooses. */
function sniff(head: Uint8Array): Kind | undefined {
  const start = latin(head, 0, 12)
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (/^GIF8[79]a/.test(start)) return 'gif'
  if (/^RIFF.{4}WEBP/s.test(start)) return 'webp'
  if (/^(II[*+]\0|MM\0[*+])/.test(start)) return 'tiff'
  if (start.slice(4, 8) !== 'ftyp') return undefined
  // The brands of ISO 14496-12: HEIC uses the same box, but our build lacks its codec.
  const length = Math.min(Buffer.from(head.buffer, head.byteOffset, 4).readUInt32BE(0), head.length, HEAD_BYTES)
  const brands = [latin(head, 8, 12), ...(latin(head, 16, length).match(/.{4}/gs) ?? [])]
  return brands.includes('avif') || brands.includes('avis') ? 'avif' : undefined
}

const HEAD_BYTES = 64
/** From this size on, the first bytes are checked before the rest is read. */
const LARGE = 256 * 1024

async function read(ctx: Ctx, row: ObjectRow, head = false): Promise<Uint8Array> {
  const wanted = head ? HEAD_BYTES : row.size
  const body = await contentsOf(ctx, row).open(head ? { start: 0, end: HEAD_BYTES - 1 } : undefined)
  if (body instanceof Uint8Array) return body
  const bytes = Buffer.allocUnsafeSlow(wanted)
  let offset = 0
  for await (const chunk of body) {
    offset += (chunk as Buffer).copy(bytes, offset)
    body.recycle?.(chunk)
  }
  if (offset !== wanted) throw new Error(`Blob ${row.blob_id} returned ${offset} of ${wanted} bytes`)
  return bytes
}
export const readSource = (ctx: Ctx, row: ObjectRow): Promise<Uint8Array> => read(ctx, row)

/** Reads a source and its header; returns the bytes too if it can be decoded. */
export async function inspect(ctx: Ctx, row: ObjectRow): Promise<{ found: Source | Unusable; bytes?: Uint8Array }> {
  if (row.size === 0) return { found: { refused: 'unsupported' } }
  if (row.size >= LARGE && !sniff(await read(ctx, row, true))) return { found: { refused: 'unsupported' } }
  const bytes = await readSource(ctx, row)
  const found = await examine(bytes)
  if (!('refused' in found)) return { found, bytes }
  free(bytes)
  return { found }
}

/** What these bytes are as a source. */
export async function examine(bytes: Uint8Array): Promise<Source | Unusable> {
  const kind = sniff(bytes)
  if (!kind) return { refused: 'unsupported' }
  const header = await readHeader(bytes).catch(() => undefined)
  const fault = findFault(kind, bytes)
  if (header?.kind === kind && !fault) return header
  return { refused: fault === 'too_many_scans' ? fault : 'broken' }
}

/** Throws the answer for a blob that is not a usable source. */
export function assertUsable(found: Source | Unusable): asserts found is Source {
  if (!('refused' in found)) return
  if (found.refused === 'unsupported') throw unsupported()
  throw found.refused === 'broken' ? brokenSource() : faultySource('has too many scans')
}
const unsupported = () =>
  new ServiceError(
    'unsupported_media_type',
    'The object is not a supported image (JPEG, PNG, WebP, AVIF, GIF or TIFF).',
  )
const faultySource = (message: string, cause?: unknown) =>
  new ServiceError('invalid_request', `object ${message}.`, { faults: [{ path: 'object', message }], cause })
export const brokenSource = (cause?: unknown) => faultySource('is a damaged or incomplete image', cause)
