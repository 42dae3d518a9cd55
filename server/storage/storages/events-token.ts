import { ServiceError } from '../../../contract/errors.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import type { Ctx } from '../../context.ts'
import { randomToken } from '../../secrets/random.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { storageMissing } from './place.ts'
import * as store from './store.ts'

/** Makes the token with which a storage's engine reports changes; it replaces the one before. */
export async function createEventsToken(ctx: Ctx, name: string): Promise<{ token: string; url: string }> {
  if (name === DEFAULT_STORAGE)
    throw new ServiceError('conflict', 'Nothing can be attached to the default storage, so it has nothing to report.')
  const token = randomToken()
  await change(ctx, name, hashSecret(token))
  return { token, url: `${ctx.config.publicBaseUrl}/api/v1/storages/${name}/events` }
}

/** Deletes that token. */
export const deleteEventsToken = (ctx: Ctx, name: string): Promise<undefined> => change(ctx, name, null)

async function change(ctx: Ctx, name: string, hash: string | null): Promise<undefined> {
  await ctx.act(async ({ tx, record }) => {
    const row = await store.lockStorage(tx, name)
    if (!row) throw storageMissing(name)
    if (row.kind !== 's3') throw new ServiceError('conflict', 'Only S3 engines can report changes.')
    await store.updateStorage(tx, row.id, { events_hash: hash })
    record({
      name: 'storage_update',
      resource: { type: 'storage', id: name },
      details: { name, before: {}, after: {}, events_token: hash === null ? 'deleted' : 'created' },
    })
  })
}
