import { findAccessKey, type KeyFault, type UsableKey } from '../../../access/access-keys/authenticate.ts'
import { findAgentKey } from '../../../access/agents/authenticate.ts'
import { AGENT_KEY_START } from '../../../access/agents/key-id.ts'
import { findTemporary, type NamedTemporary } from '../../../access/temporary/authenticate.ts'
import type { Origin, System } from '../../../context.ts'

/** A key as a request names it: temporary credentials bring a session token. */
type NamedKey = Omit<NamedTemporary, 'token'> & { token: string | undefined }

/** The access key or agent with this id or, with a session token, the temporary credentials. */
export async function findKey(
  system: System,
  { accessKeyId, token, signedAt }: NamedKey,
  origin: Origin,
): Promise<UsableKey | KeyFault> {
  if (token !== undefined && token !== '') return findTemporary(system, { accessKeyId, token, signedAt }, origin)
  const agent = accessKeyId.startsWith(AGENT_KEY_START) ? await findAgentKey(system, accessKeyId, origin) : 'unknown'
  return agent === 'unknown' ? findAccessKey(system, accessKeyId, origin) : agent
}
