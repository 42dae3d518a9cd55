// Policies that belong to one user, group or role.
import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { readPolicy } from '../../iam/document.ts'
import * as store from './store.ts'

/** Whose policy it is, with the name under which changes are recorded. */
export interface OwnerName extends store.Owner {
  name: string
}
/** The same for a request of somebody who may be allowed to change it. */
export interface NamedOwner extends OwnerName {
  /**
   * Step: throws unless the caller may still change policies of theirs, as everything is now and stays until the transaction
   * ends: the owner may have become an administrator since the request was looked at.
   */
  confirm(step: Step): Promise<unknown>
}

/** Characters without blanks that the inline policies of one owner may have together: five times as many as a user's at AWS. */
export const MOST_CHARACTERS = 10_240

/** The length of a policy, as it is limited. */
export const lengthOf = (document: string): number => document.replace(/\s/g, '').length

const policyMissing = ({ kind }: store.Owner, name: string) =>
  new ServiceError('not_found', `The ${kind} policy with name ${name} cannot be found.`)

export const detailsOf = (name: string, owner: OwnerName | null) => ({
  name,
  of: owner && { kind: owner.kind, id: owner.id, name: owner.name },
})

/** What a record of a change of an owner's policy is about. */
export const resourceOf = ({ kind, id }: store.Owner) => ({ type: kind, id })

/** Keeps an inline policy, in place of one of the same name. Throws MalformedPolicy, and limit_reached for too much of them. */
export async function putInlinePolicy(ctx: Ctx, owner: NamedOwner, name: string, document: string): Promise<undefined> {
  readPolicy(document, { of: 'identity' })
  await ctx.act(async (step) => {
    await owner.confirm(step)
    return (await putInlineStep(step, owner, name, document)) ? undefined : step.nothing(undefined)
  })
  return undefined
}

/** Step: the same for whoever may, with a document that was read; false where it is as it was. Throws limit_reached. */
export async function putInlineStep(
  { tx, record, now }: Step,
  owner: OwnerName,
  name: string,
  document: string,
): Promise<boolean> {
  const before = await store.findInline(tx, owner, name)
  if (before?.document === document) return false
  const others = await store.measureInline(tx, owner, name)
  if (others + lengthOf(document) > MOST_CHARACTERS)
    throw new ServiceError(
      'limit_reached',
      `Maximum policy size of ${MOST_CHARACTERS} bytes exceeded for ${owner.kind} ${owner.name}`,
    )
  await store.putInline(tx, {
    owner_kind: owner.kind,
    owner_id: owner.id,
    name,
    document,
    updated_at: now().toISOString(),
  })
  const details = detailsOf(name, owner)
  const resource = resourceOf(owner)
  if (before)
    record({
      name: 'identity_policy_update',
      resource,
      details: { ...details, before: { document: before.document }, after: { document } },
    })
  else record({ name: 'identity_policy_create', resource, details: { ...details, document } })
  return true
}

/** The text of an inline policy. Throws not_found. */
export async function getInlinePolicy(db: Db, owner: store.Owner, name: string): Promise<string> {
  const found = await store.findInline(db, owner, name)
  if (!found) throw policyMissing(owner, name)
  return found.document
}

/** Deletes an inline policy. Throws not_found. */
export const deleteInlinePolicy = (ctx: Ctx, owner: NamedOwner, name: string): Promise<undefined> =>
  ctx.act(async (step) => {
    await owner.confirm(step)
    return deleteInlineStep(step, owner, name)
  })

/** Step: the same for whoever may. */
export async function deleteInlineStep({ tx, record }: Step, owner: OwnerName, name: string): Promise<undefined> {
  if (!(await store.deleteInline(tx, owner, name))) throw policyMissing(owner, name)
  record({ name: 'identity_policy_delete', resource: resourceOf(owner), details: detailsOf(name, owner) })
  return undefined
}

/** An owner's inline policies by name. */
export const findInlinePolicies = store.findAllInline

/** The names of an owner's inline policies. */
export const listInlinePolicies = store.listInline

/** Step: deletes all policies of an owner that is deleted. */
export const deletePoliciesOf = store.deleteOf
