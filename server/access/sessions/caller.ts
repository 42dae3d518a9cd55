import {
  type BucketAction,
  type GlobalRight,
  type Grant,
  type GrantingGroup,
  isAdmin,
  withinScope,
} from '../../../contract/permissions.ts'
import type { Actor, Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { listeningOf } from '../../http/listening.ts'
import { type Asking, policiesFor } from '../policies/in-force.ts'
import { settingsInForce } from '../settings/effective.ts'
import { mailServerOf } from '../settings/mail.ts'
import { describeScope, scopeOf } from './scope.ts'
import { findOwn, type UserRow } from './store.ts'

/** What a credential is, and what it is limited to. */
type Credential = Pick<Actor, 'auth_method' | 'session_id' | 'token_id' | 'agent'> & {
  scope?: string | null
  second_factor?: boolean
}

/**
 * The actor described by a credential's rows, with their current permissions within its scope, if it has one, and the
 * policies that they are judged by.
 */
export async function actorOf(
  db: Db,
  rows: readonly [UserRow, ...UserRow[]],
  { scope: text = null, ...credential }: Credential,
  asking: Asking,
): Promise<Actor> {
  const [{ user_id, email, display_name, path, service_account, policies: token }] = rows
  let rights = rightsIn.get(rows)
  if (!rights) {
    const groups = groupsOf(rows)
    const scope = scopeOf(text)
    rights = scope === null ? { groups } : { groups: withinScope(groups, scope), scope }
    rightsIn.set(rows, rights)
  }
  const { origin } = asking
  const actor: Actor = { type: 'user', user_id, email, display_name, ...credential, ...rights, origin }
  if (path !== '/') actor.path = path
  if (service_account === 1) actor.service_account = true
  const policies = token === '' ? undefined : await policiesFor(db, token, actor, asking)
  return policies ? { ...actor, policies } : actor
}

/** What rows of a credential say, which are kept and have one scope: read once. */
const rightsIn = new WeakMap<readonly UserRow[], Pick<Actor, 'groups' | 'scope'>>()

/** The groups in a credential's rows. */
export function groupsOf(rows: readonly UserRow[]): GrantingGroup[] {
  const groups = new Map<string, GrantingGroup & { grants: Grant[] }>()
  for (const row of rows) {
    if (row.group_id === null) continue
    let group = groups.get(row.group_id)
    if (!group) {
      const global = JSON.parse(row.global ?? '[]') as GlobalRight[]
      group = { id: row.group_id, name: row.group_name ?? '', global, grants: [] }
      groups.set(row.group_id, group)
    }
    if (row.grant_id !== null)
      group.grants.push({
        id: row.grant_id,
        bucket_pattern: row.bucket_pattern ?? '',
        prefix: row.prefix ?? '',
        actions: JSON.parse(row.actions ?? '[]') as BucketAction[],
      })
  }
  return [...groups.values()]
}

/** The response of `GET /auth/me`: the caller with all permissions of their groups. */
export async function describeCaller(ctx: Ctx) {
  const { actor } = ctx
  const settings = await settingsInForce(ctx)
  const { shares, tokens } = settings
  const own = await findOwn(ctx.db, actor.user_id ?? '')
  const generated = own?.password_generated ?? null
  return {
    id: actor.user_id ?? '',
    email: actor.email ?? '',
    display_name: actor.display_name ?? '',
    language: own?.language ?? null,
    scope: describeScope(actor.scope ?? null),
    is_admin: isAdmin(actor.groups),
    groups: actor.groups.map(({ id, name }) => ({ id, name })),
    permissions: {
      global: [...new Set(actor.groups.flatMap((group) => group.global))],
      grants: actor.groups.flatMap((group) =>
        group.grants.map(({ id, bucket_pattern, prefix, actions }) => ({
          group_id: group.id,
          grant_id: id === '' ? null : id,
          bucket_pattern,
          prefix,
          actions: [...actions],
        })),
      ),
    },
    limits: {
      share_default_expires_in: shares.default_expires_in,
      share_max_expires_in: shares.max_expires_in,
      token_max_lifetime_days: tokens.max_lifetime_days === 0 ? null : tokens.max_lifetime_days,
    },
    s3: s3EndpointOf(ctx),
    mail: mailServerOf(settings) !== null,
    password_generated: generated === null ? null : generated === 1,
  }
}

/** Where S3 clients reach the service; null without an S3 endpoint. */
function s3EndpointOf({ config }: Ctx) {
  const { s3, publicBaseUrl } = config
  const port = listeningOf(config).s3Port
  const [domain] = s3.domains
  const ofDomain = domain === undefined ? null : `${new URL(publicBaseUrl).protocol}//${domain}`
  if (port === null) return null
  return {
    url: s3.publicUrl || ofDomain,
    port,
    region: s3.region,
    presigned_v2: s3.signatureV2 === 'presigned',
    website_domains: [...s3.websiteDomains],
  }
}
