import type { Ctx, Upkeep } from '../context.ts'
import type { StoredBlob } from '../drivers/driver.ts'
import { isExternal, storageOf } from '../drivers/routing/ids.ts'
import { telemetryOf } from '../observe/telemetry.ts'
import { noteHistory } from './history/note.ts'
import { removeTakenOver } from './remove-external.ts'
import { isDiskShort, noteErased } from './room.ts'
import * as store from './store.ts'

const BATCH = 500

/** The grace period while the disk is almost full, in seconds: long enough for most reads that have begun. */
const SHORT_GRACE = 60

/**
 * Step: releases blobs that something no longer points at. After the grace period, which is short while the disk is almost
 * full, the collector checks whether anything else still does.
 */
export const releaseBlobs = async ({ tx, config, now }: Upkeep, ids: readonly string[]): Promise<void> => {
  const grace = isDiskShort(config) ? Math.min(SHORT_GRACE, config.blobGraceSeconds) : config.blobGraceSeconds
  if (ids.length > 0) await store.setCheckAfter(tx, ids, new Date(now().getTime() + grace * 1000))
}

/**
 * Step: deletes those of these blobs that nothing points at, at once: with their rows their keys are gone, and with these
 * their bytes, wherever copies of them are. The collector removes what is stored. Returns which they were.
 */
export async function eraseBlobs(step: Upkeep, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { inline, stored } = await condemn(step, ids)
  if (inline.length + stored.length > 0) noteErased(step.config, step.now())
  return new Set([...inline, ...stored])
}

/** Step: which of these blobs are encrypted. */
export const findEncrypted = store.findEncrypted

/** Step: forgets those of these blobs that nothing points at; bytes that are not in the database stay where they are. */
export const forgetBlobs = async ({ tx }: Upkeep, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await store.deleteUnreferenced(tx, ids)
}

/**
 * Step: deletes those of these blobs that nothing points at, with the bytes of inline ones, and turns the rows of the others
 * into orders to delete their bytes. Notes what stays for snapshots alone.
 */
async function condemn({ tx, now }: Upkeep, ids: readonly string[]): Promise<Condemned> {
  const others = ids.filter(isExternal)
  const takenOver = others.length > 0 ? await store.findTakenOver(tx, others) : []
  const deleted = await store.deleteUnreferenced(tx, ids)
  if (deleted.length < ids.length) await noteHistory({ tx }, ids)
  const idsOf = (inline: number) => deleted.flatMap((blob) => (blob.inline === inline ? blob.id : []))
  // Bytes that others keep stay where they are, unless they were taken over.
  const condemned = {
    inline: idsOf(1),
    stored: idsOf(0).filter((id) => !isExternal(id)),
    external: idsOf(0).filter(isExternal),
  }
  if (condemned.stored.length > 0) await store.queueRemovals(tx, condemned.stored, now())
  const ours = takenOver.filter(({ blob_id }) => condemned.external.includes(blob_id))
  if (ours.length > 0) await store.queueTakenOver(tx, ours, now())
  return condemned
}
/** Ids of blobs that are gone; the bytes of `stored` are to be removed from the storage. */
interface Condemned {
  inline: string[]
  stored: string[]
  /** Their rows are gone; the engine's objects only go if they were taken over. */
  external: string[]
}

const countRemoved = ({ config }: Ctx, blobs: number) =>
  telemetryOf(config).metrics.strongroom_collector_removed_blobs_total.inc(blobs)

/** Deletes bytes whose rows are gone, then the orders; safe to repeat. */
async function removeBytes(ctx: Ctx, ids: readonly string[]): Promise<void> {
  for (const id of ids) await ctx.blobs.remove(id)
  countRemoved(ctx, ids.length)
  await ctx.upkeep(({ tx }) => store.deleteRemovals(tx, ids))
}

/** The same, but one storage that fails does not keep the bytes on others: resolves to its error, if any. */
async function removeByStorage(ctx: Ctx, ids: readonly string[]): Promise<unknown> {
  const failures: unknown[] = []
  for (const [, some = []] of Map.groupBy(ids, storageOf))
    await removeBytes(ctx, some).catch((error: unknown) => void failures.push(error))
  return failures[0]
}

/** Deletes at once those of these blobs that nothing points at. */
export async function removeNow(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const { stored } = await ctx.upkeep((step) => condemn(step, ids))
  if (stored.length > 0) await removeBytes(ctx, stored)
}

/**
 * The one rule for leftovers of failed uploads, crashes, overwrites and deletes: a blob that was released, or never
 * used, is checked after its grace period and deleted if nothing points at it.
 */
export const collector = {
  name: 'blob-collector',
  every: 60_000,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    for (;;) {
      const looked = await ctx.upkeep(async (step) => {
        const { tx } = step
        const due = await store.claimDue(tx, ctx.now(), BATCH)
        if (due.length === 0) return step.nothing({ due: 0, inline: 0 })
        const { inline, stored, external } = await condemn(step, due)
        const condemned = new Set([...inline, ...stored, ...external])
        const used = due.filter((id) => !condemned.has(id))
        if (used.length > 0) await store.settle(tx, used)
        return { due: due.length, inline: inline.length }
      })
      countRemoved(ctx, looked.inline)
      if (looked.due < BATCH) break
    }
    let failure: unknown
    for (let after: store.Removal | undefined; ; ) {
      const page = await store.findRemovals(ctx.db, after, BATCH)
      const ids = page.map(({ blob_id }) => blob_id)
      if (ids.length > 0) failure ??= await removeByStorage(ctx, ids)
      after = page.at(-1)
      if (page.length < BATCH) break
    }
    failure ??= await removeTakenOver(ctx)
    if (failure !== undefined) throw failure
  },
}

/**
 * Blobs set aside because this database did not know them: deleted after the grace period, or brought back if the
 * database knows them by then (because it was restored, or the wrong one was used before).
 */
export const orphanCollector = {
  name: 'orphan-collector',
  // Listing costs a request on S3.
  every: 600_000,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    const oldest = ctx.now().getTime() - ctx.config.blobGraceSeconds * 1000
    for await (const batch of listAsideInBatches(ctx)) {
      const known = await store.findKnown(
        ctx.db,
        batch.map(({ id }) => id),
      )
      for (const { id, modified_at } of batch) {
        if (known.has(id)) {
          await ctx.blobs.bringBack(id)
          ctx.log.error({ blob: id }, 'brought back a blob that was set aside although the database knows it')
        } else if (modified_at.getTime() <= oldest) {
          await ctx.blobs.removeAside(id)
          countRemoved(ctx, 1)
        }
      }
    }
  },
}

/** What was set aside, in batches. */
export async function* listAsideInBatches({ blobs }: Ctx): AsyncGenerator<StoredBlob[]> {
  let batch: StoredBlob[] = []
  for await (const blob of blobs.listAside()) {
    batch.push(blob)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
