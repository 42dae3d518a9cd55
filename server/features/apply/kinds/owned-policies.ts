// The policies of users, groups and roles in configurations: those that are attached to them, and their own.
import { isDeepStrictEqual } from 'node:util'
import { type Fault, ServiceError } from '../../../../contract/errors.ts'
import { isAdmin } from '../../../../contract/permissions.ts'
import {
  attachStep,
  detachStep,
  listAttachedPolicies,
  MOST_ATTACHED,
} from '../../../access/identity-policies/attached.ts'
import {
  deleteInlineStep,
  findInlinePolicies,
  lengthOf,
  MOST_CHARACTERS,
  type OwnerName,
  putInlineStep,
} from '../../../access/identity-policies/inline.ts'
import { findByName, getVersion, nameInFiles, policyMissing } from '../../../access/identity-policies/managed.ts'
import type { Owner } from '../../../access/identity-policies/store.ts'
import type { Ctx, Step } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { ctxIn } from '../../identities/owners.ts'
import { type References, sorted, unknownName } from '../kind.ts'
import { type Document, effectsOfDocument, faultsOfDocument, policyText } from './documents.ts'

/** The policies of an owner, as a file says them. */
export interface Owned {
  attached_policies?: string[] | undefined
  inline_policies?: { [name: string]: Document } | undefined
}

/** What an owner has unless its entry says otherwise. */
export const NONE = { attached_policies: [], inline_policies: {} }

/** The form in which two names of policies count as the same: that of a built-in one is only one. */
export const policyKey = (name: string): string => (name.startsWith('aws:') ? name : name.toLowerCase())

/** Policies in normal form. */
export const normalOwned = ({ attached_policies: attached, inline_policies: inline }: Owned): Owned => ({
  ...(attached && { attached_policies: sorted(attached.map(policyKey)) }),
  ...(inline && { inline_policies: inline }),
})

/** The policies that an owner has, in normal form, and with their names as they are written. */
export async function ownedOf(db: Db, owner: Owner): Promise<{ fields: Required<Owned>; written: Owned }> {
  const attached = await listAttachedPolicies(db, owner, '', MOST_ATTACHED)
  const inline = await findInlinePolicies(db, owner)
  const names = attached.map(nameInFiles)
  return {
    fields: {
      attached_policies: sorted(names.map(policyKey)),
      inline_policies: Object.fromEntries(inline.map(({ name, document }) => [name, JSON.parse(document)])),
    },
    written: { attached_policies: sorted(names) },
  }
}

/** What is wrong with the policies of an entry. */
export async function faultsOfOwned(
  ctx: Ctx,
  { attached_policies: attached = [], inline_policies: inline = {} }: Owned,
  references: References,
): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [i, name] of attached.entries()) {
    const isKnown = name.startsWith('aws:')
      ? await findByName(ctx.db, name)
      : await references.has('identity_policies', name)
    if (!isKnown) faults.push(unknownName(`attached_policies.${i}`, 'policy', name))
    else if (attached.findIndex((one) => policyKey(one) === policyKey(name)) < i)
      faults.push({ path: `body.attached_policies.${i}`, message: 'is named twice' })
  }
  for (const [name, document] of Object.entries(inline)) {
    const at = `body.inline_policies.${name}`
    faults.push(...(await faultsOfDocument(ctx, policyText(document), { of: 'identity', at })))
  }
  const length = Object.values(inline).reduce((sum, one) => sum + lengthOf(policyText(one)), 0)
  if (length > MOST_CHARACTERS)
    faults.push({ path: 'body.inline_policies', message: `has ${length} characters, ${MOST_CHARACTERS} are possible` })
  return faults
}

/** What policies of an owner's own say, and which others they get, a sentence each. */
export async function effectsOfOwned(ctx: Ctx, change: Owned, before: Owned = {}): Promise<string[]> {
  const attached = (change.attached_policies ?? []).filter((name) => !before.attached_policies?.includes(name))
  const effects: string[] = []
  for (const name of attached) {
    const policy = await findByName(ctx.db, name)
    if (policy?.isBuiltIn) effects.push(`${name}: ${policy.description}`)
    else effects.push(`What the policy ${policy?.name ?? name} allows and denies counts for them.`)
    if (policy && !policy.isBuiltIn) {
      // What a file makes of it is said with its own entry.
      const { document } = await getVersion(ctx.db, policy, policy.version)
      const said = await effectsOfDocument(ctx, document, { of: 'identity' })
      effects.push(...said.map((one) => `${policy.name}, now: ${one}`))
    }
  }
  for (const [name, document] of Object.entries(change.inline_policies ?? {})) {
    if (isDeepStrictEqual(document, before.inline_policies?.[name])) continue
    const said = await effectsOfDocument(ctx, policyText(document), { of: 'identity' })
    effects.push(...said.map((one) => `${name}: ${one}`))
  }
  const gone = [
    ...(change.attached_policies ? (before.attached_policies ?? []) : []).filter(
      (name) => !change.attached_policies?.includes(name),
    ),
    ...Object.keys(change.inline_policies ? (before.inline_policies ?? {}) : {}).filter(
      (name) => !Object.hasOwn(change.inline_policies ?? {}, name),
    ),
  ]
  return [...effects, ...gone.map((name) => `${name}: what it allowed and denied is no longer so.`)]
}

/** Whether an entry, or a change of one, says anything of policies. */
export const hasOwned = ({ attached_policies: attached, inline_policies: inline }: Owned): boolean =>
  attached !== undefined || inline !== undefined

/** Step: gives an owner these policies instead of what they have. Throws forbidden unless the caller is an administrator now. */
export async function setOwnedStep(
  ctx: Ctx,
  step: Step,
  owner: OwnerName,
  { attached_policies: attached, inline_policies: inline }: Owned,
): Promise<void> {
  if (!isAdmin((await ctxIn(ctx, step)).actor.groups))
    throw new ServiceError('forbidden', 'You need the "admin" permission to change policies.')
  const { tx } = step
  const before = (await ownedOf(tx, owner)).fields
  // What goes makes room for what comes, and what shrinks for what grows: where the whole fits, every step of it does.
  const wanted = attached?.map(policyKey)
  for (const name of wanted ? before.attached_policies : [])
    if (!wanted?.includes(name)) await detachStep(step, owner, await arnOf(tx, name))
  for (const name of inline ? Object.keys(before.inline_policies) : [])
    if (!Object.hasOwn(inline ?? {}, name)) await deleteInlineStep(step, owner, name)
  for (const name of attached ?? [])
    if (!before.attached_policies.includes(policyKey(name))) await attachStep(step, owner, await arnOf(tx, name))
  const changed = Object.entries(inline ?? {})
    .filter(([name, document]) => !isDeepStrictEqual(document, before.inline_policies[name]))
    .map(([name, document]) => ({
      name,
      text: policyText(document),
      grows: growthOf(document, before.inline_policies[name]),
    }))
    .sort((one, other) => one.grows - other.grows)
  for (const { name, text } of changed) await putInlineStep(step, owner, name, text)
}

/** By how many characters a policy is longer than the one before it. */
const growthOf = (document: Document, before: Document | undefined): number =>
  lengthOf(policyText(document)) - (before ? lengthOf(policyText(before)) : 0)

async function arnOf(db: Db, name: string): Promise<string> {
  const policy = await findByName(db, name)
  if (!policy) throw policyMissing(name)
  return policy.arn
}
