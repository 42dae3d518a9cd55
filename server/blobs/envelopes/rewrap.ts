import type { Ctx } from '../../context.ts'
import { type Envelope, readEnvelope } from '../../encryption/envelope.ts'
import { rewrapEnvelope } from '../../encryption/sealing.ts'
import type { ServiceKey } from '../../encryption/service-keys.ts'
import * as store from './store.ts'

const BATCH = 500

/** Whether a version of the service key wraps the key of any blob. */
export const isServiceKeyUsed = store.isServiceKeyUsed

/** How many blobs have their keys wrapped by an older service key than this one; counted up to 10,000. */
export const countOlder = store.countOlder

/**
 * Rewraps the keys of blobs that an older service key wraps, a few at a time: other requests go on, and what a crash leaves
 * is found by the next call. No byte of a blob is read. Returns how many were rewrapped, and how many could not be, because
 * their key is damaged or lost.
 */
export async function rewrapBlobs(ctx: Ctx, current: ServiceKey): Promise<{ rewrapped: number; failed: number }> {
  let rewrapped = 0
  let failed = 0
  for (let after: store.WrappedBlob | undefined; !ctx.stopping.aborted; ) {
    const page = await store.findOlder(ctx.db, { version: current.version, after, limit: BATCH })
    const changed: { id: string; before: number; envelope: Envelope }[] = []
    for (const { id, envelope, service_key } of page) {
      const again = await rewrapEnvelope(ctx, readEnvelope(envelope), { id, current }).catch((error: unknown) => {
        ctx.log.error({ err: error, blob: id }, 'the key of a blob cannot be rewrapped')
        failed++
      })
      if (again) changed.push({ id, before: service_key, envelope: again })
    }
    if (changed.length > 0)
      await ctx.upkeep(({ tx }) =>
        Promise.all(
          changed.map(({ id, before, envelope }) =>
            store.replaceEnvelope(tx, { id, before, envelope: JSON.stringify(envelope), service_key: current.version }),
          ),
        ),
      )
    rewrapped += changed.length
    after = page.at(-1)
    if (page.length < BATCH) break
  }
  return { rewrapped, failed }
}
