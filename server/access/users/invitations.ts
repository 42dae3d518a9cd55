import { ServiceError } from '../../../contract/errors.ts'
import type { Invitation } from '../../../contract/users.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx, Step, Upkeep } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { randomToken } from '../../secrets/random.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { enqueueMail, languageOf } from '../mail/enqueue.ts'
import { invitation } from '../mail/messages.ts'
import { settingsInForce } from '../settings/effective.ts'
import { assertMayTakeOver, assertPerson } from './service.ts'
import * as store from './store.ts'

const LIFE_MS = 7 * DAY_MS

/**
 * Step: invites a user to choose a password, which ends an earlier invitation; only the hash of the link's token is
 * stored. Where mail is set up, the link is sent to them in their language, or else in the caller's. Throws conflict for
 * those who have a password or are disabled, and where nobody logs in with a password.
 */
export async function issueInvitation(step: Step, user: Row<'users'>): Promise<Invitation> {
  const { tx, now, config, record, actor } = step
  if (!(await settingsInForce(step)).auth.enable_local)
    throw new ServiceError('conflict', 'Logins with a password are turned off: an invitation would lead nowhere.')
  assertPerson(user)
  if (user.disabled_at !== null) throw new ServiceError('conflict', 'The user is disabled. Enable them first.')
  if (user.password_hash !== null)
    throw new ServiceError('conflict', 'The user has a password, so there is nothing to invite them to.')
  const token = randomToken()
  const expires_at = new Date(now().getTime() + LIFE_MS).toISOString()
  const { id, email, email_key, token_version } = user
  const token_hash = hashSecret(token)
  await store.putInvitation(tx, { user_id: id, token_hash, email_key, token_version, expires_at })
  await enqueueMail(step, {
    kind: 'invitation',
    about: token_hash,
    to: { address: email, language: user.language ?? (await languageOf(tx, actor.user_id)) },
    message: invitation({ by: actor.email, token, expires_at }),
  })
  record({ name: 'invitation_create', resource: { type: 'user', id }, details: { email, expires_at } })
  return { url: `${config.publicBaseUrl}/console/invitation#${token}`, expires_at }
}

/** Step: a user, locked, whose login the caller may change. Throws not_found and forbidden. */
async function lockInvitable(step: Step, id: string): Promise<Row<'users'>> {
  const row = await store.lockUser(step.tx, id)
  if (!row) throw new ServiceError('not_found', 'No such user.')
  await assertMayTakeOver(step, row)
  return row
}

/**
 * Invites a user who has no password, again if they were invited before. Throws not_found, conflict, and forbidden for
 * users with permissions that the caller lacks.
 */
export const inviteUser = (ctx: Ctx, id: string): Promise<Invitation> =>
  ctx.act(async (step) => issueInvitation(step, await lockInvitable(step, id)))

/** Ends a user's invitation. Throws not_found, and forbidden for users with permissions that the caller lacks. */
export async function revokeInvitation(ctx: Ctx, id: string): Promise<undefined> {
  await ctx.act(async (step) => {
    const { email } = await lockInvitable(step, id)
    if (!(await store.deleteInvitation(step.tx, id)))
      throw new ServiceError('not_found', 'The user has no open invitation.')
    step.record({ name: 'invitation_revoke', resource: { type: 'user', id }, details: { email } })
  })
}

/** The open invitation of a link's token, with its user. */
export const findInvitation = ({ db, now }: Pick<Ctx, 'db' | 'now'>, token: string) =>
  store.findOpenInvitation(db, hashSecret(token), now())

/** Step: uses up a user's invitation; false if it is over by now. */
export async function takeInvitation({ tx, now }: Upkeep, userId: string, token: string): Promise<boolean> {
  await store.lockUser(tx, userId)
  if (!(await findInvitation({ db: tx, now }, token))) return false
  return store.deleteInvitation(tx, userId)
}

/** Step: deletes invitations that have expired. */
export const deleteExpiredInvitations = store.deleteExpiredInvitations
