import type http from 'node:http'
import type { BucketAction } from '../../../../contract/names.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { Exchange } from '../requests/exchange.ts'
import { SUBRESOURCES } from '../requests/subresources.ts'
import type { Query, Target } from '../requests/target.ts'
import * as buckets from './buckets/buckets.ts'
import { createBucket } from './buckets/create-bucket.ts'
import { getObjectAcl, putBucketAcl, putObjectAcl } from './documents/acl.ts'
import { deleteBucketCors, putBucketCors } from './documents/cors.ts'
import { deleteBucketLifecycle, putBucketLifecycle } from './documents/lifecycle.ts'
import * as ownership from './documents/ownership.ts'
import { deleteBucketPolicy, putBucketPolicy } from './documents/policy.ts'
import * as tagging from './documents/tagging.ts'
import { deleteBucketWebsite, putBucketWebsite } from './documents/website.ts'
import { listObjects, listObjectsV2, listObjectVersions } from './lists.ts'
import * as lock from './locks.ts'
import { getObjectAttributes } from './objects/attributes.ts'
import { copyObject } from './objects/copy-object.ts'
import * as deletion from './objects/delete-objects.ts'
import { getObject } from './objects/get-object.ts'
import { postObject } from './objects/post-object.ts'
import * as objects from './objects/put-object.ts'
import { completeMultipartUpload } from './uploads/complete.ts'
import { listMultipartUploads, listParts } from './uploads/lists.ts'
import * as multipart from './uploads/uploads.ts'

/** One operation of S3: what a request must be to mean it, and what answers it. */
export interface Operation {
  /** Its name in S3's API. */
  name: string
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  on: 'service' | 'bucket' | 'object'
  /** The sub-resource that the query names, with a value where it must have one. */
  query?: string | readonly [name: string, value: string]
  /** Whether it is about one of several configurations of its kind, which `id` names, or about all of them. */
  item?: boolean
  /** Whether it takes its contents from the object that `x-amz-copy-source` names. */
  copies?: true
  /** Whether it is a form, signed in its fields: no other operation may be asked for by one. */
  form?: true
  /** Whether it takes `versionId`. */
  versions?: true
  /**
   * The right to the object, or anywhere in the bucket, without which nothing of its document is read. Those without have
   * no document, or ask themselves before they read it: for more than one right, or for the upload that they are about.
   */
  needs?: BucketAction
  /** Further parameters that a request which changes something may have. */
  parameters?: readonly string[]
  /** Whether the body may come in signed chunks, and is read as it comes. */
  streams?: boolean
  /** Whom it may be public to: anyone, or those with a credential. */
  open?: 'anyone' | 'signed'
  /** What it leaves out of S3's operation, or answers always; documentation lists it. */
  partly?: string
  run(exchange: Exchange): Promise<void>
}

const DESCRIBED = 'no encryption; storage classes are kept without effect'
const ACL = 'no grants to other users; those to owners have no effect'

/** Every operation that is supported, partly or in full. */
export const operations: readonly Operation[] = [
  { name: 'ListBuckets', method: 'GET', on: 'service', run: buckets.listBuckets },
  {
    name: 'CreateBucket',
    method: 'PUT',
    on: 'bucket',
    partly: 'every location is accepted',
    run: createBucket,
  },
  { name: 'HeadBucket', method: 'HEAD', open: 'anyone', on: 'bucket', run: buckets.headBucket },
  { name: 'DeleteBucket', method: 'DELETE', on: 'bucket', run: buckets.deleteBucket },
  ...buckets.truths.map((truth): Operation => ({ ...truth, method: 'GET', on: 'bucket' })),
  { name: 'PutBucketAcl', method: 'PUT', open: 'signed', on: 'bucket', query: 'acl', partly: ACL, run: putBucketAcl },
  {
    name: 'PutBucketPolicy',
    method: 'PUT',
    on: 'bucket',
    query: 'policy',
    needs: 'manage',
    partly: 'what everyone is allowed, as the section on public access says; all else is refused by name',
    run: putBucketPolicy,
  },
  { name: 'DeleteBucketPolicy', method: 'DELETE', on: 'bucket', query: 'policy', run: deleteBucketPolicy },
  {
    name: 'PutBucketOwnershipControls',
    method: 'PUT',
    on: 'bucket',
    query: 'ownershipControls',
    needs: 'manage',
    run: ownership.putBucketOwnership,
  },
  {
    name: 'DeleteBucketOwnershipControls',
    method: 'DELETE',
    on: 'bucket',
    query: 'ownershipControls',
    run: ownership.deleteBucketOwnership,
  },
  {
    name: 'PutPublicAccessBlock',
    method: 'PUT',
    on: 'bucket',
    query: 'publicAccessBlock',
    needs: 'manage',
    run: ownership.putPublicAccessBlock,
  },
  {
    name: 'DeletePublicAccessBlock',
    method: 'DELETE',
    on: 'bucket',
    query: 'publicAccessBlock',
    run: ownership.deletePublicAccessBlock,
  },
  { name: 'PutBucketCors', method: 'PUT', on: 'bucket', query: 'cors', needs: 'manage', run: putBucketCors },
  { name: 'DeleteBucketCors', method: 'DELETE', on: 'bucket', query: 'cors', run: deleteBucketCors },
  { name: 'PutBucketWebsite', method: 'PUT', on: 'bucket', query: 'website', needs: 'manage', run: putBucketWebsite },
  { name: 'DeleteBucketWebsite', method: 'DELETE', on: 'bucket', query: 'website', run: deleteBucketWebsite },
  {
    name: 'PutBucketLifecycleConfiguration',
    method: 'PUT',
    on: 'bucket',
    query: 'lifecycle',
    needs: 'policy',
    partly: 'no transitions',
    run: putBucketLifecycle,
  },
  { name: 'DeleteBucketLifecycle', method: 'DELETE', on: 'bucket', query: 'lifecycle', run: deleteBucketLifecycle },
  {
    name: 'PutBucketVersioning',
    method: 'PUT',
    on: 'bucket',
    query: 'versioning',
    needs: 'manage',
    partly: 'no MFA Delete',
    run: buckets.putBucketVersioning,
  },
  {
    name: 'PutObjectLockConfiguration',
    method: 'PUT',
    on: 'bucket',
    query: 'object-lock',
    needs: 'manage',
    run: lock.putObjectLockConfiguration,
  },
  {
    name: 'PutBucketTagging',
    method: 'PUT',
    on: 'bucket',
    query: 'tagging',
    needs: 'manage',
    run: tagging.putBucketTagging,
  },
  { name: 'DeleteBucketTagging', method: 'DELETE', on: 'bucket', query: 'tagging', run: tagging.deleteBucketTagging },
  { name: 'ListObjectsV2', method: 'GET', open: 'anyone', on: 'bucket', query: ['list-type', '2'], run: listObjectsV2 },
  { name: 'ListObjects', method: 'GET', open: 'anyone', on: 'bucket', run: listObjects },
  {
    name: 'ListObjectVersions',
    method: 'GET',
    open: 'anyone',
    on: 'bucket',
    query: 'versions',
    run: listObjectVersions,
  },
  {
    name: 'DeleteObjects',
    method: 'POST',
    open: 'anyone',
    on: 'bucket',
    query: 'delete',
    run: deletion.deleteObjects,
  },
  { name: 'PostObject', method: 'POST', open: 'anyone', on: 'bucket', form: true, streams: true, run: postObject },
  {
    name: 'PutObject',
    method: 'PUT',
    open: 'anyone',
    on: 'object',
    streams: true,
    partly: DESCRIBED,
    run: objects.putObject,
  },
  { name: 'CopyObject', method: 'PUT', open: 'anyone', on: 'object', copies: true, partly: DESCRIBED, run: copyObject },
  { name: 'GetObject', method: 'GET', open: 'anyone', on: 'object', versions: true, run: getObject },
  { name: 'HeadObject', method: 'HEAD', open: 'anyone', on: 'object', versions: true, run: getObject },
  { name: 'DeleteObject', method: 'DELETE', open: 'anyone', on: 'object', versions: true, run: deletion.deleteObject },
  {
    name: 'CreateMultipartUpload',
    method: 'POST',
    // As in S3, only who signs can begin an upload in parts: it is seen, continued and ended by who began it.
    open: 'signed',
    on: 'object',
    query: 'uploads',
    partly: DESCRIBED,
    run: multipart.createMultipartUpload,
  },
  {
    name: 'UploadPart',
    method: 'PUT',
    open: 'anyone',
    on: 'object',
    query: 'uploadId',
    parameters: ['partNumber'],
    streams: true,
    run: multipart.uploadPart,
  },
  {
    name: 'UploadPartCopy',
    method: 'PUT',
    open: 'anyone',
    on: 'object',
    query: 'uploadId',
    parameters: ['partNumber'],
    copies: true,
    run: multipart.uploadPartCopy,
  },
  {
    name: 'ListMultipartUploads',
    method: 'GET',
    open: 'anyone',
    on: 'bucket',
    query: 'uploads',
    run: listMultipartUploads,
  },
  { name: 'ListParts', method: 'GET', open: 'anyone', on: 'object', query: 'uploadId', run: listParts },
  {
    name: 'CompleteMultipartUpload',
    method: 'POST',
    open: 'anyone',
    on: 'object',
    query: 'uploadId',
    run: completeMultipartUpload,
  },
  {
    name: 'AbortMultipartUpload',
    method: 'DELETE',
    open: 'anyone',
    on: 'object',
    query: 'uploadId',
    run: multipart.abortMultipartUpload,
  },
  {
    name: 'GetObjectAttributes',
    method: 'GET',
    open: 'anyone',
    on: 'object',
    query: 'attributes',
    versions: true,
    run: getObjectAttributes,
  },
  {
    name: 'GetObjectTagging',
    method: 'GET',
    on: 'object',
    query: 'tagging',
    versions: true,
    run: tagging.getObjectTagging,
  },
  {
    name: 'PutObjectTagging',
    method: 'PUT',
    on: 'object',
    query: 'tagging',
    versions: true,
    needs: 'write',
    run: tagging.putObjectTagging,
  },
  {
    name: 'DeleteObjectTagging',
    method: 'DELETE',
    on: 'object',
    query: 'tagging',
    versions: true,
    run: tagging.deleteObjectTagging,
  },
  {
    name: 'GetObjectRetention',
    method: 'GET',
    on: 'object',
    query: 'retention',
    versions: true,
    run: lock.getObjectRetention,
  },
  {
    name: 'PutObjectRetention',
    method: 'PUT',
    on: 'object',
    query: 'retention',
    versions: true,
    needs: 'write',
    run: lock.putObjectRetention,
  },
  {
    name: 'GetObjectLegalHold',
    method: 'GET',
    on: 'object',
    query: 'legal-hold',
    versions: true,
    run: lock.getObjectLegalHold,
  },
  {
    name: 'PutObjectLegalHold',
    method: 'PUT',
    on: 'object',
    query: 'legal-hold',
    versions: true,
    needs: 'manage',
    run: lock.putObjectLegalHold,
  },
  {
    name: 'GetObjectAcl',
    method: 'GET',
    open: 'signed',
    on: 'object',
    query: 'acl',
    versions: true,
    run: getObjectAcl,
  },
  {
    name: 'PutObjectAcl',
    method: 'PUT',
    open: 'signed',
    on: 'object',
    query: 'acl',
    versions: true,
    partly: ACL,
    run: putObjectAcl,
  },
]

const COPY_SOURCE = 'x-amz-copy-source'
/** Parameters that say more of an operation, whatever it is, or nothing: S3 leaves those that start with `x-` to clients. */
const DETAILS = /^(x-.*|versionId)$/i

const placeOf = (on: Operation['on'], asked: string | undefined): string => `${on} ${asked ?? ''}`
/** The operations on a thing, or on a sub-resource of it. */
const byPlace = Map.groupBy(operations, ({ on, query }) => placeOf(on, typeof query === 'object' ? query[0] : query))

const isNamed = (query: Query, named: Operation['query']): boolean =>
  named === undefined ||
  query.some(([name, value]) => (typeof named === 'string' ? name === named : name === named[0] && value === named[1]))

/** Whether a request can only be an upload by a form, by what it is about. */
export const asksForForm = (method: string | undefined, { bucket, key }: Target, query: Query): boolean =>
  method === 'POST' && bucket !== '' && key === '' && !query.some(([name]) => SUBRESOURCES.has(name))

/**
 * The operation that a request is. What is not supported is refused by name, never taken for another: a `PUT` of an
 * object's ACL must not become its contents. Throws NotImplemented, MethodNotAllowed or InvalidArgument.
 */
export function route(
  request: Pick<Exchange, 'form'> & { method?: string | undefined; headers: http.IncomingHttpHeaders },
  { bucket, key }: Target,
  query: Query,
): Operation {
  const on = bucket === '' ? 'service' : key === '' ? 'bucket' : 'object'
  const [asked, other] = new Set(query.map(([name]) => name).filter((name) => SUBRESOURCES.has(name)))
  if (asked !== undefined && other !== undefined)
    throw invalidArgument('ResourceType', asked, `Conflicting query string parameters: ${asked}, ${other}`)
  // In presigned URLs it is a parameter: taken for a plain upload, the request would empty the object.
  const named = query.some(([name]) => name.toLowerCase() === COPY_SOURCE)
  const copies = on === 'object' && (named || request.headers[COPY_SOURCE] !== undefined)
  const hasId = query.some(([name]) => name === 'id')
  const candidates = (byPlace.get(placeOf(on, asked)) ?? []).filter(
    (one) =>
      isNamed(query, one.query) &&
      (one.item ?? hasId) === hasId &&
      (one.copies ?? false) === copies &&
      (one.form ?? false) === (request.form !== undefined),
  )
  const found = candidates.find(({ method }) => method === request.method)
  const changes = request.method !== 'GET' && request.method !== 'HEAD'
  const isKnown = (name: string) => name === asked || DETAILS.test(name) || found?.parameters?.includes(name)
  const unknown = query.find(([name]) => !isKnown(name))
  if (found && !(changes && unknown)) return found
  // What can only be asked for here can be set in S3.
  const isSetting = asked !== undefined && changes && candidates.every(({ method }) => method === 'GET')
  if (!found && candidates.length > 0 && !isSetting)
    throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
      headers: { allow: candidates.map(({ method }) => method).join(', ') },
    })
  throw new S3Error('NotImplemented', 'A header or query you provided requested a function that is not implemented.')
}
