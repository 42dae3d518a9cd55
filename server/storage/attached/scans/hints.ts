import { ServiceError } from '../../../../contract/errors.ts'
import { isKeyText } from '../../../../contract/names.ts'
import { perSystem } from '../../../base/per-system.ts'
import { MINUTE_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import { findStorage } from '../../../drivers/routing/store.ts'
import { hashSecret } from '../../../secrets/sign.ts'
import { holdAnyBucket } from '../../buckets/service.ts'
import { applyChanges, isReadOnlyAttached, recordExternalChanges } from '../../external-objects/apply-changes.ts'
import { askFor, confirm, mostRecorded } from '../../external-objects/confirm.ts'
import { externalOf, hydrated } from '../../external-objects/rows.ts'
import { findExternal } from '../../external-objects/store.ts'
import { reviewKey } from '../findings/service.ts'
import * as store from './store.ts'

/** Rows per statement. */
const ROWS = 1000
/** Hints followed at the same time. */
const AT_ONCE = 16
const BATCH = 256

/**
 * Notes the keys of which an engine says that they have changed, if they are shown by a bucket that is attached to this
 * storage. `token` is the storage's; without the right one this throws `unauthenticated`, also if there is no such storage.
 */
export async function receiveEvents(
  ctx: Ctx,
  name: string,
  { token, body }: { token: string | undefined; body: unknown },
): Promise<undefined> {
  const storage = await findStorage(ctx.db, name)
  if (!token || !storage?.events_hash || storage.events_hash !== hashSecret(token))
    throw new ServiceError('unauthenticated', 'The token of the storage is missing or wrong.')
  const now = ctx.now()
  const changed = keysIn(body).filter(({ bucket }) => bucket === storage.bucket)
  const attachments = (await store.listAttachments(ctx.db)).filter(({ storage_id }) => storage_id === storage.id)
  const hinted_at = now.toISOString()
  for (const { bucket_id, prefix, events_at } of attachments) {
    const keys = new Set(changed.flatMap(({ key }) => (key.startsWith(prefix) ? key.slice(prefix.length) : [])))
    const rows = [...keys].filter((key) => isKeyText(key, 1)).map((key) => ({ bucket_id, key, hinted_at }))
    const isNew = events_at === null || now.getTime() - Date.parse(events_at) > MINUTE_MS
    if (rows.length === 0) continue
    await ctx.upkeep(async ({ tx }) => {
      for (let i = 0; i < rows.length; i += ROWS) await store.putHints(tx, rows.slice(i, i + ROWS))
      if (isNew) await store.updateAttachment(tx, bucket_id, { events_at: hinted_at })
    })
  }
}

/** The token of a request: as a bearer, or as a parameter. */
export const tokenOf = (authorization: string | undefined, parameter: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? parameter

interface Named {
  bucket: string
  key: string
}

/** What an event notification names; nothing of what is none. */
function keysIn(body: unknown): Named[] {
  const { Records } = (body ?? {}) as { Records?: unknown }
  if (!Array.isArray(Records)) return []
  return Records.flatMap((record: unknown) => {
    const { s3, eventSource } = (record ?? {}) as {
      eventSource?: unknown
      s3?: { bucket?: { name?: unknown }; object?: { key?: unknown } }
    }
    const [bucket, key] = [s3?.bucket?.name, s3?.object?.key]
    if (typeof bucket !== 'string' || typeof key !== 'string') return []
    const decoded = decodedKey(key)
    // Ceph does not encode keys as the others do. Asking for one that does not exist does no harm.
    return eventSource === 'ceph:s3' && decoded !== key
      ? [key, decoded].map((one) => ({ bucket, key: one }))
      : [{ bucket, key: decoded }]
  })
}

function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    return key
  }
}

type Hint = Awaited<ReturnType<typeof store.listHints>>[number]

/** Asks the engine what became of a key, and has its bucket show that. */
async function follow(ctx: Ctx, { bucket_id, key }: Hint): Promise<void> {
  const attachment = await store.findAttachment(ctx.db, bucket_id)
  if (!attachment) return
  if (attachment.taken_over_at !== null) return reviewKey(ctx, attachment, key)
  const [shown] = await findExternal(ctx.db, bucket_id, [key])
  if (shown) return void (await confirm(ctx, shown.object, { opens: false }))
  const source = await ctx.blobs.source(attachment.storage_id)
  const now = ctx.now()
  const head = await askFor(source, attachment.prefix + key)
  if (!head) return
  const tags = head.tagged ? await source.tags(head.key, head.version_id) : {}
  const added = [hydrated(externalOf(attachment, head, now), head, { tags, now })]
  await recordExternalChanges(ctx, { most: await mostRecorded(ctx, bucket_id), visible: true }, async (step) => {
    const bucket = await holdAnyBucket(step.tx, bucket_id)
    if (!isReadOnlyAttached(bucket)) return { bucket: '', changes: [] }
    return { bucket: bucket.name, changes: (await applyChanges(step, bucket, { added })).changes }
  })
}

/** Milliseconds to wait after a storage was away. */
const PAUSE_MS = 30_000
const pauseOf = perSystem(() => ({ until: 0 }))

/** Follows hints, oldest first. Those of a storage that is away wait; others do not wait for them. */
export const hintWorker = {
  name: 'scan-hints',
  every: 2000,
  async run(ctx: Ctx): Promise<void> {
    const pause = pauseOf(ctx.config)
    const now = ctx.now().getTime()
    if (!ctx.config.storagesEnabled || (now < pause.until && pause.until - now <= PAUSE_MS)) return
    const away = new Set<string>()
    let failure: unknown
    let waiting: Iterator<Hint> & Iterable<Hint>
    const followNext = async (): Promise<void> => {
      for (const hint of waiting) {
        if (ctx.stopping.aborted) return
        if (away.has(hint.bucket_id)) continue
        try {
          await follow(ctx, hint).catch((error: unknown) => {
            // About this object alone: a scan will look at it again.
            if (!(error instanceof ServiceError)) throw error
          })
          await ctx.upkeep(({ tx }) => store.deleteHint(tx, hint), { relaxed: true })
        } catch (error) {
          failure ??= error
          away.add(hint.bucket_id)
        }
      }
    }
    for (let isFull = true; isFull && failure === undefined && !ctx.stopping.aborted; ) {
      const hints = await store.listHints(ctx.db, BATCH)
      isFull = hints.length === BATCH
      waiting = hints.values()
      await Promise.all(Array.from({ length: AT_ONCE }, followNext))
    }
    if (failure === undefined) return
    pause.until = now + PAUSE_MS
    throw failure
  },
}
