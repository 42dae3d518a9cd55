// The policies of buckets in configurations: what is wrong with one, and what follows from it.
import type { Fault } from '../../../../contract/errors.ts'
import { isPublicAccessOn } from '../../../access/settings/public-access.ts'
import type { Ctx } from '../../../context.ts'
import type { NewPolicy } from '../../../storage/buckets/documents/bucket-policy.ts'
import type { EntryOf, References } from '../kind.ts'
import { effectsOfDocument, faultsOfDocument, policyText } from './documents.ts'

type Entry = Pick<EntryOf<'buckets'>, 'name' | 'policy'>

/** A policy of a configuration as a bucket keeps it. */
export const newPolicy = (policy: object | null): NewPolicy => ({
  text: policy && policyText(policy),
  canBePublic: isPublicAccessOn,
})

/** The policy that a bucket keeps, as a configuration says it. */
export const policyOf = (kept: { text: string } | undefined): EntryOf<'buckets'>['policy'] =>
  kept === undefined ? null : JSON.parse(kept.text)

/** What is wrong with the policy of an entry, at what is wrong in it. */
export const faultsOfPolicy = async (ctx: Ctx, { name, policy }: Entry, references: References): Promise<Fault[]> =>
  policy ? faultsOfDocument(ctx, policyText(policy), { of: 'bucket', bucket: name, at: 'body.policy', references }) : []

/** What a policy allows and denies, and what to look at. */
export async function effectsOfPolicy(ctx: Ctx, { name, policy }: Entry): Promise<string[]> {
  if (policy === undefined) return []
  if (policy === null) return ['What its policy allowed and denied is no longer so.']
  return effectsOfDocument(ctx, policyText(policy), { of: 'bucket', bucket: name })
}
