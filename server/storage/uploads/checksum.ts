import { ServiceError } from '../../../contract/errors.ts'
import type { Checksum, ChecksumAlgorithm } from '../../../contract/shapes.ts'
import { combineCrcs, compositeOf, isCrc } from '../../blobs/combine.ts'
import type { PartRow, UploadRow } from './store.ts'

/** The checksum that an upload's object is to have. */
export type ChecksumPlan = Omit<Checksum, 'value'>

/**
 * The checksum asked for: by default that of all bytes where it follows from those of the parts (CRCs), else of the
 * parts' checksums. Throws invalid_request if S3 does not know the type for this algorithm.
 */
export function planChecksum(algorithm: ChecksumAlgorithm, asked?: Checksum['type']): ChecksumPlan {
  const type = asked ?? (isCrc(algorithm) ? 'full_object' : 'composite')
  if (type === 'full_object' ? isCrc(algorithm) : algorithm !== 'crc64nvme') return { algorithm, type }
  const message = `must be ${type === 'full_object' ? 'composite' : 'full_object'} with ${algorithm}`
  throw new ServiceError('invalid_request', `The type of the checksum ${message}.`, {
    faults: [{ path: 'body.checksum.type', message }],
  })
}

/** What the object of a free upload gets if nobody asks for a checksum, as in S3. */
const DEFAULT: ChecksumPlan = { algorithm: 'crc64nvme', type: 'full_object' }

/** The checksum of a part. */
export interface PartChecksum {
  algorithm: ChecksumAlgorithm
  /** Base64. */
  value: string
}

/** The checksum that was asked for an upload's object; null without one: then parts may bring any, or none. */
export const askedChecksum = ({
  checksum_algorithm: algorithm,
  checksum_type: type,
}: Pick<UploadRow, 'checksum_algorithm' | 'checksum_type'>): ChecksumPlan | null =>
  algorithm && type ? { algorithm, type } : null

/** The checksum that it will have, as far as it is known of all parts; null if none is computed. */
export const plannedChecksum = (row: UploadRow): ChecksumPlan | null =>
  askedChecksum(row) ?? (row.kind === 'free' ? DEFAULT : null)

/**
 * An upload's checksum from those of the parts it is made of: a CRC of all bytes, or, like S3's, a hash of the parts'
 * checksums with `-` and their number after it. Null if the upload has none, or if nobody asked for it and it is not known
 * of a part that was copied without being read.
 */
export async function checksumOfParts(
  upload: UploadRow,
  parts: readonly Pick<PartRow, 'size' | 'checksum'>[],
): Promise<Checksum | null> {
  const plan = plannedChecksum(upload)
  if (!plan) return null
  const { algorithm, type } = plan
  if (!askedChecksum(upload) && parts.some(({ checksum }) => checksum === null)) return null
  const digests = parts.map(({ size, checksum }) => ({ size, digest: Buffer.from(checksum ?? '', 'base64') }))
  if (type === 'full_object' && isCrc(algorithm))
    return { ...plan, value: (await combineCrcs(algorithm, digests)).toString('base64') }
  return { ...plan, value: `${(await compositeOf(algorithm, digests)).toString('base64')}-${parts.length}` }
}
