import { type Fault, ServiceError } from '../../../contract/errors.ts'
import { namedLifetimes } from '../../../contract/tokens.ts'
import { newId } from '../../base/id.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Step } from '../../context.ts'
import { invalidToken } from '../sessions/jwt.ts'
import { settingsInForce } from '../settings/effective.ts'
import * as store from './store.ts'

export const MOST_LIVE = 50
const TEN_YEARS_SECONDS = 315_360_000

const badExpiry = (message: string) => {
  const faults: Fault[] = [{ path: 'body.expires_in', message }]
  return new ServiceError('invalid_request', `body.expires_in ${message}`, { faults })
}

/** A lifetime in seconds; null for `never`. */
function lifetimeSeconds(expiresIn: string | number): number | null {
  if (expiresIn === 'never') return null
  if (typeof expiresIn === 'string' && expiresIn in namedLifetimes)
    return namedLifetimes[expiresIn as keyof typeof namedLifetimes] * (DAY_MS / 1000)
  const seconds = Number(expiresIn)
  if (seconds > TEN_YEARS_SECONDS) throw badExpiry('must be at most ten years')
  return seconds
}

/**
 * Step: what the rows of a new token and of a new access key of the caller have in common. Throws invalid_request for a
 * lifetime that the settings forbid, and limit_reached if the caller has 50 valid ones of this kind.
 */
export async function issueCredential(
  step: Step,
  table: store.CredentialTable,
  { name, expiresIn = 'never' }: { name: string; expiresIn: string | number | undefined },
) {
  const { tx, actor } = step
  const { user_id, token_id, auth_method } = actor
  const seconds = lifetimeSeconds(expiresIn)
  const { tokens } = await settingsInForce(step)
  const longest = tokens.max_lifetime_days * (DAY_MS / 1000)
  if (longest > 0 && (seconds === null || seconds > longest))
    throw badExpiry(`must be at most ${tokens.max_lifetime_days} days, by the service's settings`)
  const owner = await admitOwner(step, table, user_id)
  const parent = token_id === null ? undefined : await store.findParent(tx, token_id)
  // The token used here may have been revoked, with its descendants, while this waited for the owner's row.
  if (token_id !== null && (!parent || parent.revoked_at !== null)) throw invalidToken('The token is invalid.')
  const wanted = seconds === null ? null : new Date(step.now().getTime() + seconds * 1000).toISOString()
  return {
    ...newRow(step, owner, name),
    created_via: auth_method === 'idp' || auth_method === 'pat' ? auth_method : ('local' as const),
    created_by_token_id: token_id,
    expires_at: tokens.cap_child_expiry ? earlier(wanted, parent?.expires_at ?? null) : wanted,
  }
}

/** Step: the same for a credential that someone with a shell on the machine issues to a user; it does not expire. */
export const issueFor = async (
  step: Step,
  table: store.CredentialTable,
  { userId, name }: { userId: string; name: string },
) => ({
  ...newRow(step, await admitOwner(step, table, userId), name),
  created_via: 'local' as const,
  created_by_token_id: null,
  expires_at: null,
})

const KINDS: { readonly [table in store.Issued]: string } = {
  tokens: 'tokens',
  access_keys: 'access keys',
  agents: 'agents',
}

/** Step: locks whose a new one is to be. Throws not_found, and limit_reached for who has 50 valid ones of this kind. */
export async function admitOwner(step: Step, table: store.Issued, userId: string | null): Promise<string> {
  const { tx } = step
  if (!userId || !(await store.lockOwner(tx, userId))) throw new ServiceError('not_found', 'No such user.')
  if ((await store.countLive(tx, table, userId, step.now())) < MOST_LIVE) return userId
  throw new ServiceError(
    'limit_reached',
    `There are ${MOST_LIVE} valid ${KINDS[table]}, the maximum; revoke one first.`,
  )
}

const newRow = (step: Step, user_id: string, name: string) => ({
  id: newId(),
  user_id,
  name: name.trim(),
  previous_until: null,
  created_at: step.now().toISOString(),
  last_used_at: null,
  last_used_ip: null,
  revoked_at: null,
  notice_days: null,
})

const earlier = (a: string | null, b: string | null): string | null => (a === null ? b : b === null || a < b ? a : b)
