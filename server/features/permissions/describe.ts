// What policies say, for whoever writes, saves or reads one.
import type { BucketPolicy, DescribedPolicy } from '../../../contract/access-policies.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { findUserIds } from '../../access/policies/named-users.ts'
import { isPublicAccessOn } from '../../access/settings/public-access.ts'
import { findUsers } from '../../access/users/store.ts'
import { invalid } from '../../base/invalid.ts'
import { allow, type Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { MOST_BYTES, type PolicyKind, readPolicy, usersNamedIn } from '../../iam/document.ts'
import { MalformedPolicy } from '../../iam/malformed.ts'
import { userNameOf } from '../../iam/names.ts'
import { managing } from '../../iam/names-of-rights.ts'
import { placeOf } from '../../iam/place.ts'
import type { UsersByArn } from '../../iam/principal.ts'
import { describePolicy } from '../../iam/sentences/describe.ts'
import { setBucketPolicy } from '../../storage/buckets/documents/bucket-policy.ts'
import { findConfig } from '../../storage/buckets/documents/config.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { findBucket } from '../../storage/buckets/store.ts'

/** Whose policy a document is. */
export type DocumentOf = { of: 'bucket'; bucket: string } | { of: 'identity' } | { of: 'role' }

/** What a document says, or why it is no policy; `kept`: the users that it names, if it is one that is in force. */
export async function describeDocument(
  db: Db,
  about: DocumentOf,
  document: string,
  kept?: UsersByArn,
): Promise<DescribedPolicy> {
  try {
    const users =
      kept ?? (about.of === 'identity' ? {} : await findUserIds(db, usersNamedIn(document, MOST_BYTES[about.of])))
    const kind: PolicyKind = about.of === 'identity' ? about : { ...about, users }
    const policy = readPolicy(document, kind, kept !== undefined)
    const rows = await findUsers(db, [...new Set(Object.values(users))])
    const names = new Map(rows.map(({ id, email }) => [id, userNameOf(email)]))
    return { document, fault: null, ...describePolicy(policy, kind, names) }
  } catch (error) {
    if (!(error instanceof MalformedPolicy)) throw error
    return { document, fault: faultOf(document, error), sentences: [], warnings: [] }
  }
}

const faultOf = (document: string, error: MalformedPolicy): NonNullable<DescribedPolicy['fault']> => ({
  message: error.message,
  path: error.path.map(String),
  ...placeOf(document, error),
})

/** Runs what reads a policy; one that cannot be read is a fault of the field of the request that it came in, with its place. */
export async function inField<T>(field: string, document: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MalformedPolicy)) throw error
    const { line, column, message } = faultOf(document, error)
    throw invalid(field, `line ${line}, column ${column}: ${message}`)
  }
}

/** What a document would say that is not saved. Throws forbidden. */
export async function describeUnsaved(
  ctx: Ctx,
  { kind, bucket, document }: { kind: DocumentOf['of']; bucket?: string | undefined; document: string },
): Promise<DescribedPolicy> {
  if (kind !== 'bucket') {
    if (bucket !== undefined) throw invalid('body.bucket', 'is only allowed for the policy of a bucket')
    assertAdministrator(ctx)
    return describeDocument(ctx.db, { of: kind }, document)
  }
  if (bucket === undefined) throw invalid('body.bucket', 'is required for the policy of a bucket')
  allow(ctx.actor, 'manage', bucket)
  return describeDocument(ctx.db, { of: kind, bucket }, document)
}

function assertAdministrator({ actor }: Ctx): void {
  if (!isAdmin(actor.groups))
    throw new ServiceError('forbidden', 'You need the "admin" permission for policies of users, groups and roles.')
}

/** The policy of a bucket. Throws forbidden and not_found. */
export async function getBucketPolicy(ctx: Ctx, bucket: string): Promise<BucketPolicy> {
  allow(ctx.actor, managing('GetBucketPolicy'), bucket)
  if (!(await findBucket(ctx.db, bucket))) throw bucketMissing(bucket)
  const kept = await findConfig(ctx.db, bucket, 'policy')
  if (!kept) return { document: null, fault: null, sentences: [], warnings: [] }
  return describeDocument(ctx.db, { of: 'bucket', bucket }, kept.text, kept.users ?? {})
}

/** Gives a bucket a policy. Throws forbidden, not_found, and invalid_request for what is no policy. */
export async function putBucketPolicy(ctx: Ctx, bucket: string, document: string): Promise<DescribedPolicy> {
  // Before the document is read.
  allow(ctx.actor, 'manage', bucket)
  if (!(await findBucket(ctx.db, bucket))) throw bucketMissing(bucket)
  await inField('body.document', document, () =>
    setBucketPolicy(ctx, bucket, { text: document, canBePublic: isPublicAccessOn }),
  )
  return describeDocument(ctx.db, { of: 'bucket', bucket }, document)
}

/** Takes the policy of a bucket away. Throws forbidden and not_found. */
export async function deleteBucketPolicy(ctx: Ctx, bucket: string): Promise<undefined> {
  await setBucketPolicy(ctx, bucket, { text: null, canBePublic: isPublicAccessOn })
  return undefined
}
