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

/** The checksum planned for an upload; null without one. */
export const plannedChecksum = ({
  checksum_algorithm: algorithm,
  checksum_type: type,
}: Pick<UploadRow, 'checksum_algorithm' | 'checksum_type'>): ChecksumPlan | null =>
  algorithm && type ? { algorithm, type } : null

/**
 * An upload's checksum from those of the parts it is made of: a CRC of all bytes, or, like S3's, a hash of the parts'
 * checksums with `-` and their number after it. Null if the upload has none.
 */
export async function checksumOfParts(
  upload: UploadRow,
  parts: readonly Pick<PartRow, 'size' | 'checksum'>[],
): Promise<Checksum | null> {
  const plan = plannedChecksum(upload)
  if (!plan) return null
  const { algorithm, type } = plan
  const digests = parts.map(({ size, checksum }) => ({ size, digest: Buffer.from(checksum ?? '', 'base64') }))
  if (type === 'full_object' && isCrc(algorithm))
    return { ...plan, value: (await combineCrcs(algorithm, digests)).toString('base64') }
  return { ...plan, value: `${(await compositeOf(algorithm, digests)).toString('base64')}-${parts.length}` }
}
