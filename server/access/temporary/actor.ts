// Who acts with temporary credentials, and the policies that they are judged by.

import { type GrantingGroup, withinScope } from '../../../contract/permissions.ts'
import type { Actor } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import type { PoliciesInForce } from '../../iam/asker.ts'
import type { Known } from '../../iam/conditions.ts'
import type { Policy } from '../../iam/document.ts'
import { ACCOUNT_ID, type Principal } from '../../iam/principal.ts'
import type { ActingSession } from '../../iam/session.ts'
import { compiledPolicy } from '../identity-policies/of-user.ts'
import { bookOf, EMPTY_BOOK, type PolicyBook } from '../policies/book.ts'
import { type Asking, inForce } from '../policies/in-force.ts'
import { fullProviderArn, fullRoleArn, GROUPS_ROLE, sessionArn } from '../roles/arn.ts'
import { actorOf, groupsOf } from '../sessions/caller.ts'
import { scopeOf } from '../sessions/scope.ts'
import type { UserRow } from '../sessions/store.ts'
import { knownOfTags, knownOfToken, type SessionTags, type TokenFacts } from './claims.ts'
import type { SessionRow } from './store.ts'

export type SessionRows = readonly [SessionRow, ...SessionRow[]]
const NONE: readonly Policy[] = []

/** The actor of a session, with the permissions of the moment; without a way to renew it. */
export async function actorOfSession(from: Db, rows: SessionRows, asking: Asking): Promise<Omit<Actor, 'renew'>> {
  const [row] = rows
  const found = bookOf(from, row.policies)
  const book = found instanceof Promise ? await found : found
  const session = sessionOf(row)
  if (row.kind === 'user') {
    const credential = { auth_method: 'sts', session_id: row.id, token_id: null, scope: row.scope } as const
    const actor = await actorOf(
      from,
      rows as readonly unknown[] as readonly [UserRow, ...UserRow[]],
      credential,
      asking,
    )
    const base = actor.policies ?? inForce(book ?? EMPTY_BOOK, NONE, actor, asking)
    return { ...actor, session, policies: judged(row, base) }
  }
  const scope = scopeOf(row.scope)
  const groups = groupsOf(rows as readonly unknown[] as UserRow[])
  const own = book ? policiesOf(from, book, row, groups) : NONE
  const ofCaller = own instanceof Promise ? await own : own
  return {
    ...NOBODY,
    display_name: `${session.role}/${session.name}`,
    session_id: row.id,
    token_id: null,
    groups: scope === null ? groups : withinScope(groups, scope),
    origin: asking.origin,
    session,
    policies: judged(row, inForce(book ?? EMPTY_BOOK, ofCaller, NOBODY, asking)),
    ...(scope === null ? {} : { scope }),
  }
}

/** Who would act with a session of a role that nobody has opened yet, as policies are to judge them. */
export async function actorOfRole(
  from: Db,
  book: PolicyBook,
  role: { id: string; name: string; path: string; session?: string },
  asking: Asking,
): Promise<Pick<Actor, 'groups' | 'policies'>> {
  const row: JudgedRow = {
    kind: 'role',
    role_id: role.id,
    role_name: role.name,
    role_path: role.path,
    user_id: null,
    session_name: role.session ?? 'simulation',
    source_identity: null,
    issuer_key: null,
    policy: null,
    tags: '{}',
    claims: '{}',
    created_at: asking.now().toISOString(),
  }
  const ofCaller = await book.ofRole(from, role.id)
  return { groups: [], policies: judged(row, inForce(book, ofCaller, NOBODY, asking)) }
}

/** Who takes on a role is nobody by themselves. */
const NOBODY = { type: 'role', user_id: null, email: null, auth_method: 'sts' } as const

/** What of a session decides how it is judged. */
type JudgedRow = Pick<
  SessionRow,
  | ('kind' | 'role_id' | 'role_name' | 'role_path' | 'user_id' | 'session_name' | 'source_identity' | 'issuer_key')
  | ('policy' | 'tags' | 'claims' | 'created_at')
>

/** The policies of the role that a session is of, or of the groups that it has. */
function policiesOf(
  from: Db,
  book: PolicyBook,
  { role_id }: SessionRow,
  groups: readonly GrantingGroup[],
): readonly Policy[] | Promise<readonly Policy[]> {
  if (role_id !== null) return book.ofRole(from, role_id)
  return Promise.all(groups.map(({ id }) => book.ofGroup(from, id))).then((each) => each.flat())
}

const sessionOf = (row: SessionRow): ActingSession => ({
  role: row.kind === 'user' ? null : (row.role_name ?? GROUPS_ROLE),
  role_id: row.role_id,
  name: row.session_name,
  user_id: row.user_id,
  email: row.email,
  subject: row.subject,
  source_identity: row.source_identity,
})

/** The role that a session is of, as policies name it. */
const roleOf = ({ role_name, role_path }: Pick<SessionRow, 'role_name' | 'role_path'>) => ({
  path: role_path ?? '/',
  name: role_name ?? GROUPS_ROLE,
})

function principalOf(row: JudgedRow): Principal {
  const { name } = roleOf(row)
  return {
    kind: 'role',
    user: row.user_id,
    arn: sessionArn(name, row.session_name),
    role: fullRoleArn(roleOf(row)),
    canonicalId: () => null,
    ...(row.issuer_key === null ? {} : { federated: fullProviderArn(row.issuer_key) }),
  }
}

/** How a session is judged: with what its role allows, within its policy. */
function judged(row: JudgedRow, base: PoliciesInForce): PoliciesInForce {
  const isUser = row.kind === 'user'
  // Few policies ask for them.
  let facts: { tags: SessionTags; token: TokenFacts } | undefined
  const factsOf = () => {
    facts ??= {
      tags: JSON.parse(row.tags) as SessionTags,
      token: { issuerKey: row.issuer_key, claims: JSON.parse(row.claims) as TokenFacts['claims'] },
    }
    return facts
  }
  const known = (key: string): Known =>
    knownOfSession(key, row) ??
    knownOfTags(key, 'aws:principaltag', factsOf().tags) ??
    knownOfToken(key, factsOf().token) ??
    (isUser || !OF_ROLES.has(key) ? base.known(key) : OF_ROLES.get(key)?.(row))
  return {
    principal: isUser ? base.principal : principalOf(row),
    ofBucket: base.ofBucket,
    ofCaller: base.ofCaller,
    latest: {},
    known,
    get names() {
      return base.names
    },
    ...(row.policy === null ? {} : { ofSession: compiledPolicy(row.policy) }),
  }
}

/** Of sessions of any kind. */
function knownOfSession(key: string, { created_at, source_identity, issuer_key }: JudgedRow): Known {
  switch (key) {
    case 'aws:tokenissuetime':
      return [created_at]
    // No session is opened with a second factor.
    case 'aws:multifactorauthpresent':
      return ['false']
    case 'sts:authentication':
      return ['true']
    case 'aws:sourceidentity':
      return source_identity === null ? undefined : [source_identity]
    case 'aws:federatedprovider':
      return issuer_key === null ? undefined : [fullProviderArn(issuer_key)]
    default:
      return undefined
  }
}

/** What is otherwise of a session of a role than of a user. */
const OF_ROLES: ReadonlyMap<string, (row: JudgedRow) => Known> = new Map<string, (row: JudgedRow) => Known>([
  ['aws:username', () => undefined],
  ['aws:userid', (row) => [userIdOf(row)]],
  ['aws:principalarn', (row) => [fullRoleArn(roleOf(row))]],
  ['aws:principalaccount', () => [ACCOUNT_ID]],
  ['aws:principaltype', () => ['AssumedRole']],
])

/** The id of a session, as AWS has it: `<id of the role>:<name of the session>`. */
export const userIdOf = ({ role_id, session_name }: Pick<SessionRow, 'role_id' | 'session_name'>): string =>
  `${role_id ?? GROUPS_ROLE}:${session_name}`
