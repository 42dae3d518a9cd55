// What a run's row says, and its end.
import type { InventoryRun } from '../../../contract/inventories.ts'
import { systemActor } from '../../access/actors.ts'
import { newId } from '../../base/id.ts'
import { formatMoment } from '../../base/moment.ts'
import type { Actor, Ctx, Step } from '../../context.ts'
import type { NewRow } from '../../db/schema.ts'
import { letGo } from '../../storage/history/snapshots/internal.ts'
import { unclaimed } from '../../work/store.ts'
import type { RowPlace } from './rows.ts'
import * as runStore from './runs/store.ts'
import { type Settings, settingsOf } from './settings.ts'
import type * as store from './store.ts'

/** A bucket that a run lists. */
export interface ListedBucket {
  id: string
  name: string
  storage: string
  versioning: 'enabled' | 'suspended' | null
  /** Whether what it was is kept until the run has ended. */
  kept: boolean
  /** The moment since which its changes are listed; null if they are not. */
  before: number | null
}
/** A file that is written. */
export interface WrittenFile {
  key: string
  size: number
  md5: string
  rows: number
  of: 'objects' | 'changes'
}
/** How far a run is: in which of its buckets, after which row. */
export interface Place {
  part: 'objects' | 'changes' | 'manifest'
  bucket: number
  after: RowPlace | null
}
const START: Place = { part: 'objects', bucket: 0, after: null }

/** What a run is about, besides its settings: the name of the inventory and of its bucket. */
export interface RunSettings extends Settings {
  name: string
  bucket: string | null
}

/** Who requested a run, stored so that it is recorded in their name. */
type Requester = Omit<Actor, 'groups'>

export const runSettings = ({ settings }: runStore.RunRow): RunSettings => JSON.parse(settings) as RunSettings
export const bucketsOf = ({ buckets }: runStore.RunRow): ListedBucket[] => JSON.parse(buckets) as ListedBucket[]
export const placeOf = ({ place }: runStore.RunRow): Place => JSON.parse(place) as Place
export const filesOf = ({ files }: runStore.RunRow): WrittenFile[] => JSON.parse(files) as WrittenFile[]

/** Under which names what a bucket was is kept for a run. They are no valid names: nobody sees them, or can delete them. */
export const nameWhileListing = (runId: string): string => `~inventory-${runId}`
/** The same of what it was at the inventory before, as long as a run compares with that. */
export const nameOfBefore = (runId: string): string => `~inventory-${runId}-before`

/** The folder of an inventory's runs, below the destination's prefix. No bucket can have the name of all of them. */
export const folderOf = ({ bucket, name }: Pick<RunSettings, 'bucket' | 'name'>): string =>
  `${bucket ?? 'ALL-BUCKETS'}/${name}`

/** A row for a new run of an inventory with its current settings. */
export function newRun(
  ctx: Ctx,
  row: store.NamedInventory,
  trigger: 'manual' | 'schedule',
  requester: Actor | null,
): NewRow<'inventory_runs'> {
  const { groups: _rights, policies: _policies, ...asked } = requester ?? systemActor
  return {
    id: newId(),
    inventory_id: row.id,
    trigger,
    status: 'queued',
    reason: null,
    settings: JSON.stringify({ ...settingsOf(row), name: row.name, bucket: row.bucket } satisfies RunSettings),
    author_id: row.author_id,
    author_email: row.author_email,
    requester: requester === null ? null : JSON.stringify(asked satisfies Requester),
    moment: null,
    folder: null,
    buckets: '[]',
    place: JSON.stringify(START),
    files: '[]',
    rows: 0,
    bytes: 0,
    no_changes: null,
    runner: null,
    leased_until: null,
    cancel_at: null,
    created_at: ctx.now().toISOString(),
    started_at: null,
    finished_at: null,
  }
}

/** A file's key in the destination: below the folder of its run. */
export const keyIn = (row: runStore.RunRow, name: string): string =>
  `${runSettings(row).destination.prefix}${row.folder ?? ''}${name}`

export function describeRun(row: runStore.RunRow): InventoryRun {
  const since = bucketsOf(row).find(({ before }) => before !== null)?.before ?? null
  return {
    id: row.id,
    inventory_id: row.inventory_id,
    trigger: row.trigger,
    status: row.status,
    reason: row.reason,
    moment: row.moment === null ? null : formatMoment(Number(row.moment)),
    rows: Number(row.rows),
    bytes: Number(row.bytes),
    manifest: row.status === 'succeeded' ? keyIn(row, 'manifest.json') : null,
    files: filesOf(row).map(({ key, size, rows, of }) => ({ key, size, rows, of })),
    changes_since: since === null ? null : formatMoment(since),
    no_changes: row.no_changes,
    author_email: row.author_email,
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
  }
}

/** Who a run is recorded as: whoever requested it, otherwise Strongroom on the author's behalf. */
export function recorderOf({ requester, author_id, author_email }: runStore.RunRow): Actor {
  if (requester !== null) return { ...(JSON.parse(requester) as Requester), groups: [] }
  return { ...systemActor, user_id: author_id, email: author_email }
}

/** A run's final status, with a reason unless it succeeded. */
export interface Ending {
  status: 'succeeded' | 'failed' | 'cancelled'
  reason: string | null
}

/** Step: ends a locked run and records it, once; what was kept for it is let go. */
export async function finishStep(step: Step, row: runStore.RunRow, { status, reason }: Ending): Promise<void> {
  const { tx, record } = step
  await runStore.updateRun(tx, row.id, { status, reason, finished_at: step.now().toISOString(), ...unclaimed })
  for (const { id, kept, before } of bucketsOf(row)) {
    if (kept) await letGo(step, id, nameWhileListing(row.id))
    if (kept && before !== null) await letGo(step, id, nameOfBefore(row.id))
  }
  const { name, bucket, destination } = runSettings(row)
  const files = filesOf(row)
  record({
    name: 'inventory_run',
    ...(bucket !== null && { bucket }),
    resource: { type: 'inventory', id: row.inventory_id },
    ...(status === 'failed' && { result: 'failure' as const }),
    details: {
      inventory_id: row.inventory_id,
      name,
      run_id: row.id,
      trigger: row.trigger,
      status,
      reason,
      moment: row.moment === null ? null : formatMoment(Number(row.moment)),
      destination: destination.bucket,
      manifest: status === 'succeeded' ? keyIn(row, 'manifest.json') : null,
      files: files.length,
      rows: Number(row.rows),
      bytes: Number(row.bytes),
      author: { user_id: row.author_id, email: row.author_email },
    },
  })
}
