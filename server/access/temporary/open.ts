import { ServiceError } from '../../../contract/errors.ts'
import type { ScopeEntry } from '../../../contract/permissions.ts'
import { newId } from '../../base/id.ts'
import type { Step } from '../../context.ts'
import type { SessionTags } from './claims.ts'
import { currentKeyId, newTemporaryId, secretOf, tokenOf } from './secret.ts'
import * as store from './store.ts'

/** Credentials as they are given out, this once. */
export interface TemporaryCredentials {
  access_key_id: string
  secret_access_key: string
  session_token: string
  expires_at: string
}

/** What a session is to be. */
export interface NewSession {
  kind: store.CredentialRow['kind']
  /** The role's name, as records have it; null for a session of a user. */
  role: string | null
  role_id?: string | null
  user_id: string | null
  /** Of the kind `groups`. */
  groupIds?: readonly string[]
  session_name: string
  seconds: number
  /** The text of its policy. */
  policy?: string | undefined
  source_identity?: string | undefined
  tags?: SessionTags
  /** What the identity provider's token said. */
  token?: { issuerKey: string; issuer: string; subject: string; claims: { readonly [claim: string]: unknown } }
}

/**
 * Step: opens a session and records it. One that is asked for with temporary credentials ends with those at the latest; one
 * that is asked for with an access key of limited scope has the same limits. Throws forbidden for a key with a policy.
 */
export async function openSession(step: Step, session: NewSession): Promise<TemporaryCredentials> {
  const { tx, record, actor, config } = step
  if (actor.auth_method === 'access_key' && actor.policies?.ofSession)
    throw new ServiceError('forbidden', 'An access key with a policy of its own opens no sessions.')
  const now = step.now()
  const parent = actor.session ? await parentOf(step) : undefined
  const wanted = new Date(now.getTime() + session.seconds * 1000).toISOString()
  const expires_at = parent && parent.expires_at < wanted ? parent.expires_at : wanted
  const access_key_id = newTemporaryId()
  const secret_key_id = currentKeyId(config)
  const { role, token, tags = {} } = session
  const id = newId()
  await store.insertCredential(tx, {
    id,
    access_key_id,
    secret_key_id,
    kind: session.kind,
    role_id: session.role_id ?? null,
    user_id: session.user_id,
    issuer_key: token?.issuerKey ?? null,
    parent_id: parent ? actor.session_id : null,
    session_name: session.session_name,
    subject: token?.subject ?? null,
    source_identity: session.source_identity ?? actor.session?.source_identity ?? null,
    policy: session.policy ?? null,
    scope: scopeText(actor.scope),
    tags: JSON.stringify(tags),
    claims: JSON.stringify(token?.claims ?? {}),
    ip: actor.origin.ip,
    created_at: now.toISOString(),
    expires_at,
    revoked_at: null,
  })
  if (session.groupIds && session.groupIds.length > 0)
    await store.insertGroups(
      tx,
      session.groupIds.map((group_id) => ({ credential_id: id, group_id })),
    )
  record({
    name: 'session_open',
    resource: { type: 'machine_session', id },
    details: {
      role,
      session_name: session.session_name,
      user_id: session.user_id,
      issuer: token?.issuer ?? null,
      subject: token?.subject ?? null,
      access_key_id,
      policy: session.policy ?? null,
      tags,
      source_identity: session.source_identity ?? null,
      expires_at,
    },
  })
  return {
    access_key_id,
    secret_access_key: secretOf(config, secret_key_id, access_key_id),
    session_token: tokenOf(config, secret_key_id, access_key_id) ?? '',
    expires_at,
  }
}

const scopeText = (scope: readonly ScopeEntry[] | undefined): string | null =>
  scope === undefined ? null : JSON.stringify(scope)

/** The credentials with which a session is asked for, which have to be valid still. */
async function parentOf({ tx, actor, now }: Step) {
  const parent = await store.lockLive(tx, actor.session_id ?? '', now())
  if (!parent) throw new ServiceError('unauthenticated', 'The temporary credentials are no longer valid.')
  return parent
}
