import { Readable } from 'node:stream'
import { ServiceError } from '../../../contract/errors.ts'
import { releaseBlobs } from '../../blobs/collector.ts'
import { storedSizeOfBlob } from '../../blobs/encrypted.ts'
import { findHashes, newCutter, UNKNOWN } from '../../blobs/hashes.ts'
import { openBlob } from '../../blobs/open.ts'
import { findForgotten, listReferencedBlobs, type ReferencedBlob } from '../../blobs/pointers.ts'
import type { Ctx } from '../../context.ts'
import { BlobMissing, isDamage } from '../../drivers/driver.ts'
import { TakenOverBytesChanged } from '../../drivers/external.ts'
import { isExternal } from '../../drivers/routing/ids.ts'
import { findFrozen } from '../../drivers/routing/store.ts'
import { readEnvelope } from '../../encryption/envelope.ts'
import { kindOf, openEnvelope } from '../../encryption/sealing.ts'
import { KeyUnavailable, SegmentDamaged } from '../../segments/cipher.ts'
import { compareUsage, counters } from '../../storage/buckets/compare.ts'
import { findTotalQuota } from '../../storage/buckets/quotas/store.ts'
import { correctUsage, setTotalQuota } from '../../storage/buckets/service.ts'
import { bringBackKnown, planRemovals, verifyStored } from './storage-entries.ts'
import type { Options, Summary } from './summary.ts'

const BATCH = 1000
const AT_ONCE = 16

/**
 * Compares rows with bytes, bytes with rows, and counters with what exists. Can run beside a service: anything younger
 * than the grace period is skipped. Constant memory. Refuses to fix anything if too much would be removed.
 */
export async function verify(ctx: Ctx, options: Options): Promise<Summary> {
  const summary = {
    blobs: 0,
    bytes: 0,
    withoutChecksum: 0,
    truncated: 0,
    overlong: 0,
    missing: 0,
    different: 0,
    sealed: 0,
    damaged: 0,
    orphans: 0,
    aside: 0,
    miscounted: 0,
    fixed: 0,
  }
  const most = options.fix ? await planRemovals(ctx, options.yesRemove) : 0
  await bringBackKnown(ctx, options, summary)
  const shorter = new Set<string>()
  await verifyPointed(ctx, { ...options, shorter }, summary)
  await verifyStored(ctx, { ...options, most, shorter }, summary)
  await verifyForgotten(ctx, options, summary)
  await verifyUsage(ctx, options, summary)
  return summary
}

interface Shorter {
  /** Ids of blobs that have been found truncated. */
  shorter: Set<string>
}

/** Checks that every row has its bytes. */
async function verifyPointed(ctx: Ctx, options: Options & Shorter, summary: Summary): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await listReferencedBlobs(ctx.db, after, BATCH)
    const last = rows.at(-1)?.blob_id
    if (last === undefined) return
    // The last blob's rows may continue in the next batch, so they are all left to it, unless the blob fills a batch
    // alone.
    const whole =
      rows.length < BATCH || rows[0]?.blob_id === last ? rows : rows.filter(({ blob_id }) => blob_id !== last)
    const byBlob = new Map(whole.map((row) => [row.blob_id, row]))
    const frozen = await findFrozen(ctx.db, [...byBlob.keys()].filter(isExternal))
    // What others keep is not ours to vouch for, unless it was taken over.
    const blobs = [...byBlob.values()].filter(({ blob_id }) => !isExternal(blob_id) || frozen.has(blob_id))
    for (let i = 0; i < blobs.length; i += AT_ONCE)
      await Promise.all(blobs.slice(i, i + AT_ONCE).map((row) => verifyBlob(ctx, row, options, summary)))
    after = whole.at(-1)?.blob_id ?? last
  }
}

async function verifyBlob(
  ctx: Ctx,
  row: ReferencedBlob,
  { deep, report, shorter }: Options & Shorter,
  summary: Summary,
): Promise<void> {
  const { blob_id, size, where, inline_size } = row
  summary.blobs++
  summary.bytes += size
  try {
    const isClosed = kindOf(row.encryption) === 'SSE-C'
    const known = deep && !isClosed ? await findHashes(ctx.db, row) : UNKNOWN
    if (known.pieces.length === 0) summary.withoutChecksum++
    if (!isClosed) await assertKey(ctx, row)
    const stored = storedSizeOfBlob(row)
    if ((!deep || isClosed) && inline_size === stored) return
    const end = Math.max(0, stored - 1)
    const last = stored === 0 ? undefined : { start: end, end }
    const body =
      deep && !isClosed
        ? await openBlob(ctx, row)
        : inline_size === null
          ? await ctx.blobs.get(blob_id, stored, last)
          : await openBlob(ctx, row, last)
    const chunks = body instanceof Readable ? (body as AsyncIterable<Uint8Array>) : [body]
    const cutter = newCutter(known)
    for await (const chunk of chunks) cutter.update(chunk)
    if (!cutter.isAlike()) {
      summary.different++
      report(`different: the bytes of ${where} (blob ${blob_id}) do not match their ${known.name}`)
    }
  } catch (error) {
    if (isDamage(error)) {
      summary.damaged++
      report(`damaged: the bytes of ${where} (blob ${blob_id}) cannot be read: ${error.message}`)
      return
    }
    if (error instanceof KeyUnavailable || error instanceof ServiceError) {
      summary.sealed++
      report(`sealed: the bytes of ${where} (blob ${blob_id}) cannot be decrypted: ${error.message}`)
      return
    }
    if (error instanceof SegmentDamaged) {
      summary.different++
      const what =
        row.encryption === null ? 'do not match their checksums' : `are not those that were encrypted: ${error.message}`
      report(`different: the bytes of ${where} (blob ${blob_id}) ${what}`)
      return
    }
    if (error instanceof TakenOverBytesChanged) {
      summary.missing++
      report(`missing: the bytes of ${where} (blob ${blob_id}, ${size} bytes) were changed or deleted by others`)
      return
    }
    if (!(error instanceof BlobMissing)) throw error
    const of = `the bytes of ${where} (blob ${blob_id}, ${size} bytes)`
    const place = inline_size === null ? 'storage' : 'database'
    if (inline_size === null && (await isThere(ctx, blob_id))) {
      summary.truncated++
      shorter.add(blob_id)
      report(`truncated: ${of} are fewer in the storage`)
    } else {
      summary.missing++
      report(`missing: ${of} are not in the ${place}`)
    }
  }
}

/** Throws KeyUnavailable unless a blob can be decrypted, if it is encrypted. */
async function assertKey(ctx: Ctx, { blob_id, encryption, envelope }: ReferencedBlob): Promise<void> {
  if (encryption === null) return
  if (envelope === null) throw new KeyUnavailable('its key is gone')
  await openEnvelope(ctx, readEnvelope(envelope), { id: blob_id })
}

/** Whether the storage has any bytes of a blob. */
const isThere = (ctx: Ctx, id: string): Promise<boolean> =>
  ctx.blobs.get(id, 0).then(
    () => true,
    (error: unknown) => {
      if (error instanceof BlobMissing) return false
      throw error
    },
  )

/** Blobs that nothing points at and that the collector would not look at; fixing hands them to it again. */
async function verifyForgotten(ctx: Ctx, { fix, report }: Options, summary: Summary): Promise<void> {
  for (;;) {
    const ids = await findForgotten(ctx.db, BATCH)
    for (const id of ids) {
      summary.orphans++
      report(`orphan: nothing points at the blob ${id}${fix ? '; left to the collector' : ''}`)
    }
    if (ids.length === 0 || !fix) return
    await ctx.upkeep((step) => releaseBlobs(step, ids))
    summary.fixed += ids.length
  }
}

/** Checks that the counters match what exists. */
async function verifyUsage(ctx: Ctx, { fix, report }: Options, summary: Summary): Promise<void> {
  let total = 0
  for (const { held, counted } of await compareUsage(ctx.db)) {
    if (held.owned) total += held.bytes + held.reserved
    const wrong = counters.filter((one) => held[one] !== counted[one])
    if (wrong.length === 0) continue
    summary.miscounted++
    const what = wrong.map((one) => `${one} ${counted[one]} instead of ${held[one]}`).join(', ')
    report(`miscounted: bucket "${held.name}" has ${what}`)
    if (!fix) continue
    await ctx.upkeep(({ tx }) => correctUsage(tx, held.id))
    summary.fixed++
  }
  const row = await findTotalQuota(ctx.db)
  if (!row || row.used_bytes === total) return
  summary.miscounted++
  report(`miscounted: all buckets have a total of ${row.used_bytes} bytes instead of ${total}`)
  if (!fix) return
  await ctx.upkeep(({ tx }) => setTotalQuota(tx, row.quota_gb))
  summary.fixed++
}
