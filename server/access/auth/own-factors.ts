import { ServiceError } from '../../../contract/errors.ts'
import type { FactorKind, Proof } from '../../../contract/second-factor.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import { randomToken } from '../../secrets/random.ts'
import {
  countTry,
  findChallenge,
  invalidChallenge,
  openChallenge,
  takeChallenge,
  type User,
} from '../second-factor/challenge.ts'
import { addFactor, beginEnrollment, type Confirmation, readEnrollment } from '../second-factor/enroll.ts'
import * as factors from '../second-factor/factors.ts'
import { requestOf, requireSite, siteOf } from '../second-factor/passkey.ts'
import { replaceRecoveryCodes } from '../second-factor/recovery-codes.ts'
import { markSecondFactor } from '../sessions/service.ts'
import { settingsInForce } from '../settings/effective.ts'
import { needsSecondFactor } from '../settings/second-factor.ts'
import { tellOfFactors } from '../users/sign-in-notices.ts'
import { findUser } from '../users/store.ts'
import { prove } from './proof.ts'

const ownId = ({ actor }: Ctx): string => actor.user_id ?? ''

async function findSelf(ctx: Ctx): Promise<User> {
  const user = await findUser(ctx.db, ownId(ctx))
  if (!user) throw new ServiceError('not_found', 'No such user.')
  return user
}

/** The caller's second factors, and what the settings ask of them. */
export async function listOwnFactors(ctx: Ctx) {
  const { password_hash } = await findSelf(ctx)
  const found = await factors.findFactors(ctx.db, ownId(ctx))
  const verified = ctx.actor.second_factor ?? false
  return {
    items: found.factors.map(factors.describeFactor),
    recovery_codes_left: found.codes,
    required: needsSecondFactor(await settingsInForce(ctx), ctx.actor.groups),
    verified,
    session_ends: ctx.actor.auth_method === 'local' && !verified,
    has_password: password_hash !== null,
    passkeys: siteOf(ctx.config) !== null,
  }
}

/** A challenge that one of the caller's passkeys can sign as a proof. Throws conflict if they have none. */
export async function challengeOwnFactor(ctx: Ctx) {
  const user = await findSelf(ctx)
  const site = siteOf(ctx.config)
  const found = (await factors.findFactors(ctx.db, user.id)).factors.filter(({ kind }) => kind === 'passkey')
  if (!site || found.length === 0) throw new ServiceError('conflict', 'You have no passkey to use here.')
  const signed = randomToken()
  const challenge = await ctx.upkeep((step) => openChallenge(step, user, 'proof', signed))
  return { challenge, passkey: requestOf(site, signed, found) }
}

/** Starts setting up a second factor. Throws conflict for those without a password, and where there are no passkeys. */
export async function beginOwnFactor(ctx: Ctx, kind: FactorKind) {
  const user = await findSelf(ctx)
  if (user.password_hash === null)
    throw new ServiceError('conflict', 'You have no password: your identity provider looks after second factors.')
  if (kind === 'passkey') requireSite(ctx.config)
  const challenge = await ctx.upkeep((step) => openChallenge(step, user, 'enrollment'))
  const { row } = await findChallenge(ctx, challenge, 'enrollment')
  return { challenge, ...(await beginEnrollment(ctx, row, user, kind)) }
}

/**
 * Adds a second factor that was set up. Ends no session; the session that adds one counts as opened with it. Throws
 * invalid_state, invalid_request for a wrong proof or code, and limit_reached.
 */
export async function addOwnFactor(
  ctx: Ctx,
  { challenge, proof, ...confirmation }: Confirmation & { challenge: string; proof: Proof },
) {
  const { row } = await findChallenge(ctx, challenge, 'enrollment')
  if (row.user_id !== ownId(ctx)) throw invalidChallenge()
  const proven = await prove(ctx, proof)
  await countTry(ctx, row)
  const factor = await readEnrollment(ctx, row, confirmation)
  if (factor === null) throw invalid(confirmation.otp === undefined ? 'body.passkey' : 'body.otp', 'is wrong')
  return ctx.act(async (step) => {
    await takeChallenge(step.tx, row)
    await proven.use(step)
    const { session_id, auth_method } = ctx.actor
    if (session_id !== null && auth_method === 'local') await markSecondFactor(step.tx, session_id, ctx.now())
    return addFactor(step, row.user_id, factor, { first: false })
  })
}

/** Renames a second factor of the caller. Throws not_found. */
export const renameOwnFactor = (ctx: Ctx, id: string, name: string) =>
  ctx.act((step) => factors.renameFactor(step, id, name))

/** Removes a second factor of the caller. Throws not_found, and conflict for the last one where the settings require one. */
export async function removeOwnFactor(ctx: Ctx, id: string, proof: Proof): Promise<undefined> {
  await factors.findFactor(ctx.db, ownId(ctx), id)
  await factors.assertRemovable(ctx, ownId(ctx))
  const proven = await prove(ctx, proof)
  await ctx.act(async (step) => {
    await proven.use(step)
    await factors.removeFactor(step, id)
  })
}

/** Gives the caller new recovery codes. Throws conflict if they have no second factor. */
export async function createOwnRecoveryCodes(ctx: Ctx, proof: Proof): Promise<{ recovery_codes: string[] }> {
  if (!(await factors.hasFactor(ctx.db, ownId(ctx))))
    throw new ServiceError('conflict', 'Recovery codes are for those who have a second factor. Add one first.')
  const proven = await prove(ctx, proof)
  const recovery_codes = await ctx.act(async (step) => {
    await proven.use(step)
    await tellOfFactors(step, proven.user, { change: 'codes_replaced' }, 'self')
    return replaceRecoveryCodes(step, proven.user)
  })
  return { recovery_codes }
}
