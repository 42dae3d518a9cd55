import { ServiceError } from '../../../contract/errors.ts'
import type { Inventory, InventoryColumn } from '../../../contract/inventories.ts'
import { byteLength } from '../../../contract/names.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { invalid } from '../../base/invalid.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { type Actor, allow, type Ctx } from '../../context.ts'
import type { Reach } from '../../iam/decide.ts'
import { LIST_VERSIONS, READ_VERSION } from '../../iam/names-of-rights.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { assertWritable } from '../../storage/buckets/writable.ts'
import { allowWhole } from '../../storage/forks/fill.ts'
import type { InventoryRow } from './store.ts'

/** Bytes of a destination's prefix; what comes after it in the key of a file has at most 200. */
const MOST_PREFIX = 800

/** What an inventory lists, and where it is written to. */
export interface Settings {
  prefix: string
  versions: 'current' | 'all'
  format: 'parquet' | 'csv'
  columns: readonly InventoryColumn[] | null
  changes: boolean
  rows_per_file: number
  destination: { bucket: string; prefix: string }
  schedule: 'daily' | 'weekly' | null
  hour: number
  enabled: boolean
}

/** What a request says of them. */
export type Given = { [K in keyof Omit<Settings, 'destination'>]?: Settings[K] | undefined } & {
  destination?: { bucket: string; prefix?: string | undefined } | undefined
}

const DEFAULTS: Omit<Settings, 'destination'> = {
  prefix: '',
  versions: 'current',
  format: 'parquet',
  columns: null,
  changes: true,
  rows_per_file: 1_000_000,
  schedule: null,
  hour: 1,
  enabled: true,
}

/** Applies a request to the settings as they were. */
export function complete(given: Given, before: Settings | undefined): Settings {
  const { destination, ...others } = given
  const said = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined))
  const where = destination ? { bucket: destination.bucket, prefix: destination.prefix ?? '' } : before?.destination
  return { ...DEFAULTS, ...before, ...said, destination: where ?? { bucket: '', prefix: '' } }
}

export const settingsOf = (row: InventoryRow): Settings => ({
  prefix: row.prefix,
  versions: row.versions,
  format: row.format,
  columns: row.columns === null ? null : (JSON.parse(row.columns) as InventoryColumn[]),
  changes: row.changes === 1,
  rows_per_file: row.rows_per_file,
  destination: { bucket: row.dest_bucket, prefix: row.dest_prefix },
  schedule: row.schedule,
  hour: row.hour,
  enabled: row.disabled_at === null,
})

/** Settings as their row has them. */
export const columnsOf = (settings: Settings, now: Date) => ({
  prefix: settings.prefix,
  versions: settings.versions,
  format: settings.format,
  columns: settings.columns === null ? null : JSON.stringify(settings.columns),
  changes: settings.changes ? (1 as const) : (0 as const),
  rows_per_file: settings.rows_per_file,
  dest_bucket: settings.destination.bucket,
  dest_prefix: settings.destination.prefix,
  schedule: settings.schedule,
  hour: settings.hour,
  disabled_at: settings.enabled ? null : now.toISOString(),
  next_run_at: settings.enabled ? (nextTime(settings, now)?.toISOString() ?? null) : null,
})

/** When an inventory is written next after a time: at its hour, on Sundays if weekly. Null without a schedule. */
export function nextTime({ schedule, hour }: Pick<Settings, 'schedule' | 'hour'>, after: Date): Date | null {
  if (schedule === null) return null
  const midnight = Math.floor(after.getTime() / DAY_MS) * DAY_MS
  for (let day = 0; ; day++) {
    const at = new Date(midnight + day * DAY_MS + hour * HOUR_MS)
    if (at > after && (schedule === 'daily' || at.getUTCDay() === 0)) return at
  }
}

type Scope = Pick<Settings, 'prefix' | 'destination' | 'versions'>

/**
 * What of a bucket the actor may list and read, which must be all that the inventory lists; of all buckets only administrators
 * may have one. Throws forbidden.
 */
export function allowSource(
  actor: Actor,
  bucket: string | null,
  { prefix, versions }: Pick<Scope, 'prefix' | 'versions'>,
): Reach[] {
  if (bucket === null) {
    if (isAdmin(actor.groups)) return []
    throw new ServiceError('forbidden', 'An inventory of all buckets is for administrators.')
  }
  const asked = ['list', 'read', ...(versions === 'all' ? [LIST_VERSIONS, READ_VERSION] : [])] as const
  return asked.map((right) => allowWhole(actor, { name: bucket, prefix }, right))
}

/** Throws forbidden unless an inventory would be the actor's to see, change and run. */
export function allowInventory(actor: Actor, bucket: string | null, scope: Scope): void {
  const { destination } = scope
  allowSource(actor, bucket, scope)
  allow(actor, 'write', destination.bucket, destination.prefix)
}

/** Whether an inventory is the actor's to see, change and run. */
export function mayChange(actor: Actor, bucket: string | null, scope: Scope): boolean {
  try {
    allowInventory(actor, bucket, scope)
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

/** The part of an inventory's description that its settings are. */
export const describeSettings = (settings: Settings): Omit<Settings, 'columns'> & Pick<Inventory, 'columns'> => ({
  ...settings,
  columns: settings.columns === null ? null : [...settings.columns],
})

/**
 * Throws not_found or read_only for a destination that cannot take files, and invalid_request where their keys would be longer
 * than keys may be.
 */
export async function assertDestination({ db }: Pick<Ctx, 'db'>, { destination }: Settings): Promise<void> {
  if (byteLength(destination.prefix) > MOST_PREFIX)
    throw invalid('body.destination.prefix', `has more than ${MOST_PREFIX} bytes: keys below it would be too long`)
  const bucket = await findBucket(db, destination.bucket)
  if (!bucket) throw bucketMissing(destination.bucket)
  assertWritable(bucket)
}
