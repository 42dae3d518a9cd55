// Sessions that a token of an identity provider opens: AssumeRoleWithWebIdentity
// (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html).
import { ServiceError } from '../../../contract/errors.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Ctx, Step } from '../../context.ts'
import { source } from '../../http/source.ts'
import type { Principal } from '../../iam/principal.ts'
import { identityOf } from '../auth/oidc.ts'
import { followsMapping } from '../groups/mapping.ts'
import { TokenRefused } from '../oidc-providers/refusal.ts'
import { assertMadeFor, type ConfirmedToken, confirmAgain, confirmToken } from '../oidc-providers/verify.ts'
import { fullProviderArn, GROUPS_ROLE, roleNameIn } from '../roles/arn.ts'
import { assertSessionPolicy } from '../roles/service.ts'
import { issuerKey, settingsInForce } from '../settings/effective.ts'
import type { Idp } from '../settings/idp.ts'
import { findByIdentity } from '../users/store.ts'
import {
  assertSeconds,
  BadSession,
  described,
  MOST_SECONDS,
  type OpenedSession,
  type RoleSession,
  roleOf,
  secondsOf,
  USUAL_SECONDS,
} from './assume.ts'
import { knownOfToken, type SessionTags } from './claims.ts'
import { type NewSession, openSession } from './open.ts'
import { assertTrusted, knownOfCaller } from './trust.ts'

/** A session that a token has opened. */
export interface WebIdentitySession extends OpenedSession {
  subject: string
  audience: string
  /** The provider, as requests name it. */
  provider: string
}

/** The claim in which AWS has tokens bring tags. */
const TAGS_CLAIM = 'https://aws.amazon.com/tags'
const SOURCE_IDENTITY_CLAIM = 'https://aws.amazon.com/source_identity'
const MOST_TAGS = 50

/**
 * Opens a session for whom a token names, of a role that trusts its provider; or, with the role `as-my-groups`, of what the
 * groups of the token's subject may. Throws TokenRefused, forbidden, BadSession or MalformedPolicy.
 */
export async function assumeWithWebIdentity(
  ctx: Ctx,
  asked: RoleSession & { token: string },
): Promise<WebIdentitySession> {
  try {
    return await assume(ctx, asked)
  } catch (error) {
    await recordRefusal(ctx, asked, error)
    throw error
  }
}

const refusalsOf = perSystem(() => countPerMinute(1))

/** Records that a token opened no session, once a minute for each address: repeated attempts cannot fill the log. */
async function recordRefusal(ctx: Ctx, { role, session_name }: RoleSession, error: unknown): Promise<void> {
  const isRefusal = error instanceof TokenRefused || (error instanceof ServiceError && error.code === 'forbidden')
  if (!isRefusal || refusalsOf(ctx.config)(source(ctx.actor.origin.ip), ctx.now()) > 0) return
  await ctx.act(async ({ record }) =>
    record({
      name: 'session_denied',
      result: 'denied',
      status_code: 403,
      error_code: 'forbidden',
      details: { role, session_name, reason: error.message },
    }),
  )
}

async function assume(ctx: Ctx, asked: RoleSession & { token: string }): Promise<WebIdentitySession> {
  if (asked.policy !== undefined) assertSessionPolicy(asked.policy)
  const token = await confirmToken(ctx, asked.token)
  const { provider, subject, audience } = token
  const opened =
    roleNameIn(asked.role)?.toLowerCase() === GROUPS_ROLE
      ? await openByGroups(ctx, asked, token)
      : await openRole(ctx, asked, token)
  return { ...opened, subject, audience, provider: provider.issuer }
}

const factsOf = ({ provider, subject, claims }: ConfirmedToken): NonNullable<NewSession['token']> => ({
  issuerKey: provider.key,
  issuer: provider.issuer,
  subject,
  claims,
})

async function openRole(ctx: Ctx, asked: RoleSession, token: ConfirmedToken): Promise<OpenedSession> {
  const { session_name, policy } = asked
  const { provider, claims } = token
  const action = 'sts:AssumeRoleWithWebIdentity'
  const tags = tagsIn(claims)
  const source_identity = sourceIdentityIn(claims)
  const principal: Principal = {
    kind: 'anonymous',
    user: null,
    arn: null,
    federated: fullProviderArn(provider.key),
    canonicalId: () => null,
  }
  const inToken = { issuerKey: provider.key, claims }
  const fromCaller = knownOfCaller(ctx)
  const opened = await ctx.act(async (step) => {
    const current = await confirmAgain(step, token)
    const role = await roleOf({ ...ctx, db: step.tx }, asked.role, action)
    const seconds = secondsOf(role, asked.seconds)
    assertTrusted(ctx, {
      role,
      arn: asked.role,
      action,
      principal,
      session_name,
      seconds,
      source_identity,
      tags,
      known: (key) => knownOfToken(key, inToken) ?? fromCaller(key),
    })
    assertSeconds(role, seconds)
    const user_id = (await accountOf(step, current))?.id ?? null
    const credentials = await openSession(step, {
      kind: 'role',
      role: role.name,
      role_id: role.id,
      user_id,
      session_name,
      seconds,
      policy,
      source_identity,
      tags,
      token: factsOf(token),
    })
    return { credentials, role }
  })
  return described(opened.credentials, opened.role, session_name)
}

/**
 * Step: the account that has the identity, if it is one of the service's own provider: the session ends with it. Throws forbidden
 * for one that is disabled.
 */
async function accountOf({ tx }: Step, { provider, claims }: ConfirmedToken) {
  if (!provider.own) return undefined
  const account = await findByIdentity(tx, issuerKey(provider.issuer), identityIn(provider.own, claims).subject)
  if (account?.disabled_at) throw new ServiceError('forbidden', 'The account is disabled.')
  return account
}

/** Who a token of the service's own provider is about, as at sign-in. Throws TokenRefused. */
function identityIn(own: Idp, claims: ConfirmedToken['claims']) {
  try {
    return identityOf(own, claims)
  } catch (error) {
    if (error instanceof ServiceError) throw new TokenRefused('rejected', error.message, { cause: error })
    throw error
  }
}

/**
 * A session of what somebody may by their groups: by those of their account, or by those that the token's claims map to. The token
 * has to be made for this service: whoever has signed in elsewhere has not asked for that. It changes no membership, as a token
 * that says what was so before can be sent again and again; one that says otherwise than the account is refused.
 */
async function openByGroups(ctx: Ctx, asked: RoleSession, token: ConfirmedToken): Promise<OpenedSession> {
  const { session_name, policy, seconds = USUAL_SECONDS } = asked
  if (seconds > MOST_SECONDS) throw new BadSession(`DurationSeconds has to be ${MOST_SECONDS} at most.`)
  const base = { role: GROUPS_ROLE, session_name, seconds, policy, token: factsOf(token) }
  const credentials = await ctx.act(async (step) => {
    const current = await confirmAgain(step, token)
    const { own } = current.provider
    if (!own)
      throw new ServiceError('forbidden', `Only tokens of the service's own identity provider open ${GROUPS_ROLE}.`)
    assertMadeFor(own.clientId, current)
    const identity = identityIn(own, current.claims)
    const { auth, idp } = await settingsInForce(step)
    const values = idp.groups_claim === null ? null : identity.groups
    const account = await accountOf(step, current)
    if (account) {
      if (values && !(await followsMapping(step.tx, account.id, idp.group_mapping, values)))
        throw new ServiceError('forbidden', 'Your groups at the identity provider are not those here. Sign in once.')
      return openSession(step, { ...base, kind: 'user', user_id: account.id })
    }
    // Whoever could not sign in gets nothing here either.
    if (!auth.auto_create_users || !values)
      throw new ServiceError('forbidden', 'An administrator must create an account for you first.')
    const groupIds = idp.group_mapping.filter(({ value }) => values.has(value)).map(({ group_id }) => group_id)
    if (groupIds.length === 0) throw new ServiceError('forbidden', 'No claim of the token is mapped to a group.')
    return openSession(step, { ...base, kind: 'groups', user_id: null, groupIds: [...new Set(groupIds)] })
  })
  return described(credentials, { name: GROUPS_ROLE, id: null }, session_name)
}

/** The tags that a token gives its session. Throws TokenRefused for what cannot be read as tags. */
function tagsIn(claims: ConfirmedToken['claims']): SessionTags {
  const claim = [claims[TAGS_CLAIM]].flat()[0] as { principal_tags?: unknown } | undefined
  const given = claim?.principal_tags
  if (given === undefined || given === null) return {}
  const entries = typeof given === 'object' ? Object.entries(given) : []
  const tags = entries.map(([name, value]): [string, string[]] => [name, [value].flat().map(String)])
  const isTag = ([name, values]: [string, string[]]) =>
    name.length <= 128 && values.length <= MOST_TAGS && values.every((value) => value.length <= 256)
  if (tags.length > MOST_TAGS || !tags.every(isTag))
    throw new TokenRefused('rejected', 'The tags of the token are invalid')
  return Object.fromEntries(tags)
}

function sourceIdentityIn(claims: ConfirmedToken['claims']): string | undefined {
  const given = claims[SOURCE_IDENTITY_CLAIM]
  return typeof given === 'string' && /^[\w+=,.@-]{2,64}$/.test(given) ? given : undefined
}
