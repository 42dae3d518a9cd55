import { type Checksum, type ChecksumAlgorithm, checksumAlgorithms } from '../../../../contract/shapes.ts'
import { isChecksum } from '../../../http/checksum.ts'
import { contentMd5 } from '../../../http/content-md5.ts'
import type { Upload } from '../../../storage/objects/receive.ts'
import type { ObjectRow } from '../../../storage/objects/store.ts'
import { S3Error } from '../errors.ts'
import { type Exchange, header, headersWith } from './exchange.ts'
import type { Trailers } from './signature/chunks.ts'

export const nameOf = (algorithm: ChecksumAlgorithm): string => algorithm.toUpperCase()
const headerOf = (algorithm: ChecksumAlgorithm): string => `x-amz-checksum-${algorithm}`

/** Checksums in the words of S3. */
export const namedChecksums = (checksums: readonly Checksum[] = []) =>
  checksums.map(({ algorithm, type, value }) => ({
    name: nameOf(algorithm),
    header: headerOf(algorithm),
    type: type.toUpperCase(),
    value,
  }))
export type NamedChecksums = ReturnType<typeof namedChecksums>

/** An object's checksums. */
export const checksumsOf = ({ checksums }: Pick<ObjectRow, 'checksums'>): NamedChecksums =>
  namedChecksums(checksums === null ? [] : (JSON.parse(checksums) as Checksum[]))

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

const unsupported = () =>
  new S3Error(
    'InvalidRequest',
    `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${checksumAlgorithms.map(nameOf).sort().join(', ')}]`,
  )
const invalidHeader = (name: string) => new S3Error('InvalidRequest', `Value for ${name} header is invalid.`)
const severalChecksums = () =>
  new S3Error('InvalidRequest', 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.')

/** The algorithm that a header names; undefined without it. Throws InvalidRequest for any other text. */
export function algorithmIn(exchange: Exchange, name: string): ChecksumAlgorithm | undefined {
  const asked = header(exchange, name)?.toLowerCase()
  const found = checksumAlgorithms.find((one) => one === asked)
  if (asked !== undefined && !found) throw unsupported()
  return found
}

/** The kind of checksum that `x-amz-checksum-type` names; undefined without it. Throws InvalidRequest. */
export function checksumTypeIn(exchange: Exchange): Checksum['type'] | undefined {
  const type = header(exchange, 'x-amz-checksum-type')?.toLowerCase()
  if (type === undefined || type === 'composite' || type === 'full_object') return type
  throw invalidHeader('x-amz-checksum-type')
}

/** Headers that start like those of checksums, and say something about them. */
const ABOUT_CHECKSUMS: ReadonlySet<string> = new Set(['algorithm', 'mode', 'type'])

/**
 * The only checksum in the headers; undefined without one. Throws InvalidRequest for more than one, and for one of an
 * algorithm that is not known: nobody would compare it.
 */
function givenChecksum(exchange: Exchange): { algorithm: ChecksumAlgorithm; value: string } | undefined {
  const [first, another] = headersWith(exchange, 'x-amz-checksum-').flatMap(([name, value]) => {
    if (ABOUT_CHECKSUMS.has(name)) return []
    const algorithm = checksumAlgorithms.find((one) => one === name)
    if (algorithm) return [{ algorithm, value }]
    throw new S3Error('InvalidRequest', 'The algorithm type you specified in x-amz-checksum- header is invalid.')
  })
  if (another) throw severalChecksums()
  return first
}

/**
 * The checksum that a body claims to have: in a header, in a presigned URL, or in a trailer, which is known once the body
 * was read; or the algorithm of one to be computed. Throws InvalidRequest for one that cannot be checked, and for more
 * than one.
 */
export function claimedChecksum(exchange: Exchange, trailers: Trailers): Upload['checksum'] {
  const inTrailer = header(exchange, 'x-amz-trailer')?.trim().toLowerCase()
  const given = givenChecksum(exchange)
  const asked = algorithmIn(exchange, 'x-amz-sdk-checksum-algorithm')
  if (inTrailer !== undefined && given) throw severalChecksums()
  const claimed = inTrailer === undefined ? given : ofTrailer(inTrailer, trailers)
  if (!claimed) return asked && { algorithm: asked }
  const { algorithm } = claimed
  if (asked !== undefined && asked !== algorithm) throw invalidHeader('x-amz-sdk-checksum-algorithm')
  if (claimed !== given) return claimed
  const inQuery = !exchange.form && exchange.request.headers[headerOf(algorithm)] === undefined
  if (inQuery && given.value === OF_NOTHING[algorithm]) return undefined
  return { algorithm, value: asChecksum(given, `${headerOf(algorithm)} header`) }
}

/** The checksum of an object that is uploaded as a whole: as claimed, or the default one, as S3 has it. */
export const objectChecksum = (exchange: Exchange, trailers: Trailers): Upload['checksum'] =>
  claimedChecksum(exchange, trailers) ?? { algorithm: 'crc64nvme' }

/**
 * Whether a text is Base64 without its end. The public test suite wants that to be compared, and found wrong, where AWS
 * refuses it as invalid.
 */
const isCut = (text: string): boolean => text.length % 4 !== 0 && /^[A-Za-z0-9+/]{1,88}$/.test(text)

/** A checksum's value, which must be the Base64 of as many bytes as it has; throws InvalidRequest. */
function asChecksum({ algorithm, value }: { algorithm: ChecksumAlgorithm; value: string }, place: string): string {
  if (isChecksum(algorithm, value) || isCut(value)) return value
  throw new S3Error('InvalidRequest', `Value for ${place} is invalid.`)
}

function ofTrailer(name: string, trailers: Trailers) {
  const algorithm = checksumAlgorithms.find((one) => name === headerOf(one))
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
      return asChecksum({ algorithm, value }, `${name} trailing header`)
    },
  }
}

/**
 * What the checksum of an object made of parts is to be, by a header: of the parts' checksums with their number after it
 * or, as minio-go sends it, without. Undefined without one. Throws InvalidRequest.
 */
export function claimedTotal(exchange: Exchange): { algorithm: ChecksumAlgorithm; value: string } | undefined {
  const given = givenChecksum(exchange)
  if (!given) return undefined
  const [, value = '', count] = /^([^-]*)(-\d{1,5})?$/.exec(given.value) ?? []
  asChecksum({ ...given, value }, `${headerOf(given.algorithm)} header`)
  return { algorithm: given.algorithm, value: value + (count ?? '') }
}
