import { ServiceError } from '../../../contract/errors.ts'
import type { PasskeyRegistration } from '../../../contract/passkeys.ts'
import type { Enrollment, FactorKind, SecondFactor } from '../../../contract/second-factor.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx, Step } from '../../context.ts'
import { randomToken } from '../../secrets/random.ts'
import { siteName } from '../settings/branding.ts'
import { settingsInForce } from '../settings/effective.ts'
import { tellOfFactors } from '../users/sign-in-notices.ts'
import { type Challenge, invalidChallenge, type User } from './challenge.ts'
import { describeFactor } from './factors.ts'
import { creationOf, readRegistration, requireSite, siteOf } from './passkey.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { sealTotp, unsealTotp } from './secret.ts'
import * as store from './store.ts'
import { newTotpSecret, stepOf, totpUri } from './totp.ts'

const MOST_FACTORS = 20
const NAMES: { readonly [K in FactorKind]: string } = { totp: 'Authenticator app', passkey: 'Passkey' }

/** Starts setting up a factor with a challenge, instead of one that was started with it before. Throws conflict. */
export async function beginEnrollment(
  ctx: Ctx,
  { challenge_hash }: Pick<Challenge, 'challenge_hash'>,
  user: Pick<User, 'id' | 'email' | 'display_name'>,
  kind: FactorKind,
): Promise<Enrollment> {
  const name = siteName(await settingsInForce(ctx))
  if (kind === 'totp') {
    const secret = newTotpSecret()
    const sealed = sealTotp(ctx.config, challenge_hash, secret)
    await ctx.upkeep(({ tx }) => store.setEnrollment(tx, challenge_hash, { secret: sealed, passkey_challenge: null }))
    const { hostname } = new URL(ctx.config.publicBaseUrl)
    const uri = totpUri(secret, `${name} (${hostname.replaceAll(':', '.')})`, user.email)
    return { totp: { secret, uri }, passkey: null }
  }
  const site = requireSite(ctx.config)
  const signed = randomToken()
  await ctx.upkeep(({ tx }) => store.setEnrollment(tx, challenge_hash, { secret: null, passkey_challenge: signed }))
  return { totp: null, passkey: creationOf({ ...site, name }, signed, user, await store.listFactors(ctx.db, user.id)) }
}

export interface Confirmation {
  name?: string | undefined
  otp?: string | undefined
  passkey?: PasskeyRegistration | undefined
}

/** A factor that works, to be inserted. */
export type NewFactor = Pick<
  store.FactorRow,
  | 'id'
  | 'kind'
  | 'name'
  | 'secret'
  | 'last_step'
  | 'credential_id'
  | 'public_key'
  | 'counter'
  | 'transports'
  | 'discoverable'
>

/**
 * The factor that was set up with a challenge; null if the code or the passkey is wrong. Throws invalid_request unless
 * exactly one of them is given, and invalid_state for what was not started.
 */
export async function readEnrollment(
  ctx: Ctx,
  { challenge_hash, secret, passkey_challenge }: Challenge,
  { name, otp, passkey }: Confirmation,
): Promise<NewFactor | null> {
  if ((otp === undefined) === (passkey === undefined))
    throw invalid('body.otp', 'is required, or else passkey, but not both')
  const id = newId()
  const none = {
    secret: null,
    last_step: null,
    credential_id: null,
    public_key: null,
    counter: null,
    transports: null,
    discoverable: null,
  }
  const named = (kind: FactorKind) => ({ id, kind, name: name?.trim() ?? NAMES[kind] })
  if (otp !== undefined) {
    if (secret === null) throw invalidChallenge()
    const key = unsealTotp(ctx.config, challenge_hash, secret)
    const last_step = stepOf(key, otp, ctx.now(), null)
    return last_step === null ? null : { ...none, ...named('totp'), secret: sealTotp(ctx.config, id, key), last_step }
  }
  const site = siteOf(ctx.config)
  if (passkey_challenge === null || !site || !passkey) throw invalidChallenge()
  const columns = await readRegistration(site, passkey_challenge, passkey)
  return columns && { ...none, ...named('passkey'), ...columns }
}

/**
 * Step: gives a user a new factor, and with the first one recovery codes. `first`: throws invalid_state unless it is the
 * first. Throws limit_reached, and already_exists for a passkey that is registered.
 */
export async function addFactor(
  step: Step,
  userId: string,
  factor: NewFactor,
  { first }: { first: boolean },
): Promise<{ factor: SecondFactor; recovery_codes: string[] | null }> {
  const { tx, record, now } = step
  const user = await store.lockUser(tx, userId)
  if (!user) throw invalidChallenge()
  const others = await store.listFactors(tx, userId)
  if (first && others.length > 0) throw invalidChallenge()
  if (others.length >= MOST_FACTORS)
    throw new ServiceError('limit_reached', `There are ${MOST_FACTORS} second factors, the maximum; remove one first.`)
  const row = { ...factor, user_id: userId, created_at: now().toISOString(), last_used_at: null }
  if (!(await store.insertFactor(tx, row)))
    throw new ServiceError('already_exists', 'This passkey is registered already.')
  const { id, kind, name } = factor
  record({
    name: 'second_factor_add',
    resource: { type: 'user', id: userId },
    details: { email: user.email, factor_id: id, kind, name },
  })
  await tellOfFactors(step, user, { change: kind === 'totp' ? 'app_added' : 'passkey_added', name }, 'self')
  const recovery_codes = others.length === 0 ? await replaceRecoveryCodes(step, user) : null
  return { factor: describeFactor(row), recovery_codes }
}
