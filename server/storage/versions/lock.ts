import { ServiceError } from '../../../contract/errors.ts'
import type { Lock, LockMode } from '../../../contract/locks.ts'
import type { BucketAction } from '../../../contract/permissions.ts'
import { invalid } from '../../base/invalid.ts'
import { allow, type Ctx, currentActor, refuseDenied, type Step } from '../../context.ts'
import { permits } from '../../iam/decide.ts'
import { managing, writing } from '../../iam/names-of-rights.ts'
import { holdBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { lockAsRetired, lockRetired } from '../history/retire.ts'
import { hasContents } from '../history/store.ts'
import { activeLock, lockEndings, lockedBy } from '../locks/gate.ts'
import {
  assertAhead,
  assertLockable,
  describeLock,
  isExtended,
  type Locked,
  type Retention,
  retentionOf,
} from '../locks/lock.ts'
import { asMarker, unchangeable } from '../objects/absence.ts'
import { lockAsCurrent, lockCurrent } from '../objects/current.ts'
import { allowPeriod } from '../objects/lock-rights.ts'

/** What is to change of a lock; what is left out stays. */
export interface LockChange {
  /** Null ends a lock. */
  mode?: LockMode | null | undefined
  /** ISO 8601. */
  until?: string | null | undefined
  legal_hold?: boolean | undefined
  /** Whether `bypass_lock` is to be used. */
  bypass?: boolean | undefined
}
interface LockedVersion {
  bucket: string
  key: string
  version_id: string
  lock: Lock
}

/**
 * Locks a version, the current one unless `version_id` names another (null: the `null` version). Needs `write`, and
 * `manage` for a legal hold. Throws `locked` where a lock would end sooner, or in another mode, than it may; `conflict` in
 * a bucket without Object Lock, and of a delete marker; `not_found` and `invalid_request`.
 */
export function lockVersion(
  ctx: Ctx,
  name: string,
  { key, version_id }: { key: string; version_id: string | null | undefined },
  { mode, until, legal_hold, bypass = false }: LockChange,
): Promise<LockedVersion> {
  const retention = retentionIn({ mode, until }, ctx.now())
  if (retention === undefined && legal_hold === undefined) throw invalid('body.mode', 'or legal_hold is required')
  const rights: BucketAction[] = [
    ...(retention === undefined ? [] : ['write' as const]),
    ...(legal_hold === undefined ? [] : ['manage' as const]),
  ]
  for (const right of rights) allow(ctx.actor, right, name, key)
  if (retention !== undefined) refuseDenied(ctx.actor, writing('PutObjectRetention'), name, key)
  if (legal_hold !== undefined) refuseDenied(ctx.actor, managing('PutObjectLegalHold'), name, key)
  return ctx.act(async (step) => {
    const { tx, record } = step
    const [bucket, actor] = await Promise.all([holdBucket(tx, name), currentActor(step)])
    for (const right of rights) allow(actor, right, name, key)
    assertLockable(bucket)
    await lockKeys(tx, [bucket, [key]])
    const [current] = await lockCurrent(tx, bucket.id, [key])
    const isCurrent = current !== undefined && (version_id === undefined || current.version_id === version_id)
    const [older] = isCurrent || version_id === undefined ? [] : await lockRetired(tx, bucket.id, [{ key, version_id }])
    const row = isCurrent ? current : older
    if (!row) throw await unchangeable(tx, bucket, { key, version_id })
    if (row.blob_id === null)
      throw new ServiceError('conflict', 'A delete marker has no contents to lock.', { marker: asMarker(row) })

    const before = retentionOf(row)
    const changesRetention =
      retention !== undefined && (retention?.mode !== before?.mode || retention?.until !== before?.until)
    if (changesRetention && retention) await allowPeriod({ ...step, actor }, name, key, retention)
    const mayBypass = () => bypass && permits(actor, 'bypass_lock', name, key)
    const bypassed = changesRetention && (await assertChangeable(step, row, retention, mayBypass))
    const changesHold = legal_hold !== undefined && legal_hold !== (row.legal_hold !== null)
    const lock: Locked = {
      lock_mode: retention === undefined ? row.lock_mode : (retention?.mode ?? null),
      locked_until: retention === undefined ? row.locked_until : (retention?.until ?? null),
      legal_hold: (legal_hold ?? row.legal_hold !== null) ? 1 : null,
    }
    if (older && hasContents(older)) await lockAsRetired(tx, older.seq, lock)
    else await lockAsCurrent(tx, row, lock)
    const called = row.version_id ?? 'null'
    const at = { bucket: name, key }
    if (changesRetention)
      record({
        name: 'lock_update',
        ...at,
        details: {
          version_id: called,
          before: before ?? null,
          after: retention,
          ...(bypassed ? { bypassed: true } : {}),
        },
      })
    if (changesHold) record({ name: 'legal_hold_update', ...at, details: { version_id: called, legal_hold } })
    const result = { ...at, version_id: called, lock: describeLock(lock) }
    return changesRetention || changesHold ? result : step.nothing(result)
  })
}

/** The retention that a request asks for; null for none, undefined if it says nothing. Throws invalid_request. */
function retentionIn({ mode, until }: LockChange, now: Date): Retention | null | undefined {
  if (mode === undefined && until === undefined) return undefined
  if (mode === null && until === null) return null
  if (!mode) throw invalid('body.mode', 'must be given together with until')
  if (!until) throw invalid('body.until', 'must be given together with mode')
  const time = new Date(until)
  if (Number.isNaN(time.getTime())) throw invalid('body.until', 'must be a time that exists')
  const retention = { mode, until: time.toISOString() }
  assertAhead(retention, now)
  return retention
}

/**
 * Step: throws `locked` unless a lock may become another: it may if it is over, or only ends later. In mode `governance` it
 * may too if `mayBypass`; returns whether that was needed.
 */
async function assertChangeable(
  step: Step,
  row: Locked,
  after: Retention | null,
  mayBypass: () => boolean,
): Promise<boolean> {
  const endings = await lockEndings(step, [row])
  const before = activeLock(row, endings)
  if (!before || (after && isExtended(before, after))) return false
  if (before.mode === 'governance' && mayBypass()) return true
  throw lockedBy(before, endings, 'The version')
}
