import { ServiceError } from '../../../contract/errors.ts'
import type { Inventory, InventoryRun } from '../../../contract/inventories.ts'
import { byteLength } from '../../../contract/names.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import { type Actor, asCurrent, type Ctx, currentActor, type Step } from '../../context.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { assertWritable } from '../../storage/buckets/writable.ts'
import { forgetVersions } from './begin.ts'
import { describeRun, finishStep, newRun } from './run.ts'
import { drainRuns } from './runner.ts'
import * as runStore from './runs/store.ts'
import {
  allowInventory,
  columnsOf,
  complete,
  describeSettings,
  type Given,
  mayChange,
  nextTime,
  type Settings,
  settingsOf,
} from './settings.ts'
import * as store from './store.ts'

/** Most inventories of one bucket, and of all together: as many as S3 has. */
const MOST = 1000
const SCAN = 500
/** Bytes of a destination's prefix; what comes after it in the key of a file has at most 200. */
const MOST_PREFIX = 800

const inventoryMissing = () => new ServiceError('not_found', 'There is no such inventory.')

export function describe(row: store.NamedInventory, last: runStore.RunRow | undefined): Inventory {
  return {
    id: row.id,
    name: row.name,
    bucket: row.bucket,
    ...describeSettings(settingsOf(row)),
    next_run_at: row.next_run_at,
    last_run: last ? describeRun(last) : null,
    author_id: row.author_id,
    author_email: row.author_email,
    created_at: row.created_at,
    created_by: row.created_by,
    updated_at: row.updated_at,
  }
}

/** What the audit log says of settings. */
const recorded = (settings: Settings): object => ({ ...settings, destination: { ...settings.destination } })

/**
 * Throws not_found or read_only for a destination that cannot take files, and invalid_request where their keys would be longer
 * than keys may be.
 */
async function assertDestination({ db }: Pick<Ctx, 'db'>, { destination }: Settings): Promise<void> {
  if (byteLength(destination.prefix) > MOST_PREFIX)
    throw invalid('body.destination.prefix', `has more than ${MOST_PREFIX} bytes: keys below it would be too long`)
  const bucket = await findBucket(db, destination.bucket)
  if (!bucket) throw bucketMissing(destination.bucket)
  assertWritable(bucket)
}

/** Creates an inventory, whose author the caller is. `bucket`: null for all buckets. */
export async function createInventory(
  ctx: Ctx,
  { name, bucket, ...given }: Given & { name: string; bucket: string | null },
): Promise<Inventory> {
  const settings = complete(given, undefined)
  allowInventory(ctx.actor, bucket, settings)
  await assertDestination(ctx, settings)
  const source = bucket === null ? null : await findBucket(ctx.db, bucket)
  if (bucket !== null && !source) throw bucketMissing(bucket)
  const id = newId()
  await ctx.act(async (begun) => {
    const step = await asCurrent(begun)
    allowInventory(step.actor, bucket, settings)
    await createStep(step, { id, name, bucket, bucket_id: source?.id ?? null }, settings)
  })
  return getInventory(ctx, id)
}

/** Step: creates an inventory. Throws already_exists, limit_reached, and forbidden for who is nobody's account. */
export async function createStep(
  step: Step,
  { bucket, ...named }: { id: string; name: string; bucket: string | null; bucket_id: string | null },
  settings: Settings,
): Promise<void> {
  const { tx, record, actor } = step
  if ((await store.countOfBucket(tx, named.bucket_id)) >= MOST)
    throw new ServiceError('limit_reached', `There are ${MOST} inventories already. Delete one first.`)
  const now = step.now()
  const at = now.toISOString()
  const isNew = await store.insertInventory(tx, {
    ...named,
    ...columnsOf(settings, now),
    revision: 1,
    author_id: authorOf(step),
    author_email: actor.email,
    created_at: at,
    created_by: authorOf(step),
    updated_at: at,
    deleted_at: null,
  })
  if (!isNew) throw new ServiceError('already_exists', `There is an inventory "${named.name}" already.`)
  record({
    name: 'inventory_create',
    ...(bucket !== null && { bucket }),
    resource: { type: 'inventory', id: named.id },
    details: { inventory_id: named.id, name: named.name, settings: recorded(settings) },
  })
}

/** It runs with all permissions of its author, and after whatever asked for it: so nothing with fewer may change it or have it run. */
function assertUnlimited({ agent, scope, session }: Actor): void {
  if (agent || scope || session)
    throw new ServiceError(
      'forbidden',
      'An inventory runs with all permissions of its author: agents, sessions, and tokens and keys with a scope cannot change or run one.',
    )
}

/** An inventory runs with the permissions of a user, so a session that is nobody's account cannot have one. */
function authorOf({ actor }: Pick<Step, 'actor'>): string {
  assertUnlimited(actor)
  if (actor.user_id !== null) return actor.user_id
  throw new ServiceError('forbidden', 'An inventory runs with the permissions of the user who sets it up.')
}

/** Inventories that the caller may change, the latest first. */
export async function listInventories(
  ctx: Ctx,
  {
    bucket,
    limit = 100,
    cursor,
  }: { bucket?: string | undefined; limit?: number | undefined; cursor?: string | undefined },
) {
  let [before] = decodeCursor(cursor, 1) ?? []
  const of = bucket === undefined ? undefined : await findBucket(ctx.db, bucket)
  if (bucket !== undefined && !of) return { items: [], next_cursor: null }
  const found: store.NamedInventory[] = []
  for (;;) {
    const rows = await store.listInventories(ctx.db, { before, bucketId: of?.id, limit: SCAN })
    found.push(...rows.filter((row) => mayChange(ctx.actor, row.bucket, settingsOf(row))))
    before = rows.at(-1)?.id
    if (rows.length < SCAN || found.length > limit) break
  }
  const { page, next_cursor } = pageOf(found, limit, ({ id }) => [id])
  const last = await runStore.findLastRuns(
    ctx.db,
    page.map(({ id }) => id),
  )
  return { items: page.map((row) => describe(row, last.get(row.id))), next_cursor }
}

/** An inventory that the caller may change; otherwise throws not_found, as if it did not exist. */
async function getVisible(ctx: Ctx, id: string): Promise<store.NamedInventory> {
  const row = await store.findInventory(ctx.db, id)
  if (row && mayChange(ctx.actor, row.bucket, settingsOf(row))) return row
  throw inventoryMissing()
}

export async function getInventory(ctx: Ctx, id: string): Promise<Inventory> {
  const row = await getVisible(ctx, id)
  return describe(row, (await runStore.findLastRuns(ctx.db, [id])).get(id))
}

/** Changes an inventory; needs the rights for what it was and will be. The caller becomes its author. */
export async function updateInventory(ctx: Ctx, id: string, given: Given): Promise<Inventory> {
  const seen = await getVisible(ctx, id)
  if (given.destination) {
    const after = complete(given, settingsOf(seen))
    allowInventory(ctx.actor, seen.bucket, after)
    await assertDestination(ctx, after)
  }
  await ctx.act(async (begun) => {
    const step = await asCurrent(begun)
    const row = await lockOwn(step, id)
    await changeStep(step, row, complete(given, settingsOf(row)))
  })
  return getInventory(ctx, id)
}

/** Step: changes a locked inventory, of which the actor becomes the author. */
export async function changeStep(step: Step, row: store.NamedInventory, after: Settings): Promise<void> {
  const { tx, record, actor } = step
  allowInventory(actor, row.bucket, after)
  const before = settingsOf(row)
  const now = step.now()
  const columns = columnsOf(after, now)
  const isSameTime =
    before.schedule === after.schedule && before.hour === after.hour && before.enabled === after.enabled
  await store.updateInventory(tx, row.id, {
    ...columns,
    // If the schedule is unchanged, a missed time still counts.
    ...(isSameTime && { next_run_at: row.next_run_at, disabled_at: row.disabled_at }),
    revision: row.revision + 1,
    author_id: authorOf(step),
    author_email: actor.email,
    updated_at: now.toISOString(),
  })
  record({
    name: 'inventory_update',
    ...(row.bucket !== null && { bucket: row.bucket }),
    resource: { type: 'inventory', id: row.id },
    details: {
      inventory_id: row.id,
      name: row.name,
      before: { ...recorded(before), author_id: row.author_id },
      after: { ...recorded(after), author_id: actor.user_id },
    },
  })
}

async function lockOwn({ tx, actor }: Pick<Step, 'tx' | 'actor'>, id: string): Promise<store.NamedInventory> {
  const row = await store.lockInventory(tx, id)
  if (row && mayChange(actor, row.bucket, settingsOf(row))) return row
  throw inventoryMissing()
}

/** Deletes an inventory; the same action records its unfinished run as cancelled. What it has written stays. */
export async function deleteInventory(ctx: Ctx, id: string): Promise<undefined> {
  await getVisible(ctx, id)
  const ended = await ctx.act(async (begun) => {
    const step = await asCurrent(begun)
    return deleteStep(step, await lockOwn(step, id))
  })
  if (ended !== null) await forgetVersions(ctx, ended)
}

/** Step: deletes a locked inventory; resolves to the id of the run that ends with it. */
export async function deleteStep(step: Step, row: store.NamedInventory): Promise<string | null> {
  assertUnlimited(step.actor)
  const run = await runStore.lockActiveRun(step.tx, row.id)
  if (run) await finishStep(step, run, { status: 'cancelled', reason: 'The inventory was deleted.' })
  const deleted_at = step.now().toISOString()
  await store.updateInventory(step.tx, row.id, { deleted_at, next_run_at: null, revision: row.revision + 1 })
  step.record({
    name: 'inventory_delete',
    ...(row.bucket !== null && { bucket: row.bucket }),
    resource: { type: 'inventory', id: row.id },
    details: { inventory_id: row.id, name: row.name, settings: recorded(settingsOf(row)) },
  })
  return run?.id ?? null
}

/** Has an inventory written now. Throws conflict while it is being written. */
export async function runInventory(ctx: Ctx, id: string): Promise<InventoryRun> {
  await getVisible(ctx, id)
  assertUnlimited(ctx.actor)
  const runId = await ctx.upkeep(async ({ tx, actor }) => {
    const row = await lockOwn({ tx, actor: await currentActor({ tx, actor }) }, id)
    const run = newRun(ctx, row, 'manual', ctx.actor)
    if (!(await runStore.insertRun(tx, run)))
      throw new ServiceError('conflict', 'This inventory is being written. Wait for that to end, or cancel it.')
    return run.id
  })
  ctx.background(() => drainRuns(ctx))
  return findRun(ctx, id, runId)
}

async function findRun(ctx: Ctx, id: string, runId: string): Promise<InventoryRun> {
  const row = await runStore.findRun(ctx.db, id, runId)
  if (!row) throw new ServiceError('not_found', 'The inventory has no such run.')
  return describeRun(row)
}

export async function getInventoryRun(ctx: Ctx, id: string, runId: string): Promise<InventoryRun> {
  await getVisible(ctx, id)
  return findRun(ctx, id, runId)
}

/** An inventory's runs, the latest first. */
export async function listInventoryRuns(ctx: Ctx, id: string, limit: number, cursor: string | undefined) {
  await getVisible(ctx, id)
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await runStore.listRuns(ctx.db, id, before, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, (row) => [row.id])
  return { items: page.map(describeRun), next_cursor }
}

/** Stops a run before its next file, or within a page of rows; a finished run stays as it is. */
export async function cancelInventoryRun(ctx: Ctx, id: string, runId: string): Promise<InventoryRun> {
  await getInventoryRun(ctx, id, runId)
  await ctx.upkeep(async ({ tx, actor }) => {
    await lockOwn({ tx, actor: await currentActor({ tx, actor }) }, id)
    await runStore.askToCancel(tx, runId, ctx.now())
  })
  ctx.background(() => drainRuns(ctx))
  return findRun(ctx, id, runId)
}

/** Step: queues the run of an inventory that is due. */
export async function startDue(ctx: Ctx, row: store.NamedInventory): Promise<void> {
  const next = nextTime(settingsOf(row), ctx.now())
  await ctx.upkeep(async ({ tx, nothing }) => {
    // Another process was first, or another run is unfinished.
    if (!(await store.moveOn(tx, row, next?.toISOString() ?? null))) return nothing(undefined)
    return (await runStore.insertRun(tx, newRun(ctx, row, 'schedule', null))) ? undefined : nothing(undefined)
  })
}
