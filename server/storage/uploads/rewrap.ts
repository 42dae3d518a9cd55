import type { Ctx } from '../../context.ts'
import { readEnvelope } from '../../encryption/envelope.ts'
import { rewrapEnvelope } from '../../encryption/sealing.ts'
import type { ServiceKey } from '../../encryption/service-keys.ts'
import * as store from './store.ts'

const BATCH = 500

/** Open uploads whose keys an older service key wraps than this version. */
async function* olderUploads(ctx: Ctx, version: number) {
  for (let after = ''; ; ) {
    const page = await store.findSealed(ctx.db, after, BATCH)
    for (const row of page) {
      const envelope = row.envelope === null ? null : readEnvelope(row.envelope)
      if (envelope && (envelope.version ?? 0) < version) yield { row, envelope }
    }
    after = page.at(-1)?.id ?? after
    if (page.length < BATCH) return
  }
}

/** Rewraps the keys of open uploads that an older service key wraps. Parts that arrive meanwhile have the key they need. */
export async function rewrapUploads(ctx: Ctx, current: ServiceKey): Promise<void> {
  for await (const { row, envelope } of olderUploads(ctx, current.version)) {
    const again = await rewrapEnvelope(ctx, envelope, { id: row.blob_id ?? '', current })
    await ctx.upkeep(({ tx }) => store.replaceEnvelope(tx, row, JSON.stringify(again)))
  }
}

/** Whether a version of the service key, or one before it, wraps the key of any open upload. */
export async function isKeyOfUploads(ctx: Ctx, version: number): Promise<boolean> {
  for await (const _ of olderUploads(ctx, version + 1)) return true
  return false
}
