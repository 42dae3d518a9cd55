import { sql } from 'kysely'
import { type BucketAction, type Grant, type GrantingGroup, grantReaches } from '../../../../contract/permissions.ts'
import { PUBLIC_GROUP, type PublicAccess, publicActions } from '../../../../contract/public-access.ts'
import { bookOf } from '../../../access/policies/book.ts'
import { prepared } from '../../../db/prepare.ts'
import type { Db } from '../../../db/schema.ts'
import type { Policy } from '../../../iam/document.ts'
import { ACTION_OF } from '../../../iam/names-of-rights.ts'
import { isPublicPolicy, isPublicStatement } from '../../../iam/public.ts'
import { type AclReader, grantsTo, isPublicAcl } from './acl.ts'
import type { BucketConfig, PublicAccessBlock } from './kinds.ts'
import { actionsForAll, type PolicySubject } from './policy.ts'

const kinds = ['acl', 'ownership', 'public_access_block'] as const
type AccessKind = (typeof kinds)[number]
/** What is configured of a bucket's access. */
type Configured = { [Kind in AccessKind]?: BucketConfig[Kind] }

const rowsOf = prepared((db: Db, { buckets }: { buckets: readonly string[] }) =>
  db
    .selectFrom('bucket_config')
    .innerJoin('buckets', 'buckets.id', 'bucket_config.bucket_id')
    .select((e) => ['name', e.ref('kind').$castTo<AccessKind | 'grant' | 'token'>().as('kind'), 'document'])
    .select(sql<string>`''`.as('prefix'))
    .where('name', 'in', buckets)
    .where('deleted_at', 'is', null)
    .where('kind', 'in', sql<AccessKind>`(${sql.join(kinds.map(sql.lit))})`)
    .unionAll(
      db
        .selectFrom('grants')
        .select('bucket_pattern as name')
        .select(sql<AccessKind | 'grant' | 'token'>`'grant'`.as('kind'))
        .select(['actions as document', 'prefix'])
        .where('group_id', '=', sql.lit(PUBLIC_GROUP)),
    )
    .unionAll(
      db
        .selectFrom('instance')
        .select(sql<string>`''`.as('name'))
        .select(sql<AccessKind | 'grant' | 'token'>`'token'`.as('kind'))
        .select(['policies as document'])
        .select(sql<string>`''`.as('prefix')),
    ),
)

/**
 * What is configured of the access to buckets, what was granted to everyone, and by which token the policies of buckets are
 * known, in one statement.
 */
export async function findAccess(db: Db, buckets: readonly string[]) {
  const configured = new Map<string, Configured>()
  const granted: Omit<Grant, 'id'>[] = []
  let token = ''
  for (const { name, kind, document, prefix } of await rowsOf(db, { buckets })) {
    if (kind === 'token') {
      token = document
      continue
    }
    const value = JSON.parse(document)
    if (kind === 'grant') granted.push({ bucket_pattern: name, prefix, actions: value as BucketAction[] })
    else configured.set(name, { ...configured.get(name), [kind]: value })
  }
  return { of: (bucket: string): Configured => configured.get(bucket) ?? {}, granted, token }
}

/** Whether a bucket and its objects have ACLs. */
export const hasAcls = ({ ownership = 'BucketOwnerEnforced' }: Configured): boolean =>
  ownership !== 'BucketOwnerEnforced'

/** Nothing can be public. */
export const allBlocked: PublicAccessBlock = { block_acls: true, ignore_acls: true, block_policy: true, restrict: true }
export const isBlocked = (block: PublicAccessBlock): boolean => Object.values(block).every(Boolean)

/** Whether ACLs can make anything of a bucket public. */
const aclsCount = (access: Configured): boolean => hasAcls(access) && !access.public_access_block?.ignore_acls

/** `READ` of a bucket's ACL also lists versions. */
const ACL_ACTIONS = {
  READ: [
    { action: 'list', about: 'current' },
    { action: 'list', about: 'versions' },
  ],
  WRITE: [
    { action: 'write', about: 'current' },
    { action: 'delete', about: 'current' },
  ],
} as const

/** The id of what the ACL of a bucket grants everyone; other grants to everyone have none here. */
export const OF_BUCKET_ACL = 'acl'

/** What everyone may do in a bucket, for a request that is about this. */
function publicGrants(
  bucket: string,
  access: Configured,
  granted: readonly Omit<Grant, 'id'>[],
  { as, about }: { as: AclReader; about: readonly PolicySubject[] },
): Grant[] {
  const { acl = [], public_access_block: block } = access
  const byAcl = aclsCount(access)
    ? (['READ', 'WRITE'] as const)
        .filter((permission) => grantsTo(acl, as, permission))
        .map((permission) => ({
          bucket_pattern: bucket,
          prefix: '',
          actions: actionsForAll(ACL_ACTIONS[permission], about),
        }))
    : []
  const others = block?.restrict
    ? []
    : // A grant to everyone is about contents as they are: former ones may have been removed for a reason.
      (about.includes('versions') ? [] : granted.filter((grant) => grantReaches({ id: '', ...grant }, bucket))).map(
        ({ actions, ...grant }) => ({
          ...grant,
          bucket_pattern: bucket,
          actions: publicActions.filter((action) => actions.includes(action)),
        }),
      )
  return [...byAcl.map((grant) => ({ id: OF_BUCKET_ACL, ...grant })), ...others.map((grant) => ({ id: '', ...grant }))]
}

/** As whom a request comes, and what of which buckets it is about. */
export interface PublicRequest {
  as: AclReader
  buckets: ReadonlyMap<string, readonly PolicySubject[]>
}

/** What a request may do because anyone may. */
export interface PublicRights {
  group: GrantingGroup
  /** The buckets in which ACLs of objects count. */
  acls: ReadonlySet<string>
  /** The buckets in which counts what policies allow everyone. */
  open: ReadonlySet<string>
  /** By which the policies of buckets are known; see `access/policies/book.ts`. */
  token: string
}

/** What everyone may do in the buckets that a request is about. */
export async function findPublicRights(db: Db, { as, buckets }: PublicRequest): Promise<PublicRights> {
  const names = [...buckets.keys()]
  const { of, granted, token } = await findAccess(db, names)
  const grants = [...buckets].flatMap(([name, about]) => publicGrants(name, of(name), granted, { as, about }))
  return {
    group: { id: PUBLIC_GROUP, name: 'Public', global: [], grants },
    acls: new Set(names.filter((name) => aclsCount(of(name)))),
    open: new Set(names.filter((name) => !of(name).public_access_block?.restrict)),
    token,
  }
}

/** What of buckets is public, by their names; nothing is said of any unless `isOn`: whether anything can be. */
export async function describePublicAccess(
  db: Db,
  buckets: readonly string[],
  isOn: boolean,
): Promise<Map<string, PublicAccess>> {
  if (!isOn || buckets.length === 0) return new Map()
  const { of, granted, token } = await findAccess(db, buckets)
  const book = await bookOf(db, token)
  return new Map(
    buckets.map((name) => {
      const grants = publicGrants(name, of(name), granted, { as: 'everyone', about: ['current'] })
      const { public_access_block: block } = of(name)
      const policy = block?.restrict ? undefined : book?.of(name)
      const actions = publicActions.filter(
        (action) =>
          grants.some((grant) => grant.actions.includes(action)) || (policy && opens(policy, ACTION_OF[action] ?? '')),
      )
      return [name, { actions, object_acls: aclsCount(of(name)), blocked: block !== undefined && isBlocked(block) }]
    }),
  )
}

/** Whether its ACL lets everyone with a credential list a bucket. */
export const isListedByAcl = (access: Configured): boolean =>
  aclsCount(access) && grantsTo(access.acl ?? [], 'authenticated', 'READ')

/** Whether a policy or an ACL makes a bucket public, also to those with any credential. */
export const isPublic = (access: Configured, policy: Policy | undefined): boolean =>
  (policy !== undefined && isPublicPolicy(policy) && !access.public_access_block?.restrict) ||
  (aclsCount(access) && isPublicAcl(access.acl ?? []))

/** Whether a policy allows everyone an action, on whatever. */
const opens = ({ statements }: Policy, action: string): boolean =>
  statements.some((one) => one.actions.has(action) && isPublicStatement(one))

/** The groups without that of everyone: what a caller may do because of who they are. */
export const ownGroups = (groups: readonly GrantingGroup[]): GrantingGroup[] =>
  groups.filter(({ id }) => id !== PUBLIC_GROUP)
