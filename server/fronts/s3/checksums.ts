import { type Checksum, type ChecksumAlgorithm, checksumAlgorithms } from '../../../contract/shapes.ts'
import { checksumOf } from '../../http/checksum.ts'
import { contentMd5 } from '../../http/content-md5.ts'
import type { Upload } from '../../storage/objects/received.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import { S3Error } from './errors.ts'
import { type Exchange, header } from './exchange.ts'
import type { Trailers } from './signature/chunks.ts'
import { element, type Xml } from './xml.ts'

const nameOf = (algorithm: ChecksumAlgorithm): string => algorithm.toUpperCase()

/** Checksums in the words of S3. */
export const namedChecksums = (checksums: readonly Checksum[] = []) =>
  checksums.map(({ algorithm, type, value }) => ({
    name: nameOf(algorithm),
    header: `x-amz-checksum-${algorithm}`,
    type: type.toUpperCase(),
    value,
  }))
type NamedChecksums = ReturnType<typeof namedChecksums>

/** An object's checksums. */
export const checksumsOf = ({ checksums }: Pick<ObjectRow, 'checksums'>): NamedChecksums =>
  namedChecksums(checksums === null ? [] : (JSON.parse(checksums) as Checksum[]))

/** Algorithms that S3 has besides, which nothing here computes. */
export const otherChecksums: readonly string[] = ['md5', 'sha512', 'xxhash3', 'xxhash64', 'xxhash128']
/** The checksum of no bytes as newer SDKs sign it into presigned uploads, where it says nothing of the body. */
const OF_NOTHING: { [algorithm in ChecksumAlgorithm]?: string } = {
  crc32: 'AAAAAA==',
  crc32c: 'AAAAAA==',
  crc64nvme: 'AAAAAAAAAAA=',
}

/** The hex MD5 that a Content-MD5 header claims; throws InvalidDigest. */
export function claimedMd5(exchange: Exchange): string | undefined {
  try {
    return contentMd5(header(exchange, 'content-md5'))
  } catch {
    throw new S3Error('InvalidDigest', 'The Content-MD5 you specified was invalid.')
  }
}

/**
 * The checksum that a body claims to have: in a header, in a presigned URL, or in a trailer, which is known once the body
 * was read. Throws InvalidRequest for one that cannot be checked, and for more than one.
 */
export function claimedChecksum(exchange: Exchange, trailers: Trailers): Upload['checksum'] {
  const inTrailer = header(exchange, 'x-amz-trailer')?.trim().toLowerCase()
  const given = [...checksumAlgorithms, ...otherChecksums].filter(
    (one) => header(exchange, `x-amz-checksum-${one}`) !== undefined,
  )
  const asked = header(exchange, 'x-amz-sdk-checksum-algorithm')?.toLowerCase()
  for (const one of [...given, asked, inTrailer?.replace('x-amz-checksum-', '')])
    if (one !== undefined && otherChecksums.includes(one))
      throw new S3Error('NotImplemented', `Checksums by ${one.toUpperCase()} are not implemented.`)
  if (given.length + (inTrailer === undefined ? 0 : 1) > 1)
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    )
  if (inTrailer !== undefined) return ofTrailer(inTrailer, trailers)
  const [algorithm] = given as ChecksumAlgorithm[]
  if (algorithm === undefined) {
    const found = checksumAlgorithms.find((one) => one === asked)
    if (asked !== undefined && !found)
      throw new S3Error(
        'InvalidRequest',
        'Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]',
      )
    return found && { algorithm: found }
  }
  const value = header(exchange, `x-amz-checksum-${algorithm}`) as string
  if (asked !== undefined && asked !== algorithm)
    throw new S3Error('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.')
  const inQuery = !exchange.form && exchange.request.headers[`x-amz-checksum-${algorithm}`] === undefined
  if (inQuery && value === OF_NOTHING[algorithm]) return undefined
  return readChecksum(algorithm, value)
}

function readChecksum(
  algorithm: ChecksumAlgorithm,
  value: string,
): { algorithm: ChecksumAlgorithm; value?: string } | undefined {
  try {
    return checksumOf({ [`x-checksum-${algorithm}`]: value })
  } catch {
    if (/^[A-Za-z0-9+/]+={0,2}$/.test(value))
      throw new S3Error('BadDigest', `The ${nameOf(algorithm)} you specified did not match the calculated checksum.`)
    throw new S3Error('InvalidRequest', `Value for x-amz-checksum-${algorithm} header is invalid.`)
  }
}

function ofTrailer(name: string, trailers: Trailers): Upload['checksum'] {
  const algorithm = checksumAlgorithms.find((one) => name === `x-amz-checksum-${one}`)
  if (!algorithm)
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported')
  return {
    algorithm,
    get value() {
      const value = trailers.get(name)
      if (value === undefined)
        throw new S3Error(
          'MalformedTrailerError',
          'The request contained trailing data that was not well-formed or did not conform to our published schema.',
        )
      return readChecksum(algorithm, value)?.value
    },
  }
}

/** The elements of a document that tell an object's checksums. */
export const checksumElements = (checksums: NamedChecksums): Xml[] => [
  ...checksums.map(({ name, value }) => element(`Checksum${name}`, value)),
  element('ChecksumType', checksums[0]?.type),
]

/** The headers that tell them. */
export const checksumHeaders = (checksums: NamedChecksums): { [name: string]: string } => {
  const [first] = checksums
  return {
    ...Object.fromEntries(checksums.map(({ header, value }) => [header, value])),
    ...(first ? { 'x-amz-checksum-type': first.type } : {}),
  }
}
