// What a deletion lists that is given the keys that are needed: the objects that nobody needs, and what is needed and not there.
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { ServiceError } from '../../../../contract/errors.ts'
import type { Comparison } from '../../../../contract/jobs.ts'
import { compareKeys } from '../../../../contract/permissions.ts'
import type { Ctx } from '../../../context.ts'
import { type Claim, renewed } from '../../../work/lease.ts'
import { allowWhole } from '../../forks/fill.ts'
import { findStates } from '../../objects/object-state.ts'
import { read } from '../../objects/read.ts'
import { findObjects, type ObjectRow } from '../../objects/store.ts'
import { write } from '../../objects/write.ts'
import { assertAsApproved } from '../approved.ts'
import { holdSource } from '../held.ts'
import * as itemStore from '../items/store.ts'
import { keepAlive } from '../keep-alive.ts'
import { lease } from '../lease.ts'
import { listStep } from '../listing.ts'
import type { CreateJob, Needed } from '../request.ts'
import * as store from '../store.ts'
import { LineFile } from './line-file.ts'
import { keysIn } from './lines.ts'
import { sorted, type Tick } from './sort.ts'

/** Keys of each kind that the job itself shows. */
const SHOWN = 100

type ListedObject = ObjectRow & { moment: number | null }

/** Lists the whole at once: a process that comes back after the end of another one starts again. */
export async function listOrphans(ctx: Ctx, claim: Claim, request: CreateJob & { needed: Needed }): Promise<void> {
  const folder = path.join(ctx.config.dataDir, 'comparing', claim.id)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  try {
    await compare(ctx, claim, request, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(ctx: Ctx, claim: Claim, request: CreateJob & { needed: Needed }, folder: string): Promise<void> {
  const { needed, source_bucket, prefix = '', dry_run = false } = request
  const { only } = allowWhole(ctx.actor, { name: source_bucket, prefix }, 'list')
  const tick: Tick = keepAlive(ctx, claim)
  await ctx.upkeep(async ({ tx }) => {
    const { id, total } = await lease.hold(tx, claim)
    await itemStore.deleteItems(tx, id, total)
    await store.updateJob(tx, id, { total: 0, plan: null })
  })
  const files = {
    orphans: await LineFile.open(path.join(folder, 'orphans')),
    missing: await LineFile.open(path.join(folder, 'missing')),
  }
  const list = sorted(neededKeys(ctx, request), { folder, tick })
  const sum: Comparison = {
    needed: 0,
    orphans: { objects: 0, bytes: 0 },
    missing: 0,
    newer: 0,
    orphan_keys: [],
    missing_keys: [],
    report: null,
  }
  let [page, at]: [readonly string[], number] = [[], 0]
  let next: string | undefined
  /** Goes to the next needed key; a promise where that has to be read. */
  const advance = (): Promise<void> | undefined => {
    if (at >= page.length) return readOn()
    next = page[at++]
    sum.needed++
    return undefined
  }
  async function readOn(): Promise<void> {
    const { value, done } = await list.next()
    ;[page, at, next] = [done ? [] : value, 0, undefined]
    if (!done) await advance()
  }
  const lacks = async (key: string) => {
    // What a policy hides may be there.
    if (only && !only(key)) return
    sum.missing++
    if (sum.missing_keys.length < SHOWN) sum.missing_keys.push(key)
    await files.missing.add(key)
  }
  /** Which of these objects nobody needs, in the order of keys. */
  const orphansAmong = async (objects: readonly ListedObject[]): Promise<ListedObject[]> => {
    const orphans: ListedObject[] = []
    for (const object of objects) {
      for (; next !== undefined && compareKeys(next, object.key) < 0; await advance()) await lacks(next)
      if (next === object.key) {
        await advance()
        continue
      }
      if (isKept(request, object.key)) continue
      // Whoever made the list did not know of it.
      if (object.last_modified > needed.as_of) {
        sum.newer++
        continue
      }
      orphans.push(object)
      sum.orphans.objects++
      sum.orphans.bytes += Number(object.size)
      if (sum.orphan_keys.length < SHOWN) sum.orphan_keys.push(object.key)
      await files.orphans.add(object.key)
    }
    return orphans
  }
  try {
    await advance()
    if (next === undefined && !dry_run)
      throw new ServiceError('conflict', 'The list has no key of what is to be compared: nothing of it would stay.')
    for (let listedTo: string | null = null, isOver = false; !isOver; ) {
      const to: string | null = listedTo
      const page = await ctx.upkeep(async (step) => {
        const { id } = await holdSource(step.tx, request)
        const { keys, next: following } = await listStep(step, id, request, to)
        const states = new Map((await findStates(step.tx, id, keys)).map((one) => [one.key, one]))
        const found = await findObjects(step.tx, id, keys)
        const objects = found.map((one) => ({ ...one, moment: states.get(one.key)?.moment ?? null }))
        return { objects: objects.sort((a, b) => compareKeys(a.key, b.key)), following }
      })
      const orphans = await orphansAmong(page.objects)
      listedTo = page.following
      isOver = page.following === null
      await noteOrphans(ctx, claim, { orphans, dry_run, plan: sum })
    }
    for (; next !== undefined; await advance()) await lacks(next)
  } finally {
    await list.return(undefined)
    await Promise.all([files.orphans.end(), files.missing.end()])
  }
  if (request.approved !== undefined)
    await ctx.upkeep(async (step) => {
      await assertAsApproved(step, claim.id, request)
      return step.nothing(undefined)
    })
  if (needed.report) sum.report = await writeReport(ctx, needed.report, files)
  await ctx.upkeep(async (step) => {
    const job = await lease.hold(step.tx, claim)
    await store.updateJob(step.tx, job.id, {
      plan: JSON.stringify(sum),
      listed_at: step.now().toISOString(),
      selection: store.NO_SELECTION,
      ...(dry_run ? { position: job.total } : {}),
      ...renewed(step),
    })
  })
}

/** The keys of the list that are compared. Throws conflict where it has changed since the job was created. */
async function* neededKeys(ctx: Ctx, { needed, prefix = '' }: CreateJob & { needed: Needed }) {
  const contents = await read(ctx, needed.bucket, needed.key, { opens: true })
  if (contents.row.blob_id !== needed.blob_id)
    throw new ServiceError('conflict', `The list "${needed.key}" has changed since the job was created.`)
  const body = await contents.open()
  const bytes = body instanceof Readable ? (body as AsyncIterable<Uint8Array>) : [body]
  for await (const keys of keysIn(bytes)) yield keys.filter((key) => key.startsWith(prefix))
}

/** What is no orphan though no application names it: the list itself, and what is written of it. */
const isKept = ({ needed, source_bucket }: CreateJob & { needed: Needed }, key: string): boolean =>
  (needed.bucket === source_bucket && needed.key === key) ||
  (needed.report?.bucket === source_bucket && Object.values(reportKeys(needed.report)).includes(key))

const reportKeys = ({ prefix }: { prefix: string }) => ({
  orphans: `${prefix}orphans.txt`,
  missing: `${prefix}missing.txt`,
})

/** Writes down a page of what is to be deleted; a dry run only counts it. */
const noteOrphans = (
  ctx: Ctx,
  claim: Claim,
  { orphans, dry_run, plan }: { orphans: readonly ListedObject[]; dry_run: boolean; plan: Comparison },
) =>
  ctx.upkeep(async (step) => {
    const job = await lease.hold(step.tx, claim)
    if (!dry_run)
      await itemStore.insertItems(
        step.tx,
        orphans.map(({ key, blob_id, last_modified, moment }, i) => ({
          key,
          blob_id,
          last_modified,
          version_id: null,
          seen: moment,
          job_id: job.id,
          position: job.total + i + 1,
        })),
      )
    const total = job.total + orphans.length
    await store.updateJob(step.tx, job.id, { total, plan: JSON.stringify(plan), ...renewed(step) })
  })

/** Writes both lists as objects, as whoever created the job. */
async function writeReport(
  ctx: Ctx,
  report: { bucket: string; prefix: string },
  files: { orphans: LineFile; missing: LineFile },
): Promise<{ bucket: string; orphans: string; missing: string }> {
  const keys = reportKeys(report)
  for (const name of ['orphans', 'missing'] as const) {
    const upload = { key: keys[name], content_type: 'text/plain; charset=utf-8', metadata: {} }
    await write(ctx, report.bucket, { ...upload, source: () => files[name].read() }, {})
  }
  return { bucket: report.bucket, ...keys }
}
