import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { MinioExport } from '../../cli/minio/read.ts'
import { translateExport } from '../../cli/minio/translate.ts'
import type { PoliciesInForce } from '../../server/iam/asker.ts'
import { permits } from '../../server/iam/decide.ts'
import { type Policy as Compiled, readPolicy } from '../../server/iam/document.ts'
import { userArn } from '../../server/iam/names.ts'

// What MinIO decides, written from its documentation: who has which policies, and what these allow.

interface Statement {
  Effect: 'Allow' | 'Deny'
  Action?: string[]
  NotAction?: string[]
  Resource?: string[]
  NotResource?: string[]
  Condition?: object
}
interface Policy {
  Version: string
  Statement: Statement[] | null
}
interface ServiceAccount {
  parent: string
  accessKey: string
  secretKey: string
  claims: { [name: string]: string }
  sessionPolicy: Policy | null
  status: 'on' | 'off'
  expiration: string
}
interface World {
  policies: { [name: string]: Policy }
  users: { [name: string]: { secretKey: string; status: 'enabled' | 'disabled' } }
  groups: { [name: string]: { status: 'enabled' | 'disabled'; members: string[] } }
  svcaccts: { [id: string]: ServiceAccount }
  user_mappings: { [name: string]: { policy: string } }
  group_mappings: { [name: string]: { policy: string } }
}

/** A variable, as policies write it. */
const variable = (name: string) => `\${${name}}`

const compiled = new Map<string, RegExp>()
function wild(pattern: string): RegExp {
  const known = compiled.get(pattern)
  if (known) return known
  const literal = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
  const made = new RegExp(`^${literal.replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`)
  compiled.set(pattern, made)
  return made
}
const matchesAny = (patterns: readonly string[], text: string) => patterns.some((one) => wild(one).test(text))
const withUser = (resource: string, user: string) =>
  resource.replace('arn:aws:s3:::', '').replaceAll(variable('aws:username'), () => user)
const resourceMatches = (resource: string, path: string, user: string): boolean => {
  const pattern = withUser(resource, user)
  return wild(pattern).test(path) || pattern === path.replace(/\/$/, '')
}

/** What is known of every request here. */
const KNOWN: { [key: string]: string } = { 'aws:SecureTransport': 'true', 'aws:SourceIp': '10.1.2.3' }
/** Whether the conditions of a statement hold: those that are generated have one value for each key. */
const holds = ({ Condition = {} }: Statement, user: string): boolean =>
  Object.entries(Condition).every(([operator, keys]) =>
    Object.entries(keys as { [key: string]: string }).every(([key, value]) => {
      const given = key === 'aws:username' ? user : KNOWN[key]
      const wanted = value.replaceAll(variable('aws:username'), () => user)
      const isSame =
        given !== undefined &&
        (operator.endsWith('Like')
          ? wild(wanted).test(given)
          : operator === 'IpAddress'
            ? value === '10.0.0.0/8'
            : given === wanted)
      return operator.includes('Not') ? !isSame : isSame
    }),
  )

function applies(statement: Statement, action: string, path: string, user: string): boolean {
  const { Action, NotAction, Resource, NotResource } = statement
  // In newer releases, who may get a version may get the object.
  const implied = action === 's3:GetObject' && statement.Effect === 'Deny' ? ['s3:GetObjectVersion'] : []
  if (Action && ![action, ...implied].some((one) => matchesAny(Action, one))) return false
  if (NotAction && matchesAny(NotAction, action)) return false
  const isOfService = Action?.some((one) => one.startsWith('admin:')) ?? false
  if (!isOfService && Resource && !Resource.some((one) => resourceMatches(one, path, user))) return false
  if (!isOfService && NotResource?.some((one) => resourceMatches(one, path, user))) return false
  return holds(statement, user)
}

type Answer = 'allow' | 'deny' | 'none'
function evaluate(policies: readonly Policy[], action: string, path: string, user: string): Answer {
  const all = policies.flatMap(({ Statement: list }) => list ?? [])
  const found = all.filter((one) => applies(one, action, path, user))
  if (found.some(({ Effect }) => Effect === 'Deny')) return 'deny'
  return found.length > 0 ? 'allow' : 'none'
}

/** The names of the policies that a user has. */
function namesOf(world: World, user: string): string[] {
  if (world.users[user]?.status !== 'enabled') return []
  const groups = Object.entries(world.groups).filter(([, { members }]) => members.includes(user))
  if (groups.some(([, { status }]) => status !== 'enabled')) return []
  const mapped = [world.user_mappings[user], ...groups.map(([name]) => world.group_mappings[name])]
  return mapped.flatMap((one) => one?.policy.split(',') ?? [])
}
const policiesOf = (world: World, user: string): Policy[] =>
  namesOf(world, user).flatMap((name) => world.policies[name] ?? [])

/** Whether MinIO lets a user, or one of their keys, do an action at a path: `bucket/` or `bucket/key`. */
function minioAllows(
  world: World,
  { user, key }: { user: string; key?: ServiceAccount },
  action: string,
  path: string,
) {
  if (key && (key.status !== 'on' || (Date.parse(key.expiration) > 0 && Date.parse(key.expiration) <= NOW.getTime())))
    return false
  if (world.users[user]?.status !== 'enabled') return false
  const own = evaluate(policiesOf(world, user), action, path, user)
  // Versions may be deleted by whoever may delete objects, unless that is denied; in a key's own policy it must be allowed.
  const isAllowed = own === 'allow' || (own === 'none' && action === 's3:DeleteObjectVersion')
  if (!isAllowed || !key?.sessionPolicy || (!key.sessionPolicy.Version && !key.sessionPolicy.Statement))
    return isAllowed
  return evaluate([key.sessionPolicy], action, path, user) === 'allow'
}

/** Whether a policy of a user, or of their key, denies an action. */
const minioDenies = (
  world: World,
  { user, key }: { user: string; key?: ServiceAccount },
  action: string,
  path: string,
) =>
  [policiesOf(world, user), key?.sessionPolicy ? [key.sessionPolicy] : []].some(
    (policies) => evaluate(policies, action, path, user) === 'deny',
  )

/** What MinIO has to allow for one of our actions, and what it must not deny. */
interface Needed {
  /** All of one of these. */
  any: string[][]
  undenied?: string[]
}
const same = (...actions: string[]) =>
  Object.fromEntries(actions.map((name): [string, Needed] => [s3(name), { any: [[s3(name)]] }]))
/** Those that MinIO asks for under the same name. */
const SAME = {
  bucket: same(
    ...[
      'ListBucket',
      'GetBucketLocation',
      'CreateBucket',
      'DeleteBucket',
      'PutBucketPolicy',
      'PutLifecycleConfiguration',
    ],
    'PutBucketObjectLockConfiguration',
  ),
  object: same(
    ...['GetObject', 'PutObject', 'DeleteObject', 'GetObjectTagging', 'PutObjectRetention', 'PutObjectLegalHold'],
    ...['GetObjectAttributes', 'AbortMultipartUpload', 'BypassGovernanceRetention'],
  ),
}
/** Those for which it asks otherwise, and whether a request for a bucket or an object does. */
const OTHERS: { [level in 'bucket' | 'object']: { [action: string]: Needed } } = {
  bucket: {
    's3:ListBucketVersions': { any: [['s3:ListBucketVersions'], ['s3:ListBucket']] },
    's3:PutBucketCORS': { any: [['s3:PutBucketCors', 's3:DeleteBucketCors']] },
  },
  object: {
    's3:GetObjectVersion': { any: [['s3:GetObject']], undenied: ['s3:GetObjectVersion'] },
    's3:DeleteObjectVersion': { any: [['s3:DeleteObject', 's3:DeleteObjectVersion']] },
    's3:GetObjectVersionTagging': { any: [['s3:GetObjectTagging']], undenied: ['s3:GetObjectVersionTagging'] },
    's3:PutObjectVersionTagging': { any: [['s3:PutObjectTagging']], undenied: ['s3:PutObjectVersionTagging'] },
  },
}
function s3(name: string): string {
  return `s3:${name}`
}

const NOW = new Date('2026-06-01T00:00:00Z')
const BUCKETS = ['photos', 'photos-old', 'logs', 'logs-2026', 'a', 'alice', 'x.y']
const KEYS = ['a', 'a/b', 'a/b/', 'a/b/c', 'ab', 'team/x', 'team2/x', 'alice/1', 'bob/1', 'x.txt', 'b/photos', 'ä/?*']

interface Named {
  [field: string]: unknown
}
/** Who asks with the result: the same people and keys as in MinIO, and whether all that they may came over. */
function actorsOf(world: World) {
  const { configuration, items } = translateExport(exportOf(world), {
    renamed: new Map(),
    leftOut: new Set(),
    emailDomain: 'example.org',
    rootUser: undefined,
    label: 'MinIO',
    administrators: false,
    publicAccess: false,
    now: NOW,
  })
  const compile = (document: unknown) => readPolicy(JSON.stringify(document), { of: 'identity' })
  const managed = new Map<string, Compiled>(
    (configuration.identity_policies ?? []).map(({ name, document }: Named) => [String(name), compile(document)]),
  )
  const policiesOf = ({ attached_policies: attached, inline_policies: inline }: Named): Compiled[] => [
    ...((attached ?? []) as string[]).map((name) => managed.get(name) ?? assert.fail(`no policy ${name}`)),
    ...Object.values((inline ?? {}) as object).map(compile),
  ]
  const groups = new Map((configuration.groups ?? []).map((group: Named) => [String(group.name), policiesOf(group)]))
  // Names that only differ in case are one name in the service; what is built in has its own.
  for (const names of [
    [...groups.keys()],
    [...managed.keys()],
    (configuration.users ?? []).map(({ email }) => String(email)),
  ]) {
    const folded = names.map((name) => name.toLowerCase())
    assert.equal(new Set(folded).size, names.length, names.join())
    assert.equal(folded.includes('administrators') || folded.includes('public'), false)
  }
  const users = new Map((configuration.users ?? []).map((user) => [String(user.email), user]))
  const own = (email: string): Compiled[] => {
    const user = users.get(email)
    if (!user || user.is_active === false) return []
    const inherited = (user.groups as string[]).flatMap((name) => groups.get(name) ?? assert.fail(`no group ${name}`))
    return [...policiesOf(user), ...inherited]
  }
  const isExact = (kind: string, name: string) =>
    items.find((one) => one.kind === kind && one.name === name)?.verdict === 'exact'
  const isWhole = (user: string) =>
    isExact('user', user) && namesOf(world, user).every((name) => isExact('policy', name) || !world.policies[name])
  const people = Object.keys(world.users)
    .filter((user) => users.has(`${user}@example.org`))
    .map((user) => {
      const email = `${user}@example.org`
      return { who: { user }, policies: inForce(email, own(email)), isWhole: isWhole(user) }
    })
  const keys = (configuration.access_keys ?? []).map((entry) => {
    const id = String(entry.access_key_id)
    const key = world.svcaccts[id]
    const email = String(entry.user)
    if (key) assert.equal(entry.secret_access_key, key.secretKey)
    return {
      who: key ? { user: key.parent, key } : { user: id },
      policies: inForce(email, own(email), entry.policy ? compile(entry.policy) : undefined),
      isWhole: isWhole(key?.parent ?? id) && isExact('access key', id),
    }
  })
  return [...people, ...keys]
}

/** How the service judges a request of somebody with these policies. */
function inForce(email: string, ofCaller: readonly Compiled[], ofSession?: Compiled): PoliciesInForce {
  const known = new Map(
    Object.entries({ ...KNOWN, 'aws:username': email }).map(([key, value]) => [key.toLowerCase(), [value]]),
  )
  return {
    principal: { kind: 'user', user: email, arn: userArn({ email }), canonicalId: () => null },
    ofBucket: () => undefined,
    ofCaller,
    known: (key) => known.get(key),
    names: { list: 's3:ListBucket' },
    ...(ofSession && { ofSession }),
  }
}

const exportOf = (world: World): MinioExport => ({
  iam: Object.fromEntries(
    Object.entries(world).map(([file, entries]) => [
      file,
      new Map(Object.entries(JSON.parse(JSON.stringify(entries)))),
    ]),
  ),
  buckets: new Map(),
  others: [],
})

/** Everything that is allowed here and not in MinIO, or not here of those who are to have all, and how much is allowed. */
function compare(world: World): { wider: string[]; narrower: string[]; allowed: number } {
  const wider: string[] = []
  const narrower: string[] = []
  let allowed = 0
  for (const { who, policies, isWhole } of actorsOf(world))
    for (const level of ['bucket', 'object'] as const)
      for (const [action, { any, undenied = [] }] of Object.entries({ ...SAME[level], ...OTHERS[level] }))
        for (const bucket of BUCKETS)
          for (const key of level === 'bucket' ? [''] : KEYS) {
            const isAllowed = permits({ groups: [], policies }, { right: 'read', action, exactly: true }, bucket, key)
            const isInMinio =
              any.some((all) => all.every((one) => minioAllows(world, who, one, `${bucket}/${key}`))) &&
              !undenied.some((one) => minioDenies(world, who, one, `${bucket}/${key}`))
            const what = `${JSON.stringify(who)} ${action} ${bucket}/${key}`
            if (isAllowed) allowed++
            if (isAllowed && !isInMinio) wider.push(what)
            if (!isAllowed && isInMinio && isWhole && action in SAME[level]) narrower.push(what)
          }
  return { wider, narrower, allowed }
}

const actions = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('s3:*', 's3:Get*', 's3:Put*', 's3:List*', 's3:*Object*', '*') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[SAME.bucket, SAME.object, OTHERS.bucket, OTHERS.object].flatMap((one) =>
        Object.values(one).flatMap(({ any, undenied = [] }) => [...any.flat(), ...undenied]),
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      's3:GetObjectVersion',
      's3:?utObject',
      'admin:*',
      'admin:CreateUser',
      's3:GetBucketLocation',
    ),
  },
)
const bucketPart = fc.constantFrom(
  ...[
    '*',
    'photos',
    'photos*',
    'p*',
    'logs-*',
    '*-2026',
    'p*o*s*',
    'a',
    'a*',
    'alice',
    variable('aws:username'),
    'phot?s',
    'x.y',
  ],
)
const keyPart = fc.constantFrom(
  ...[
    '',
    '/',
    '/*',
    '/a',
    '/a*',
    '/a/*',
    '/a/b',
    '/a/b/*',
    '/team*',
    '/*.txt',
    '/a/*/c',
    `/${variable('aws:username')}/*`,
    '/?*',
    '/**',
  ],
  ...[`/${variable('jwt:sub')}/*`, '/b/photos*', '//*'],
)
const resource = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(bucketPart, keyPart).map(([bucket, key]) => `arn:aws:s3:::${bucket}${key}`) },
  { weight: 1, arbitrary: fc.constantFrom('arn:aws:s3:::*', '*') },
)
const CONDITIONS = [
  { Bool: { 'aws:SecureTransport': 'true' } },
  { StringEquals: { 's3:prefix': 'never' } },
  { StringNotLike: { 's3:prefix': 'a/*' } },
  { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' }, Bool: { 'aws:SecureTransport': 'true' } },
  { StringEquals: { 'aws:username': 'alice' } },
  { StringNotEquals: { 'aws:username': 'alice' } },
  { StringLike: { 'aws:username': `${variable('aws:username')}*` } },
  { StringLike: { 's3:prefix': `${variable('aws:username')}/*` } },
  // Nothing here is like these.
  { StringEquals: { 'ldap:username': 'alice' } },
  { StringNotEquals: { 'aws:principaltype': 'User' } },
]
const statement = (deny: number): fc.Arbitrary<Statement> =>
  fc
    .record({
      Effect: fc.oneof(
        { weight: 10 - deny, arbitrary: fc.constant('Allow' as const) },
        { weight: deny, arbitrary: fc.constant('Deny' as const) },
      ),
      isNot: fc.integer({ min: 0, max: 19 }),
      actions: fc.uniqueArray(actions, { minLength: 1, maxLength: 12 }),
      resources: fc.uniqueArray(resource, { minLength: 1, maxLength: 3 }),
      condition: fc.option(fc.constantFrom(...CONDITIONS), { freq: 3, nil: undefined }),
    })
    .map(({ Effect, isNot, actions: names, resources, condition }) => ({
      Effect,
      ...(isNot === 0 ? { NotAction: names } : { Action: names }),
      ...(isNot === 1 ? { NotResource: resources } : { Resource: resources }),
      ...(condition ? { Condition: condition } : {}),
    }))
const everything: Statement = { Effect: 'Allow', Action: ['s3:*'], Resource: ['arn:aws:s3:::*'] }
const policy = (deny: number): fc.Arbitrary<Policy> =>
  fc
    .tuple(fc.array(statement(deny), { minLength: 1, maxLength: 3 }), fc.integer({ min: 0, max: 3 }))
    // What is denied shows where much is allowed.
    .map(([list, wide]) => ({ Version: '2012-10-17', Statement: wide === 0 ? [everything, ...list] : list }))

const POLICIES = ['p1', 'p2', 'P2', 'Administrators', 'denying']
const USERS = ['alice', 'bob', 'Alice', 'carol']
const GROUPS = ['staff', 'guests']
const mapped = fc
  .uniqueArray(fc.constantFrom(...POLICIES, 'missing'), { maxLength: 3 })
  .map((names) => ({ policy: names.join(',') }))
const status = fc.constantFrom('enabled' as const, 'enabled' as const, 'enabled' as const, 'disabled' as const)
const some = <T>(names: readonly string[], value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 }).map((list) => Object.fromEntries(list))
const serviceAccount = fc.record({
  parent: fc.constantFrom(...USERS, 'nobody'),
  secretKey: fc.constant('a secret that is long'.replaceAll(' ', '-')),
  session: fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant({ Version: '', Statement: null }) },
    { weight: 4, arbitrary: policy(4) },
  ),
  status: fc.constantFrom('on' as const, 'on' as const, 'off' as const),
  expiration: fc.constantFrom(
    '1970-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '2026-05-31T00:00:00Z',
    '2027-01-01T00:00:00Z',
  ),
})
const worlds: fc.Arbitrary<World> = fc
  .record({
    policies: fc.record(Object.fromEntries(POLICIES.map((name) => [name, policy(name === 'denying' ? 9 : 1)]))),
    users: fc.record(
      Object.fromEntries(
        USERS.map((name) => [name, fc.record({ secretKey: fc.constant(`secret-of-${name}`), status })]),
      ),
    ),
    groups: some(GROUPS, fc.record({ status, members: fc.uniqueArray(fc.constantFrom(...USERS), { maxLength: 3 }) })),
    user_mappings: some(USERS, mapped),
    group_mappings: some(GROUPS, mapped),
    keys: fc.array(serviceAccount, { maxLength: 3 }),
  })
  .map(({ keys, ...world }) => ({
    ...(world as Omit<World, 'svcaccts'>),
    svcaccts: Object.fromEntries(
      keys.map(({ session, ...key }, i) => [
        `KEY${i}`,
        {
          ...key,
          accessKey: `KEY${i}`,
          sessionPolicy: session,
          claims: { parent: key.parent, 'sa-policy': session ? 'embedded-policy' : 'inherited-policy' },
        },
      ]),
    ),
  }))

describe('what is imported from MinIO', () => {
  it('lets nobody, and no key, do what MinIO does not let them, and everyone the rest', () => {
    let allowed = 0
    let worldsWithAny = 0
    fc.assert(
      fc.property(worlds, (world) => {
        const found = compare(world)
        allowed += found.allowed
        worldsWithAny += Number(found.allowed > 0)
        assert.deepEqual(found, { ...found, wider: [], narrower: [] })
      }),
      { numRuns: 200 },
    )
    // Nothing at all would not be wider either.
    assert.ok(worldsWithAny > 20 && allowed > 10_000, `${worldsWithAny} worlds, ${allowed} answers`)
  })

  it('the comparison notices what is too much, and what is missing', () => {
    const world: World = {
      groups: {},
      svcaccts: {},
      group_mappings: {},
      policies: {
        p1: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: ['s3:*'], Resource: ['arn:aws:s3:::photos/*'] }],
        },
      },
      users: { alice: { secretKey: 'secret-of-alice', status: 'enabled' } },
      user_mappings: { alice: { policy: 'p1' } },
    }
    const { allowed, ...differences } = compare(world)
    assert.deepEqual(differences, { wider: [], narrower: [] })
    assert.ok(allowed > 0)
    const [{ who, policies, isWhole } = assert.fail()] = actorsOf(world)
    const may = (bucket: string, action = 's3:GetObject') =>
      permits({ groups: [], policies }, { right: 'read', action, exactly: true }, bucket, 'a/b')
    assert.equal(isWhole, true)
    assert.deepEqual([may('photos'), may('logs'), may('photos', 's3:GetObjectVersion')], [true, false, true])
    assert.equal(minioAllows(world, who, 's3:GetObject', 'photos/a/b'), true)
    assert.equal(minioAllows(world, who, 's3:GetObject', 'logs/a/b'), false)
    assert.equal(permits({ groups: [], policies }, 'share', 'photos', 'a/b'), false)
  })
})
