import { type ChecksumAlgorithm, checksumAlgorithms } from '../../contract/shapes.ts'
import { malformedHeader } from '../base/invalid.ts'

/** Bytes of each algorithm's checksum. */
const LENGTHS: { [algorithm in ChecksumAlgorithm]: number } = {
  crc32: 4,
  crc32c: 4,
  crc64nvme: 8,
  sha1: 20,
  sha256: 32,
  sha512: 64,
  md5: 16,
  xxhash64: 8,
  xxhash3: 8,
  xxhash128: 16,
}
/** The longest of them, as it is written. */
const MOST_TEXT = 88

/** Whether a text is the Base64 of as many bytes as this algorithm's checksum has, written as Base64 is (RFC 4648). */
export function isChecksum(algorithm: ChecksumAlgorithm, text: string): boolean {
  if (text.length > MOST_TEXT) return false
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === LENGTHS[algorithm] && bytes.toString('base64') === text
}

/**
 * Reads `x-checksum-<algorithm>`, or `x-checksum-algorithm` for one to be computed; undefined without either. Throws
 * malformed.
 */
export function checksumOf(headers: {
  [name: string]: string | string[] | undefined
}): { algorithm: ChecksumAlgorithm; value?: string } | undefined {
  const [given, another] = checksumAlgorithms.filter((one) => headers[`x-checksum-${one}`] !== undefined)
  const asked = headers['x-checksum-algorithm']
  if (another) throw malformedHeader(`x-checksum-${another}`, 'must be the only checksum')
  if (given) {
    const value = String(headers[`x-checksum-${given}`])
    if (isChecksum(given, value)) return { algorithm: given, value }
    throw malformedHeader(`x-checksum-${given}`, `must be the base64 of ${LENGTHS[given]} bytes`)
  }
  if (asked === undefined) return undefined
  const algorithm = checksumAlgorithms.find((one) => one === asked)
  if (algorithm) return { algorithm }
  throw malformedHeader('x-checksum-algorithm', `must be one of ${checksumAlgorithms.join(', ')}`)
}
