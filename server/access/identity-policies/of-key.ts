// The policy of an access key: nothing that it does not allow is done with the key
// (https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html#policies_session).
import type { Step } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { readPolicy } from '../../iam/document.ts'
import * as store from './store.ts'

/** Its only policy is an inline one of this name. */
const NAME = 'policy'

/** Step: gives a key a policy, or takes away what it has. Throws MalformedPolicy. */
export async function setKeyPolicyStep({ tx, now }: Step, keyId: string, document: string | null): Promise<void> {
  if (document === null) {
    await store.deleteInline(tx, { kind: 'access_key', id: keyId }, NAME)
    return
  }
  readPolicy(document, { of: 'identity' })
  await store.putInline(tx, {
    owner_kind: 'access_key',
    owner_id: keyId,
    name: NAME,
    document,
    updated_at: now().toISOString(),
  })
}

/** The text of a key's policy; null where it has none. */
export const keyPolicyOf = async (db: Db, keyId: string): Promise<string | null> =>
  (await store.findInline(db, { kind: 'access_key', id: keyId }, NAME))?.document ?? null

/** The policies of keys, by the ids of those that have one. */
export const keyPoliciesOf = store.findOfKeys
