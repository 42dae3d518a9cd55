import type { BucketAction } from '../../contract/names.ts'

/**
 * A right, and the action of S3 that is asked for with it. One right covers many actions; policies tell them apart. Null:
 * S3 has no such action, and only grants decide.
 */
export interface Asked {
  right: BucketAction
  action: string | null
  /** Whether it is this action, whatever the request asks for with the right. */
  exactly?: true
}

/** What is asked for with a right, unless whoever asks says more exactly. */
export const ACTION_OF: { readonly [right in BucketAction]: string | null } = {
  list: 's3:ListBucket',
  read: 's3:GetObject',
  write: 's3:PutObject',
  delete: 's3:DeleteObject',
  share: null,
  policy: 's3:PutLifecycleConfiguration',
  manage: null,
  create: 's3:CreateBucket',
  bypass_lock: 's3:BypassGovernanceRetention',
}

/** What a request asks for with a right, if that is not what it mostly is. */
export type ActionNames = { readonly [right in BucketAction]?: string | null }

/** Of a version that may not be current. */
export const READ_VERSION: Asked = { right: 'read', action: 's3:GetObjectVersion' }
export const DELETE_VERSION: Asked = { right: 'delete', action: 's3:DeleteObjectVersion' }
export const LIST_VERSIONS: Asked = { right: 'list', action: 's3:ListBucketVersions' }

/** What one right allows and S3 has an action of its own for. */
export const managing = (action: string): Asked => ({ right: 'manage', action: `s3:${action}`, exactly: true })
export const writing = (action: string): Asked => ({ right: 'write', action: `s3:${action}`, exactly: true })
