import type { Bucket } from '../../../contract/buckets.ts'
import type { BucketEncryption } from '../../../contract/encryption.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { newId } from '../../base/id.ts'
import { allow, type Ctx, type Step } from '../../context.ts'
import { holdKeyKnown } from '../../encryption/default.ts'
import { trustClock } from '../locks/clock.ts'
import { holdStorage, prepareStorage } from '../storages/use.ts'
import { describe, type HistoryLimits, historyColumns, historyLimitsOf, keptOf } from './describe.ts'
import type { BucketConfig } from './documents/kinds.ts'
import { describePublicAccess } from './documents/public-access.ts'
import { setDocument } from './documents/set-document.ts'
import type * as documentStore from './documents/store.ts'
import { defaultEncryption, encryptionColumn } from './encryption.ts'
import * as quotaStore from './quotas/store.ts'
import * as store from './store.ts'
import { completeVersioning, type VersioningChange } from './versioning.ts'

export interface CreateBucket extends VersioningChange, HistoryLimits {
  name: string
  quota_gb?: number | null | undefined
  trash_days?: number | undefined
  /** How new contents are encrypted of which nobody says; null: not at all; undefined: as the settings say. */
  encryption?: BucketEncryption | null | undefined
  /** The storage for its bytes; another than the default one is for administrators. */
  storage?: string | undefined
}

/**
 * Creates a bucket, which may be configured at once; needs `create` on its name. Throws already_exists if the name is taken,
 * and conflict if its storage cannot take bytes of ours.
 */
export async function createBucket(ctx: Ctx, given: CreateBucket, configured: Configured = {}): Promise<Bucket> {
  const create = await prepareBucket(ctx, given, configured)
  return ctx.act(create)
}

/** What a bucket can be configured with at once. */
type Configured = Partial<
  Pick<BucketConfig, 'acl' | 'ownership' | 'cors' | 'public_access_block' | 'tagging' | 'website'>
>

/** How a bucket begins that is a fork of another. */
interface Beginning {
  /** That of its origin. */
  storage: string
  /** `filling`: it is to have the name until the fork is whole. */
  mode: 'filling' | null
  from: { bucket: string; moment: string; prefix: string }
  expires_at: string | null
}

/** The same as a step, for those who do more in its transaction. */
export async function prepareBucket(
  ctx: Ctx,
  given: CreateBucket,
  configured: Configured,
): Promise<(step: Step, fork?: Beginning) => Promise<Bucket>> {
  const { name, quota_gb, trash_days } = given
  allow(ctx.actor, 'create', name)
  const versioned = completeVersioning(given)
  const prepared = await prepareStorage(ctx, given.storage)
  return async (step, fork) => {
    const storage = fork?.storage ?? prepared
    const { tx, record } = step
    const { quotas, trash, s3, encryption: forNew } = await settingsInForce(step)
    const quota = quota_gb === undefined ? quotas.default_bucket_quota_gb : quota_gb
    if (versioned.object_lock) await trustClock(step)
    const encryption = given.encryption === undefined ? forNew.new_buckets : given.encryption
    await holdKeyKnown(tx, encryption)
    const row = await store.insertBucket(tx, {
      id: newId(),
      name,
      trash_days: trash_days ?? trash.default_days,
      ...versioned,
      ...historyColumns(given, { history_quota_gb: null, quota_includes_history: 0 }),
      encryption: encryptionColumn(encryption),
      storage_id: await holdStorage(tx, storage),
      mode: fork?.mode ?? null,
      created_at: ctx.now().toISOString(),
      created_by: ctx.actor.user_id,
      deleted_at: null,
    })
    if (!row) throw new ServiceError('already_exists', `Bucket "${name}" already exists.`)
    if (quota !== null) await quotaStore.setQuota(tx, row.id, quota)
    const kept = { ...keptOf(row, given), ...historyLimitsOf(row, {}) }
    for (const [kind, value] of Object.entries(configured) as [documentStore.ConfigKind, unknown][])
      await setDocument(step, row.id, kind, value)
    const elsewhere = storage === DEFAULT_STORAGE ? {} : { storage }
    const encrypted = row.encryption === null ? {} : { encryption: defaultEncryption(row) }
    const begun = fork ? { from: fork.from, expires_at: fork.expires_at } : {}
    const described = { quota_gb: quota, trash_days: row.trash_days, ...kept, ...encrypted }
    const details = { ...described, ...configured, ...elsewhere, ...begun }
    record({ name: 'create_bucket', bucket: name, details })
    const open = await describePublicAccess(tx, [name], s3.public_access)
    return describe(ctx, { ...row, quota_gb: quota }, { public_access: open.get(name), storage })
  }
}
