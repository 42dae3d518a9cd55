import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChecksumAlgorithm } from '../../contract/shapes.ts'
import { CRC64NVME } from './crc64.ts'
import { CRC32C, createDigest } from './digest.ts'

/** Checksums of a whole that follow from those of its parts. */
export type CrcAlgorithm = Extract<ChecksumAlgorithm, `crc${string}`>
export const isCrc = (algorithm: ChecksumAlgorithm): algorithm is CrcAlgorithm => algorithm.startsWith('crc')

/** The checksum of a part of `size` bytes, big-endian. */
export interface PartDigest {
  size: number
  digest: Uint8Array
}

/**
 * A ring of polynomials over GF(2) modulo a CRC's own, in its reflected notation: the highest bit is the coefficient of
 * x⁰, the lowest that of the highest power.
 */
interface Ring {
  bits: number
  modulus: bigint
}
const RINGS: { [algorithm in CrcAlgorithm]: Ring } = {
  crc32: { bits: 32, modulus: 0xedb88320n },
  crc32c: { bits: 32, modulus: BigInt(CRC32C) },
  crc64nvme: { bits: 64, modulus: CRC64NVME },
}

/** Parts per turn: 50 of different sizes take some 10 ms. */
const PER_TURN = 50

/**
 * The CRC of the bytes of several parts together, from each part's CRC and size: crc(AB) = crc(A) · x^(8 · |B|) + crc(B).
 * Costs O(parts), whatever their sizes, and leaves other work its turn.
 */
export async function combineCrcs(algorithm: CrcAlgorithm, parts: readonly PartDigest[]): Promise<Buffer> {
  const ring = RINGS[algorithm]
  const shifts = new Map<number, bigint>()
  let crc = 0n
  for (const [i, { size, digest }] of parts.entries()) {
    const shift = shifts.get(size) ?? shiftBy(ring, size)
    shifts.set(size, shift)
    crc = multiply(ring, crc, shift) ^ BigInt(`0x${Buffer.from(digest).toString('hex')}`)
    if (i % PER_TURN === PER_TURN - 1) await nextTurn()
  }
  return Buffer.from(crc.toString(16).padStart(ring.bits / 4, '0'), 'hex')
}

/** x^(8 · bytes): what a CRC is multiplied by when that many bytes follow. */
function shiftBy(ring: Ring, bytes: number): bigint {
  let shift = 1n << BigInt(ring.bits - 1)
  let square = shift >> 8n
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = multiply(ring, shift, square)
    square = multiply(ring, square, square)
  }
  return shift
}

function multiply({ bits, modulus }: Ring, a: bigint, b: bigint): bigint {
  let product = 0n
  for (let bit = 1n << BigInt(bits - 1); bit > 0n; bit >>= 1n) {
    if ((a & bit) !== 0n) product ^= b
    b = (b & 1n) === 0n ? b >> 1n : (b >> 1n) ^ modulus
  }
  return product
}

/** The checksum of the parts' checksums one after another, as S3 computes it for uploads in parts. */
export async function compositeOf(algorithm: ChecksumAlgorithm, parts: readonly PartDigest[]): Promise<Buffer> {
  const digest = await createDigest(algorithm)
  for (const part of parts) digest.update(part.digest)
  return digest.digest()
}
