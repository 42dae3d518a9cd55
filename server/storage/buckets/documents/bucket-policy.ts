// The policy of a bucket, as every front puts, reads and takes it away.
import { ServiceError } from '../../../../contract/errors.ts'
import { findUserIds } from '../../../access/policies/named-users.ts'
import { allow, type Ctx, type Step } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { type Policy, readPolicy, usersNamedIn } from '../../../iam/document.ts'
import type { UsersByArn } from '../../../iam/principal.ts'
import { isPublicPolicy } from '../../../iam/public.ts'
import { configureStep, findConfig } from './config.ts'

/** A bucket's policy, of whose users each has to exist. Throws MalformedPolicy. */
export async function readBucketPolicy(
  db: Db,
  bucket: string,
  text: string,
): Promise<{ policy: Policy; users: UsersByArn }> {
  const users = await findUserIds(db, usersNamedIn(text))
  return { policy: readPolicy(text, { of: 'bucket', bucket, users }), users }
}

/** A policy that is public where nothing can be. */
export class PublicRefused extends ServiceError {
  constructor(detail: string) {
    super('forbidden', detail)
  }
}

/** A policy to be, or null for none; and whether the settings let anything be public. */
export interface NewPolicy {
  text: string | null
  canBePublic(step: Step): Promise<boolean>
}

/**
 * Step: gives a bucket a policy, or takes it away; the caller's right was checked before. Throws MalformedPolicy, not_found
 * or PublicRefused.
 */
export async function bucketPolicyStep(
  step: Step,
  bucket: string,
  { text, canBePublic }: NewPolicy,
): Promise<{ changed: boolean }> {
  if (text === null) return configureStep(step, bucket, 'policy', null)
  const { policy, users } = await readBucketPolicy(step.tx, bucket, text)
  const done = await configureStep(step, bucket, 'policy', { text, users })
  // The bucket is locked now: what blocks its policy cannot be set meanwhile.
  if (isPublicPolicy(policy)) await assertMayBePublic(step, bucket, canBePublic)
  return done
}

async function assertMayBePublic(step: Step, bucket: string, canBePublic: NewPolicy['canBePublic']): Promise<void> {
  if (!(await canBePublic(step)))
    throw new PublicRefused('Public access is turned off in the settings of this service.')
  if ((await findConfig(step.tx, bucket, 'public_access_block'))?.block_policy)
    throw new PublicRefused('Public policies are prevented by the BlockPublicPolicy setting of this bucket.')
}

/** Gives a bucket a policy, or takes it away; needs `manage`. Throws as `bucketPolicyStep` does. */
export async function setBucketPolicy(ctx: Ctx, bucket: string, policy: NewPolicy): Promise<void> {
  allow(ctx.actor, 'manage', bucket)
  await ctx.act(async (step) => {
    const { changed } = await bucketPolicyStep(step, bucket, policy)
    return changed ? undefined : step.nothing(undefined)
  })
}
