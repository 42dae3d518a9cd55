import { HOUR_MS } from '../../base/time.ts'
import { countOlder, isServiceKeyUsed, rewrapBlobs } from '../../blobs/envelopes/rewrap.ts'
import type { Ctx } from '../../context.ts'
import { deleteServiceKey, latestServiceKey, listRetired, newServiceKey } from '../../encryption/service-keys.ts'
import { isKeyOfUploads, rewrapUploads } from '../../storage/uploads/rewrap.ts'

/** What a rotation of the service key did. */
export interface Rotation {
  /** Of the key that is current. */
  version: number
  /** Whether it went on with an earlier rotation that had not finished. */
  continued: boolean
  blobs: number
  /** Blobs whose keys could not be read. */
  failed: number
}

/**
 * Makes a new service key the current one, and rewraps the keys of all blobs and open uploads with it. Where an earlier
 * rotation has not finished, goes on with that. The service runs meanwhile; recorded as `encryption_key_rotate`.
 */
export async function rotateEncryptionKey(ctx: Ctx): Promise<Rotation> {
  const before = await latestServiceKey(ctx)
  const continued = (await countOlder(ctx.db, before.version)) > 0
  if (!continued) await ctx.upkeep((step) => newServiceKey(step))
  const current = continued ? before : await latestServiceKey(ctx)
  const { rewrapped: blobs, failed } = await rewrapBlobs(ctx, current)
  await rewrapUploads(ctx, current)
  const { version } = current
  await ctx.act(async ({ record }) => record({ name: 'encryption_key_rotate', details: { version, blobs } }))
  return { version, continued, blobs, failed }
}

/** How long a key is kept after a newer one became current: until then some process may still use it for new blobs. */
const KEPT_MS = HOUR_MS

/**
 * Rewraps what a process that had not heard of the new service key yet has written since, and deletes older ones once they
 * wrap nothing: then what was wrapped by them and erased cannot be read with any backup of the database that is made from now on.
 */
export const serviceKeyWorker = {
  name: 'service-keys',
  every: 10 * 60_000,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    const retired = await listRetired(ctx.db)
    if (retired.length === 0) return
    const current = await latestServiceKey(ctx)
    if ((await countOlder(ctx.db, current.version)) > 0) await rewrapBlobs(ctx, current)
    await rewrapUploads(ctx, current)
    for (const { version, retired_at } of retired) {
      if (ctx.now().getTime() - Date.parse(retired_at) < KEPT_MS) continue
      if ((await isServiceKeyUsed(ctx.db, version)) || (await isKeyOfUploads(ctx, version))) continue
      await ctx.upkeep(({ tx }) => deleteServiceKey(tx, version))
      ctx.log.info({ version }, 'deleted a service key that nothing is encrypted with any more')
    }
  },
}
