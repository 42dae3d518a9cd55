// Who may have access to a bucket besides those with grants: found by what policies say, not by asking about everyone.
import { inForce } from '../../../access/identity-policies/of-user.ts'
import { findNamed, listUserIds } from '../../../access/policies/store.ts'
import { roleNameIn } from '../../../access/roles/arn.ts'
import { canonicalId } from '../../../base/canonical-id.ts'
import type { Db } from '../../../db/schema.ts'
import type { Policy, Statement } from '../../../iam/document.ts'
import { addressOf } from '../../../iam/names.ts'
import { matchesBelow } from '../../../iam/patterns.ts'
import { userNameIn } from '../../../iam/principal.ts'
import { type Besides, findAttachedToUsers, findOfGroups } from './store.ts'

/** The users, and the owners of policies, who may have access because of a policy. */
export async function findBesides(db: Db, bucket: string, policy: Policy | undefined): Promise<Besides> {
  const [ofGroups, attached, users] = await Promise.all([
    findOfGroups(db),
    findAttachedToUsers(db),
    policy ? findNamedIn(db, policy) : [],
  ])
  const isRelevant = (row: Parameters<typeof inForce>[0]) =>
    inForce(row).statements.some((one) => mayConcern(one, bucket))
  return {
    users,
    groups: [...new Set(ofGroups.filter(isRelevant).map(({ owner_id }) => owner_id))],
    policies: attached.filter(isRelevant).map(({ policy: name }) => name),
  }
}

/** Whether a statement of somebody's policy may be about a bucket, or something in it. */
function mayConcern({ actions, resources }: Statement, bucket: string): boolean {
  if (resources.negated) return true
  const arn = `arn:aws:s3:::${bucket}`
  return (
    [...actions].some((name) => name.startsWith('s3:')) &&
    resources.templates.some(({ fixed }) => fixed === undefined || matchesBelow(fixed, arn) !== 'none')
  )
}

/** The users whom a bucket's policy names, as principals or in its conditions. */
async function findNamedIn(db: Db, { statements }: Policy): Promise<string[]> {
  const ids = new Set<string>()
  const canonical = new Set<string>()
  for (const { principal } of statements)
    for (const entry of principal?.entries ?? [])
      if (entry.kind === 'user' && entry.id !== null) ids.add(entry.id)
      else if (entry.kind === 'canonical') canonical.add(entry.id)
  const names = new Set(statements.flatMap(({ conditions }) => conditions.flatMap(usersIn)))
  if (names.size > 0) for (const { id } of await findNamed(db, [...names])) ids.add(id)
  if (canonical.size > 0) for (const id of await listUserIds(db)) if (canonical.has(canonicalId(id))) ids.add(id)
  return [...ids]
}

/** What the users whom a condition names may be called: ids, and addresses. */
function usersIn({ key, values }: Statement['conditions'][number]): string[] {
  switch (key) {
    case 'aws:userid':
      return [...values]
    case 'aws:username':
      return values.map(addressOf)
    case 'aws:principalarn':
      return values.flatMap((value) => {
        const name = userNameIn(value)
        return name === undefined ? [] : [addressOf(name)]
      })
    default:
      return []
  }
}

/** Whom else a bucket's policy names. */
export interface NamedOthers {
  providers: string[]
  /** `ROLE/SESSION` */
  sessions: string[]
  roles: string[]
}

const SESSION = /^arn:aws(?:-[a-z-]+)?:sts::\d{12}:assumed-role\/([^/]+\/[^/]+)$/

/** The roles, sessions of them and identity providers that a bucket's policy names. */
export function othersIn(policy: Policy | undefined): NamedOthers {
  const entries = policy?.statements.flatMap(({ principal }) => principal?.entries ?? []) ?? []
  const arns = entries.flatMap((one) => (one.kind === 'arn' ? [one.arn] : []))
  const each = (texts: string[]) => [...new Set(texts)].sort()
  return {
    providers: each(
      entries.flatMap((one) => (one.kind === 'federated' ? [one.provider.replace(/^arn:[^/]*-provider\//, '')] : [])),
    ),
    sessions: each(arns.flatMap((arn) => SESSION.exec(arn)?.[1] ?? [])),
    roles: each(arns.flatMap((arn) => roleNameIn(arn) ?? [])),
  }
}
