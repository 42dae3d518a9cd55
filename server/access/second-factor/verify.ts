import type { PasskeyAssertion } from '../../../contract/passkeys.ts'
import type { Ctx, Step } from '../../context.ts'
import { readAssertion, siteOf } from './passkey.ts'
import { hashCode } from './recovery-codes.ts'
import { unsealTotp } from './secret.ts'
import * as store from './store.ts'
import { stepOf } from './totp.ts'

/** One of these. */
export interface Answer {
  otp?: string | undefined
  recovery_code?: string | undefined
  passkey?: PasskeyAssertion | undefined
}

/** A second factor that is right, and not used yet. */
export interface Verified {
  kind: 'totp' | 'passkey' | 'recovery_code'
  /** Step: uses it up; false if someone else did meanwhile. */
  use(step: Step): Promise<boolean>
}

type User = Readonly<{ id: string; email: string }>

/** What an answer is called in the audit log where it is wrong. */
export const nameAnswer = ({ otp, recovery_code }: Answer): string =>
  otp !== undefined ? 'wrong_code' : recovery_code !== undefined ? 'wrong_recovery_code' : 'wrong_passkey'

/** Step: stores how often a passkey has signed; false if that is not more than before. */
export const usePasskey = store.useCounter

/** Checks an answer; null if it is wrong or was used before. `challenge` is what a passkey had to sign. */
export async function verifyAnswer(
  ctx: Ctx,
  user: User,
  { otp, recovery_code, passkey }: Answer,
  challenge: string | null,
): Promise<Verified | null> {
  if (recovery_code !== undefined) return verifyRecoveryCode(ctx, user, recovery_code)
  const factors = await store.listFactors(ctx.db, user.id)
  if (otp !== undefined) return verifyOtp(ctx, factors, otp)
  const site = siteOf(ctx.config)
  const factor = factors.find(({ credential_id }) => credential_id !== null && credential_id === passkey?.id)
  if (!passkey || !factor || !site || challenge === null) return null
  const counter = await readAssertion({ site, challenge, verified: false }, factor, passkey)
  if (counter === null) return null
  return { kind: 'passkey', use: ({ tx, now }) => store.useCounter(tx, factor.id, counter, now()) }
}

function verifyOtp(ctx: Ctx, factors: readonly store.FactorRow[], otp: string): Verified | null {
  for (const { id, secret, last_step } of factors) {
    if (secret === null) continue
    const key = openKey(ctx, id, secret)
    const step = key === null ? null : stepOf(key, otp, ctx.now(), last_step)
    if (step !== null) return { kind: 'totp', use: ({ tx, now }) => store.useStep(tx, id, step, now()) }
  }
  return null
}

/** An app's key; null if it can no longer be decrypted: the user's other factors still work. */
function openKey({ config, log }: Ctx, id: string, sealed: string): string | null {
  try {
    return unsealTotp(config, id, sealed)
  } catch (error) {
    log.error({ second_factor: id, reason: (error as Error).message }, 'the key of an authenticator app is unusable')
    return null
  }
}

async function verifyRecoveryCode(ctx: Ctx, { id, email }: User, code: string): Promise<Verified | null> {
  const hash = hashCode(id, code)
  if (!(await store.hasCode(ctx.db, hash))) return null
  return {
    kind: 'recovery_code',
    async use({ tx, record }) {
      if (!(await store.takeCode(tx, hash))) return false
      const left = await store.countCodes(tx, id)
      record({ name: 'recovery_code_use', resource: { type: 'user', id }, details: { email, left } })
      return true
    },
  }
}
