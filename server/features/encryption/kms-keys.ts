import type { KmsKey } from '../../../contract/encryption.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import { forgetKmsKey, openKeyService, resealSecret, sealSecret } from '../../encryption/kms/keys.ts'
import * as keys from '../../encryption/kms/registry.ts'

/** How a key service is reached. */
interface Reach {
  endpoint?: string | null | undefined
  region?: string | null | undefined
  mount?: string | null | undefined
  access_key_id?: string | null | undefined
  /** The secret of that, or the token. */
  secret?: string | null | undefined
}

const missing = (name: string) => new ServiceError('not_found', `There is no key "${name}".`)

const describe = (row: keys.KmsKeyRow): KmsKey => ({
  ...detailsOf(row),
  enabled: row.disabled_at === null,
  created_at: row.created_at,
  created_by: row.created_by,
})

/** What is recorded of a key. */
const detailsOf = ({ name, kind, endpoint, region, key_id, mount, access_key_id }: keys.KmsKeyRow) => ({
  name,
  kind,
  endpoint,
  region,
  key_id,
  mount,
  access_key_id,
})

export const listKmsKeys = async (ctx: Ctx): Promise<{ items: KmsKey[] }> => ({
  items: (await keys.listKmsKeys(ctx.db)).map(describe),
})

/** Throws invalid_request for what a kind of key service does not have, or needs. */
function assertComplete({ kind, endpoint, region, mount, access_key_id, secret }: keys.KmsKeyRow): void {
  if (kind === 'transit') {
    if (endpoint === null) throw invalid('body.endpoint', 'is required with `transit`')
    if (secret === null) throw invalid('body.secret', 'is required with `transit`: the token')
    if (region !== null) throw invalid('body.region', 'only with `aws`')
    if (access_key_id !== null) throw invalid('body.access_key_id', 'only with `aws`')
    return
  }
  if (mount !== null) throw invalid('body.mount', 'only with `transit`')
  if ((access_key_id === null) !== (secret === null)) throw invalid('body.secret', 'only together with `access_key_id`')
}

/** Throws conflict or busy unless a key encrypts, and decrypts what it encrypted. */
async function assertUsable(ctx: Ctx, row: keys.KmsKeyRow): Promise<void> {
  const service = await openKeyService(ctx.config, row)
  try {
    const context = { strongroom: 'test' }
    const { key, sealed } = await service.newKey(context)
    const opened = await service.open(sealed, context)
    if (Buffer.compare(key, opened) !== 0) throw new ServiceError('conflict', 'The key service opens another key.')
  } finally {
    service.close()
  }
}

/** Registers a key of a key service that can be used. */
export async function createKmsKey(
  ctx: Ctx,
  given: Reach & { name: string; kind: 'aws' | 'transit'; key_id: string },
): Promise<KmsKey> {
  const { name, kind, key_id, endpoint = null, region = null, access_key_id = null, secret = null } = given
  const row: keys.KmsKeyRow = {
    name,
    kind,
    key_id,
    endpoint,
    region,
    mount: given.mount ?? (kind === 'transit' ? 'transit' : null),
    access_key_id,
    secret: secret === null ? null : sealSecret(ctx.config, name, secret),
    created_at: ctx.now().toISOString(),
    created_by: ctx.actor.user_id,
    disabled_at: null,
  }
  assertComplete(row)
  const taken = () => new ServiceError('already_exists', `Key "${name}" already exists.`)
  if (await keys.findKmsKey(ctx.db, name)) throw taken()
  await assertUsable(ctx, row)
  return ctx.act(async ({ tx, record }) => {
    const made = await keys.insertKmsKey(tx, row)
    if (!made) throw taken()
    record({ name: 'kms_key_create', resource: { type: 'kms_key', id: name }, details: detailsOf(made) })
    return describe(made)
  })
}

/** Changes how a key service is reached; unless that turns the key off, it has to be usable so. */
export async function updateKmsKey(
  ctx: Ctx,
  name: string,
  { enabled, secret, ...reach }: Reach & { enabled?: boolean | undefined },
): Promise<KmsKey> {
  const before = await keys.findKmsKey(ctx.db, name)
  if (!before) throw missing(name)
  const given = Object.fromEntries(Object.entries(reach).filter(([, value]) => value !== undefined))
  const now = ctx.now().toISOString()
  const changed: keys.KmsKeyRow = {
    ...before,
    ...given,
    ...(secret === undefined ? {} : { secret: secret === null ? null : sealSecret(ctx.config, name, secret) }),
    ...(enabled === undefined ? {} : { disabled_at: enabled ? null : (before.disabled_at ?? now) }),
  }
  assertComplete(changed)
  if (changed.disabled_at === null) await assertUsable(ctx, changed)
  const result = await ctx.act(async ({ tx, record }) => {
    const row = await keys.lockKmsKey(tx, name)
    if (!row) throw missing(name)
    const { endpoint, region, mount, access_key_id, secret: sealed, disabled_at } = changed
    await keys.changeKmsKey(tx, name, { endpoint, region, mount, access_key_id, secret: sealed, disabled_at })
    const told = (one: keys.KmsKeyRow) => ({ ...detailsOf(one), enabled: one.disabled_at === null })
    record({
      name: 'kms_key_update',
      resource: { type: 'kms_key', id: name },
      details: {
        name,
        before: told(row),
        after: told(changed),
        ...(secret === undefined ? {} : { secret_changed: true }),
      },
    })
    return describe(changed)
  })
  forgetKmsKey(ctx.config, name)
  return result
}

/** Forgets a key that nothing needs any more. Throws conflict for one that something does. */
export async function deleteKmsKey(ctx: Ctx, name: string): Promise<undefined> {
  await ctx.act(async (step) => {
    const { tx, record } = step
    const row = await keys.lockKmsKey(tx, name)
    if (!row) throw missing(name)
    const isDefault = (await settingsInForce(step)).encryption.new_buckets?.key === name
    if (isDefault || (await keys.isKmsKeyUsed(tx, name)))
      throw new ServiceError('conflict', `Something is encrypted with the key "${name}", or will be.`)
    await keys.deleteKmsKey(tx, name)
    record({ name: 'kms_key_delete', resource: { type: 'kms_key', id: name }, details: detailsOf(row) })
  })
  forgetKmsKey(ctx.config, name)
}

/** Encrypts the secrets of keys with the current SECRET_KEY; returns how many were encrypted with another one. */
export const resealKmsKeys = (ctx: Ctx): Promise<number> =>
  ctx.upkeep(async ({ tx, config }) => {
    let count = 0
    for (const { name, secret } of await keys.listKmsKeys(tx)) {
      const sealed = secret === null ? null : resealSecret(config, name, secret)
      if (sealed === secret) continue
      await keys.changeKmsKey(tx, name, { secret: sealed })
      count++
    }
    return count
  })
