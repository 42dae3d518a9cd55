import Type from 'typebox'
import type { BucketAction } from './permissions.ts'

/** The group of everyone: its grants apply to requests at the S3 endpoint, with a credential or without. */
export const PUBLIC_GROUP = '00000000-0000-7000-8000-000000000001'

/** What can be public. */
export const publicActions = ['list', 'read', 'write', 'delete'] as const satisfies readonly BucketAction[]
export type PublicAction = (typeof publicActions)[number]

/** Whose the objects of a bucket are, and whether they and it can have ACLs: in the first, there are none. */
export const ownerships = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const
export type Ownership = (typeof ownerships)[number]

/** Whom an ACL grants something: the owner of the object, that of its bucket, everyone, or everyone with an access key. */
export const aclGrantees = ['owner', 'bucket_owner', 'everyone', 'authenticated'] as const
export const aclPermissions = ['FULL_CONTROL', 'WRITE', 'WRITE_ACP', 'READ', 'READ_ACP'] as const
export const Acl = Type.Array(
  Type.Object({ to: Type.Enum([...aclGrantees]), permission: Type.Enum([...aclPermissions]) }),
)

export const PublicAccess = Type.Object({
  actions: Type.Array(Type.Enum([...publicActions]), {
    description: 'What anyone may do with some of its keys, without a credential.',
  }),
  object_acls: Type.Boolean({ description: 'Whether objects can be public one by one, by their ACLs.' }),
  blocked: Type.Boolean({
    description: 'Whether nothing of it can be public, whatever policies, ACLs and grants say.',
  }),
})
export type PublicAccess = Type.Static<typeof PublicAccess>
