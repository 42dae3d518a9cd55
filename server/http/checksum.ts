import { ServiceError } from '../../contract/errors.ts'
import type { Checksum } from '../../contract/shapes.ts'

type Algorithm = Checksum['algorithm']

/** Bytes of each algorithm's checksum. */
const LENGTHS: { [algorithm in Algorithm]: number } = { crc32: 4, crc32c: 4, crc64nvme: 8, sha1: 20, sha256: 32 }
const algorithms = Object.keys(LENGTHS) as Algorithm[]

/**
 * Reads `x-checksum-<algorithm>`, or `x-checksum-algorithm` for one to be computed; undefined without either. Throws
 * malformed.
 */
export function checksumOf(headers: {
  [name: string]: string | string[] | undefined
}): { algorithm: Algorithm; value?: string } | undefined {
  const [given, another] = algorithms.filter((one) => headers[`x-checksum-${one}`] !== undefined)
  const asked = headers['x-checksum-algorithm']
  if (another) throw malformed(`x-checksum-${another}`, 'must be the only checksum')
  if (given) {
    const value = String(headers[`x-checksum-${given}`])
    const bytes = Buffer.from(value, 'base64')
    if (bytes.length !== LENGTHS[given] || bytes.toString('base64') !== value)
      throw malformed(`x-checksum-${given}`, `must be the base64 of ${LENGTHS[given]} bytes`)
    return { algorithm: given, value }
  }
  if (asked === undefined) return undefined
  const algorithm = algorithms.find((one) => one === asked)
  if (algorithm) return { algorithm }
  throw malformed('x-checksum-algorithm', `must be one of ${algorithms.join(', ')}`)
}

const malformed = (name: string, message: string) =>
  new ServiceError('malformed', `The header ${name} ${message}.`, { faults: [{ path: `header.${name}`, message }] })
