import { ServiceError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import { allow, type Ctx, currentActor } from '../../context.ts'
import { countUsage, holdBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { arriving, asObject, lockRetired, nextVersion, sumChanges } from '../history/retire.ts'
import { hasContents, type VersionName } from '../history/store.ts'
import { versionMissing } from '../objects/absence.ts'
import { lockCurrent } from '../objects/current.ts'
import { reinstateOver } from '../objects/service.ts'

/**
 * Makes the contents of a version that is not current those of a new one, which is; the version stays as it is. Needs
 * `read` and `write` on the key. Throws not_found, and conflict if the version is current.
 */
export function restoreVersion(ctx: Ctx, name: string, version: VersionName): Promise<StoredObject> {
  const { key, version_id } = version
  const rights = ['read', 'write'] as const
  for (const right of rights) allow(ctx.actor, right, name, key)
  return ctx.act(async (step) => {
    const { tx } = step
    const [bucket, actor] = await Promise.all([holdBucket(tx, name), currentActor(step)])
    for (const right of rights) allow(actor, right, name, key)
    await lockKeys(tx, [bucket, [key]])
    const [current] = await lockCurrent(tx, bucket.id, [key])
    if (current?.version_id === version_id) throw new ServiceError('conflict', 'This version is the current one.')
    const [row] = await lockRetired(tx, bucket.id, [version])
    if (!row) throw versionMissing(name, key, version_id)
    if (!hasContents(row)) throw new ServiceError('conflict', 'A delete marker has no contents to restore.')
    const now = step.now().toISOString()
    const wanted = { ...asObject(row), acl: null, ...nextVersion(step, bucket), created_at: now, last_modified: now }
    const { object, replaced, change } = await reinstateOver(step, bucket, {
      ...wanted,
      created_by: actor.user_id,
    })
    await countUsage(tx, bucket, { ...sumChanges(change, arriving([row])), objects: replaced ? 0 : 1 })
    step.record({
      name: 'restore',
      bucket: name,
      key,
      details: {
        size: row.size,
        of_version: version_id ?? 'null',
        version_id: object.version_id ?? 'null',
        ...(replaced ? { replaced: true } : {}),
        ...(replaced?.trash_id ? { replaced_trash_id: replaced.trash_id } : {}),
      },
    })
    return object
  })
}
