import { ACCESS_KEY_ID, type BucketAction, isEmail, SECRET_ACCESS_KEY } from '../../contract/names.ts'
import type { Person } from './conditions.ts'
import { Grantings, type Policies } from './grantings.ts'
import { folded, isName, Names, nameOf } from './names.ts'
import { translateFor } from './policies.ts'
import { type Fields, isFields, type MinioExport, textsOf } from './read.ts'
import { type Item, shortList } from './table.ts'

/** How exports are to be translated. */
export interface Choices {
  /** Makes addresses of users' names. */
  emailDomain: string | undefined
  /** Users who get the address of another name, by their own. */
  renamed: ReadonlyMap<string, string>
  /** What the names of groups and policies start with. */
  label: string
  /** The name of MinIO's root user, which is in no export. */
  rootUser: string | undefined
  /** Whether users who may do everything become administrators. */
  administrators: boolean
  now: Date
}

export interface PolicyEntry {
  name: string
  document: Fields
}
export interface GroupEntry extends Policies {
  name: string
  description: string
  grants?: { bucket_pattern: string; prefix: string; actions: BucketAction[] }[]
}
export interface UserEntry extends Policies {
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
  policy?: Fields
}
export interface Identities {
  identity_policies: PolicyEntry[]
  groups: GroupEntry[]
  users: UserEntry[]
  access_keys: KeyEntry[]
  items: Item[]
}

const ADMINISTRATORS = 'Administrators'
const MOST_GROUPS = 100
const MOST_KEYS = 50

/** Translates users, groups, policies and access keys. */
export const identitiesOf = (iam: MinioExport['iam'], choices: Choices): Identities =>
  new Translator(iam, choices).translateAll()

interface Member extends Person {
  email: string
  keys: number
}

class Translator {
  readonly #iam: MinioExport['iam']
  readonly #choices: Choices
  readonly #grantings: Grantings
  readonly #names = new Names()
  /** Our groups by the names of MinIO's. */
  readonly #groups = new Map<string, GroupEntry>()
  readonly #users: UserEntry[] = []
  readonly #keys: KeyEntry[] = []
  readonly #items: Item[] = []
  readonly #members = new Map<string, Member>()
  readonly #addresses = new Map<string, string>()

  constructor(iam: MinioExport['iam'], choices: Choices) {
    this.#iam = iam
    this.#choices = choices
    this.#grantings = new Grantings(iam.policies ?? new Map(), choices.label)
    // A group of MinIO's never becomes one of ours that is there already.
    for (const name of [ADMINISTRATORS, 'Public']) this.#names.next(name)
  }

  translateAll(): Identities {
    const { users = new Map(), svcaccts = new Map() } = this.#iam
    this.#addGroups()
    for (const [name, fields] of users) this.#addUser(name, fields)
    this.#addRoot()
    for (const [id, fields] of svcaccts) this.#addServiceAccount(id, fields)
    this.#addMappings()
    this.#items.push(...this.#grantings.items())
    const order: Item['kind'][] = ['policy', 'group', 'user', 'access key', 'identity']
    return {
      identity_policies: this.#grantings.entries(),
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

  /** Groups, with the policies that are attached to them and the same for all of their members. */
  #addGroups(): void {
    for (const [name, { status, members }] of this.#iam.groups ?? []) {
      const policies = namesIn(this.#iam.group_mappings?.get(name))
      if (status !== 'enabled') {
        this.#say('group', name, 'narrower', 'Disabled: its members have no permissions, and it is not made.')
        continue
      }
      const attached = this.#grantings.ofGroup(policies)
      const entry = this.#groupEntry(name, attached)
      this.#groups.set(name, entry)
      const unknown = textsOf(members ?? []).filter((one) => !this.#iam.users?.has(one))
      const notes = [
        `The group ${entry.name}.`,
        ...(policies.length === 0 ? ['No policy is attached to it.'] : []),
        ...(unknown.length > 0 ? [`Not imported: ${shortList(unknown)}.`] : []),
      ]
      this.#say('group', name, unknown.length > 0 ? 'narrower' : 'exact', ...notes)
    }
  }

  #groupEntry(name: string, attached_policies: string[]): GroupEntry {
    return {
      name: this.#names.next(`${this.#choices.label} ${nameOf(name)}`),
      description: `The group ${nameOf(name)} of MinIO.`,
      attached_policies,
    }
  }

  #addUser(name: string, { secretKey, status }: Fields): undefined {
    const email = this.#addressOf(name)
    if (typeof email !== 'string') return this.#say('user', name, 'not', email.obstacle)
    const isActive = status === 'enabled'
    const member: Member = { name, email, keys: 0, groups: this.#groupsOf(name).map(([group]) => group) }
    this.#members.set(name, member)
    const notes = [`${email}, without a password.`]
    const { groups, isWhole, ...policies } = this.#permissionsOf(member, notes)
    this.#users.push({
      email,
      display_name: nameOf(name),
      ...(isActive ? {} : { is_active: false as const }),
      groups,
      ...policies,
    })
    if (!isActive) notes.push('Disabled, as it was.')
    const attached = [...(policies.attached_policies ?? []), ...Object.keys(policies.inline_policies ?? {})]
    if (attached.length > 0) notes.push(`With ${shortList(attached, 10)}.`)
    if (groups.length > 0) notes.push(`In ${shortList(groups, 10)}.`)
    this.#say('user', name, isWhole ? 'exact' : 'narrower', ...notes)
    this.#addKey(name, { secret: secretKey, member, name, notes: [] })
  }

  /** The groups and policies of a user; notes say why there are none. */
  #permissionsOf(member: Member, notes: string[]): Policies & { groups: string[]; isWhole: boolean } {
    const none = { groups: [], attached_policies: [], inline_policies: {} }
    const inMinio = this.#groupsOf(member.name)
    const disabled = inMinio.filter(([, { status }]) => status !== 'enabled').map(([one]) => one)
    if (disabled.length > 0) {
      notes.push(`No permissions: ${shortList(disabled)} is disabled.`)
      return { ...none, isWhole: true }
    }
    const own = namesIn(this.#iam.user_mappings?.get(member.name))
    const ofGroups = inMinio.map(([group]) => namesIn(this.#iam.group_mappings?.get(group)))
    const granted = this.#grantings.ofPerson(member, own, ofGroups)
    notes.push(...granted.notes)
    if (granted.stopped) return { ...none, isWhole: false }
    const groups = inMinio.flatMap(([group]) => this.#groups.get(group)?.name ?? [])
    if (groups.length >= MOST_GROUPS) {
      notes.push('No permissions: they are in more groups than a user can be.')
      return { ...none, isWhole: false }
    }
    const all = [...own, ...ofGroups.flat()]
    if (all.length === 0) notes.push('No policy is attached.')
    const isAdministrator = this.#choices.administrators && this.#grantings.isAllPowerful(all)
    if (isAdministrator) notes.push('An administrator, who may do everything.')
    return {
      groups: [...(isAdministrator ? [ADMINISTRATORS] : []), ...groups],
      ...granted.policies,
      isWhole: granted.isWhole,
    }
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
    this.#groups.set(`root ${name}`, {
      name,
      description: 'What the root user of MinIO may do with buckets.',
      grants: [{ bucket_pattern: '*', prefix: '', actions: [...actions] }],
    })
    const groups = this.#choices.administrators ? [ADMINISTRATORS, name] : [name]
    this.#users.push({ email, display_name: nameOf(rootUser), groups })
    this.#members.set(rootUser, { name: rootUser, email, keys: 0, groups: [] })
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
    const translation = translateFor(sessionPolicy, member, true)
    if ('obstacle' in translation) return refuse(`Its own policy cannot be brought over: ${translation.obstacle}.`)
    const { document, notes } = translation
    if (document === null) return refuse(['Its own policy allows nothing that there is here.', ...notes].join(' '))
    this.#addKey(id, { ...more, notes, policy: document })
  }

  #addKey(
    id: string,
    {
      secret,
      member,
      notes,
      name,
      ...limits
    }: {
      secret: unknown
      member: Member
      name: string
      notes: readonly string[]
      expires_at?: string
      policy?: Fields
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
    this.#keys.push({
      access_key_id: id,
      secret_access_key: secret as string,
      name: nameOf(name),
      user: member.email,
      ...limits,
    })
    const what = `A key of ${member.name}${limits.policy ? ', limited by its own policy' : ''}${
      limits.expires_at ? `, until ${limits.expires_at}` : ''
    }.`
    this.#say('access key', id, notes.length > 0 ? 'narrower' : 'exact', what, ...notes)
  }

  /** What is attached to those who are not in the export: groups of an identity provider become ours, without members. */
  #addMappings(): void {
    const { user_mappings, group_mappings, stsuser_mappings, users, groups } = this.#iam
    const report = (name: string, mapped: Fields, what: string) =>
      this.#say('identity', name, 'not', `${what} Its policies: ${shortList(namesIn(mapped), 10) || 'none'}.`)
    for (const [name, mapped] of user_mappings ?? [])
      if (!users?.has(name)) report(name, mapped, 'A user who is not in the export.')
    for (const [name, mapped] of group_mappings ?? []) {
      if (groups?.has(name)) continue
      const lost = this.#grantings.lostOfGroup(namesIn(mapped))
      if (lost !== undefined) {
        report(name, mapped, `A group of LDAP or OpenID. It is not made: ${lost}`)
        continue
      }
      const entry = this.#groupEntry(name, this.#grantings.ofGroup(namesIn(mapped)))
      this.#groups.set(name, entry)
      const how = 'map its value in the claim of groups, or in the directory, to it in the settings (idp.group_mapping)'
      this.#say(
        'identity',
        name,
        'narrower',
        `A group of LDAP or OpenID: the group ${entry.name}, which has no members until you ${how}.`,
      )
    }
    for (const [name, mapped] of stsuser_mappings ?? [])
      report(name, mapped, 'An identity of LDAP or OpenID: it gets its account when it signs in.')
  }
}

/** What MinIO itself writes into the claims of a service account. */
const OWN_CLAIMS = /^(accessKey|parent|sa-policy|sessionPolicy.*|exp|sub|iss|aud|iat|nbf|jti)$/

/** The names of the policies in a mapping. */
const namesIn = (mapped: Fields | undefined): string[] =>
  typeof mapped?.policy === 'string' ? mapped.policy.split(',').filter((one) => one.trim() !== '') : []

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
