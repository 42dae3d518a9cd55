import { getObjectAcl, putObjectAcl } from './documents/acl.ts'
import * as tagging from './documents/tagging.ts'
import * as lock from './locks.ts'
import { getObjectAttributes } from './objects/attributes.ts'
import { copyObject } from './objects/copy-object.ts'
import * as deletion from './objects/delete-objects.ts'
import { getObject } from './objects/get-object.ts'
import * as objects from './objects/put-object.ts'
import { ACL_GRANTS, type Operation } from './operation.ts'
import { completeMultipartUpload } from './uploads/complete.ts'
import { listParts } from './uploads/lists.ts'
import * as multipart from './uploads/uploads.ts'

const DESCRIBED = 'storage classes are kept without effect'

/** Every operation on an object that is supported, partly or in full. */
export const objectOperations: readonly Operation[] = [
  {
    name: 'PutObject',
    encrypts: true,
    method: 'PUT',
    open: 'anyone',
    on: 'object',
    streams: true,
    partly: DESCRIBED,
    run: objects.putObject,
  },
  {
    name: 'CopyObject',
    encrypts: true,
    method: 'PUT',
    open: 'anyone',
    on: 'object',
    copies: true,
    partly: DESCRIBED,
    run: copyObject,
  },
  { name: 'GetObject', encrypts: true, method: 'GET', open: 'anyone', on: 'object', versions: true, run: getObject },
  { name: 'HeadObject', encrypts: true, method: 'HEAD', open: 'anyone', on: 'object', versions: true, run: getObject },
  { name: 'DeleteObject', method: 'DELETE', open: 'anyone', on: 'object', versions: true, run: deletion.deleteObject },
  {
    name: 'CreateMultipartUpload',
    encrypts: true,
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
    encrypts: true,
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
    encrypts: true,
    method: 'PUT',
    open: 'anyone',
    on: 'object',
    query: 'uploadId',
    parameters: ['partNumber'],
    copies: true,
    run: multipart.uploadPartCopy,
  },
  { name: 'ListParts', encrypts: true, method: 'GET', open: 'anyone', on: 'object', query: 'uploadId', run: listParts },
  {
    name: 'CompleteMultipartUpload',
    encrypts: true,
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
    encrypts: true,
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
    partly: ACL_GRANTS,
    run: putObjectAcl,
  },
]
