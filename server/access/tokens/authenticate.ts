import { ServiceError } from '../../../contract/errors.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import { perSystem } from '../../base/per-system.ts'
import { type Actor, createContext, type Origin, type System } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { publicActor } from '../actors.ts'
import { actorOf } from '../sessions/caller.ts'
import { invalidToken } from '../sessions/jwt.ts'
import * as store from './store.ts'
import { isTokenValue } from './value.ts'

const BAD_PER_MINUTE = 100

const floodOf = perSystem(() => countPerMinute(BAD_PER_MINUTE))

/**
 * Gives the same response whatever is wrong, to reveal nothing; 429 after 100 bad tokens per minute from one address.
 */
export function refuseToken({ config }: System, ip: string | null, now: Date): ServiceError {
  const wait = floodOf(config)(ip ?? 'unknown', now)
  if (wait === 0) return invalidToken('The token is invalid.')
  return new ServiceError('rate_limited', 'Too many invalid tokens. Try again later.', {
    headers: { 'retry-after': String(wait) },
  })
}

/**
 * The actor behind a personal access token, with its owner's current permissions. Throws `unauthenticated`; text that
 * does not have the form of a token is rejected without a query.
 */
export async function authenticatePat(system: System, value: string, origin: Origin): Promise<Actor> {
  const now = system.now()
  if (!isTokenValue(value)) throw refuseToken(system, origin.ip, now)
  const hash = hashSecret(value)
  const rows = await store.findCredential(system.database.db, hash)
  if (!rows) throw refuseToken(system, origin.ip, now)
  const [first] = rows
  if (first.previous_hash === hash && Date.parse(first.previous_until ?? '') <= now.getTime()) {
    const refusal = refuseToken(system, origin.ip, now)
    // Limited like rejections, so that repeated attempts cannot fill the log.
    if (first.revoked_at === null && refusal.code !== 'rate_limited') await recordReuse(system, first, origin)
    throw refusal
  }
  if (!isLive(first, now)) throw refuseToken(system, origin.ip, now)
  return ownerOf(system, { db: system.database.db, rows, hash, origin })
}

const isLive = ({ expires_at, revoked_at, disabled_at }: store.CredentialRow, now: Date): boolean =>
  revoked_at === null && disabled_at === null && (expires_at === null || Date.parse(expires_at) > now.getTime())

type Rows = readonly [store.CredentialRow, ...store.CredentialRow[]]

/** The token's actor can outlive the grace period of a rotated value: the value was valid when it was presented. */
async function ownerOf(
  system: System,
  { db: from, rows, hash, origin }: { db: Db; rows: Rows; hash: string; origin: Origin },
): Promise<Actor> {
  const [{ token_id, scope }] = rows
  const credential = { auth_method: 'pat', session_id: null, token_id, scope } as const
  const renew = async (db: Db): Promise<Actor> => {
    const now = system.now()
    const found = await store.findCredential(db, hash)
    if (!found || !isLive(found[0], now)) throw refuseToken(system, origin.ip, now)
    return ownerOf(system, { db, rows: found, hash, origin })
  }
  return { ...(await actorOf(from, rows, credential, { origin, now: system.now })), renew }
}

/** Records the use of a value that was rotated away: someone still uses it, or has found it. */
async function recordReuse(system: System, token: store.CredentialRow, origin: Origin): Promise<void> {
  try {
    await createContext(system, publicActor(origin)).act(async ({ record }) =>
      record({
        name: 'token_reuse',
        result: 'denied',
        status_code: 401,
        error_code: 'unauthenticated',
        resource: { type: 'token', id: token.token_id },
        details: { name: token.token_name, token_prefix: token.token_prefix },
      }),
    )
  } catch (error) {
    system.log.error({ err: error }, 'could not audit the use of a rotated token')
  }
}
