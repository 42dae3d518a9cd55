// What others did to the bytes of a bucket that was taken over.
import { ServiceError } from '../../../../contract/errors.ts'
import { engineActor } from '../../../access/actors.ts'
import type { Ctx, Step, Upkeep } from '../../../context.ts'
import type { ExternalSource, HeadOfObject } from '../../../drivers/external.ts'
import { askFor } from '../../external-objects/confirm.ts'
import { isSameContent } from '../../external-objects/rows.ts'
import * as store from './store.ts'

/** What others did under a key, which is without the prefix. */
export type Finding = Pick<store.FindingRow, 'key' | 'kind' | 'size' | 'etag'>

/** Keys that are asked for at the same time. */
const AT_ONCE = 64

/**
 * What others did under these keys where a bucket was taken over, as the engine has them now. What is removed from there
 * meanwhile because nothing needs it any more is none of theirs.
 */
export async function detectFindings(
  ctx: Ctx,
  place: store.TakenPlace,
  engine: ExternalSource,
  keys: readonly string[],
): Promise<Finding[]> {
  const found: Finding[] = []
  for (let i = 0; i < keys.length; i += AT_ONCE) {
    const some = keys.slice(i, i + AT_ONCE)
    const whole = some.map((key) => place.prefix + key)
    const before = await store.findTaken(ctx.db, place, whole)
    const heads = await Promise.all(whole.map((key) => lookAt(engine, key)))
    const after = await store.findTaken(ctx.db, place, whole)
    some.forEach((key, n) => {
      const kind = kindOf(heads[n], whole[n] as string, { before, after })
      const { size, etag } = seen(heads[n])
      if (kind) found.push({ key, kind, size, etag })
    })
  }
  return found
}

/** There is something that the engine does not give away. */
const SEALED = Symbol('sealed')
type Head = HeadOfObject | typeof SEALED | undefined

const lookAt = (engine: ExternalSource, key: string): Promise<Head> =>
  askFor(engine, key).catch((error: unknown): Head => {
    if (error instanceof ServiceError && error.code === 'conflict') return SEALED
    throw error
  })
const seen = (head: Head): { size: number | null; etag: string | null } =>
  head === undefined || head === SEALED ? { size: null, etag: null } : head

type Known = Awaited<ReturnType<typeof store.findTaken>>

function kindOf(
  head: Head,
  key: string,
  { before, after }: { before: Known; after: Known },
): Finding['kind'] | undefined {
  const kept = after.kept.get(key)
  if (kept) {
    if (!head) return 'missing'
    return head !== SEALED && isSameContent(kept, head) ? undefined : 'changed'
  }
  if (!head) return undefined
  const ours = [before.kept, before.doomed, after.doomed].flatMap((known) => known.get(key) ?? [])
  return head !== SEALED && ours.some((one) => isSameContent(one, head)) ? undefined : 'foreign'
}

/** Most findings that are kept of a bucket. */
export const MOST_FINDINGS = 1000

/** What a change is given: `record` is that of an action of the engine, or does nothing. */
export interface FindingRecorder {
  step: Upkeep
  record: Step['record']
}

/**
 * Makes a change that notes these findings: as an action of the engine if it records any of them, and otherwise without
 * one. It returns how many it recorded.
 */
export async function asFindings(
  ctx: Ctx,
  found: readonly Finding[],
  change: (noting: FindingRecorder) => Promise<number>,
): Promise<void> {
  const done =
    found.length > 0 &&
    (await ctx.as(engineActor).act(async (step) => {
      const recorded = await change({ step, record: step.record })
      return recorded > 0 ? true : step.nothing(false)
    }))
  if (!done) await ctx.upkeep((step) => change({ step, record: () => undefined }))
}

/**
 * Step: notes findings, and records the first `most` of those that were not known. `scan_id`: of the scan that found them.
 * Returns how many it recorded.
 */
export async function noteFindings(
  { step, record }: FindingRecorder,
  bucket: { id: string; name: string },
  found: readonly Finding[],
  { most, scan_id }: { most: number; scan_id: string | null },
): Promise<number> {
  if (found.length === 0) return 0
  const known = await store.findFindings(
    step.tx,
    bucket.id,
    found.map(({ key }) => key),
  )
  const before = new Map(known.map((row) => [row.key, row]))
  const isNew = ({ key, kind, etag }: Finding) => before.get(key)?.kind !== kind || before.get(key)?.etag !== etag
  const room = MOST_FINDINGS - (await store.countFindings(step.tx, bucket.id))
  const added = new Set(found.filter(({ key }) => !before.has(key)).slice(0, Math.max(0, room)))
  const noted = found.filter((one) => before.has(one.key) || added.has(one))
  const now = step.now().toISOString()
  if (noted.length > 0)
    await store.putFindings(
      step.tx,
      noted.map((one) => ({
        ...one,
        bucket_id: bucket.id,
        found_at: isNew(one) ? now : (before.get(one.key)?.found_at ?? now),
        seen_in: scan_id ?? before.get(one.key)?.seen_in ?? null,
      })),
    )
  const recorded = noted.filter(isNew).slice(0, Math.max(0, most))
  for (const { key, kind, size, etag } of recorded)
    record({
      name: 'external_finding',
      bucket: bucket.name,
      key,
      details: { finding: kind, size, etag, ...(scan_id === null ? {} : { scan_id }) },
    })
  return recorded.length
}
