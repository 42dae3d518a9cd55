import { findAccessKey, type KeyFault, type UsableKey } from '../../../access/access-keys/authenticate.ts'
import { findAgentKey } from '../../../access/agents/authenticate.ts'
import { AGENT_KEY_START } from '../../../access/agents/key-id.ts'
import { findTemporary } from '../../../access/temporary/authenticate.ts'
import type { Origin, System } from '../../../context.ts'

/** The access key or agent with this id or, with a session token, the temporary credentials. */
export async function findKey(
  system: System,
  accessKeyId: string,
  token: string | undefined,
  origin: Origin,
): Promise<UsableKey | KeyFault> {
  if (token !== undefined && token !== '') return findTemporary(system, { accessKeyId, token }, origin)
  const agent = accessKeyId.startsWith(AGENT_KEY_START) ? await findAgentKey(system, accessKeyId, origin) : 'unknown'
  return agent === 'unknown' ? findAccessKey(system, accessKeyId, origin) : agent
}
