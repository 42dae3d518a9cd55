import type { Actor, Origin, System } from '../../context.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { authenticateAgentBy } from '../agents/authenticate.ts'
import { refuseToken } from '../tokens/authenticate.ts'
import { isTokenValue } from '../tokens/value.ts'
import { findTokenHash } from './store.ts'

/** The agent behind an access token of a client, as `authenticateAgent`. Throws `unauthenticated`. */
export async function authenticateClient(system: System, value: string, origin: Origin): Promise<Actor> {
  const now = system.now()
  const found = isTokenValue(value) ? await findTokenHash(system.database.db, hashSecret(value), now) : undefined
  if (found === undefined) throw refuseToken(system, origin.ip, now)
  return authenticateAgentBy(system, found, origin)
}
