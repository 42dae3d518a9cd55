import type { Actor, Origin, System } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { hashSecret } from '../../secrets/sign.ts'
import type { KeyFault, UsableKey } from '../access-keys/authenticate.ts'
import { unsealSecret } from '../access-keys/secret.ts'
import { actorOf } from '../sessions/caller.ts'
import { invalidToken } from '../sessions/jwt.ts'
import { actingAgent } from '../sessions/service.ts'
import { settingsOf } from '../settings/effective.ts'
import { refuseToken } from '../tokens/authenticate.ts'
import { isTokenValue } from '../tokens/value.ts'
import * as store from './store.ts'

type Rows = readonly [store.CredentialRow, ...store.CredentialRow[]]

/**
 * The actor behind the token of an agent, with its maker's current permissions within its scope. Throws `unauthenticated`;
 * text that does not have the form of a token is rejected without a query.
 */
export async function authenticateAgent(system: System, value: string, origin: Origin): Promise<Actor> {
  if (!isTokenValue(value)) throw refuseToken(system, origin.ip, system.now())
  return authenticateAgentBy(system, hashSecret(value), origin)
}

/** The same by the hash of the token. */
export async function authenticateAgentBy(system: System, tokenHash: string, origin: Origin): Promise<Actor> {
  const now = system.now()
  const { db } = system.database
  const rows = await store.findByToken(db, tokenHash)
  if (!rows || faultOf(rows[0], now)) throw refuseToken(system, origin.ip, now)
  return agentOf(system, { db, rows, origin })
}

/**
 * The agent whose key pair has this id, with its maker's current permissions within its scope and the settings of the
 * endpoint, in one statement; or why it cannot be used.
 */
export async function findAgentKey(system: System, accessKeyId: string, origin: Origin): Promise<UsableKey | KeyFault> {
  const { db } = system.database
  const rows = await store.findByKey(db, accessKeyId)
  if (!rows) return 'unknown'
  const [{ secret, settings }] = rows
  const fault = faultOf(rows[0], system.now())
  if (fault) return fault
  return {
    secrets: [{ sealed: secret, open: () => unsealSecret(system.config, accessKeyId, secret) }],
    actor: await agentOf(system, { db, rows, origin }),
    settings: settingsOf(system, settings ?? '{}').s3,
  }
}

function faultOf({ revoked_at, expires_at, disabled_at }: store.CredentialRow, now: Date): KeyFault | undefined {
  if (revoked_at !== null) return 'revoked'
  if (expires_at !== null && Date.parse(expires_at) <= now.getTime()) return 'expired'
  return disabled_at === null ? undefined : 'owner disabled'
}

async function agentOf(
  system: System,
  { db: from, rows, origin }: { db: Db; rows: Rows; origin: Origin },
): Promise<Actor> {
  const [{ token_id, scope, name, budget, approval, access_key_id }] = rows
  const agent = actingAgent({ id: token_id, name, budget, approval })
  const credential = { auth_method: 'agent', session_id: null, token_id, scope, agent } as const
  const renew = async (db: Db): Promise<Actor> => {
    const found = await store.findByKey(db, access_key_id)
    if (!found || faultOf(found[0], system.now())) throw invalidToken('The agent is no longer valid.')
    return agentOf(system, { db, rows: found, origin })
  }
  return { ...(await actorOf(from, rows, credential, { origin, now: system.now })), renew }
}
