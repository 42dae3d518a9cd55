import { allow, allowPerhaps, type Ctx, currentActor } from '../../context.ts'
import { type Acl, aclOf, aclText } from '../buckets/documents/acl.ts'
import { holdBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { lockRetired, setAclAsRetired } from '../history/retire.ts'
import { hasContents, type VersionName } from '../history/store.ts'
import { unchangeable } from '../objects/absence.ts'
import { lockCurrent, setAclAsCurrent } from '../objects/current.ts'
import { versionOf, withTags } from '../objects/describe.ts'

/**
 * Sets the ACL of an object, or of a version of it; needs `write`, and `read`, for nobody can give what they lack. The
 * time of its last change stays. Throws not_found.
 */
export async function setAcl(
  ctx: Ctx,
  name: string,
  { key, version_id }: { key: string; version_id: VersionName['version_id'] | undefined },
  acl: Acl,
): Promise<void> {
  const rights = ['read', 'write'] as const
  for (const right of rights) allowPerhaps(ctx.actor, right, name, key)
  await ctx.act(async (step) => {
    const { tx } = step
    const [bucket, actor] = await Promise.all([holdBucket(tx, name), currentActor(step)])
    for (const right of rights) allowPerhaps(actor, right, name, key)
    await lockKeys(tx, [bucket, [key]])
    const [current] = await lockCurrent(tx, bucket.id, [key])
    const isCurrent = version_id === undefined || current?.version_id === version_id
    const older = isCurrent ? [] : await lockRetired(tx, bucket.id, [{ key, version_id }])
    const [row = isCurrent ? current : undefined] = older.filter(hasContents)
    if (!row) throw await unchangeable(tx, bucket, { key, version_id })
    for (const right of rights) allow(actor, right, name, withTags(row))
    const text = aclText(acl)
    if (row.acl === text) return step.nothing(undefined)
    if ('seq' in row) await setAclAsRetired(tx, row.seq as number, text)
    else await setAclAsCurrent(tx, row, text)
    const details = { before: { acl: aclOf(row.acl) }, after: { acl }, ...versionOf(bucket.versioning, row) }
    step.record({ name: 'update_object', bucket: name, key, details })
  })
}
