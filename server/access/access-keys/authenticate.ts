import { ServiceError } from '../../../contract/errors.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import { perSystem } from '../../base/per-system.ts'
import { type Actor, createContext, type Origin, type System } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { source } from '../../http/source.ts'
import { publicActor } from '../actors.ts'
import { actorOf } from '../sessions/caller.ts'
import { type EffectiveSettings, settingsOf } from '../settings/effective.ts'
import { unsealSecret } from './secret.ts'
import * as store from './store.ts'

/** A secret that signatures of a key may be made with. */
export interface KeySecret {
  /** The same text for the same secret: what is derived from it can be kept under this name. */
  sealed: string
  open(): string
}

/** A key that can be used, and who acts with it once a signature was checked against one of its secrets. */
export interface UsableKey {
  secrets: readonly KeySecret[]
  actor: Actor
  settings: EffectiveSettings['s3']
}

/** Why a request signed with a key is refused. */
export type KeyFault =
  | 'unknown'
  | 'revoked'
  | 'inactive'
  | 'expired'
  | 'owner disabled'
  | 'wrong signature'
  /** Of temporary credentials. */
  | 'wrong token'
  | 'expired token'
  | 'revoked token'

/**
 * The key with this id, with its owner's current permissions within the key's scope and the settings of the endpoint, in
 * one statement; or why it cannot be used. While a rotation's grace period lasts it has two secrets.
 */
export async function findAccessKey(
  system: System,
  accessKeyId: string,
  origin: Origin,
): Promise<UsableKey | KeyFault> {
  const rows = await store.findKey(system.database.db, accessKeyId)
  const now = system.now()
  if (!rows) return 'unknown'
  const [row] = rows
  const fault = faultOf(row, now)
  if (fault) return fault
  const { secret, previous_secret, previous_until } = row
  const sealed = [secret, ...(previous_secret !== null && isAfter(previous_until, now) ? [previous_secret] : [])]
  return {
    secrets: sealed.map((one) => ({ sealed: one, open: () => unsealSecret(system.config, accessKeyId, one) })),
    actor: await ownerOf(system, { db: system.database.db, rows, accessKeyId, origin }),
    settings: settingsOf(system, row.settings ?? '{}').s3,
  }
}

/** Whether there is such a key, whatever has become of it. */
export const isKeyOfOurs = async (db: Db, accessKeyId: string): Promise<boolean> =>
  (await store.findKey(db, accessKeyId)) !== undefined

type Rows = readonly [store.KeyRow, ...store.KeyRow[]]
const isAfter = (time: string | null, now: Date): boolean => time !== null && Date.parse(time) > now.getTime()

function faultOf(row: store.KeyRow, now: Date): KeyFault | undefined {
  const { revoked_at, deactivated_at, expires_at, disabled_at } = row
  if (revoked_at !== null) return 'revoked'
  if (deactivated_at !== null) return 'inactive'
  if (expires_at !== null && !isAfter(expires_at, now)) return 'expired'
  return disabled_at === null ? undefined : 'owner disabled'
}

/** The key's actor can outlive the grace period of a rotated secret: the secret was valid when it was used. */
async function ownerOf(
  system: System,
  { db: from, rows, accessKeyId, origin }: { db: Db; rows: Rows; accessKeyId: string; origin: Origin },
): Promise<Actor> {
  const [{ token_id, scope }] = rows
  const credential = { auth_method: 'access_key', session_id: null, token_id, scope } as const
  const actor = await actorOf(from, rows, credential, { origin, now: system.now })
  const renew = async (db: Db): Promise<Actor> => {
    const found = await store.findKey(db, accessKeyId)
    if (!found || faultOf(found[0], system.now()))
      throw new ServiceError('unauthenticated', 'The access key is no longer valid.')
    return ownerOf(system, { db, rows: found, accessKeyId, origin })
  }
  return { ...actor, renew }
}

const recordedOf = perSystem(() => countPerMinute(1))

/** Records that a key was refused, once a minute for each address: repeated attempts cannot fill the log. */
export async function recordRefusedKey(
  system: System,
  accessKeyId: string,
  reason: KeyFault,
  origin: Origin,
): Promise<void> {
  if (recordedOf(system.config)(source(origin.ip), system.now()) > 0) return
  try {
    await createContext(system, publicActor(origin)).act(async ({ record }) =>
      record({
        name: 'access_key_denied',
        result: 'denied',
        status_code: 403,
        error_code: 'forbidden',
        details: { access_key_id: accessKeyId, reason },
      }),
    )
  } catch (error) {
    system.log.error({ err: error }, 'could not audit a refused access key')
  }
}
