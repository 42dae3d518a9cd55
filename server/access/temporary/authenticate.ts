import { ServiceError } from '../../../contract/errors.ts'
import type { Actor, Origin, System } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import type { KeyFault, UsableKey } from '../access-keys/authenticate.ts'
import { settingsOf } from '../settings/effective.ts'
import { actorOfSession, type SessionRows } from './actor.ts'
import { isTokenOf, secretOf } from './secret.ts'
import * as store from './store.ts'

/**
 * The temporary credentials with this id and this session token, with what their session may at the moment, in one statement;
 * or why they cannot be used. Their secret is derived, not read.
 */
export async function findTemporary(
  system: System,
  { accessKeyId, token }: { accessKeyId: string; token: string },
  origin: Origin,
): Promise<UsableKey | KeyFault> {
  const { config } = system
  const { db } = system.database
  const rows = await store.findSession(db, accessKeyId)
  if (!rows) return 'wrong token'
  const [row] = rows
  if (!isTokenOf(config, row.secret_key_id, { accessKeyId, token })) return 'wrong token'
  const fault = faultOf(row, system.now())
  if (fault) return fault
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

function faultOf({ revoked_at, expires_at, disabled_at }: store.SessionRow, now: Date): KeyFault | undefined {
  if (Date.parse(expires_at) <= now.getTime()) return 'expired token'
  if (revoked_at !== null) return 'revoked token'
  return disabled_at === null ? undefined : 'revoked token'
}

async function holderOf(
  system: System,
  { db: from, rows, origin }: { db: Db; rows: SessionRows; origin: Origin },
): Promise<Actor> {
  const [{ access_key_id }] = rows
  const renew = async (db: Db): Promise<Actor> => {
    const found = await store.findSession(db, access_key_id)
    if (!found || faultOf(found[0], system.now()))
      throw new ServiceError('unauthenticated', 'The temporary credentials are no longer valid.')
    return holderOf(system, { db, rows: found, origin })
  }
  return { ...(await actorOfSession(from, rows, { origin, now: system.now })), renew }
}
