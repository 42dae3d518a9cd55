// Policies in AWS' language in configurations: as values in a file, as texts where they are kept.
import type { Fault } from '../../../../contract/errors.ts'
import { findUserIds } from '../../../access/policies/named-users.ts'
import { findUsers } from '../../../access/users/store.ts'
import type { Ctx } from '../../../context.ts'
import { MOST_BYTES, type PolicyKind, readPolicy, usersNamedIn } from '../../../iam/document.ts'
import { MalformedPolicy } from '../../../iam/malformed.ts'
import { addressOf, userNameOf } from '../../../iam/names.ts'
import type { UsersByArn } from '../../../iam/principal.ts'
import { describePolicy } from '../../../iam/sentences/describe.ts'
import type { References } from '../kind.ts'

/** A policy as a file has it. */
export interface Document {
  [name: string]: unknown
}

/** A policy of a configuration as it is kept: in lines, unless those would take up what a long one may have. */
export function policyText(document: object): string {
  const inLines = JSON.stringify(document, null, 2)
  return Buffer.byteLength(inLines) > MOST_BYTES.role ? JSON.stringify(document) : inLines
}

/** The users that a policy names, by their ids; one that the configuration creates by its name. */
async function usersIn(
  ctx: Ctx,
  text: string,
  { most, references }: { most: number; references?: References | undefined },
): Promise<UsersByArn> {
  const found: { [arn: string]: string } = {}
  for (const [arn, name] of usersNamedIn(text, most))
    try {
      Object.assign(found, await findUserIds(ctx.db, new Map([[arn, name]])))
    } catch (error) {
      const isListed = await references?.has('users', addressOf(name))
      if (!(error instanceof MalformedPolicy) || isListed === false) throw error
      found[arn] = name
    }
  return found
}

/** Whose policy it is; the users that it names are found. */
type Of = { of: 'bucket'; bucket: string } | { of: 'identity' } | { of: 'role' }

async function kindOf(ctx: Ctx, text: string, about: Of, references?: References): Promise<PolicyKind> {
  if (about.of === 'identity') return about
  return { ...about, users: await usersIn(ctx, text, { most: MOST_BYTES[about.of], references }) }
}

/** What is wrong with a policy, at what is wrong in it; `at` is its own path. */
export async function faultsOfDocument(
  ctx: Ctx,
  text: string,
  about: Of & { at: string; references?: References },
): Promise<Fault[]> {
  const { at, references, ...of } = about
  try {
    readPolicy(text, await kindOf(ctx, text, of, references))
    return []
  } catch (error) {
    if (!(error instanceof MalformedPolicy)) throw error
    return [{ path: [at, ...error.path].join('.'), message: error.message }]
  }
}

/** What a policy allows and denies, and what to look at. */
export async function effectsOfDocument(ctx: Ctx, text: string, about: Of): Promise<string[]> {
  const kind = await kindOf(ctx, text, about)
  const users = kind.of === 'identity' ? {} : kind.users
  const rows = await findUsers(ctx.db, [...new Set(Object.values(users))])
  const names = new Map(rows.map(({ id, email }) => [id, userNameOf(email)]))
  const { sentences, warnings } = describePolicy(readPolicy(text, kind), kind, names)
  return [...sentences.map((one) => one.text), ...warnings.map((one) => `Note: ${one.text}`)]
}
