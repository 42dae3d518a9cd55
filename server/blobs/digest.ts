import { createHash } from 'node:crypto'
import type { ChecksumAlgorithm } from '../../contract/shapes.ts'
import { crc32 } from '../base/crc32.ts'
import { createCrc64 } from './crc64.ts'

/** A hash or checksum of bytes that come one after another. */
export interface Digest {
  update(bytes: Uint8Array): void
  /** Big-endian, as S3 sends them. Called once. */
  digest(): Buffer
}

/** The reflected polynomial. */
export const CRC32C = 0x82f63b78

/** A digest by this algorithm. */
export async function createDigest(algorithm: ChecksumAlgorithm): Promise<Digest> {
  if (algorithm === 'crc32') return nativeCrc32()
  if (algorithm === 'crc32c') return started(await (await hashWasm()).createCRC32(CRC32C))
  if (algorithm === 'crc64nvme') return createCrc64()
  if (algorithm === 'xxhash64') return started(await (await hashWasm()).createXXHash64())
  if (algorithm === 'xxhash3') return started(await (await hashWasm()).createXXHash3())
  if (algorithm === 'xxhash128') return started(await (await hashWasm()).createXXHash128())
  const hash = createHash(algorithm)
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() }
}

/** Loaded when it is first needed: most services never ask for these checksums. */
const hashWasm = () => import('hash-wasm')

function started(crc: {
  init(): unknown
  update(bytes: Uint8Array): unknown
  digest(type: 'binary'): Uint8Array
}): Digest {
  crc.init()
  return { update: (bytes) => void crc.update(bytes), digest: () => Buffer.from(crc.digest('binary')) }
}

function nativeCrc32(): Digest {
  let value = 0
  return {
    update(bytes) {
      value = crc32(bytes, value)
    },
    digest() {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(value)
      return bytes
    },
  }
}
