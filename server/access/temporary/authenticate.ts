import { ServiceError } from '../../../contract/errors.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Actor, Origin, System } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import type { KeyFault, UsableKey } from '../access-keys/authenticate.ts'
import { settingsOf } from '../settings/effective.ts'
import { actorOfSession, type SessionRows } from './actor.ts'
import { isTokenOf, secretOf } from './secret.ts'
import * as store from './store.ts'

/** How long after its credentials have ended a request may arrive that was signed before. */
const ON_ITS_WAY_MS = MINUTE_MS

/** Temporary credentials as a request names them. */
export interface NamedTemporary {
  accessKeyId: string
  token: string
  /** When the request says that it was signed; undefined of URLs and forms, which others may have been given. */
  signedAt?: Date | undefined
}

/**
 * The temporary credentials with this id and this session token, with what their session may at the moment, in one statement;
 * or why they cannot be used. Their secret is derived, not read. Whoever uses them until the end that they were told is not
 * refused because the request took a moment to arrive.
 */
export async function findTemporary(
  system: System,
  { accessKeyId, token, signedAt }: NamedTemporary,
  origin: Origin,
): Promise<UsableKey | KeyFault> {
  const { config } = system
  const { db } = system.database
  const rows = await store.findSession(db, accessKeyId)
  if (!rows) return 'wrong token'
  const [row] = rows
  if (!isTokenOf(config, row.secret_key_id, { accessKeyId, token })) return 'wrong token'
  if (hasEnded(row, system.now(), signedAt)) return 'expired token'
  if (isRevoked(row)) return 'revoked token'
  const { secret_key_id } = row
  return {
    secrets: [
      {
        sealed: `sts ${secret_key_id} ${accessKeyId}`,
        open: () => secretOf(config, secret_key_id, accessKeyId),
      },
    ],
    actor: await holderOf(system, { db, rows, origin }),
    settings: settingsOf(system, row.settings ?? '{}').s3,
  }
}

/** Whether there are such credentials, whatever has become of them. */
export const isTemporary = async (db: Db, accessKeyId: string): Promise<boolean> =>
  (await store.findSession(db, accessKeyId)) !== undefined

function hasEnded({ expires_at }: store.SessionRow, now: Date, signedAt: Date | undefined): boolean {
  const end = Date.parse(expires_at)
  const isOnItsWay = signedAt !== undefined && signedAt.getTime() < end
  return now.getTime() >= (isOnItsWay ? end + ON_ITS_WAY_MS : end)
}

/** Whether somebody has ended them, or disabled their user. */
const isRevoked = ({ revoked_at, disabled_at }: store.SessionRow): boolean =>
  revoked_at !== null || disabled_at !== null

async function holderOf(
  system: System,
  { db: from, rows, origin }: { db: Db; rows: SessionRows; origin: Origin },
): Promise<Actor> {
  const [{ access_key_id }] = rows
  const renew = async (db: Db): Promise<Actor> => {
    const found = await store.findSession(db, access_key_id)
    // Credentials that end while a body arrives, or something else is waited for, were valid when they were used.
    if (!found || isRevoked(found[0]))
      throw new ServiceError('unauthenticated', 'The temporary credentials are no longer valid.')
    return holderOf(system, { db, rows: found, origin })
  }
  return { ...(await actorOfSession(from, rows, { origin, now: system.now })), renew }
}
