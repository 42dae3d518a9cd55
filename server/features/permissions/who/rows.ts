// What somebody may do at a place, as the API says it.
import type { AccessReason, OtherAccess } from '../../../../contract/bucket-access.ts'
import { bucketActions } from '../../../../contract/names.ts'
import type { Reason } from '../../../../contract/permissions.ts'
import { PUBLIC_GROUP } from '../../../../contract/public-access.ts'
import { describeGrant } from '../../../access/groups/describe.ts'
import { BUILT_IN } from '../../../access/identity-policies/store.ts'
import type { Asker, StatementOf } from '../../../iam/asker.ts'
import type { Policy, Statement } from '../../../iam/document.ts'
import { ACTION_OF, type Asked } from '../../../iam/names-of-rights.ts'
import { askedAt, type Outlook, outlookOf, type Place } from '../../../iam/outlook.ts'
import { matchesBelow } from '../../../iam/patterns.ts'
import { describeStatement } from '../../../iam/sentences/describe.ts'
import type { NamesOfUsers } from '../../../iam/sentences/parts.ts'
import { OF_BUCKET_ACL } from '../../../storage/buckets/documents/public-access.ts'
import type { OwnedPolicy } from './store.ts'

/** The id of what ACLs of objects let everyone read. */
export const OF_OBJECT_ACLS = 'object_acls'

/** A policy of somebody, and what it and its owner are called. */
export interface Owned {
  row: OwnedPolicy
  owner: string
  policy: Policy
}

/** Somebody who is asked about. */
export interface Somebody {
  asker: Asker
  /** Who asks for versions that may not be current, if that is not the same. */
  ofVersions?: Asker
  owned: readonly Owned[]
  /** With what everyone may do at the S3 endpoint: told where this one may do more of it, or less. */
  withEveryone?: WithEveryone
  /** With what ACLs of objects may let them read. */
  withObjectAcls?: Asker
}

/** Somebody with what everyone may do. */
export interface WithEveryone extends Pick<Somebody, 'asker' | 'ofVersions'> {
  /** What everyone may do of something. */
  everyone(asked: Asked): Outlook | undefined
}

type Rights = Pick<
  OtherAccess,
  'permissions' | 'permissions_in_part' | 'permissions_if' | 'permissions_denied' | 'decisions' | 'reasons'
>
type Because = Reason | StatementOf

/** What somebody may do at a place, and why; `users`: what those whom statements name are called. */
export function rightsOf(somebody: Somebody, place: Place, users: NamesOfUsers): Rights {
  const reasons: AccessReason[] = []
  const numbers = new Map<unknown, number>()
  const numberOf = (one: Because): number => {
    const key = 'statement' in one ? one.statement : `${one.group_id} ${one.grant_id}`
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, reasons.length)
    return reasons.push(describeReason(one, somebody, place, users)) - 1
  }
  const decisions = askedAt(place).flatMap((asked) => {
    const found = ownOutlook(somebody, asked, place)
    if (!found) return []
    const { right, action } = asked
    const by = [...new Set(found.by.map(numberOf))]
    return [{ permission: right, action, effect: found.effect, by, unless: found.unless.map(numberOf) }]
  })
  const having = (effect: Outlook['effect']) =>
    bucketActions.filter((right) =>
      decisions.some((one) => one.permission === right && one.action === ACTION_OF[right] && one.effect === effect),
    )
  return {
    permissions: having('allowed'),
    permissions_in_part: having('in_part'),
    permissions_if: having('conditional'),
    permissions_denied: having('denied'),
    decisions,
    reasons,
  }
}

const askerOf = ({ asker, ofVersions = asker }: Pick<Somebody, 'asker' | 'ofVersions'>, { action }: Asked): Asker =>
  /Version/.test(action ?? '') ? ofVersions : asker

/** What somebody may do by themselves, or otherwise than everyone. */
export function ownOutlook(somebody: Somebody, asked: Asked, place: Place): Outlook | undefined {
  const own = outlookOf(askerOf(somebody, asked), asked, place)
  if (own) return own
  const { withEveryone, withObjectAcls } = somebody
  if (withObjectAcls && asked.right === 'read') {
    const found = outlookOf(withObjectAcls, asked, place)
    return found && place.below && found.effect !== 'denied' ? { ...found, effect: 'in_part' } : found
  }
  const found = withEveryone && outlookOf(askerOf(withEveryone, asked), asked, place)
  return found && found.effect !== withEveryone.everyone(asked)?.effect ? found : undefined
}

function describeReason(because: Because, somebody: Somebody, place: Place, users: NamesOfUsers): AccessReason {
  if ('statement' in because)
    return { kind: 'statement', via: null, statement: describeFound(because, somebody, place, users) }
  const { group_id, group, grant_id } = because
  if (group_id === PUBLIC_GROUP) {
    const kind = grant_id === OF_BUCKET_ACL ? 'acl' : grant_id === OF_OBJECT_ACLS ? 'object_acls' : 'everyone'
    return { kind, via: null, statement: null }
  }
  const grant = somebody.asker.groups.find(({ id }) => id === group_id)?.grants.find(({ id }) => id === grant_id)
  return {
    kind: grant_id === null ? 'administrator' : 'grant',
    via: { group_id, group, grant: grant ? describeGrant(grant) : null },
    statement: null,
  }
}

function describeFound({ of, statement }: StatementOf, { owned }: Somebody, place: Place, users: NamesOfUsers) {
  const { sid, index, effect } = statement
  if (of === 'bucket') {
    const sentence = describeStatement(statement, place.bucket, users)
    return { policy_of: of, policy: null, sid, index, effect, sentence }
  }
  const found = owned.find(({ policy }) => policy.statements.includes(statement))
  const sentence = describeStatement(onlyAt(statement, place), place.bucket, users)
  return { policy_of: 'caller' as const, policy: found ? nameOf(found) : null, sid, index, effect, sentence }
}

const nameOf = ({ row: { owner_kind: of, name, policy }, owner }: Owned) => ({
  kind: policy === null ? ('inline' as const) : ('managed' as const),
  name: name ?? policy?.slice(BUILT_IN.length) ?? '',
  of,
  owner,
})

/** A statement with only those of its resources that the place is in: what else somebody may do is not asked about. */
function onlyAt(statement: Statement, { bucket, key }: Place): Statement {
  const { negated, templates } = statement.resources
  const arns = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/${key}`]
  const isHere = (fixed: string | undefined) =>
    fixed === undefined || arns.some((arn, i) => (i === 0 ? fixed === arn : matchesBelow(fixed, arn) !== 'none'))
  return {
    ...statement,
    resources: { negated, templates: negated ? [] : templates.filter(({ fixed }) => isHere(fixed)) },
  }
}
