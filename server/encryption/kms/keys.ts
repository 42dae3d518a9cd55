import { createSecretKey, type KeyObject } from 'node:crypto'
import { setWithin } from '../../base/bounded.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Config } from '../../config/config.ts'
import { isSealedWithCurrent, seal, unseal } from '../../secrets/seal.ts'
import type { KeyAccess } from '../service-keys.ts'
import * as store from '../store.ts'
import { type EncryptionContext, type KeyService, refused } from './key-service.ts'

/** How long a key that a key service opened is kept in memory, and how many are. */
const KEPT_MS = 300_000
const MOST_KEPT = 1000
/** Milliseconds after which the row of a key is read again: another process may have changed it. */
const FRESH_MS = 10_000

const PURPOSE = 'kms-key-secret'
/** A key's secret as it is stored: together with its name, so that it cannot be moved to another row. */
export const sealSecret = (config: Config, name: string, secret: string): string =>
  seal(config, PURPOSE, `${name}:${secret}`)
function unsealSecret(config: Config, name: string, sealed: string): string {
  const text = unseal(config, PURPOSE, sealed)
  if (!text.startsWith(`${name}:`)) throw new Error(`The stored secret of the key ${name} is another one's`)
  return text.slice(name.length + 1)
}
/** The same secret encrypted with the current SECRET_KEY. */
export const resealSecret = (config: Config, name: string, sealed: string): string =>
  isSealedWithCurrent(config, sealed) ? sealed : sealSecret(config, name, unsealSecret(config, name, sealed))

/** Opens the key of a key service that a row describes. */
export async function openKeyService(config: Config, row: store.KmsKeyRow): Promise<KeyService> {
  const { name, kind, endpoint, region, key_id, mount, access_key_id } = row
  const secret = row.secret === null ? null : unsealSecret(config, name, row.secret)
  if (kind === 'transit') {
    const { transitKey } = await import('./transit.ts')
    return transitKey({ name, endpoint: endpoint ?? '', mount: mount ?? 'transit', key_id, token: secret ?? '' })
  }
  const { awsKey } = await import('./aws.ts')
  const credentials =
    access_key_id === null || secret === null ? null : { accessKeyId: access_key_id, secretAccessKey: secret }
  return awsKey({ name, endpoint, region, key_id, credentials })
}

/** A key that wraps the keys of blobs, and how its key service sealed it. */
export interface KmsWrapping {
  key: KeyObject
  sealed: string
}
interface Kept<T> {
  value: T
  /** In ms. */
  at: number
}
interface State {
  services: Map<string, Kept<{ row: store.KmsKeyRow; service: KeyService }>>
  /** By the name of the key and what it is bound to: what new blobs use. */
  current: Map<string, Kept<KmsWrapping>>
  /** By that, and how it is sealed. */
  opened: Map<string, Kept<KeyObject>>
}
const stateOf = perSystem(
  (): State => ({ services: new Map(), current: new Map(), opened: new Map() }),
  ({ services }) => {
    for (const { value } of services.values()) value.service.close()
  },
)

/** A value that is kept and young enough. */
function young<T>(
  kept: Map<string, Kept<T>>,
  name: string,
  { now, most }: { now: number; most: number },
): T | undefined {
  const found = kept.get(name)
  return found && Math.abs(now - found.at) < most ? found.value : undefined
}
function keep<T>(kept: Map<string, Kept<T>>, name: string, value: T, at: number): void {
  kept.delete(name)
  setWithin(kept, name, { value, at }, MOST_KEPT)
}

async function serviceOf({ db, config, now }: KeyAccess, name: string): Promise<KeyService> {
  const { services } = stateOf(config)
  const at = now().getTime()
  const known = young(services, name, { now: at, most: FRESH_MS })
  if (known) return known.service
  const row = await store.findKmsKey(db, name)
  if (!row) throw refused(name, 'it is not registered')
  if (row.disabled_at !== null) throw refused(name, 'it is turned off')
  const before = services.get(name)?.value
  const isSame = before && JSON.stringify(before.row) === JSON.stringify(row)
  if (before && !isSame) before.service.close()
  const service = isSame ? before.service : await openKeyService(config, row)
  keep(services, name, { row, service }, at)
  return service
}

/** Forgets what is known of a key, which has been changed. */
export function forgetKmsKey(config: Config, name: string): void {
  const { services, current } = stateOf(config)
  services.get(name)?.value.service.close()
  services.delete(name)
  for (const one of current.keys()) if (one.startsWith(`${name} `)) current.delete(one)
}

const contextOf = (context: string | undefined): EncryptionContext => (context ? JSON.parse(context) : {})

/** A key to wrap the keys of new blobs with; the same one for up to five minutes. `context`: JSON. */
export async function kmsWrapping(access: KeyAccess, name: string, context: string | undefined): Promise<KmsWrapping> {
  const { current, opened } = stateOf(access.config)
  const id = `${name} ${context ?? ''}`
  const now = access.now().getTime()
  const known = young(current, id, { now, most: KEPT_MS })
  if (known) return known
  const { key, sealed } = await (await serviceOf(access, name)).newKey(contextOf(context))
  const made = { key: createSecretKey(key), sealed }
  keep(current, id, made, now)
  keep(opened, `${id} ${sealed}`, made.key, now)
  return made
}

/** A key that its key service has to open; kept for up to five minutes. */
export async function openKmsWrapping(
  access: KeyAccess,
  { key: name = '', context, sealed = '' }: { key?: string; context?: string; sealed?: string },
): Promise<KeyObject> {
  const { opened } = stateOf(access.config)
  const id = `${name} ${context ?? ''} ${sealed}`
  const now = access.now().getTime()
  const known = young(opened, id, { now, most: KEPT_MS })
  if (known) return known
  const key = createSecretKey(await (await serviceOf(access, name)).open(sealed, contextOf(context)))
  keep(opened, id, key, now)
  return key
}
