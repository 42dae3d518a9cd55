import { type ErrorCode, ServiceError } from '../../../contract/errors.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { Row, Tx } from '../../db/schema.ts'
import { randomToken } from '../../secrets/random.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { findUser } from '../users/store.ts'
import { requestOf, siteOf } from './passkey.ts'
import * as store from './store.ts'

const LIFE_MS = 5 * MINUTE_MS
const MOST_TRIES = 5

type Purpose = store.ChallengeRow['purpose']
export type User = Row<'users'>
export type Challenge = Pick<store.ChallengeRow, 'challenge_hash' | 'passkey_challenge' | 'secret'>

export const invalidChallenge = () =>
  new ServiceError('invalid_state', 'This challenge is unknown, has expired, or was already used. Start again.')

/** Step: stores a challenge for a user and returns it. `signed` is what passkeys are to sign. */
export async function openChallenge(
  { tx, now }: Upkeep,
  user: Pick<User, 'id' | 'token_version'>,
  purpose: Purpose,
  signed: string | null = null,
): Promise<string> {
  const challenge = randomToken()
  await store.deleteExpired(tx, now())
  await store.insertChallenge(tx, {
    challenge_hash: hashSecret(challenge),
    user_id: user.id,
    purpose,
    token_version: user.token_version,
    passkey_challenge: signed,
    secret: null,
    tries: 0,
    expires_at: new Date(now().getTime() + LIFE_MS).toISOString(),
  })
  return challenge
}

/** An open challenge with its user. Throws invalid_state if it has expired or was used, or if the user has changed. */
export async function findChallenge(
  ctx: Ctx,
  challenge: string,
  purpose: Purpose,
): Promise<{ row: store.ChallengeRow; user: User }> {
  const row = await store.findChallenge(ctx.db, hashSecret(challenge))
  const user = row && (await findUser(ctx.db, row.user_id))
  const live = row && row.purpose === purpose && Date.parse(row.expires_at) > ctx.now().getTime()
  if (!live || !user || user.disabled_at !== null || user.token_version !== row.token_version) throw invalidChallenge()
  return { row, user }
}

/** Counts a try, before it is checked. Throws invalid_state once there were five. */
export async function countTry(ctx: Ctx, { challenge_hash }: Challenge): Promise<void> {
  if (!(await ctx.upkeep(({ tx }) => store.countTry(tx, challenge_hash, MOST_TRIES)))) throw invalidChallenge()
}

/** Step: uses up a challenge. Throws invalid_state if it was used meanwhile. */
export async function takeChallenge(tx: Tx, { challenge_hash }: Challenge): Promise<void> {
  if (!(await store.takeChallenge(tx, challenge_hash))) throw invalidChallenge()
}

/** Step: uses up a challenge that is signed instead of stored. Throws invalid_state if it was used before. */
export async function takeSignedChallenge(tx: Tx, challenge: string, until: Date): Promise<void> {
  const row = { challenge_hash: hashSecret(challenge), expires_at: until.toISOString() }
  if (!(await store.useSignedChallenge(tx, row))) throw invalidChallenge()
}

/** Step: deletes challenges that nothing can answer any more. */
export async function deleteExpiredChallenges(tx: Tx, now: Date): Promise<void> {
  await store.deleteExpired(tx, now)
  await store.deleteUsedChallenges(tx, now)
}

const expires_in = LIFE_MS / 1000
const required = (code: ErrorCode, detail: string, extensions: Record<string, unknown>) =>
  new ServiceError(code, detail, { extensions: { ...extensions, expires_in } })

const nothing = async (): Promise<void> => undefined

/** How a user can answer a challenge with a second factor, and what their passkeys are to sign for it. */
async function offerOf(ctx: Ctx, user: User) {
  const factors = await store.listFactors(ctx.db, user.id)
  const codes = await store.countCodes(ctx.db, user.id)
  const site = siteOf(ctx.config)
  const has = (kind: string) => factors.some((factor) => factor.kind === kind)
  const signed = site && has('passkey') ? randomToken() : null
  const methods = [
    ...(has('totp') ? ['totp'] : []),
    ...(signed === null ? [] : ['passkey']),
    ...(codes > 0 ? ['recovery_code'] : []),
  ]
  const passkey = site && signed !== null ? { passkey: requestOf(site, signed, factors) } : {}
  return { signed, offer: { methods, ...passkey } }
}

/** The refusal of a login that has the right password, with a challenge for the second factor. `also` is done with it. */
export async function factorRequired(
  ctx: Ctx,
  user: User,
  also: (step: Upkeep) => Promise<unknown> = nothing,
): Promise<ServiceError> {
  const { signed, offer } = await offerOf(ctx, user)
  const challenge = await ctx.upkeep(async (step) => {
    await also(step)
    return openChallenge(step, user, 'login', signed)
  })
  return required('second_factor_required', 'Give a second factor too.', { challenge, ...offer })
}

/** The refusal of a login whose password is right and must be changed, with a challenge for that. */
export async function passwordChangeRequired(ctx: Ctx, user: User): Promise<ServiceError> {
  const { signed, offer } = await offerOf(ctx, user)
  const challenge = await ctx.upkeep((step) => openChallenge(step, user, 'password_change', signed))
  return required('password_change_required', 'Choose another password to log in, in the console for example.', {
    challenge,
    ...offer,
  })
}

/** The refusal of a login that has the right password, with a challenge for setting up the second factor that it needs. */
export async function enrollmentRequired(
  ctx: Ctx,
  user: Pick<User, 'id' | 'token_version'>,
  also: (step: Upkeep) => Promise<unknown> = nothing,
): Promise<ServiceError> {
  const challenge = await ctx.upkeep(async (step) => {
    await also(step)
    return openChallenge(step, user, 'login_enrollment')
  })
  return required('second_factor_enrollment_required', 'Set up a second factor to log in.', {
    challenge,
    methods: ['totp', ...(siteOf(ctx.config) ? ['passkey'] : [])],
  })
}
