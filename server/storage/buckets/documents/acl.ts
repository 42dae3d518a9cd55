import type { aclGrantees, aclPermissions } from '../../../../contract/public-access.ts'

/** To whom an ACL grants something. */
export type AclGrantee = (typeof aclGrantees)[number]
/** Everyone, or everyone with a credential. */
export type AclReader = Exclude<AclGrantee, 'owner' | 'bucket_owner'>
export interface AclGrant {
  to: AclGrantee
  permission: (typeof aclPermissions)[number]
}

/**
 * The ACL of a bucket or an object. Only what it grants to groups has an effect, `READ` and `WRITE`; people have the
 * rights of their groups, whatever it says of owners.
 */
export type Acl = readonly AclGrant[]

const own: AclGrant = { to: 'owner', permission: 'FULL_CONTROL' }
/** What everything has that was given no other. */
export const privateAcl: Acl = [own]

/** ACLs that have names. */
export const cannedAcls: { readonly [name: string]: Acl } = {
  private: privateAcl,
  'public-read': [own, { to: 'everyone', permission: 'READ' }],
  'public-read-write': [own, { to: 'everyone', permission: 'READ' }, { to: 'everyone', permission: 'WRITE' }],
  'authenticated-read': [own, { to: 'authenticated', permission: 'READ' }],
  'bucket-owner-read': [own, { to: 'bucket_owner', permission: 'READ' }],
  'bucket-owner-full-control': [own, { to: 'bucket_owner', permission: 'FULL_CONTROL' }],
}

/** As a row has it: null is `privateAcl`. */
export const aclText = (acl: Acl): string | null => {
  const text = JSON.stringify(acl)
  return text === JSON.stringify(privateAcl) ? null : text
}
export const aclOf = (text: string | null): Acl => (text === null ? privateAcl : (JSON.parse(text) as Acl))

/** Whether an ACL grants anything to a group. */
export const isPublicAcl = (acl: Acl): boolean => acl.some(({ to }) => isGroup(to))
export const isGroup = (to: AclGrantee): to is AclReader => to === 'everyone' || to === 'authenticated'

/** Whether an ACL grants something to a caller: what everyone has, those with a credential have too. */
export const grantsTo = (acl: Acl, reader: AclReader, permission: AclGrant['permission']): boolean =>
  acl.some((grant) => grant.permission === permission && (grant.to === 'everyone' || grant.to === reader))
