// What a confirmed identity becomes here: a session of the account that has it, which a first login may create or link.
import { type ErrorCode, ServiceError } from '../../../contract/errors.ts'
import { newId } from '../../base/id.ts'
import type { Ctx, Step } from '../../context.ts'
import { followMapping } from '../groups/mapping.ts'
import { type NewSession, openSession, subjectOf } from '../sessions/sessions.ts'
import { lockAdministration } from '../settings/administration.ts'
import type { EffectiveSettings } from '../settings/effective.ts'
import { linkIdentity } from '../users/identity.ts'
import { adoptProfile, insertUser, recordLogin } from '../users/service.ts'
import { findByIdentity } from '../users/store.ts'
import { findLinkable } from './link-by-email.ts'
import type * as oidc from './oidc.ts'

/** A rejection of someone whom the provider has confirmed. */
export class Refused extends ServiceError {
  readonly email: string | null
  readonly userId: string | undefined
  constructor(code: ErrorCode, detail: string, { email }: oidc.Identity, userId?: string) {
    super(code, detail)
    this.email = email
    this.userId = userId
  }
}

/** Another login has created or linked the account meanwhile. */
class Taken extends Error {}

/**
 * Opens the session of a confirmed identity: issuer and subject identify the user, never the email, which a person can
 * choose at some providers. Creates the account, or links the one with a confirmed email, if that is enabled.
 */
export async function openIdpSession(
  ctx: Ctx,
  issuer: string,
  settings: EffectiveSettings,
  identity: oidc.Identity,
): Promise<NewSession> {
  const open = () => openOnce(ctx, issuer, settings, identity)
  return open().catch((error: unknown) => {
    // Two concurrent first logins: the account is there by now.
    if (error instanceof Taken) return open()
    throw error
  })
}

async function openOnce(
  ctx: Ctx,
  issuer: string,
  settings: EffectiveSettings,
  identity: oidc.Identity,
): Promise<NewSession> {
  const { auth, idp } = settings
  const { subject, email, displayName } = identity
  const known = await findByIdentity(ctx.db, issuer, subject)
  if (known?.disabled_at) throw new Refused('forbidden', 'Your account is disabled.', identity, known.id)
  const linked = known ? undefined : await findLinkable(ctx, settings, identity)
  const user = known ?? linked
  if (!user && !auth.auto_create_users)
    throw new Refused('user_not_provisioned', 'An administrator must create an account for you first.', identity)
  if (!user && email === null)
    throw new Refused('user_not_provisioned', 'The identity provider did not supply your email address.', identity)
  const token_version = (user?.token_version ?? 0) + (known ? 0 : 1)
  const who = user
    ? { ...subjectOf(user), display_name: displayName ?? user.display_name, token_version }
    : { user_id: newId(), email: email ?? '', display_name: displayName ?? email ?? '', token_version }
  return openSession(ctx, { ...who, oid: subject }, { method: 'idp' }, async (step) => {
    const { tx } = step
    if (idp.groups_claim !== null || (user && email !== null && email !== user.email)) await lockAdministration(tx)
    if (linked && !(await linkIdentity(step, linked, { idp_issuer: issuer, idp_subject: subject }))) throw new Taken()
    if (!user) await createUser(step, { ...who, issuer, identity })
    else await adoptProfile(step, user, email, displayName)
    await recordLogin(tx, who.user_id, ctx.now())
    if (idp.groups_claim !== null && identity.groups === null)
      ctx.log.warn(
        { user_id: who.user_id },
        'the identity provider sent no groups: the scope may lack them, or there are too many; memberships are unchanged',
      )
    if (idp.groups_claim !== null && identity.groups !== null)
      await followMapping(step, who.user_id, idp.group_mapping, identity.groups)
  })
}

/** Step: creates the account of a first login, in no group. */
async function createUser(
  step: Step,
  who: { user_id: string; email: string; display_name: string; issuer: string; identity: oidc.Identity },
): Promise<void> {
  const { tx, record } = step
  const { user_id: id, email, display_name, issuer, identity } = who
  const identified = { idp_issuer: issuer, idp_subject: identity.subject }
  const row = await insertUser(tx, { id, email, display_name, ...identified }, step.now())
  if (!row && (await findByIdentity(tx, issuer, identity.subject))) throw new Taken()
  if (!row)
    throw new Refused(
      'email_in_use',
      'Another account uses your email address; an administrator can link it.',
      identity,
    )
  record({
    name: 'user_create',
    resource: { type: 'user', id },
    details: { email, display_name, group_ids: [], auto: true },
  })
}
