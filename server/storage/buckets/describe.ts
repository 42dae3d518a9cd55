import type { Bucket, BucketMode, BucketSource, Versioning } from '../../../contract/buckets.ts'
import type { PublicAccess } from '../../../contract/public-access.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import type { Ctx } from '../../context.ts'
import { actionsIn, seesTotalsOf } from '../../iam/decide.ts'
import { objectLockOf } from '../locks/lock.ts'
import { findStorageNames } from '../storages/use.ts'
import { describePublicAccess } from './documents/public-access.ts'
import { defaultEncryption } from './encryption.ts'
import { describeFork, findForks } from './forks.ts'
import type * as quotaStore from './quotas/store.ts'
import { sumUsage } from './quotas/store.ts'
import { findSources } from './sources.ts'
import * as store from './store.ts'
import type { VersioningChange } from './versioning.ts'

export const none: quotaStore.Usage = {
  bytes: 0,
  objects: 0,
  trash_bytes: 0,
  version_bytes: 0,
  encrypted_bytes: 0,
  encrypted_objects: 0,
  history_bytes: 0,
  reserved: 0,
}

/** What a bucket keeps, as far as it keeps anything or was asked to. */
export const keptOf = (
  row: Pick<store.BucketRow, 'versioning' | 'object_lock'>,
  { versioning, object_lock }: VersioningChange,
) => ({
  ...(row.versioning || versioning ? { versioning: versioningOf(row) } : {}),
  ...(row.object_lock || object_lock ? { object_lock: objectLockOf(row) } : {}),
})

/** What is limited of what snapshots alone keep of a bucket, as far as it is or was asked for. */
export const historyLimitsOf = (
  { history_quota_gb, quota_includes_history }: Pick<store.BucketRow, 'history_quota_gb' | 'quota_includes_history'>,
  asked: HistoryLimits,
) => ({
  ...(history_quota_gb !== null || asked.history_quota_gb !== undefined ? { history_quota_gb } : {}),
  ...(quota_includes_history === 1 || asked.quota_includes_history !== undefined
    ? { quota_includes_history: quota_includes_history === 1 }
    : {}),
})
/** What a caller says of it. */
export interface HistoryLimits {
  history_quota_gb?: number | null | undefined
  quota_includes_history?: boolean | undefined
}
/** The same as columns; what is undefined stays as it is. */
export const historyColumns = (
  { history_quota_gb: limit, quota_includes_history: isIncluded }: HistoryLimits,
  before: Pick<store.BucketRow, 'history_quota_gb' | 'quota_includes_history'>,
): Pick<store.BucketRow, 'history_quota_gb' | 'quota_includes_history'> => ({
  history_quota_gb: limit === undefined ? before.history_quota_gb : limit,
  quota_includes_history: isIncluded === undefined ? before.quota_includes_history : isIncluded ? 1 : 0,
})

/** Whether anything is kept of what a bucket was. Without it, what was deleted would look as if it had never been there. */
export const keepsHistory = ({ trash_days, versioning }: Pick<store.BucketRow, 'trash_days' | 'versioning'>): boolean =>
  trash_days > 0 || versioning !== null

/** From when on what a bucket was is known, in microseconds since 1970, where it keeps anything of it. */
export const knownFrom = ({ created_at }: Pick<store.BucketRow, 'created_at'>, forgotten = 0): number =>
  Math.max(Date.parse(created_at) * 1000, forgotten)

const versioningOf = ({ versioning }: Pick<store.BucketRow, 'versioning'>): Versioning => versioning ?? 'off'

/** What of buckets is public, by their names; empty where nothing can be. */
export const findPublicAccess = async (ctx: Ctx, names: readonly string[]): Promise<Map<string, PublicAccess>> =>
  describePublicAccess(ctx.db, names, (await settingsInForce(ctx)).s3.public_access)

/** What is known of a bucket besides its row. */
interface Besides {
  usage?: quotaStore.Usage | undefined
  public_access?: PublicAccess | undefined
  /** Its storage's name; default: that of the default one. */
  storage?: string | undefined
  /** Where its objects are, or were, if it is or was attached. */
  source?: BucketSource | undefined
  /** Up to which moment nothing is known of it any more. */
  forgotten?: number | undefined
  /** How it began, if it is a fork. */
  fork?: Parameters<typeof describeFork>[1] | undefined
}

/** Buckets as the API returns them. */
export async function describeAll(ctx: Ctx, rows: readonly store.BucketRow[]): Promise<Bucket[]> {
  const names = rows.map(({ name }) => name)
  const ids = rows.map(({ id }) => id)
  const [usage, open, storages, sources, forks, forgotten] = await Promise.all([
    sumUsage(ctx.db, ids),
    findPublicAccess(ctx, names),
    findStorageNames(ctx.db, rows),
    findSources(ctx.db, rows),
    findForks(ctx.db, ids),
    store.findForgotten(ctx.db, ids),
  ])
  return rows.map((row) =>
    describe(ctx, row, {
      usage: usage.get(row.id),
      public_access: open.get(row.name),
      storage: storages.get(row.storage_id),
      source: sources.get(row.id),
      fork: forks.get(row.id),
      forgotten: forgotten.get(row.id),
    }),
  )
}

/** A bucket as the API returns it: without what is in the whole of it for callers who see only parts. */
export function describe(
  { actor }: Ctx,
  row: store.BucketRow,
  { usage = none, public_access, storage = DEFAULT_STORAGE, source, fork, forgotten }: Besides,
): Bucket {
  const totals = seesTotalsOf(actor, row.name)
  return {
    name: row.name,
    mode: modeOf(row),
    source: source ? (totals ? source : { ...source, findings: null }) : null,
    ...(totals ? usageOf(row, usage) : hiddenUsage),
    quota_includes_history: row.quota_includes_history === 1,
    fork: fork ? describeFork(actor, fork) : null,
    trash_days: row.trash_days,
    versioning: versioningOf(row),
    object_lock: objectLockOf(row),
    encryption: defaultEncryption(row),
    // The first millisecond of which all is known.
    history_from: keepsHistory(row) ? new Date(Math.ceil(knownFrom(row, forgotten) / 1000)).toISOString() : null,
    storage,
    created_at: row.created_at,
    created_by: row.created_by,
    public_access: public_access ?? null,
    permissions: actionsIn(actor, row.name),
  }
}

function modeOf({ mode }: Pick<store.BucketRow, 'mode'>): BucketMode {
  if (mode === 'releasing') return 'taken_over'
  return mode === null || mode === 'filling' ? 'owned' : mode
}

const usageOf = (
  { quota_gb, history_quota_gb }: Pick<store.BucketRow, 'quota_gb' | 'history_quota_gb'>,
  usage: quotaStore.Usage,
) => ({
  quota_gb,
  history_quota_gb,
  used_bytes: usage.bytes,
  reserved_bytes: usage.reserved,
  object_count: usage.objects,
  trash_bytes: usage.trash_bytes,
  version_bytes: usage.version_bytes,
  encrypted_bytes: usage.encrypted_bytes,
  encrypted_objects: usage.encrypted_objects,
  history_bytes: usage.history_bytes,
})

const hiddenUsage: { [field in keyof ReturnType<typeof usageOf>]: null } = {
  quota_gb: null,
  history_quota_gb: null,
  used_bytes: null,
  reserved_bytes: null,
  object_count: null,
  trash_bytes: null,
  version_bytes: null,
  encrypted_bytes: null,
  encrypted_objects: null,
  history_bytes: null,
}
