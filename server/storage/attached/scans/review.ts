import { compareKeys } from '../../../../contract/permissions.ts'
import { compareIn } from '../../../base/key-order.ts'
import type { Ctx } from '../../../context.ts'
import type { ExternalSource } from '../../../drivers/external.ts'
import { type Claim, renewed } from '../../../work/lease.ts'
import { holdAnyBucket } from '../../buckets/service.ts'
import { isSameContent } from '../../external-objects/rows.ts'
import { asFindings, detectFindings, type Finding, MOST_FINDINGS, noteFindings } from '../findings/detect.ts'
import { isTakenOver } from '../findings/service.ts'
import { findTaken, listTaken, type TakenPlace } from '../findings/store.ts'
import { ScanEnded } from './errors.ts'
import { lease } from './lease.ts'
import { type Listed, refusedSince, refusedToo, upTo } from './listing.ts'
import { mostOfScan } from './record-limit.ts'
import * as store from './store.ts'

/** Most of what was taken over that is compared in one step. */
const ROWS = 1000

/**
 * Compares the next part of the list with what was taken over in the same range of keys. What differs is asked for, and
 * noted as a finding if it still does; beyond the most that are kept, it is only counted. Returns how many of the listed
 * objects were compared.
 */
export async function reviewStep(
  ctx: Ctx,
  claim: Claim,
  { place, engine }: { place: TakenPlace; engine: ExternalSource },
  listed: Listed,
): Promise<{ compared: number; done: boolean }> {
  const scan = await lease.find(ctx.db, claim)
  const { prefix } = place
  const { order } = listed
  const after = prefix + (scan.position ?? '')
  const end = listed.objects.at(-1)?.key
  const rows = await listTaken(ctx.db, place, { after, to: listed.last ? null : (end ?? after), order }, ROWS)
  // Where there are more of ours, the rest of the list waits.
  const until = rows.length === ROWS ? (rows.at(-1)?.key as string) : null
  const objects =
    until === null ? listed.objects : listed.objects.filter(({ key }) => compareIn(order, key, until) <= 0)
  const isRest = objects.length === listed.objects.length
  const refused = refusedSince(isRest ? listed.refused : upTo(listed.refused, objects, order), {
    to: scan.refused_to,
    order,
  })

  const known = new Map(rows.map((row) => [row.key, row]))
  const there = new Map(objects.map((one) => [one.key, one]))
  const { doomed } = await findTaken(
    ctx.db,
    place,
    objects.flatMap(({ key }) => (known.has(key) ? [] : key)),
  )
  const differs = new Map<string, Finding['kind']>()
  for (const one of objects) {
    const ours = known.get(one.key) ?? doomed.get(one.key)
    if (!ours) differs.set(one.key, 'foreign')
    else if (!isSameContent(ours, one)) differs.set(one.key, known.has(one.key) ? 'changed' : 'foreign')
  }
  for (const { key } of rows) if (!there.has(key)) differs.set(key, 'missing')
  const inOrder = [...differs].toSorted(([a], [b]) => compareKeys(a, b))
  const suspects = inOrder.map(([key, kind]) => ({ key: key.slice(prefix.length), kind, size: null, etag: null }))
  const isFull = scan.added + scan.changed + scan.missing >= MOST_FINDINGS
  const found = isFull
    ? []
    : await detectFindings(
        ctx,
        place,
        engine,
        suspects.map(({ key }) => key),
      )
  const counted: readonly Finding[] = isFull ? suspects : found
  const count = (kind: Finding['kind']) => counted.filter((one) => one.kind === kind).length
  const most = found.length > 0 ? await mostOfScan(ctx, place.bucket_id, scan) : 0
  await asFindings(ctx, found, async (noting) => {
    const { step } = noting
    const held = await lease.hold(step.tx, claim)
    const bucket = await holdAnyBucket(step.tx, place.bucket_id)
    if (!isTakenOver(bucket)) throw new ScanEnded()
    const recorded = await noteFindings(noting, bucket, found, { most, scan_id: held.id })
    await store.updateScan(step.tx, held.id, {
      position: (until ?? end)?.slice(prefix.length) ?? scan.position,
      seen: held.seen + objects.length,
      added: held.added + count('foreign'),
      changed: held.changed + count('changed'),
      missing: held.missing + count('missing'),
      recorded: held.recorded + recorded,
      ...refusedToo(held, refused),
      ...renewed(step),
    })
    return recorded
  })
  return { compared: objects.length, done: listed.last && isRest && until === null }
}
