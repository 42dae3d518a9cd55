// Which managed policies count for whom.
import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { detailsOf, type NamedOwner, type OwnerName, resourceOf } from './inline.ts'
import { findByKeys, findPolicy, type ManagedPolicy, policyMissing } from './managed.ts'
import * as store from './store.ts'

/** Twice as many as at AWS, where an administrator can raise it to that. */
export const MOST_ATTACHED = 20

/** Attaches a policy; to whom it is attached, it stays. Throws not_found, and limit_reached for one too many. */
export const attachPolicy = (ctx: Ctx, owner: NamedOwner, arn: string): Promise<undefined> =>
  ctx.act(async (step) => {
    await owner.confirm(step)
    return (await attachStep(step, owner, arn)) ? undefined : step.nothing(undefined)
  })

/** Step: the same for whoever may; false where it is attached already. */
export async function attachStep(step: Step, owner: OwnerName, arn: string): Promise<boolean> {
  const { tx, record, now } = step
  const policy = await findPolicy(tx, arn)
  // So that it is not deleted meanwhile.
  if (!policy || (!policy.isBuiltIn && !(await store.lockManagedByName(tx, policy.name.toLowerCase()))))
    throw policyMissing(arn)
  const row = { owner_kind: owner.kind, owner_id: owner.id, policy: policy.key, attached_at: now().toISOString() }
  if (!(await store.attach(tx, row))) return false
  if ((await store.listAttached(tx, owner, '', MOST_ATTACHED + 1)).length > MOST_ATTACHED)
    throw new ServiceError('limit_reached', `Cannot exceed quota for attached policies: ${MOST_ATTACHED}`)
  record({ name: 'identity_policy_attach', resource: resourceOf(owner), details: detailsOf(policy.name, owner) })
  return true
}

/** Detaches a policy. Throws not_found if it is not attached. */
export const detachPolicy = (ctx: Ctx, owner: NamedOwner, arn: string): Promise<undefined> =>
  ctx.act(async (step) => {
    await owner.confirm(step)
    return detachStep(step, owner, arn)
  })

/** Step: the same for whoever may. */
export async function detachStep({ tx, record }: Step, owner: OwnerName, arn: string): Promise<undefined> {
  const policy = await findPolicy(tx, arn)
  if (!policy || !(await store.detach(tx, owner, policy.key)))
    throw new ServiceError('not_found', `Policy ${arn} was not found.`)
  record({ name: 'identity_policy_detach', resource: resourceOf(owner), details: detailsOf(policy.name, owner) })
  return undefined
}

/** The policies that are attached to an owner, after one. */
export const listAttachedPolicies = async (
  db: Db,
  owner: store.Owner,
  after: string,
  limit: number,
): Promise<ManagedPolicy[]> => findByKeys(db, await store.listAttached(db, owner, after, limit))

/** To how many policies are attached, by their keys. */
export const countAttachments = store.countAttachments
/** To whom a policy is attached. */
export const listOwners = store.listOwners
