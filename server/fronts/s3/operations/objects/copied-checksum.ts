import type { KeyObject } from 'node:crypto'
import type { Checksum, ChecksumAlgorithm } from '../../../../../contract/shapes.ts'
import { startSumming } from '../../../../blobs/summing.ts'
import { allow, type Ctx } from '../../../../context.ts'
import { type Contents, read } from '../../../../storage/objects/read.ts'
import type { ObjectRow } from '../../../../storage/objects/store.ts'
import { S3Error } from '../../errors.ts'
import type { Exchange } from '../../requests/exchange.ts'
import type { Target } from '../../requests/target.ts'
import { hideSourceExistence } from '../existence.ts'

/** A checksum that a copy is to have besides what it takes over; throws OperationAborted for any other bytes. */
export type CopiedChecksum = (row: ObjectRow) => Pick<ObjectRow, 'checksums'>

/** Most bytes of an object that are read for a copy, as S3 limits what it copies. */
const MOST_READ = 5 * 1024 ** 3

/**
 * What gives a copy of an object its checksum by this algorithm: the one of all its bytes that is known, or one that is
 * computed by reading them, before anything is locked. `admit` sees the source first, and may throw. Throws what reading
 * the source does, or InvalidRequest for too many bytes.
 */
export async function copiedChecksum(
  exchange: Exchange,
  {
    bucket,
    key,
    version,
    reader,
    customerKey,
  }: Target & { reader: Ctx } & { version: string | null | undefined; customerKey: KeyObject | undefined },
  { algorithm, admit }: { algorithm: ChecksumAlgorithm; admit(row: ObjectRow): void },
): Promise<CopiedChecksum> {
  const { ctx } = exchange
  allow(ctx.actor, 'write', exchange.bucket, exchange.key)
  const contents = await read(reader, bucket, key, { opens: true, version, customerKey }).catch((error: unknown) => {
    throw hideSourceExistence(ctx, { bucket, key }, error)
  })
  admit(contents.row)
  const { blob_id, size, checksums } = contents.row
  const known = (JSON.parse(checksums ?? '[]') as Checksum[]).find(
    (one) => one.algorithm === algorithm && one.type === 'full_object',
  )
  if (!known && size > MOST_READ)
    throw new S3Error(
      'InvalidRequest',
      `The specified copy source is larger than the maximum allowable size for a copy source: ${MOST_READ}`,
    )
  const value = known?.value ?? (await sumOf(exchange, contents, algorithm))
  const document = JSON.stringify([{ algorithm, type: 'full_object', value }])
  return (row) => {
    if (row.blob_id === blob_id) return { checksums: document }
    throw new S3Error('OperationAborted', 'The source was overwritten while it was copied. Please try again.')
  }
}

/** The checksum of all bytes of an object, Base64. */
async function sumOf({ ctx, request }: Exchange, contents: Contents, algorithm: ChecksumAlgorithm): Promise<string> {
  const { size } = contents.row
  const summing = await startSumming(ctx.config, algorithm, size)
  try {
    const body = size === 0 ? [] : await contents.open()
    for await (const chunk of body instanceof Uint8Array ? [body] : (body as AsyncIterable<Uint8Array>)) {
      if (request.socket.destroyed) throw new S3Error('RequestTimeout', 'The client has left.')
      const waits = summing.update(chunk)
      if (waits) await waits
    }
    return (await summing.digest()).toString('base64')
  } catch (error) {
    summing.drop()
    throw error
  }
}
