import * as buckets from './buckets/buckets.ts'
import { createBucket } from './buckets/create-bucket.ts'
import { putBucketAcl } from './documents/acl.ts'
import { deleteBucketCors, putBucketCors } from './documents/cors.ts'
import { deleteBucketEncryption, putBucketEncryption } from './documents/encryption.ts'
import { deleteBucketInventory, putBucketInventory } from './documents/inventory.ts'
import { deleteBucketLifecycle, putBucketLifecycle } from './documents/lifecycle.ts'
import * as ownership from './documents/ownership.ts'
import { deleteBucketPolicy, putBucketPolicy } from './documents/policy.ts'
import { deleteBucketReplication, putBucketReplication } from './documents/replication.ts'
import * as tagging from './documents/tagging.ts'
import { deleteBucketWebsite, putBucketWebsite } from './documents/website.ts'
import { listObjects, listObjectsV2, listObjectVersions } from './lists.ts'
import * as lock from './locks.ts'
import * as deletion from './objects/delete-objects.ts'
import { postObject } from './objects/post-object.ts'
import { ACL_GRANTS, type Operation } from './operation.ts'
import { listMultipartUploads } from './uploads/lists.ts'

/** Every operation on a bucket, or on all of them, that is supported, partly or in full. */
export const bucketOperations: readonly Operation[] = [
  { name: 'ListBuckets', method: 'GET', on: 'service', run: buckets.listBuckets },
  {
    name: 'CreateBucket',
    method: 'PUT',
    on: 'bucket',
    creates: true,
    partly: 'every location is accepted',
    run: createBucket,
  },
  { name: 'HeadBucket', reads: true, method: 'HEAD', open: 'anyone', on: 'bucket', run: buckets.headBucket },
  { name: 'DeleteBucket', method: 'DELETE', on: 'bucket', run: buckets.deleteBucket },
  ...buckets.bucketStateOperations.map((truth): Operation => ({ ...truth, method: 'GET', on: 'bucket' })),
  {
    name: 'PutBucketAcl',
    method: 'PUT',
    open: 'signed',
    on: 'bucket',
    query: 'acl',
    partly: ACL_GRANTS,
    run: putBucketAcl,
  },
  {
    name: 'PutBucketPolicy',
    method: 'PUT',
    on: 'bucket',
    query: 'policy',
    needs: 'manage',
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
  {
    name: 'PutBucketEncryption',
    method: 'PUT',
    on: 'bucket',
    query: 'encryption',
    needs: 'manage',
    partly: 'no keys whose use is blocked',
    run: putBucketEncryption,
  },
  {
    name: 'DeleteBucketEncryption',
    method: 'DELETE',
    on: 'bucket',
    query: 'encryption',
    run: deleteBucketEncryption,
  },
  { name: 'PutBucketCors', method: 'PUT', on: 'bucket', query: 'cors', needs: 'manage', run: putBucketCors },
  { name: 'DeleteBucketCors', method: 'DELETE', on: 'bucket', query: 'cors', run: deleteBucketCors },
  { name: 'PutBucketWebsite', method: 'PUT', on: 'bucket', query: 'website', needs: 'manage', run: putBucketWebsite },
  { name: 'DeleteBucketWebsite', method: 'DELETE', on: 'bucket', query: 'website', run: deleteBucketWebsite },
  {
    name: 'PutBucketReplication',
    method: 'PUT',
    on: 'bucket',
    query: 'replication',
    needs: 'manage',
    partly: 'one destination, which is a registered storage; no storage classes, owners, KMS keys or promised times',
    run: putBucketReplication,
  },
  {
    name: 'DeleteBucketReplication',
    method: 'DELETE',
    on: 'bucket',
    query: 'replication',
    run: deleteBucketReplication,
  },
  {
    name: 'PutBucketInventoryConfiguration',
    method: 'PUT',
    on: 'bucket',
    query: 'inventory',
    item: true,
    parameters: ['id'],
    needs: 'manage',
    partly:
      'no ORC, no encryption apart from the destination’s; no fields of access tiers, bucket keys, ACLs or lifecycle expiry',
    run: putBucketInventory,
  },
  {
    name: 'DeleteBucketInventoryConfiguration',
    method: 'DELETE',
    on: 'bucket',
    query: 'inventory',
    item: true,
    parameters: ['id'],
    needs: 'manage',
    run: deleteBucketInventory,
  },
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
  {
    name: 'ListObjectsV2',
    reads: true,
    method: 'GET',
    open: 'anyone',
    on: 'bucket',
    query: ['list-type', '2'],
    run: listObjectsV2,
  },
  { name: 'ListObjects', reads: true, method: 'GET', open: 'anyone', on: 'bucket', run: listObjects },
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
    needs: deletion.assertMayDelete,
    run: deletion.deleteObjects,
  },
  {
    name: 'PostObject',
    encrypts: true,
    method: 'POST',
    open: 'anyone',
    on: 'bucket',
    form: true,
    streams: true,
    run: postObject,
  },
  {
    name: 'ListMultipartUploads',
    method: 'GET',
    open: 'anyone',
    on: 'bucket',
    query: 'uploads',
    run: listMultipartUploads,
  },
]
