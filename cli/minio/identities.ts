import { ACCESS_KEY_ID, type BucketAction, isEmail, SCOPE_BUCKET, SECRET_ACCESS_KEY } from '../../contract/names.ts'
import { folded, isName, Names } from './names.ts'
import { type Grant, shortList, type Translation, translate } from './policies.ts'
import { byName, type Fields, isFields, type MinioExport, textsOf } from './read.ts'
import { isPersonal, type Statement, statementsOf } from './statements.ts'
import type { Item } from './table.ts'

/** How exports are to be translated. */
export interface Choices {
  /** Makes addresses of users' names. */
  emailDomain: string | undefined
  /** Users who get the address of another name, by their own. */
  renamed: ReadonlyMap<string, string>
  /** What the names of groups start with. */
  label: string
  /** The name of MinIO's root user, which is in no export. */
  rootUser: string | undefined
  /** Whether users who may do everything become administrators. */
  administrators: boolean
  /** Whether `read` and `write` are granted where lesser actions are missing. */
  withDetails: boolean
  now: Date
}

export interface GroupEntry {
  name: string
  description: string
  grants: { bucket_pattern: string; prefix: string; actions: BucketAction[] }[]
}
export interface UserEntry {
  email: string
  display_name: string
  is_active?: false
  groups: string[]
}
export interface KeyEntry {
  access_key_id: string
  secret_access_key: string
  name: string
  user: string
  expires_at?: string
  scope?: { bucket: string; prefix: string; actions: BucketAction[] }[]
}
export interface Identities {
  groups: GroupEntry[]
  users: UserEntry[]
  access_keys: KeyEntry[]
  items: Item[]
}

const ADMINISTRATORS = 'Administrators'
const MOST_GRANTS = 100
const MOST_GROUPS = 100
const MOST_KEYS = 50
const MOST_PLACES_OF_SCOPE = 20

/** Translates users, groups, policies and access keys. */
export const identitiesOf = (iam: MinioExport['iam'], choices: Choices): Identities =>
  new Translator(iam, choices).translateAll()

interface Member {
  email: string
  statements: Statement[]
  keys: number
}

class Translator {
  readonly #iam: MinioExport['iam']
  readonly #choices: Choices
  readonly #policies: ReadonlyMap<string, Statement[]>
  readonly #names = new Names()
  /** Groups by the policy and the grants that they stand for. */
  readonly #groups = new Map<string, GroupEntry>()
  readonly #users: UserEntry[] = []
  readonly #keys: KeyEntry[] = []
  readonly #items: Item[] = []
  readonly #members = new Map<string, Member>()
  readonly #addresses = new Map<string, string>()
  readonly #translated = new Map<string, { translation: Translation; unlimited: Translation; isWider: boolean }>()
  readonly #wider = new Set<string>()
  /** What is lost of each policy, of all its users. */
  readonly #losses = new Map<string, Set<string>>()
  readonly #made = new Map<string, Set<string>>()

  constructor(iam: MinioExport['iam'], choices: Choices) {
    this.#iam = iam
    this.#choices = choices
    this.#policies = new Map([...(iam.policies ?? [])].map(([name, one]) => [name, statementsOf(one)]))
    // A policy of MinIO's never becomes a group of ours that is there already.
    for (const name of [ADMINISTRATORS, 'Public']) this.#names.next(name)
  }

  translateAll(): Identities {
    const { users = new Map(), svcaccts = new Map() } = this.#iam
    for (const [name, fields] of users) this.#addUser(name, fields)
    this.#addRoot()
    for (const [id, fields] of svcaccts) this.#addServiceAccount(id, fields)
    this.#addPolicies()
    this.#addGroups()
    this.#addMappings()
    const order: Item['kind'][] = ['policy', 'group', 'user', 'access key', 'identity']
    return {
      groups: [...this.#groups.values()],
      users: this.#users,
      access_keys: this.#keys,
      items: order.flatMap((kind) => this.#items.filter((item) => item.kind === kind)),
    }
  }

  #say(kind: Item['kind'], name: string, verdict: Item['verdict'], ...notes: string[]): undefined {
    this.#items.push({ kind, name, verdict, notes })
  }

  /** MinIO's groups that a user is in. */
  #groupsOf(user: string): [string, Fields][] {
    return [...(this.#iam.groups ?? [])].filter(([, { members }]) => textsOf(members ?? []).includes(user))
  }

  #addressOf(name: string): string | { obstacle: string } {
    const { emailDomain, renamed } = this.#choices
    const local = renamed.get(name) ?? name
    const email = isEmail(local) ? local : `${local}@${emailDomain ?? ''}`
    if (!isEmail(email) || email.length > 320 || !email.isWellFormed())
      return { obstacle: emailDomain === undefined ? 'It needs --email-domain.' : `${email} is not an address.` }
    const other = this.#addresses.get(folded(email))
    if (other !== undefined)
      return { obstacle: `Its address would be that of ${other}. Give it another one with --rename.` }
    this.#addresses.set(folded(email), name)
    return email
  }

  #addUser(name: string, { secretKey, status }: Fields): undefined {
    const email = this.#addressOf(name)
    if (typeof email !== 'string') return this.#say('user', name, 'not', email.obstacle)
    const isActive = status === 'enabled'
    const member = this.#memberOf(name, email)
    const notes = [`${email}, without a password.`]
    const groups = this.#groupsFor(name, member.statements, notes)
    this.#users.push({
      email,
      display_name: nameOf(name),
      ...(isActive ? {} : { is_active: false as const }),
      groups: groups.slice(0, MOST_GROUPS),
    })
    if (!isActive) notes.push('Disabled, as it was.')
    if (groups.length > 0) notes.push(`In ${shortList(groups, 10)}.`)
    const isNarrower = groups.length > MOST_GROUPS || notes.some((note) => NARROWING.test(note))
    this.#say('user', name, isNarrower ? 'narrower' : 'exact', ...notes)
    this.#addKey(name, { secret: secretKey, owner: name, member, name, notes: [] })
  }

  #memberOf(name: string, email: string): Member {
    const member: Member = { email, statements: [], keys: 0 }
    for (const policy of this.#policiesOf(name)) member.statements.push(...(this.#policies.get(policy) ?? []))
    this.#members.set(name, member)
    return member
  }

  /** The names of the policies that apply to a user: none while one of their groups is disabled, as in MinIO. */
  #policiesOf(user: string): string[] {
    const groups = this.#groupsOf(user)
    if (groups.some(([, { status }]) => status !== 'enabled')) return []
    const mapped = [
      ...namesIn(this.#iam.user_mappings?.get(user)),
      ...groups.flatMap(([group]) => namesIn(this.#iam.group_mappings?.get(group))),
    ]
    return [...new Set(mapped)].sort(byName)
  }

  /** The groups that give a user what their policies allow. */
  #groupsFor(user: string, statements: readonly Statement[], notes: string[]): string[] {
    const disabled = this.#groupsOf(user).filter(([, { status }]) => status !== 'enabled')
    if (disabled.length > 0) notes.push(`No permissions: ${shortList(disabled.map(([one]) => one))} is disabled.`)
    const policies = this.#policiesOf(user)
    const missing = policies.filter((one) => !this.#policies.has(one))
    if (missing.length > 0) notes.push(`There is no policy ${shortList(missing)} in the export.`)
    if (policies.length === 0 && disabled.length === 0) notes.push('No policy is attached.')
    const denying = policies.filter((one) => this.#policies.get(one)?.some(({ allows }) => !allows))
    const found = policies.flatMap((policy) => {
      const own = this.#policies.get(policy)
      if (!own) return []
      const groups = this.#groupFor(policy, own, { user, denying })
      if (groups.length === 0 && own.some(({ allows }) => allows))
        notes.push(`Nothing of the policy ${policy} is granted.`)
      return groups
    })
    if (!this.#choices.administrators || !isAllPowerful(statements)) return found
    notes.push('An administrator, who may do everything.')
    return [ADMINISTRATORS, ...found]
  }

  /** The group for a policy as it applies to a user; none if nothing of it can be granted. */
  #groupFor(
    policy: string,
    own: readonly Statement[],
    { user, denying }: { user: string; denying: readonly string[] },
  ): string[] {
    const { translation, unlimited, isWider } = this.#translate(policy, own, { user, denying })
    const isLimited = !isSame(unlimited, translation)
    if (isWider) this.#wider.add(policy)
    const losses = this.#losses.get(policy) ?? new Set<string>()
    this.#losses.set(policy, losses)
    // What other policies of the same user deny is not a loss of this one.
    for (const loss of unlimited.losses) losses.add(loss)
    const grants = grantsOf(translation)
    if (grants.length < translation.grants.length) losses.add(`Only ${MOST_GRANTS} places can be granted to a group.`)
    if (grants.length === 0) return []
    const key = JSON.stringify([policy, grants])
    const group = this.#groups.get(key) ?? {
      name: this.#names.next(
        `${this.#choices.label} ${nameOf(policy)}${isLimited || own.some((one) => one.allows && isPersonal(one)) ? ` of ${user}` : ''}`,
      ),
      description: isLimited
        ? `From the policy ${nameOf(policy)} of MinIO, without what other policies of its members deny.`
        : `From the policy ${nameOf(policy)} of MinIO.`,
      grants,
    }
    this.#groups.set(key, group)
    this.#made.set(policy, (this.#made.get(policy) ?? new Set()).add(group.name))
    return [group.name]
  }

  /** Translates a policy for a user, once for all users to whom it applies in the same way. */
  #translate(
    policy: string,
    own: readonly Statement[],
    { user, denying }: { user: string; denying: readonly string[] },
  ): { translation: Translation; unlimited: Translation; isWider: boolean } {
    const denials = denying.flatMap((one) => this.#policies.get(one)?.filter(({ allows }) => !allows) ?? [])
    const key = JSON.stringify([policy, denying, [...own, ...denials].some(isPersonal) ? user : null])
    const known = this.#translated.get(key)
    if (known) return known
    const ownDenials = own.filter(({ allows }) => !allows)
    const found = this.#withHint((withDetails) => translate(own, { user, denials, withDetails, ofKey: false }))
    const unlimited = this.#withHint((withDetails) =>
      translate(own, { user, denials: ownDenials, withDetails, ofKey: false }),
    )
    const all = { translation: found.translation, unlimited: unlimited.translation, isWider: found.isWider }
    this.#translated.set(key, all)
    return all
  }

  /** A translation as it was chosen; of the stricter kind, it says whether the other would grant more. */
  #withHint(translateBy: (withDetails: boolean) => Translation): { translation: Translation; isWider: boolean } {
    const [strict, loose] = [translateBy(false), translateBy(true)]
    const isWider = !isSame(strict, loose)
    if (this.#choices.withDetails) return { translation: loose, isWider }
    const hint = isWider ? [HINT] : []
    return { translation: { ...strict, losses: [...strict.losses, ...hint] }, isWider: false }
  }

  /** Makes MinIO's root user one of ours, who may do with buckets what MinIO's may. */
  #addRoot(): undefined {
    const { rootUser } = this.#choices
    if (rootUser === undefined) return
    if (this.#members.has(rootUser) || this.#iam.users?.has(rootUser))
      return this.#say('user', rootUser, 'not', 'It is a user of the export, not the root user.')
    const email = this.#addressOf(rootUser)
    if (typeof email !== 'string') return this.#say('user', rootUser, 'not', email.obstacle)
    const name = this.#names.next(`${this.#choices.label} root user`)
    const actions = ['list', 'read', 'write', 'delete', 'policy', 'manage', 'create', 'bypass_lock'] as const
    this.#groups.set(name, {
      name,
      description: 'What the root user of MinIO may do with buckets.',
      grants: [{ bucket_pattern: '*', prefix: '', actions: [...actions] }],
    })
    const groups = this.#choices.administrators ? [ADMINISTRATORS, name] : [name]
    this.#users.push({ email, display_name: nameOf(rootUser), groups })
    this.#members.set(rootUser, { email, statements: [], keys: 0 })
    const administrates = this.#choices.administrators ? 'An administrator.' : 'Not an administrator.'
    this.#say('user', rootUser, 'narrower', `${email}, the root user. ${administrates} Its own secret is not exported.`)
  }

  #addServiceAccount(id: string, fields: Fields): undefined {
    const { parent, secretKey, status, expiration, sessionPolicy, name, claims } = fields
    const owner = typeof parent === 'string' ? parent : ''
    const refuse = (why: string) => this.#say('access key', id, 'not', why)
    if (status !== 'on' && status !== 'enabled') return refuse('It is disabled.')
    const expires = expiryOf(expiration)
    if (expires === undefined) return refuse(`Its expiry cannot be read: ${JSON.stringify(expiration)}`)
    if (expires !== null && expires <= this.#choices.now) return refuse(`It expired ${expires.toISOString()}.`)
    const member = this.#members.get(owner)
    if (!member)
      return refuse(
        this.#iam.users?.has(owner)
          ? `Its owner ${owner} is not imported.`
          : `Its owner ${owner} is not in the export: an identity of LDAP or OpenID, or the root user (--root-user).`,
      )
    const foreign = Object.keys(isFields(claims) ? claims : {}).filter((one) => !OWN_CLAIMS.test(one))
    if (foreign.length > 0) return refuse(`It has claims of an external identity: ${shortList(foreign)}.`)
    const isEmbedded = isFields(claims) && claims['sa-policy'] === 'embedded-policy'
    const more = {
      secret: secretKey,
      owner,
      member,
      notes: [] as string[],
      name: typeof name === 'string' && isName(name) ? name : id,
      ...(expires === null ? {} : { expires_at: expires.toISOString() }),
    }
    if (sessionPolicy === null || sessionPolicy === undefined)
      return isEmbedded ? refuse('Its own policy is missing in the export.') : this.#addKey(id, more)
    if (!isFields(sessionPolicy)) return refuse('Its own policy cannot be read.')
    // An empty one of its own is that of its owner, as in MinIO.
    if (isEmptyPolicy(sessionPolicy)) return this.#addKey(id, more)
    const statements = statementsOf(sessionPolicy)
    const denials = statements.filter(({ allows }) => !allows)
    const { translation, isWider } = this.#withHint((withDetails) =>
      translate(statements, { denials, user: owner, withDetails, ofKey: true }),
    )
    const scope = scopeOf(translation)
    if (scope.length === 0)
      return refuse(['Nothing of its own policy can be said as a scope.', ...translation.losses].join(' '))
    const notes = [...translation.losses]
    if (scope.length < translation.grants.length)
      notes.push(`Limited to ${scope.length} of ${translation.grants.length} places: the others cannot be in a scope.`)
    this.#addKey(id, { ...more, notes, scope, isWider })
  }

  #addKey(
    id: string,
    {
      secret,
      member,
      owner,
      notes,
      isWider = false,
      ...more
    }: {
      secret: unknown
      member: Member
      owner: string
      name: string
      notes: string[]
      expires_at?: string
      scope?: NonNullable<KeyEntry['scope']>
      isWider?: boolean
    },
  ): undefined {
    const obstacle = !new RegExp(ACCESS_KEY_ID).test(id)
      ? 'Access keys here have 3 to 128 letters, digits, ., _ and - as their ID.'
      : typeof secret !== 'string' || secret.length === 0
        ? 'Its secret is not in the export.'
        : !new RegExp(SECRET_ACCESS_KEY).test(secret)
          ? 'Its secret has characters, or a length, that access keys here do not have.'
          : this.#keys.some((key) => key.access_key_id === id)
            ? 'There is another one with this ID.'
            : member.keys >= MOST_KEYS
              ? `Its owner has ${MOST_KEYS} others, the most that a user can have.`
              : undefined
    if (obstacle !== undefined) return this.#say('access key', id, 'not', obstacle)
    member.keys++
    const { name, ...limits } = more
    this.#keys.push({
      access_key_id: id,
      secret_access_key: secret as string,
      name: nameOf(name),
      user: member.email,
      ...limits,
    })
    const what = `A key of ${owner}${limits.scope ? ', limited to a scope' : ''}${
      limits.expires_at ? `, until ${limits.expires_at}` : ''
    }.`
    const verdict = isWider ? 'wider' : notes.length > 0 ? 'narrower' : 'exact'
    this.#say('access key', id, verdict, what, ...notes, ...(isWider ? [DETAILS] : []))
  }

  #addPolicies(): void {
    for (const [name, statements] of this.#policies) {
      const losses = this.#losses.get(name)
      if (!losses) {
        this.#say('policy', name, 'not', 'It is attached to no user that is imported.')
        continue
      }
      const made = [...(this.#made.get(name) ?? [])]
      if (made.length === 0) {
        const isOnlyDenying = statements.every(({ allows }) => !allows)
        const why = isOnlyDenying
          ? 'It only denies: what it may be about is left out of the other policies of its users.'
          : 'Nothing of it can be granted.'
        this.#say('policy', name, 'not', why, ...losses)
        continue
      }
      const lesser = this.#wider.has(name) ? [DETAILS] : []
      const verdict = lesser.length > 0 ? 'wider' : losses.size > 0 ? 'narrower' : 'exact'
      const groups = `The group${made.length === 1 ? '' : 's'} ${shortList(made, 10)}.`
      this.#say('policy', name, verdict, groups, ...lesser, ...losses)
    }
  }

  #addGroups(): void {
    for (const [name, { status, members }] of this.#iam.groups ?? []) {
      const policies = namesIn(this.#iam.group_mappings?.get(name))
      const unknown = textsOf(members ?? []).filter((one) => !this.#members.has(one))
      const lost = unknown.length > 0 ? [`Not imported: ${shortList(unknown)}.`] : []
      if (status !== 'enabled') this.#say('group', name, 'narrower', 'Disabled: its members have no permissions.')
      else if (policies.length === 0) this.#say('group', name, 'not', 'No policy is attached to it.')
      else
        this.#say(
          'group',
          name,
          lost.length > 0 ? 'narrower' : 'exact',
          `Its members are in the groups for ${shortList(policies, 10)}.`,
          ...lost,
        )
    }
  }

  /** Reports what is attached to those who are not in the export. */
  #addMappings(): void {
    const { user_mappings, group_mappings, stsuser_mappings, users, groups } = this.#iam
    const report = (name: string, mapped: Fields, what: string) =>
      this.#say('identity', name, 'not', `${what} Its policies: ${shortList(namesIn(mapped), 10) || 'none'}.`)
    for (const [name, mapped] of user_mappings ?? [])
      if (!users?.has(name)) report(name, mapped, 'A user who is not in the export.')
    for (const [name, mapped] of group_mappings ?? [])
      if (!groups?.has(name))
        report(name, mapped, 'A group of LDAP or OpenID: the settings of single sign-on map its members to groups.')
    for (const [name, mapped] of stsuser_mappings ?? [])
      report(name, mapped, 'An identity of LDAP or OpenID: it gets its account when it signs in.')
  }
}

const DETAILS = 'Wider by tags, attributes and locks of objects and by unfinished uploads (--with-details).'
const HINT = 'With --with-details, more of it is granted.'
/** Notes on users that say that something is missing. */
const NARROWING = /^(There is no|Nothing of the) policy/
/** What MinIO itself writes into the claims of a service account. */
const OWN_CLAIMS = /^(accessKey|parent|sa-policy|sessionPolicy.*|exp|sub|iss|aud|iat|nbf|jti)$/

/** The names of the policies in a mapping. */
const namesIn = (mapped: Fields | undefined): string[] =>
  typeof mapped?.policy === 'string' ? mapped.policy.split(',').filter((one) => one.trim() !== '') : []

/** A name of MinIO's as ours can have it. */
const nameOf = (name: string): string =>
  isName(name)
    ? name
    : [...name.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')].slice(0, 80).join('').trim() || '-'

/** When a key expires; null: never, undefined: it cannot be read. MinIO writes the year 1 or 1970 for never. */
function expiryOf(value: unknown): Date | null | undefined {
  if (value === undefined || value === null) return null
  const time = typeof value === 'string' ? new Date(value) : undefined
  if (!time || Number.isNaN(time.getTime())) return undefined
  return time.getTime() <= 0 ? null : time
}

/** Whether a key's own policy says nothing at all, which in MinIO means that of its owner. */
const isEmptyPolicy = ({ Version, Statement: list, ID }: Fields): boolean =>
  !Version && (list === undefined || list === null) && !ID

/** Whether policies allow everything in the service and on all buckets, and deny nothing. */
const isAllPowerful = (statements: readonly Statement[]): boolean =>
  statements.every(({ allows }) => allows) &&
  ['admin:*', 's3:*'].every((action) =>
    statements.some(
      (one) =>
        one.obstacle === undefined &&
        (one.actions.includes(action) || one.actions.includes('*')) &&
        (action === 'admin:*' ? one.everywhere || one.resources.includes('*') : one.resources.includes('*')),
    ),
  )

/** A translation as the grants of a group. */
const grantsOf = ({ grants }: Translation): GroupEntry['grants'] =>
  grants.slice(0, MOST_GRANTS).map(({ bucket, prefix, actions }) => ({ bucket_pattern: bucket, prefix, actions }))

/** A translation as the scope of a key, as far as its places can be in one. */
const scopeOf = ({ grants }: Translation): Grant[] =>
  grants.filter(({ bucket }) => new RegExp(SCOPE_BUCKET).test(bucket)).slice(0, MOST_PLACES_OF_SCOPE)

const isSame = (one: Translation, other: Translation): boolean =>
  JSON.stringify(one.grants) === JSON.stringify(other.grants)
