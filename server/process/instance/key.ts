import { systemActor } from '../../access/actors.ts'
import { Refusal } from '../../base/refusal.ts'
import { createContext, type System } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { assertServiceKeys, latestServiceKey, prepareServiceKeys } from '../../encryption/service-keys.ts'
import { deriveKey, type Keys, secretKeysOf } from '../../secrets/derive.ts'
import * as store from './store.ts'

/** Identifies a SECRET_KEY without revealing anything about it: derived only for this. */
export const fingerprint = (secretKey: string): string =>
  Buffer.from(deriveKey(secretKey, 'key-fingerprint')).toString('base64url')

/** Throws unless a service with these keys may serve a database whose key has this fingerprint. */
export function assertKey(keys: Keys, known: string | null, acceptNewKey: boolean): void {
  if (known === null || acceptNewKey) return
  if (secretKeysOf(keys).some((key) => fingerprint(key) === known)) return
  throw new Refusal(
    'SECRET_KEY is not the one this database is used with: nobody would stay signed in, and stored secrets and the audit log could not be read. Give that key, or name it in SECRET_KEY_PREVIOUS to replace it; only where it is permanently lost, add --accept-new-key.',
  )
}

/** The same for a command, which cannot replace the key: only a start of the service does. */
export function assertKeyOfService({ secretKey, previousSecretKeys }: Keys, known: string | null): void {
  if (known === null) throw new Refusal('No service has been started on this database yet. Start it once first.')
  if (fingerprint(secretKey) === known) return
  throw new Refusal(
    previousSecretKeys.some((key) => fingerprint(key) === known)
      ? 'No service has been started with this SECRET_KEY yet, only with a former one. Start the service with it once (SECRET_KEY_PREVIOUS holding the former one), then repeat the command.'
      : 'SECRET_KEY is not the one this database is used with. Run the command with the environment of the service.',
  )
}

/**
 * Sees to it that contents can be encrypted, and that the keys for that are protected by what the configuration has now.
 * Throws a Refusal if they cannot be read, unless that was accepted: what they encrypt is lost then. They stay in memory, so
 * that a replica with a newer key does not end this one.
 */
export async function prepareEncryption(system: System, acceptNewKey: boolean): Promise<void> {
  const ctx = createContext(system, systemActor)
  const sealed = await ctx.upkeep(async (step) => {
    await store.lockInstance(step.tx)
    if (!acceptNewKey) await assertServiceKeys(step.config, step.tx)
    return prepareServiceKeys(step)
  })
  if (sealed > 0) system.log.warn({ keys: sealed }, 'the keys of encrypted contents are protected by another key now')
  await latestServiceKey(ctx)
}

/** Records the database's key; of replicas that start together with different keys, one is refused here. */
export async function noteKey(system: System, acceptNewKey: boolean): Promise<Row<'instance'>> {
  const { config, log } = system
  return createContext(system, systemActor).upkeep(async ({ tx }) => {
    const instance = await store.lockInstance(tx)
    const current = fingerprint(config.secretKey)
    if (instance.key_fingerprint === current) return instance
    assertKey(config, instance.key_fingerprint, acceptNewKey)
    if (instance.key_fingerprint !== null) log.warn('the database now uses a new SECRET_KEY')
    await store.writeFingerprint(tx, current)
    return instance
  })
}
