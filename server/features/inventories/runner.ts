// The course of a run: draw its moment, write files of rows, then of changes, then the manifest. Each file is one step.
import { ServiceError } from '../../../contract/errors.ts'
import { afterPrefix } from '../../../contract/permissions.ts'
import { systemActor } from '../../access/actors.ts'
import { actorOnBehalf } from '../../access/sessions/service.ts'
import { takingTurns } from '../../base/turns.ts'
import type { Ctx } from '../../context.ts'
import { isStorageOutage } from '../../drivers/driver.ts'
import { explain } from '../../drivers/explain.ts'
import type { Reach } from '../../iam/decide.ts'
import { telemetryOf } from '../../observe/telemetry.ts'
import { changedKeys } from '../../storage/history/former/changed-keys.ts'
import { findDifferences } from '../../storage/history/former/changes-store.ts'
import { type Claim, renewed } from '../../work/lease.ts'
import { drain } from '../../work/steps.ts'
import { begin, forgetVersions, isBegun } from './begin.ts'
import { changeTable, chosenColumns, objectTable, pageOfChanges, pageOfRows } from './columns.ts'
import { keepAlive, writeTable } from './files.ts'
import { lease } from './lease.ts'
import { writeManifest } from './manifest.ts'
import { People } from './people.ts'
import { readRows } from './rows.ts'
import {
  bucketsOf,
  type Ending,
  filesOf,
  finishStep,
  type ListedBucket,
  type Place,
  placeOf,
  recorderOf,
  runSettings,
  type WrittenFile,
} from './run.ts'
import * as runStore from './runs/store.ts'
import { allowInventory, allowSource } from './settings.ts'
import * as store from './store.ts'
import type { TablePage } from './tables/table.ts'

/** Rows that are read at once: on SQLite it blocks the process. */
const PAGE_ROWS = 2000
/** Most files of objects of a run: all of them are part of its description. */
const MOST_FILES = 1000

class RunCancelled extends Error {}

/**
 * Writes inventories that no process has claimed, two at a time per process, until none is left. After a crash another
 * process goes on with the file that was not whole.
 */
export const drainRuns = drain({
  lease,
  noun: 'inventory',
  logField: 'run',
  fewest: 1,
  begin: async (ctx, _run, claim) => () => takeStep(ctx, claim),
  isEnd: (error) => error instanceof RunCancelled,
  async fail(ctx, claim, reason, error) {
    const ending: Ending =
      error instanceof RunCancelled
        ? { status: 'cancelled', reason }
        : { status: 'failed', reason: isStorageOutage(error) ? explain(error) : reason }
    await finish(ctx, claim, ending)
  },
})

/** One step, with the author's rights of the moment; false when the run has finished. */
async function takeStep(ctx: Ctx, claim: Claim): Promise<boolean> {
  const row = await lease.find(ctx.db, claim)
  if (row.cancel_at !== null) throw new RunCancelled('The run was cancelled.')
  const inventory = await store.findInventory(ctx.db, row.inventory_id)
  if (!inventory) throw new ServiceError('not_found', 'The bucket that was listed is gone.')
  const author = await actorOnBehalf(
    { db: ctx.db, now: ctx.now, actor: systemActor },
    { user: row.author_id, token: null, auth_method: 'system' },
    () => new ServiceError('forbidden', "The inventory's author no longer has an active account."),
  )
  const settings = runSettings(row)
  allowInventory(author, settings.bucket, settings)
  if (!isBegun(row)) {
    await begin(ctx, claim, inventory.bucket_id)
    return true
  }
  const own = ctx.as({ ...author, type: 'system', job_id: row.id })
  const place = placeOf(row)
  if (place.part === 'objects') await writeRows(own, claim, row)
  else if (place.part === 'changes') await writeChanges(own, claim, row)
  else {
    await writeManifest(own, claim, row)
    await finish(ctx, claim, { status: 'succeeded', reason: null })
    return false
  }
  return true
}

async function finish(ctx: Ctx, claim: Claim, ending: Ending): Promise<void> {
  const row = await lease.find(ctx.db, claim)
  await ctx.as(recorderOf(row)).act(async (step) => finishStep(step, await lease.hold(step.tx, claim), ending))
  await forgetVersions(ctx, row.id)
  telemetryOf(ctx.config).metrics.strongroom_inventories_total.inc({ outcome: ending.status })
}

/** Refuses to list a key that the author may not see, by a policy: an inventory is never in part. */
function assertVisible(reaches: readonly Reach[], bucket: string, rows: readonly { key: string }[]): void {
  const conditions = reaches.flatMap(({ only }) => only ?? [])
  const hidden = rows.find(({ key }) => conditions.some((only) => !only(key)))
  if (!hidden) return
  throw new ServiceError(
    'forbidden',
    `The inventory's author needs the permissions "list" and "read" on key "${hidden.key}" of bucket "${bucket}".`,
  )
}

/** Writes the next file of rows, and notes how far it goes. */
async function writeRows(ctx: Ctx, claim: Claim, row: runStore.RunRow): Promise<void> {
  const settings = runSettings(row)
  const buckets = bucketsOf(row)
  const chosen = chosenColumns(settings.columns)
  const files = filesOf(row)
  if (files.length >= MOST_FILES)
    throw new ServiceError(
      'limit_reached',
      `An inventory has at most ${MOST_FILES} files of objects. Set rows_per_file to more than ${settings.rows_per_file}.`,
    )
  const alive = keepAlive(ctx, claim)
  const turn = takingTurns()
  const people = new People()
  let place = placeOf(row)
  const pages = async function* (): AsyncGenerator<TablePage> {
    let left = settings.rows_per_file
    for (let bucket = buckets[place.bucket]; bucket && left > 0; bucket = buckets[place.bucket]) {
      const listed = await listedIn(ctx, row, bucket)
      const reaches = allowSource(ctx.actor, bucket.name, settings)
      const limit = Math.min(PAGE_ROWS, left)
      const rows = await readRows(ctx.db, listed, place.after, limit)
      assertVisible(reaches, bucket.name, rows)
      await people.find(ctx.db, rows)
      const last = rows.at(-1)
      if (last) {
        yield pageOfRows(rows, chosen, { bucket, people, before: place.after?.key ?? null })
        left -= rows.length
        place = { ...place, after: { key: last.key, seq: last.seq } }
      }
      if (rows.length < limit) place = { ...place, bucket: place.bucket + 1, after: null }
      await alive()
      await turn()
    }
  }
  const columns = objectTable(chosen)
  const file = await writeTable(ctx, claim, row, { of: 'objects', number: files.length + 1, columns }, pages)
  // No file but the first is empty.
  for (let bucket = buckets[place.bucket]; bucket; bucket = buckets[place.bucket]) {
    if ((await readRows(ctx.db, await listedIn(ctx, row, bucket), place.after, 1)).length > 0) break
    place = { ...place, bucket: place.bucket + 1, after: null }
  }
  const isOver = place.bucket >= buckets.length
  const part = buckets.some(({ before }) => before !== null) ? 'changes' : 'manifest'
  await note(ctx, claim, { file, place: isOver ? { part, bucket: 0, after: null } : place })
}

async function listedIn(ctx: Ctx, row: runStore.RunRow, bucket: ListedBucket) {
  const { versions, prefix } = runSettings(row)
  const seq = versions === 'all' ? await runStore.findLastSeq(ctx.db, row.id, bucket.id) : 0
  return {
    bucketId: bucket.id,
    prefix,
    moment: Number(row.moment),
    versions: versions === 'all' ? { run: row.id, seq } : null,
  }
}

/** Writes what has changed since the inventory before, as one file. */
async function writeChanges(ctx: Ctx, claim: Claim, row: runStore.RunRow): Promise<void> {
  const settings = runSettings(row)
  const { prefix } = settings
  const alive = keepAlive(ctx, claim)
  const turn = takingTurns()
  const people = new People()
  const pages = async function* (): AsyncGenerator<TablePage> {
    for (const { id, name, before } of bucketsOf(row)) {
      if (before === null) continue
      const span = { bucketId: id, from: before, to: Number(row.moment) }
      const reaches = allowSource(ctx.actor, name, settings)
      const whole = { from: prefix, to: afterPrefix(prefix) }
      for await (const { keys } of changedKeys(ctx.db, span, [whole])) {
        const rows = await findDifferences(ctx.db, span, keys)
        assertVisible(reaches, name, rows)
        await people.find(ctx.db, rows)
        if (rows.length > 0) yield pageOfChanges(rows.map((one) => ({ bucket: name, row: one, people })))
        await alive()
        await turn()
      }
    }
  }
  const file = await writeTable(ctx, claim, row, { of: 'changes', number: 1, columns: changeTable }, pages)
  await note(ctx, claim, { file, place: { part: 'manifest', bucket: 0, after: null } })
}

/** Notes a file that is written, and how far the run is. */
async function note(ctx: Ctx, claim: Claim, { file, place }: { file: WrittenFile; place: Place }): Promise<void> {
  await ctx.upkeep(async (step) => {
    const held = await lease.hold(step.tx, claim)
    await runStore.updateRun(step.tx, held.id, {
      files: JSON.stringify([...filesOf(held), file]),
      place: JSON.stringify(place),
      rows: Number(held.rows) + (file.of === 'objects' ? file.rows : 0),
      bytes: Number(held.bytes) + file.size,
      ...renewed(step),
    })
  })
  telemetryOf(ctx.config).metrics.strongroom_inventory_rows_total.inc(file.rows)
}
