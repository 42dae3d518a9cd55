import { createHash } from 'node:crypto'
import type { Content } from './model.ts'
import { type Random, random } from './random.ts'

const BYTES = 12 * 1024 ** 2
export const PART = 5 * 1024 ** 2
const digest = (algorithm: 'md5' | 'sha256', bytes: Uint8Array) => createHash(algorithm).update(bytes)

/** The bytes that all contents of a seed are stretches of. */
export function makeNoise(seed: number): Buffer<ArrayBuffer> {
  const noise = Buffer.alloc(BYTES)
  const { int } = random(seed)
  for (let i = 0; i < BYTES; i += 4) noise.writeUInt32LE(int(0, 2 ** 32), i)
  return noise
}

/** Contents of this many bytes; with parts, as a multipart upload in parts of 5 MiB. */
export function makeContent(noise: Buffer<ArrayBuffer>, { int }: Random, size: number, inParts: boolean): Content {
  const from = int(0, noise.length - size)
  const bytes = noise.subarray(from, from + size)
  return {
    from,
    size,
    sha256: digest('sha256', bytes).digest('hex'),
    etag: inParts ? etagOfParts(bytes) : digest('md5', bytes).digest('hex'),
  }
}

export const bytesOf = (noise: Buffer<ArrayBuffer>, { from, size }: Content): Uint8Array<ArrayBuffer> =>
  noise.subarray(from, from + size)
export const partsOf = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] =>
  Array.from({ length: Math.max(1, Math.ceil(bytes.length / PART)) }, (_, i) =>
    bytes.subarray(i * PART, (i + 1) * PART),
  )
export const partEtag = (part: Uint8Array): string => digest('md5', part).digest('hex')
const etagOfParts = (bytes: Uint8Array<ArrayBuffer>): string => {
  const parts = partsOf(bytes).map((part) => digest('md5', part).digest())
  return `${digest('md5', Buffer.concat(parts)).digest('hex')}-${parts.length}`
}
export const sha256 = (bytes: Uint8Array): string => digest('sha256', bytes).digest('hex')
