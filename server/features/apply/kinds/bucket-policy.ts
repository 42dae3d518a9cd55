// The policies of buckets in configurations: what is wrong with one, and what follows from it.
import type { Fault } from '../../../../contract/errors.ts'
import { findUserIds } from '../../../access/policies/named-users.ts'
import { isPublicAccessOn } from '../../../access/settings/public-access.ts'
import { findUsers } from '../../../access/users/store.ts'
import type { Ctx } from '../../../context.ts'
import { readPolicy, usersNamedIn } from '../../../iam/document.ts'
import { MalformedPolicy } from '../../../iam/malformed.ts'
import { addressOf, userNameOf } from '../../../iam/names.ts'
import type { UsersByArn } from '../../../iam/principal.ts'
import { describePolicy } from '../../../iam/sentences/describe.ts'
import type { NewPolicy } from '../../../storage/buckets/documents/bucket-policy.ts'
import type { EntryOf, References } from '../kind.ts'

type Entry = Pick<EntryOf<'buckets'>, 'name' | 'policy'>

/** A policy of a configuration as a bucket keeps it. */
const policyText = (policy: object | null): string | null => (policy === null ? null : JSON.stringify(policy, null, 2))
export const newPolicy = (policy: object | null): NewPolicy => ({
  text: policyText(policy),
  canBePublic: isPublicAccessOn,
})

/** The policy that a bucket keeps, as a configuration says it. */
export const policyOf = (kept: { text: string } | undefined): EntryOf<'buckets'>['policy'] =>
  kept === undefined ? null : JSON.parse(kept.text)

/** The users that a policy names, by their ids; one that the configuration creates by its name. */
async function usersIn(ctx: Ctx, text: string, references: References | undefined): Promise<UsersByArn> {
  const found: { [arn: string]: string } = {}
  for (const [arn, name] of usersNamedIn(text))
    try {
      Object.assign(found, await findUserIds(ctx.db, new Map([[arn, name]])))
    } catch (error) {
      const isListed = await references?.has('users', addressOf(name))
      if (!(error instanceof MalformedPolicy) || isListed === false) throw error
      found[arn] = name
    }
  return found
}

/** What is wrong with the policy of an entry, at what is wrong in it. */
export async function faultsOfPolicy(ctx: Ctx, { name, policy }: Entry, references: References): Promise<Fault[]> {
  const text = policyText(policy ?? null)
  if (text === null) return []
  try {
    readPolicy(text, { of: 'bucket', bucket: name, users: await usersIn(ctx, text, references) })
    return []
  } catch (error) {
    if (!(error instanceof MalformedPolicy)) throw error
    return [{ path: ['body.policy', ...error.path].join('.'), message: error.message }]
  }
}

/** What a policy allows and denies, and what to look at. */
export async function effectsOfPolicy(ctx: Ctx, { name, policy }: Entry): Promise<string[]> {
  if (policy === undefined) return []
  const text = policyText(policy)
  if (text === null) return ['What its policy allowed and denied is no longer so.']
  const users = await usersIn(ctx, text, undefined)
  const rows = await findUsers(ctx.db, [...new Set(Object.values(users))])
  const names = new Map(rows.map(({ id, email }) => [id, userNameOf(email)]))
  const kind = { of: 'bucket', bucket: name, users } as const
  const { sentences, warnings } = describePolicy(readPolicy(text, kind), kind, names)
  return [...sentences.map((one) => one.text), ...warnings.map((one) => `Note: ${one.text}`)]
}
