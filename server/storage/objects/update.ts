import type { StoredObject } from '../../../contract/objects.ts'
import { allow, allowPerhaps, type Ctx, currentActor, refuseDenied, type Step } from '../../context.ts'
import { writing } from '../../iam/names-of-rights.ts'
import { countUsage, type HeldBucket, holdBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { arriving, nextVersion, retire, sumChanges } from '../history/retire.ts'
import { unchangeable } from './absence.ts'
import {
  aclField,
  type Description,
  describeObject,
  metadataText,
  textUnlessEmpty,
  versionOf,
  withRedirect,
  withTags,
} from './describe.ts'
import * as store from './store.ts'
import { assertConditions, type WriteConditions } from './write.ts'

/** What of an object can change while its contents stay. */
export type DescriptionChange = { [K in keyof Description]?: Description[K] | undefined } & {
  storage_class?: string | null | undefined
  /** The redirect of its website, whatever else its headers are; null takes it away. */
  redirect?: string | null | undefined
  acl?: string | null | undefined
}

/**
 * Changes what describes an object; needs `write`. The contents and their ETag stay; so does the time of its last change,
 * if only its tags change. Where versions are kept, everything but tags makes a new one. `admit` sees the object in the
 * transaction, may throw, and returns another checksum of the same contents, if it is to have one.
 */
export async function updateMetadata(
  ctx: Ctx,
  { bucket: name, key }: { bucket: string; key: string },
  change: DescriptionChange,
  {
    admit,
    ...conditions
  }: WriteConditions & { admit?(row: store.ObjectRow): Pick<store.ObjectRow, 'checksums'> | undefined },
): Promise<StoredObject> {
  allowPerhaps(ctx.actor, 'write', name, key)
  if (change.tags !== undefined) refuseDenied(ctx.actor, writing('PutObjectTagging'), name, key)
  const text = change.metadata && metadataText(change.metadata)
  const onlyTags = Object.keys(change).every((name) => name === 'tags')
  return ctx.act(async (step) => {
    const { tx, record } = step
    const [bucket, actor] = await Promise.all([
      holdBucket(tx, name, onlyTags ? 'describe' : 'write'),
      currentActor(step),
    ])
    allowPerhaps(actor, 'write', name, key)
    await lockKeys(tx, [bucket, [key]])
    const row = await store.lockObject(tx, bucket.id, key)
    if (!row) throw await unchangeable(tx, bucket, { key, version_id: undefined })
    allow(actor, 'write', name, withTags(row))
    assertConditions(row, conditions)
    const { checksums } = admit?.(row) ?? row
    const headers = change.headers ? textUnlessEmpty(change.headers) : row.headers
    const changed = {
      checksums,
      content_type: change.content_type ?? row.content_type,
      headers: change.redirect === undefined ? headers : withRedirect(headers, change.redirect ?? undefined),
      metadata: text ?? row.metadata,
      tags: change.tags ? textUnlessEmpty(change.tags) : row.tags,
      storage_class: change.storage_class === undefined ? row.storage_class : change.storage_class,
      acl: change.acl === undefined ? row.acl : change.acl,
      last_modified: onlyTags ? row.last_modified : ctx.now().toISOString(),
    }
    const isSameVersion = onlyTags || bucket.versioning === null
    const after = {
      ...row,
      ...changed,
      ...(isSameVersion ? {} : { ...nextVersion(step, bucket), created_by: actor.user_id }),
    }
    if (isSameVersion) await store.describeAs(tx, row, changed)
    else await replaceVersion(step, bucket, row, after)
    const visible = (described: store.ObjectRow) => {
      const { content_type, headers, metadata, tags } = describeObject(described, name)
      const { storage_class } = described
      return {
        content_type,
        ...(headers ? { headers } : {}),
        metadata,
        ...(tags ? { tags } : {}),
        ...(storage_class === null ? {} : { storage_class }),
        ...aclField(described),
      }
    }
    const details = { before: visible(row), after: visible(after), ...versionOf(bucket.versioning, after) }
    record({ name: 'update_object', bucket: name, key, details })
    return describeObject(after, name, bucket.versioning)
  })
}

/** Step: makes `row` a version in place of `old`. */
async function replaceVersion(step: Step, bucket: HeldBucket, old: store.ObjectRow, row: store.ObjectRow) {
  const { change } = await retire(step, bucket, [old], { reason: 'overwritten', keys: [row.key] })
  await store.replaceObject(step.tx, row)
  await countUsage(step.tx, bucket, sumChanges(change, arriving([row])))
}
