import { timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx } from '../../context.ts'
import { assertSettable, hashPassword } from '../../secrets/passwords.ts'
import { randomToken } from '../../secrets/random.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { setupActor } from '../actors.ts'
import { enrollmentRequired } from '../second-factor/challenge.ts'
import { isFactorNeeded } from '../second-factor/factors.ts'
import { openSession, subjectOf, type Tokens, tokensOf } from '../sessions/sessions.ts'
import { findSetupHash, lockSetupHash, replaceSetupHash } from '../settings/setup.ts'
import { beginAttempt } from '../throttle/throttle.ts'
import { insertAdmin } from '../users/break-glass.ts'
import { recordLogin } from '../users/service.ts'
import { hasAdmin, hasSignedIn } from '../users/store.ts'
import { recordFailure } from './failures.ts'

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const over = () => new ServiceError('gone', 'Strongroom is already set up: an administrator exists. Log in.')
const unknown = () =>
  new ServiceError(
    'gone',
    'This setup link has been replaced. The service prints a new one at each start: see its log.',
  )

/**
 * The token of a new setup link, if there is no administrator and the configuration names none. It replaces the
 * previous one; only its hash is stored. Undefined if there is nothing to set up.
 */
export async function createSetupToken(ctx: Ctx): Promise<string | undefined> {
  if (!ctx.config.setupLink || (await hasAdmin(ctx.db))) return undefined
  const token = randomToken()
  await ctx.upkeep(({ tx }) => replaceSetupHash(tx, hashSecret(token)))
  return token
}

/** Whether a setup link is waiting to be used. */
export const isSetupRequired = async (ctx: Ctx): Promise<boolean> =>
  (await findSetupHash(ctx)) !== null && !(await hasAdmin(ctx.db))

/** Whether nobody has signed in yet. */
export const isFirstSignIn = async (ctx: Ctx): Promise<boolean> => !(await hasSignedIn(ctx.db))

export interface Setup {
  token: string
  email: string
  display_name?: string | undefined
  password: string
}

/**
 * Creates the first administrator for the holder of the setup link, and logs them in. `gone` once there is one, and for
 * a link that is not the latest, and second_factor_enrollment_required, with the account created, if the settings ask for
 * that; guesses at it are throttled like logins, per network so that nobody locks others out.
 */
export async function setUp(ctx: Ctx, { token, email, display_name, password }: Setup): Promise<Tokens> {
  const hash = hashSecret(token)
  const expected = await findSetupHash(ctx)
  if (expected === null || (await hasAdmin(ctx.db))) throw over()
  if (!isSame(hash, expected)) {
    await beginAttempt(ctx, { kind: 'setup', account: `setup from ${ctx.actor.origin.ip}` })
    await recordFailure(ctx, email, 'setup_link', {
      userId: undefined,
      status_code: 410,
      error_code: 'gone',
      method: 'setup',
    })
    throw unknown()
  }
  assertSettable(password, 'body.password')
  const password_hash = await hashPassword(password, ctx.config.bcryptCost)
  const user = await ctx.as(setupActor(ctx.actor.origin)).act(async (step) => {
    const { tx } = step
    const latest = await lockSetupHash(tx)
    if (latest === null || (await hasAdmin(tx))) throw over()
    if (!isSame(hash, latest)) throw unknown()
    const made = await insertAdmin(step, { email, display_name: display_name ?? 'Administrator', password_hash })
    await replaceSetupHash(tx, null)
    return made
  })
  if (await isFactorNeeded(ctx, user.id)) throw await enrollmentRequired(ctx, user)
  const session = await openSession(ctx, subjectOf(user), { method: 'local', signedInWith: 'link' }, ({ tx }) =>
    recordLogin(tx, user.id, ctx.now()),
  )
  return tokensOf(ctx, session)
}
