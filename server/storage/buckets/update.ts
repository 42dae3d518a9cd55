import type { Bucket } from '../../../contract/buckets.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { allow, type Ctx, refuseDenied, type Step } from '../../context.ts'
import { holdKeyKnown } from '../../encryption/default.ts'
import { managing } from '../../iam/names-of-rights.ts'
import { trustClock } from '../locks/clock.ts'
import { findStorageNames } from '../storages/use.ts'
import type { CreateBucket } from './create.ts'
import { describe, historyColumns, historyLimitsOf, keptOf } from './describe.ts'
import { allBlocked, describePublicAccess } from './documents/public-access.ts'
import { setDocument } from './documents/set-document.ts'
import { defaultEncryption, encryptionColumn } from './encryption.ts'
import { assertStays } from './forks.ts'
import * as quotaStore from './quotas/store.ts'
import { bucketMissing } from './service.ts'
import { findSources } from './sources.ts'
import * as store from './store.ts'
import { completeVersioning } from './versioning.ts'
import { assertWritable } from './writable.ts'

/** What can be changed of a bucket. */
export interface BucketChange extends Partial<Omit<CreateBucket, 'name' | 'storage'>> {
  /** Whether nothing of it can be public. */
  public_access_blocked?: boolean | undefined
}

/**
 * Changes quotas, trash days, versioning, Object Lock, encryption, and whether it can be public; needs `manage`. A quota below the
 * current usage only stops growth. Throws conflict where there would be Object Lock without versions, or public access
 * while there is none.
 */
export function updateBucket(ctx: Ctx, name: string, change: BucketChange): Promise<Bucket> {
  allow(ctx.actor, 'manage', name)
  return ctx.act((step) => updateStep(step, ctx, name, change))
}

/** The fields for whose change policies know an action. */
const ACTIONS = {
  public_access_blocked: 'PutBucketPublicAccessBlock',
  encryption: 'PutEncryptionConfiguration',
  versioning: 'PutBucketVersioning',
  object_lock: 'PutBucketObjectLockConfiguration',
} as const

/** Step: the same; the caller's right was checked before. */
export async function updateStep(
  step: Step,
  ctx: Ctx,
  name: string,
  { public_access_blocked: blocked, encryption, ...change }: BucketChange,
): Promise<Bucket> {
  for (const [field, action] of Object.entries(ACTIONS))
    if ({ public_access_blocked: blocked, encryption, ...change }[field as keyof typeof ACTIONS] !== undefined)
      refuseDenied(step.actor, managing(action), name)
  const { tx, record } = step
  const row = await store.lockBucket(tx, name)
  if (!row) throw bucketMissing(name)
  if (Object.keys(change).length > 0 || encryption !== undefined) assertWritable(row)
  await holdKeyKnown(tx, encryption)
  const quota = (await quotaStore.lockQuotas(tx, row.id)).find(({ scope }) => scope === row.id)
  const before = {
    quota_gb: quota?.quota_gb ?? null,
    trash_days: row.trash_days,
    ...keptOf(row, change),
    ...historyLimitsOf(row, change),
    ...(encryption === undefined ? {} : { encryption: defaultEncryption(row) }),
  }
  const versioned = completeVersioning(change, row)
  const limits = historyColumns(change, row)
  const after = {
    ...before,
    ...change,
    ...keptOf(versioned, change),
    ...historyLimitsOf(limits, change),
    ...(encryption === undefined ? {} : { encryption }),
  }
  if (after.quota_gb === null) await quotaStore.clearQuota(tx, row.id)
  else await quotaStore.setQuota(tx, row.id, after.quota_gb)
  const changed = {
    trash_days: after.trash_days,
    ...versioned,
    ...limits,
    encryption: encryption === undefined ? row.encryption : encryptionColumn(encryption),
  }
  if (versioned.object_lock && !row.object_lock) {
    await assertStays(tx, row.id)
    await trustClock(step)
  }
  await store.describeBucket(tx, row.id, changed)
  const { public_access: isOn } = (await settingsInForce(step)).s3
  const [wasBlocked, isBlocked] = blocked === undefined ? [] : await block(step, row, { blocked, isOn })
  record({
    name: 'update_bucket',
    bucket: name,
    details: { before: { ...before, ...wasBlocked }, after: { ...after, ...isBlocked } },
  })
  const usage = (await quotaStore.sumUsage(tx, [row.id])).get(row.id)
  const open = await describePublicAccess(tx, [name], isOn)
  const storage = (await findStorageNames(tx, [row])).get(row.storage_id)
  const source = (await findSources(tx, [row])).get(row.id)
  const forgotten = (await store.findForgotten(tx, [row.id])).get(row.id)
  const besides = { usage, forgotten, public_access: open.get(name), storage, source }
  return describe(ctx, { ...row, ...changed, quota_gb: after.quota_gb }, besides)
}

/** Step: lets nothing of a bucket be public, or lifts that; returns what was so, and what is. */
async function block(
  step: Step,
  { id, name }: Pick<store.BucketRow, 'id' | 'name'>,
  { blocked, isOn }: { blocked: boolean; isOn: boolean },
): Promise<readonly [{ public_access_blocked: boolean }, { public_access_blocked: boolean }]> {
  if (!blocked && !isOn)
    throw new ServiceError('conflict', 'Public access is turned off in the settings of this service.')
  const before = (await describePublicAccess(step.tx, [name], true)).get(name)
  await setDocument(step, id, 'public_access_block', blocked ? allBlocked : null)
  return [{ public_access_blocked: before?.blocked ?? false }, { public_access_blocked: blocked }]
}
