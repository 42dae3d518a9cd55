import { compareIn } from '../../../base/key-order.ts'
import type { Ctx } from '../../../context.ts'
import type { Claim } from '../../../work/lease.ts'
import { applyChanges, isSwap, noteAbsent } from '../../external-objects/apply-changes.ts'
import { externalOf, isSameContent, isTouched, type Source } from '../../external-objects/rows.ts'
import { type ExternalObject, listExternal } from '../../external-objects/store.ts'
import { lease } from './lease.ts'
import { type Listed, refusedSince, refusedToo, upTo } from './listing.ts'
import { countOf, recordScanChanges } from './record-changes.ts'
import * as store from './store.ts'

/** Most objects of ours that are compared in one step. */
const ROWS = 1000

/** What a part of the list says about the objects in the same range of keys. */
interface Difference {
  added: ExternalObject[]
  changed: { before: ExternalObject; after: ExternalObject }[]
  /** Seen there, although a scan had found them absent. */
  present: ExternalObject[]
  absent: ExternalObject[]
}

/**
 * Compares the next part of the list with the objects in the same range of keys, and has the bucket show what it says.
 * Returns how many of the listed objects were compared, or null if it is to be done again; what is absent is only noted.
 */
export async function compareStep(
  ctx: Ctx,
  claim: Claim,
  source: Source,
  listed: Listed,
): Promise<{ compared: number | null; done: boolean }> {
  const scan = await lease.find(ctx.db, claim)
  const { order } = listed
  const end = listed.objects.at(-1)?.key.slice(source.prefix.length)
  const rows = await listExternal(
    ctx.db,
    source.bucket_id,
    { after: scan.position, to: listed.last ? null : (end ?? scan.position ?? ''), order, prefix: source.prefix },
    ROWS,
  )
  // Where there are more of ours, the rest of the list waits.
  const until = rows.length === ROWS ? (rows.at(-1) as ExternalObject).object.key : null
  const objects =
    until === null
      ? listed.objects
      : listed.objects.filter(({ key }) => compareIn(order, key.slice(source.prefix.length), until) <= 0)
  const isRest = objects.length === listed.objects.length
  const done = listed.last && isRest && until === null
  const refused = refusedSince(isRest ? listed.refused : upTo(listed.refused, objects, order), {
    to: scan.refused_to,
    order,
  })
  const { added, changed, present, absent } = difference(source, { ...listed, objects }, rows)
  const position = until ?? end ?? scan.position

  const visible = added.length > 0 || changed.some(isSwap) || present.some(isLost)
  const settled = await recordScanChanges(ctx, claim, { scan, visible }, async (step, bucket, held) => {
    const back = present.map((before) => ({
      before,
      after: { ...before, external: { ...before.external, ...PRESENT } },
    }))
    const { changes } = await applyChanges(step, bucket, { added, changed: [...changed, ...back] })
    await noteAbsent(step, absent, held.id)
    const isWeak = listed.objects.some(({ etag }) => etag === null)
    if (isWeak || (held.position === null && objects.length > 0))
      await store.updateAttachment(step.tx, source.bucket_id, { weak: isWeak ? 1 : 0 })
    const progress = {
      position,
      seen: held.seen + objects.length,
      added: held.added + countOf(changes, 'added'),
      changed: held.changed + countOf(changes, 'changed', 'returned'),
      absent: held.absent + absent.filter((one) => !isLost(one)).length,
      ...refusedToo(held, refused),
    }
    return { changes, progress }
  })
  return settled ? { compared: objects.length, done } : { compared: null, done: false }
}

const PRESENT = { missing_since: null, absences: 0, absent_in: null }
const isLost = ({ external }: ExternalObject): boolean => external.missing_since !== null

/** Merges listed objects with ours, both in the order of the list. */
function difference(source: Source, { order, objects, asked }: Listed, rows: readonly ExternalObject[]): Difference {
  const found: Difference = { added: [], changed: [], present: [], absent: [] }
  // What was changed after the list was asked for waits for the next scan.
  const isNewer = ({ external }: ExternalObject) => Date.parse(external.checked_at) > asked.getTime()
  let at = 0
  const absentUpTo = (key: string | null) => {
    for (let row = rows[at]; row && (key === null || compareIn(order, row.object.key, key) < 0); row = rows[++at])
      if (!isNewer(row)) found.absent.push(row)
  }
  for (const listed of objects) {
    const key = listed.key.slice(source.prefix.length)
    absentUpTo(key)
    const row = rows[at]
    if (row?.object.key !== key) {
      found.added.push(externalOf(source, listed, asked))
      continue
    }
    at++
    if (isNewer(row)) continue
    if (!isSameContent(row.external, listed)) {
      const next = externalOf(source, listed, asked)
      const { acl, tags, created_at } = row.object
      // What of the object is ours stays.
      const ours = tags === row.external.tags ? null : tags
      found.changed.push({ before: row, after: { ...next, object: { ...next.object, acl, tags: ours, created_at } } })
    } else if (isTouched(row.external, listed)) {
      const modified_at = listed.modified_at.toISOString()
      const external = { ...row.external, ...PRESENT, modified_at, hydrated_at: null }
      found.changed.push({ before: row, after: { object: { ...row.object, last_modified: modified_at }, external } })
    } else if (row.external.absent_in !== null || isLost(row)) found.present.push(row)
  }
  absentUpTo(null)
  return found
}
