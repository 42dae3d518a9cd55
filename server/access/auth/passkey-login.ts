// Signing in with a passkey alone: it is something that the user has, and the authenticator has verified that it is them.
import { ServiceError } from '../../../contract/errors.ts'
import type { PasskeyLogin } from '../../../contract/passkeys.ts'
import { newId } from '../../base/id.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { hashSecret, readClaims, signClaims } from '../../secrets/sign.ts'
import { invalidChallenge, takeSignedChallenge, type User } from '../second-factor/challenge.ts'
import { openRequestOf, readAssertion, requireSite } from '../second-factor/passkey.ts'
import { type FactorRow, findPasskey } from '../second-factor/store.ts'
import { usePasskey } from '../second-factor/verify.ts'
import { openSession, subjectOf, tokensOf } from '../sessions/sessions.ts'
import { type Attempt, beginAttempt, forgiveAttempt } from '../throttle/throttle.ts'
import { recordLogin } from '../users/service.ts'
import { findUser } from '../users/store.ts'
import { knownDevice } from './device.ts'
import { recordFailure } from './failures.ts'
import { assertLocalEnabled } from './local.ts'
import type { Entered } from './second-step.ts'

const PURPOSE = 'passkey-login'
const LIFE_MS = 10 * MINUTE_MS

interface Claims {
  id: string
  /** Milliseconds since the epoch. */
  until: number
}

/**
 * A challenge that any passkey of the site can sign. It is signed instead of stored: every view of the sign-in page asks
 * for one, and anyone may. Throws conflict where browsers have no passkeys.
 */
export async function beginPasskeyLogin(ctx: Ctx) {
  await assertLocalEnabled(ctx)
  const site = requireSite(ctx.config)
  const until = ctx.now().getTime() + LIFE_MS
  const challenge = signClaims(ctx.config, PURPOSE, { id: newId(), until } satisfies Claims)
  return { challenge, expires_in: LIFE_MS / 1000, passkey: openRequestOf(site, hashSecret(challenge)) }
}

/** What a user's ID is in a passkey. */
const handleOf = ({ id }: User): string => Buffer.from(id).toString('base64url')

/** Records a failure, and throws the one refusal of all. */
async function refuse(ctx: Ctx, user: User | undefined, reason: string): Promise<never> {
  await recordFailure(ctx, user?.email ?? null, reason, { userId: user?.id, error_code: 'invalid_passkey' })
  throw new ServiceError('invalid_passkey', 'This passkey does not sign you in here.')
}

/** Why a passkey does not sign in; null if it does. */
function reasonAgainst(user: User, counter: number | null, handle: string): string | null {
  if (counter === null || handle !== handleOf(user)) return 'wrong_passkey'
  if (user.password_hash === null) return 'no_password'
  return user.disabled_at === null ? null : 'disabled'
}

class UsedMeanwhile extends Error {}

/**
 * Login with a passkey alone, which must have verified its user: it counts as both factors. For users who have a password
 * too: the others are left to the identity provider. Failures count like wrong passwords, and whatever is wrong with a
 * passkey is answered alike. Throws invalid_passkey, rate_limited, and invalid_state for a challenge that is over.
 */
export async function passkeyLogin(
  ctx: Ctx,
  { challenge, passkey, device }: { challenge: string; passkey: PasskeyLogin; device?: string | undefined },
): Promise<Entered> {
  await assertLocalEnabled(ctx)
  const site = requireSite(ctx.config)
  const claims = readClaims<Claims>(ctx.config, PURPOSE, challenge)
  if (!claims || claims.until <= ctx.now().getTime()) throw invalidChallenge()
  const factor = await findPasskey(ctx.db, passkey.id)
  const user = factor && (await findUser(ctx.db, factor.user_id))
  const account = user?.email_key ?? `passkey ${passkey.id}`
  const attempt: Attempt = { kind: 'login', account, device: knownDevice(ctx, account, device) }
  await beginAttempt(ctx, attempt)
  if (!factor || !user) return refuse(ctx, undefined, 'unknown_passkey')
  const { userHandle, ...response } = passkey.response
  const signing = { site, challenge: hashSecret(challenge), verified: true }
  const counter = await readAssertion(signing, factor, { ...passkey, response })
  const reason = reasonAgainst(user, counter, userHandle)
  if (reason !== null) return refuse(ctx, user, reason)
  try {
    const use = { factor, counter: counter ?? 0, challenge, until: claims.until }
    const session = await enterWith(ctx, user, use)
    await forgiveAttempt(ctx, attempt)
    return { tokens: await tokensOf(ctx, session), email: user.email }
  } catch (error) {
    if (error instanceof UsedMeanwhile) return refuse(ctx, user, 'wrong_passkey')
    throw error
  }
}

/** Opens the session, and uses up the challenge and the count of the passkey with it. */
const enterWith = (
  ctx: Ctx,
  user: User,
  { factor, counter, challenge, until }: { factor: FactorRow; counter: number; challenge: string; until: number },
) =>
  openSession(
    ctx,
    subjectOf(user),
    { method: 'local', verified: true, signedInWith: 'passkey' },
    async ({ tx, now }) => {
      await takeSignedChallenge(tx, challenge, new Date(until))
      if (!(await usePasskey(tx, factor.id, counter, now()))) throw new UsedMeanwhile()
      await recordLogin(tx, user.id, now())
    },
  )
