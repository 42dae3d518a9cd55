import { ServiceError } from '../../../contract/errors.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import type { Ctx } from '../../context.ts'
import { withExplanation } from '../../drivers/explain.ts'
import type { ExternalSource, HeadOfObject } from '../../drivers/external.ts'
import { UnexpectedAnswer } from '../../drivers/external.ts'
import { isExternal, storageOf } from '../../drivers/routing/ids.ts'
import { isFrozen } from '../../drivers/routing/store.ts'
import { holdAnyBucket } from '../buckets/service.ts'
import { applyChanges, type Changes, isReadOnlyAttached, isSwap, recordExternalChanges } from './apply-changes.ts'
import { externalOf, hydrated, isDescribed, isSameContent, isTouched, type Source } from './rows.ts'
import * as scanStore from './scan-state/store.ts'
import type { ExternalObject, ObjectRow } from './store.ts'
import * as store from './store.ts'

/** How often an object may change while it is asked for. */
const ROUNDS = 3

/**
 * An object as its storage has it now, for those who are to read it: what has changed there since it was last seen is
 * changed here as well. Undefined if it is gone. Objects of our own, and those that were taken over, are returned without
 * asking. `opens`: whether its bytes will be read, for which it must not be in an archive. Throws `archived`, or `conflict`
 * where the storage does not give the object away.
 */
export async function confirm(ctx: Ctx, row: ObjectRow, { opens }: { opens: boolean }): Promise<ObjectRow | undefined> {
  if (!isExternal(row.blob_id)) return row
  for (let round = 1; round <= ROUNDS; round++) {
    if (await isFrozen(ctx.db, row.blob_id)) return row
    const [shown] = await store.findExternal(ctx.db, row.bucket_id, [row.key])
    if (!shown) return undefined
    const source = await ctx.blobs.source(storageOf(shown.object.blob_id) as number)
    const now = ctx.now()
    const head = await askFor(source, shown.external.key)
    if (head && opens && head.archived)
      throw new ServiceError(
        'archived',
        `The object "${row.key}" is in an archive of its storage (${head.storage_class}). Restore it there first.`,
      )
    const seen = await follow(ctx, { shown, head, source, now })
    if (seen !== 'again') return seen?.object
  }
  throw new ServiceError('busy', `The object "${row.key}" keeps changing on its storage. Try again.`)
}

/** Like `confirm`, for the object that points at a blob; undefined also if none does any more. */
export async function confirmBlob(ctx: Ctx, blobId: string): Promise<ObjectRow | undefined> {
  const shown = await store.findExternalByBlob(ctx.db, blobId)
  return shown && confirm(ctx, shown.object, { opens: true })
}

/** What the engine says of an object now; undefined if it is gone. */
export const askFor = (source: ExternalSource, key: string): Promise<HeadOfObject | undefined> =>
  source.head(key).catch((error: unknown) => {
    // The answer to a HEAD has no body that could say more.
    const { status } = error as { status?: unknown }
    if (status !== 400) throw withExplanation(error)
    throw new ServiceError(
      'conflict',
      'The storage does not give the object away; it may be encrypted with a key that its owner did not leave there.',
      { cause: error },
    )
  })

/** What the engine says of an object. */
interface Answer {
  shown: ExternalObject
  /** Undefined: it is gone. */
  head: HeadOfObject | undefined
  source: ExternalSource
  /** When it was asked. */
  now: Date
  /** Whether what was read before is read again although neither ETag nor time says that it has changed. */
  again?: boolean
}

/** What is to change of an object, since the engine says this of it; undefined where nothing is. */
export async function changesFor(
  { shown, head, source, now, again = false }: Answer,
  place: Source,
): Promise<Changes | undefined> {
  const { external } = shown
  if (!head) return external.missing_since === null ? { missing: [shown] } : undefined
  if (external.etag !== null && head.etag === null)
    throw new UnexpectedAnswer('The storage sends an object without its ETag')
  const isSame = isSameContent(external, head)
  const isKnown =
    external.hydrated_at !== null && external.version_id === head.version_id && external.missing_since === null
  const isQuiet = isSame && isKnown && !isTouched(external, head)
  if (isQuiet && !again) return undefined
  const tags = head.tagged ? await source.tags(head.key, head.version_id) : {}
  if (isQuiet && isDescribed(shown, hydrated(shown, head, { tags, now }))) return undefined
  if (isSame) return { changed: [{ before: shown, after: hydrated(shown, head, { tags, now }) }] }
  const next = externalOf(place, head, now)
  // What of the object is ours stays.
  const { acl, tags: ours, created_at } = shown.object
  const kept = { ...next, object: { ...next.object, acl, tags: ours, created_at } }
  const after = hydrated({ ...kept, external: { ...kept.external, tags: external.tags } }, head, { tags, now })
  return { changed: [{ before: shown, after }] }
}

/** Changes an object accordingly; returns it as it is then, undefined if it is gone. */
async function follow(ctx: Ctx, asked: Answer): Promise<ExternalObject | undefined | 'again'> {
  const { shown, head } = asked
  const { bucket_id, key } = shown.object
  const storage_id = storageOf(shown.object.blob_id) as number
  const prefix = shown.external.key.slice(0, shown.external.key.length - key.length)
  const key_order = shown.external.sort_key === null ? null : 'segments'
  const changes = await changesFor(asked, { bucket_id, storage_id, prefix, key_order })
  if (!changes) return head && shown
  const [pair] = changes.changed ?? []
  const visible = !pair || isSwap(pair) || shown.external.missing_since !== null
  let whole = false
  const done = await recordExternalChanges(ctx, { most: await mostRecorded(ctx, bucket_id), visible }, async (step) => {
    const bucket = await holdAnyBucket(step.tx, bucket_id)
    if (!isReadOnlyAttached(bucket)) return { bucket: '', changes: [] }
    const made = await applyChanges(step, bucket, changes)
    whole = made.whole
    return { bucket: bucket.name, changes: made.changes }
  })
  return done && whole ? pair?.after : 'again'
}

/** How many changes may be recorded that no scan has found: those before the first scan's end never are. */
export async function mostRecorded(ctx: Ctx, bucketId: string): Promise<number> {
  const { external_changes } = (await settingsInForce(ctx)).audit
  if (external_changes === 'off') return 0
  return (await scanStore.isScanned(ctx.db, bucketId)) ? Number.POSITIVE_INFINITY : 0
}
