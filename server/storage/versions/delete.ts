// Deleting versions by their names, one or many.
import { ServiceError } from '../../../contract/errors.ts'
import { newId } from '../../base/id.ts'
import { allow, allowSomewhere, asCurrent, type Ctx } from '../../context.ts'
import { reachOf } from '../../iam/decide.ts'
import { DELETE_VERSION } from '../../iam/names-of-rights.ts'
import { holdBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { versionMissing } from '../objects/absence.ts'
import type { ItemError } from '../objects/item-error.ts'
import { markAbsent } from '../objects/service.ts'
import { deleteKeys } from '../objects/transfers/bulk.ts'
import { type NamedVersion, type RemovedVersion, removeVersions } from './remove.ts'

/**
 * Deletes one version of a key: to the trash, or with `permanent`, which needs `manage`, for good. The latest version that
 * is left becomes current, unless it is a delete marker. With `bypass`, for those who have `bypass_lock`, locks of mode
 * `governance` do not count. Throws not_found, and `locked`.
 */
export async function deleteVersion(
  ctx: Ctx,
  name: string,
  version: NamedVersion,
  { permanent, bypass = false }: { permanent: boolean; bypass?: boolean },
): Promise<RemovedVersion> {
  const rights = permanent ? ([DELETE_VERSION, 'manage'] as const) : ([DELETE_VERSION] as const)
  for (const right of rights) allow(ctx.actor, right, name, version.key)
  return ctx.act(async (step) => {
    const [bucket, current] = await Promise.all([holdBucket(step.tx, name), asCurrent(step)])
    for (const right of rights) allow(current.actor, right, name, version.key)
    const { removed, errors } = await removeVersions(current, bucket, [version], { permanent, bypass })
    const [error] = errors
    if (error) throw new ServiceError(error.code, error.detail)
    const [one] = removed
    if (!one) throw versionMissing(name, version.key, version.version_id)
    return one
  })
}

/** Something to delete: a version of a key, or without `version_id` its object, as `deleteObject` does. */
export type Deletion = Omit<NamedVersion, 'version_id'> & { version_id?: string | null | undefined }

export interface Deletions {
  /** Of keys without an object too, in a bucket that keeps versions. */
  markers: Map<string, string>
  removed: RemovedVersion[]
  /** Of what was there and stays. */
  errors: (ItemError & { version_id?: string | null | undefined })[]
}

/** Deletes up to 1,000 objects and versions in one transaction; each succeeds or gets an error. `bypass`: as of one. */
export async function deleteManyVersions(
  ctx: Ctx,
  name: string,
  items: readonly Deletion[],
  { bypass }: { bypass: boolean },
): Promise<Deletions> {
  if (reachOf(ctx.actor, DELETE_VERSION, name, '').length === 0) allowSomewhere(ctx.actor, 'delete', name)
  const bulk_id = newId()
  const versions = items.filter((one): one is NamedVersion => one.version_id !== undefined)
  const objects = items.filter(({ version_id }) => version_id === undefined)
  const conditions = new Map(
    [...Map.groupBy(objects, ({ key }) => key)].map(([key, those]) => [
      key,
      those.flatMap((one) => one.conditions ?? []),
    ]),
  )
  return ctx.act(async (step) => {
    const [bucket, current] = await Promise.all([holdBucket(step.tx, name), asCurrent(step)])
    await lockKeys(step.tx, [bucket, items.map(({ key }) => key)])
    const deleted = await deleteKeys(current, bucket, [...conditions.keys()], { bulk_id, conditions })
    const absent = deleted.errors
      .filter(({ code }) => code === 'not_found' && bucket.versioning !== null)
      .map(({ key }) => ({ key, conditions: conditions.get(key) ?? [] }))
    const marked = await markAbsent(current, bucket, absent, { bulk_id })
    const { removed, errors } = await removeVersions(current, bucket, versions, { bulk_id, bypass })
    const result: Deletions = {
      markers: new Map([...deleted.markers, ...marked.markers]),
      removed,
      errors: [...deleted.errors.filter(({ code }) => code !== 'not_found'), ...marked.errors, ...errors],
    }
    return deleted.removed.length + marked.markers.size + removed.length > 0 ? result : step.nothing(result)
  })
}
