import { type ChecksumAlgorithm, checksumAlgorithms } from '../../contract/shapes.ts'
import { malformedHeader } from '../base/invalid.ts'

/** Bytes of each algorithm's checksum. */
const LENGTHS: { [algorithm in ChecksumAlgorithm]: number } = {
  crc32: 4,
  crc32c: 4,
  crc64nvme: 8,
  sha1: 20,
  sha256: 32,
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
    const bytes = Buffer.from(value, 'base64')
    if (bytes.length !== LENGTHS[given] || bytes.toString('base64') !== value)
      throw malformedHeader(`x-checksum-${given}`, `must be the base64 of ${LENGTHS[given]} bytes`)
    return { algorithm: given, value }
  }
  if (asked === undefined) return undefined
  const algorithm = checksumAlgorithms.find((one) => one === asked)
  if (algorithm) return { algorithm }
  throw malformedHeader('x-checksum-algorithm', `must be one of ${checksumAlgorithms.join(', ')}`)
}
