import type { Tags } from '../../../contract/shapes.ts'
import { allow, allowPerhaps, type Ctx, currentActor, refuseDenied } from '../../context.ts'
import { writing } from '../../iam/names-of-rights.ts'
import { holdBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { lockRetired, tagRetired } from '../history/retire.ts'
import { hasContents, type VersionName } from '../history/store.ts'
import { unchangeable } from '../objects/absence.ts'
import { lockCurrent, tagCurrent } from '../objects/current.ts'
import { textUnlessEmpty, versionOf, withTags } from '../objects/describe.ts'

/** Sets the tags of a version, current or not; needs `write`. Throws not_found. */
export function tagVersion(ctx: Ctx, name: string, version: VersionName, tags: Tags): Promise<{ version_id?: string }> {
  const { key, version_id } = version
  allowPerhaps(ctx.actor, 'write', name, key)
  refuseDenied(ctx.actor, writing('PutObjectVersionTagging'), name, key)
  const text = textUnlessEmpty(tags)
  return ctx.act(async (step) => {
    const { tx } = step
    const [bucket, actor] = await Promise.all([holdBucket(tx, name, 'describe'), currentActor(step)])
    allowPerhaps(actor, 'write', name, key)
    await lockKeys(tx, [bucket, [key]])
    const [current] = await lockCurrent(tx, bucket.id, [key])
    const older = current?.version_id === version_id ? [] : await lockRetired(tx, bucket.id, [version])
    const [row = current] = older.filter(hasContents)
    if (!row || row.version_id !== version_id) throw await unchangeable(tx, bucket, version)
    allow(actor, 'write', name, withTags(row))
    if ('seq' in row) await tagRetired(tx, row.seq as number, text)
    else await tagCurrent(tx, row, text)
    const called = versionOf(bucket.versioning, row)
    const before = row.tags === null ? {} : JSON.parse(row.tags)
    const details = { before: { tags: before }, after: { tags }, ...called }
    step.record({ name: 'update_object', bucket: name, key, details })
    return called
  })
}
