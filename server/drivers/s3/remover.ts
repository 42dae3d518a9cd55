import { randomUUID } from 'node:crypto'
import * as s3 from '@aws-sdk/client-s3'
import type { ExternalRef, ExternalRemover } from '../external.ts'
import { ask, connect, S3Failure, type S3Options } from './client.ts'
import { bareEtag } from './source.ts'

/** What engines answer that do not know conditions on a DELETE. */
const UNKNOWN = ['NotImplemented', 'InvalidArgument', 'InvalidRequest']

const isMissing = (error: unknown): boolean =>
  error instanceof S3Failure && (error.status === 404 || error.code === 'NoSuchVersion')

/** Removes objects from a bucket of an S3 engine; the prefix of `options` does not count. */
export function s3Remover(options: S3Options): ExternalRemover {
  const { bucket: Bucket } = options
  const client = connect(options)
  const remove = (what: { Key: string; VersionId?: string; IfMatch?: string }) =>
    ask('DeleteObject', client.send(new s3.DeleteObjectCommand({ Bucket, ...what })))

  let asked: Promise<boolean> | undefined
  /** Whether the bucket keeps versions, or did; false also where that may not be known. */
  const keepsVersions = (): Promise<boolean> => {
    asked ??= ask('GetBucketVersioning', client.send(new s3.GetBucketVersioningCommand({ Bucket }))).then(
      ({ Status }) => Status !== undefined,
      () => {
        asked = undefined
        return false
      },
    )
    return asked
  }

  return {
    async remove({ key: Key, version_id, etag, size }: ExternalRef) {
      const version = version_id === null ? {} : { VersionId: version_id }
      try {
        const found = await ask('HeadObject', client.send(new s3.HeadObjectCommand({ Bucket, Key, ...version })))
        if (etag === null || bareEtag(found.ETag) !== etag || found.ContentLength !== size) return 'changed'
        // Written before the bucket kept versions: without naming it, a marker would only hide it.
        const named = version_id ?? ((await keepsVersions()) ? 'null' : undefined)
        if (named !== undefined) await remove({ Key, VersionId: named })
        else
          await remove({ Key, IfMatch: `"${etag}"` }).catch((error: unknown) => {
            if (error instanceof S3Failure && UNKNOWN.includes(error.code)) return remove({ Key })
            throw error
          })
        return 'removed'
      } catch (error) {
        if (isMissing(error)) return 'gone'
        if (error instanceof S3Failure && error.status === 412) return 'changed'
        throw error
      }
    },
    async probe(prefix) {
      // There is no such object; a bucket with versions leaves a marker, which is removed as well.
      const Key = `${prefix}strongroom-delete-probe-${randomUUID()}`
      const { VersionId, DeleteMarker } = await remove({ Key })
      if (DeleteMarker && VersionId) await remove({ Key, VersionId })
    },
    close: () => client.destroy(),
  }
}
