import type { TakeOver, takeOverProblems } from '../../../contract/attached.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import { HOUR_MS } from '../../base/time.ts'
import { allow, type Ctx } from '../../context.ts'
import { explain } from '../../drivers/explain.ts'
import { none } from '../buckets/describe.ts'
import { sumUsage } from '../buckets/quotas/store.ts'
import { bucketMissing } from '../buckets/service.ts'
import { type BucketRow, findBucket } from '../buckets/store.ts'
import { countUnsettled, listMissing } from '../external-objects/scan-state/store.ts'
import { prepareStorage } from '../storages/use.ts'
import { runScans } from './scans/scan.ts'
import { queueTakeOver } from './scans/schedule.ts'
import { describeScan, notAttached } from './scans/service.ts'
import { type Attachment, findAttachment, findFirstEnd, listScans } from './scans/store.ts'

interface Asked {
  dry_run?: boolean | undefined
  quiet_hours?: number | undefined
  /** The storage for new bytes. */
  storage?: string | undefined
  /** How many objects are marked as missing, if they are to be left out. */
  without_missing?: number | undefined
}
type Problem = TakeOver['problems'][number]

const QUIET_HOURS = 24
/** Objects marked as missing that a report names. */
const MOST_NAMED = 100

/**
 * Says whether a read-only bucket can be taken over and, unless that is all that was asked, queues the scan that does it at
 * its end. Throws conflict if anything stands in the way.
 */
export async function takeOverBucket(
  ctx: Ctx,
  name: string,
  { dry_run = false, quiet_hours = QUIET_HOURS, storage = DEFAULT_STORAGE, without_missing }: Asked,
): Promise<TakeOver> {
  allow(ctx.actor, 'manage', name)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  if (bucket.mode === null) throw notAttached(name)
  const attachment = await findAttachment(ctx.db, bucket.id)
  if (bucket.mode !== 'read_only' || !attachment)
    throw new ServiceError('conflict', `The bucket "${name}" was taken over already.`)
  const first = await findFirstEnd(ctx.db, bucket.id)
  const quiet_since = latest(attachment.changed_at, first)
  const { missing } = await countUnsettled(ctx.db, bucket.id)
  const problems = [
    ...(await scanProblems(ctx, bucket, attachment)),
    ...missingProblems(missing, without_missing),
    ...quietProblems(ctx, quiet_since, quiet_hours),
    ...(await engineProblems(ctx, attachment)),
  ]
  const { objects, bytes } = (await sumUsage(ctx.db, [bucket.id])).get(bucket.id) ?? none
  const lost = { missing, missing_keys: await listMissing(ctx.db, bucket.id, MOST_NAMED) }
  const report = {
    ready: problems.length === 0,
    problems,
    quiet_since,
    objects,
    bytes,
    unread: objects,
    ...lost,
    storage,
  }
  if (dry_run) return { ...report, scan: null }
  const [worst] = problems
  if (worst) throw new ServiceError('conflict', `The bucket "${name}" cannot be taken over. ${worst.detail}`)
  const how = { quiet_hours, without_missing, storage: await prepareStorage(ctx, storage) }
  const scan = await ctx.upkeep(async (step) => {
    const queued = await queueTakeOver(step, bucket.id, how)
    // What is marked from here on counts as a change.
    const [late] = missingProblems((await countUnsettled(step.tx, bucket.id)).missing, without_missing)
    if (late) throw new ServiceError('conflict', `The bucket "${name}" cannot be taken over. ${late.detail}`)
    return queued
  })
  if (!scan) throw new ServiceError('conflict', 'Another scan of the bucket is running. Wait for its end.')
  ctx.background(() => runScans(ctx))
  return { ...report, scan: describeScan(scan, name) }
}

const problem = (code: (typeof takeOverProblems)[number], detail: string): Problem => ({ code, detail })
/** Whether the objects that are marked as missing are those that are to be left out. */
function missingProblems(missing: number, leftOut: number | undefined): Problem[] {
  if (missing === (leftOut ?? 0)) return []
  if (leftOut === undefined)
    return [
      problem(
        'missing',
        `${numbered(missing)} marked as missing. Put them back, wait until they are removed, or take over without them.`,
      ),
    ]
  const now = missing === 0 ? 'No object is' : numbered(missing)
  return [
    problem(
      'missing',
      `${now} marked as missing by now, and ${leftOut.toLocaleString('en')} are to be left out. Look again.`,
    ),
  ]
}
const numbered = (count: number) => (count === 1 ? '1 object is' : `${count.toLocaleString('en')} objects are`)
const latest = (...times: (string | null)[]): string | null =>
  times
    .filter((time) => time !== null)
    .toSorted()
    .at(-1) ?? null

async function scanProblems({ db }: Ctx, { id }: BucketRow, { as_of, weak }: Attachment): Promise<Problem[]> {
  if (as_of === null) return [problem('not_scanned', 'No scan has come to its end yet.')]
  const found: Problem[] = []
  const [last] = await listScans(db, id, undefined, 1)
  // One that only refused a take-over says nothing about the list.
  if (last?.status === 'held' && last.started_by !== 'take_over')
    found.push(problem('scan_held', 'The last scan is held. Look at it first.'))
  if (weak === 1)
    found.push(
      problem('weak', 'The storage sends no ETags, so changes by others could not be told from what was taken over.'),
    )
  return found
}

function quietProblems({ now }: Ctx, since: string | null, hours: number): Problem[] {
  if (since === null || now().getTime() - Date.parse(since) >= hours * HOUR_MS) return []
  const [date = '', time = ''] = since.split('T')
  return [
    problem(
      'not_quiet',
      `It has been quiet only since ${date} ${time.slice(0, 5)} UTC, as far as is known, and ${hours} hours are asked for. See to it that nothing writes there any more, and wait.`,
    ),
  ]
}

/** Whether the engine answers, and lets us remove objects there. */
async function engineProblems(ctx: Ctx, { storage_id, prefix }: Attachment): Promise<Problem[]> {
  ctx.blobs.refresh(storage_id)
  try {
    await (await ctx.blobs.remover(storage_id)).probe(prefix)
    return []
  } catch (error) {
    const isDenied = error instanceof Error && 'status' in error && error.status === 403
    if (!isDenied) return [problem('unreachable', explain(error))]
    return [
      problem(
        'not_removable',
        'The credentials of the storage may not delete objects, which Strongroom does when nothing needs them any more. Give them that permission.',
      ),
    ]
  }
}
