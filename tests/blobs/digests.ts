import type { ChecksumAlgorithm } from '../../contract/shapes.ts'
import { createDigest } from '../../server/blobs/digest.ts'

/** The digest of some bytes, given in pieces. */
export async function digestOf(algorithm: ChecksumAlgorithm | 'md5', ...pieces: Uint8Array[]): Promise<Buffer> {
  const digest = await createDigest(algorithm)
  for (const piece of pieces) digest.update(piece)
  return digest.digest()
}
