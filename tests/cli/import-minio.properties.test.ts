import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { MinioExport } from '../../cli/minio/read.ts'
import { translateExport } from '../../cli/minio/translate.ts'
import {
  type BucketAction,
  bucketActions,
  decide,
  type GrantingGroup,
  type ScopeEntry,
  withinScope,
} from '../../contract/permissions.ts'

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

/** Whether a condition holds: of those that are generated, one does and the other does not. */
const holds = ({ Condition }: Statement) => Condition === undefined || 'Bool' in Condition

function applies(statement: Statement, action: string, path: string, user: string): boolean {
  const { Action, NotAction, Resource, NotResource } = statement
  // In newer releases, who may get a version may get the object.
  const implied = action === 's3:GetObject' && statement.Effect === 'Deny' ? ['s3:GetObjectVersion'] : []
  if (Action && ![action, ...implied].some((one) => matchesAny(Action, one))) return false
  if (NotAction && matchesAny(NotAction, action)) return false
  const isOfService = Action?.some((one) => one.startsWith('admin:')) ?? false
  if (!isOfService && Resource && !Resource.some((one) => resourceMatches(one, path, user))) return false
  if (!isOfService && NotResource?.some((one) => resourceMatches(one, path, user))) return false
  return holds(statement)
}

type Answer = 'allow' | 'deny' | 'none'
function evaluate(policies: readonly Policy[], action: string, path: string, user: string): Answer {
  const all = policies.flatMap(({ Statement: list }) => list ?? [])
  const found = all.filter((one) => applies(one, action, path, user))
  if (found.some(({ Effect }) => Effect === 'Deny')) return 'deny'
  return found.length > 0 ? 'allow' : 'none'
}

function policiesOf(world: World, user: string): Policy[] {
  if (world.users[user]?.status !== 'enabled') return []
  const groups = Object.entries(world.groups).filter(([, { members }]) => members.includes(user))
  if (groups.some(([, { status }]) => status !== 'enabled')) return []
  const names = [world.user_mappings[user], ...groups.map(([name]) => world.group_mappings[name])]
  return names.flatMap((one) => one?.policy.split(',') ?? []).flatMap((name) => world.policies[name] ?? [])
}

/** Whether MinIO lets a user, or one of their keys, do an action at a path: `bucket/` or `bucket/key`. */
function minioAllows(
  world: World,
  { user, key }: { user: string; key?: ServiceAccount },
  action: string,
  path: string,
) {
  if (key && (key.status !== 'on' || (Date.parse(key.expiration) > 0 && Date.parse(key.expiration) <= NOW.getTime())))
    return false
  const own = evaluate(policiesOf(world, user), action, path, user)
  // Versions may be deleted by whoever may delete objects, unless that is denied; in a key's own policy it must be allowed.
  const isAllowed = own === 'allow' || (own === 'none' && action === 's3:DeleteObjectVersion')
  if (!isAllowed || !key?.sessionPolicy || (!key.sessionPolicy.Version && !key.sessionPolicy.Statement))
    return isAllowed
  return evaluate([key.sessionPolicy], action, path, user) === 'allow'
}

/** What one may do with each of our actions, as MinIO calls it: on the bucket, and on the objects. */
const meaning: { [A in BucketAction]: { bucket: string[]; objects: string[] } | undefined } = {
  list: { bucket: ['s3:ListBucket'], objects: [] },
  read: {
    bucket: [],
    objects: ['GetObject', 'GetObjectTagging', 'GetObjectAttributes', 'GetObjectRetention', 'GetObjectLegalHold'].map(
      s3,
    ),
  },
  write: {
    // Of uploads, only one's own are listed.
    bucket: [],
    objects: [
      ...['PutObject', 'PutObjectTagging', 'DeleteObjectTagging', 'PutObjectRetention', 'AbortMultipartUpload'].map(s3),
      's3:ListMultipartUploadParts',
    ],
  },
  delete: { bucket: [], objects: ['s3:DeleteObject', 's3:DeleteObjectVersion'] },
  // Nothing of MinIO's is like it.
  share: undefined,
  policy: { bucket: ['PutLifecycleConfiguration', 'GetLifecycleConfiguration'].map(s3), objects: [] },
  manage: {
    bucket: [
      ...['PutBucketVersioning', 'PutBucketObjectLockConfiguration', 'DeleteBucket', 'PutBucketPolicy'].map(s3),
      ...['DeleteBucketPolicy', 'PutBucketTagging', 'PutBucketCors', 'DeleteBucketCors'].map(s3),
      'admin:SetBucketQuota',
    ],
    objects: ['PutObjectLegalHold', 'DeleteObject', 'DeleteObjectVersion'].map(s3),
  },
  create: {
    bucket: ['CreateBucket', 'PutBucketVersioning', 'PutBucketObjectLockConfiguration'].map(s3),
    objects: [],
  },
  bypass_lock: { bucket: [], objects: ['s3:BypassGovernanceRetention'] },
}
function s3(name: string): string {
  return `s3:${name}`
}

const NOW = new Date('2026-06-01T00:00:00Z')
const BUCKETS = ['photos', 'photos-old', 'logs', 'logs-2026', 'a', 'alice', 'x.y']
const KEYS = ['a', 'a/b', 'a/b/', 'a/b/c', 'ab', 'team/x', 'team2/x', 'alice/1', 'bob/1', 'x.txt', 'b/photos', 'ä/?*']

/** What may be done with the result, by whom: the same people and keys as in MinIO. */
function actorsOf(world: World) {
  const { configuration } = translateExport(exportOf(world), {
    renamed: new Map(),
    leftOut: new Set(),
    emailDomain: 'example.org',
    rootUser: undefined,
    label: 'MinIO',
    administrators: false,
    withDetails: false,
    now: NOW,
  })
  interface Named {
    [field: string]: unknown
  }
  const groups = new Map(
    (configuration.groups ?? []).map((group: Named, i): [string, GrantingGroup] => [
      String(group.name),
      {
        id: String(i),
        name: String(group.name),
        global: [],
        grants: (group.grants as { bucket_pattern: string; prefix: string; actions: BucketAction[] }[]).map(
          (grant, j) => ({ id: `${i} ${j}`, ...grant }),
        ),
      },
    ]),
  )
  // Names that only differ in case are one name in the service; what is built in has its own.
  for (const names of [[...groups.keys()], (configuration.users ?? []).map(({ email }) => String(email))]) {
    const folded = names.map((name) => name.toLowerCase())
    assert.equal(new Set(folded).size, names.length, names.join())
    assert.equal(folded.includes('administrators') || folded.includes('public'), false)
  }
  const users = new Map((configuration.users ?? []).map((user) => [String(user.email), user]))
  const own = (email: string): GrantingGroup[] => {
    const user = users.get(email)
    if (!user || user.is_active === false) return []
    return (user.groups as string[]).map((name) => {
      const group = groups.get(name)
      assert.ok(group, `the group ${name} is not in the configuration`)
      return group
    })
  }
  const people = Object.keys(world.users).map((user) => ({
    who: { user },
    groups: users.get(`${user}@example.org`) ? own(`${user}@example.org`) : [],
  }))
  const keys = (configuration.access_keys ?? []).map((entry) => {
    const id = String(entry.access_key_id)
    const key = world.svcaccts[id]
    const of = own(String(entry.user))
    const scoped = entry.scope ? withinScope(of, entry.scope as ScopeEntry[]) : of
    if (key) assert.equal(entry.secret_access_key, key.secretKey)
    return { who: key ? { user: key.parent, key } : { user: id }, groups: scoped }
  })
  return [...people, ...keys]
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

/** Everything that is allowed here and not in MinIO, and how much is allowed. */
function compare(world: World): { wider: string[]; allowed: number } {
  const wider: string[] = []
  let allowed = 0
  for (const { who, groups } of actorsOf(world))
    for (const action of bucketActions)
      for (const bucket of BUCKETS)
        for (const key of ['', ...KEYS]) {
          if (!decide(groups, action, bucket, key).allowed) continue
          allowed++
          const needed = meaning[action]
          // Without a key, it is about the whole bucket.
          const keys = key === '' ? KEYS : [key]
          const missing = needed
            ? [
                ...needed.bucket.filter((one) => !minioAllows(world, who, one, `${bucket}/`)),
                ...needed.objects.filter((one) =>
                  keys.some((object) => !minioAllows(world, who, one, `${bucket}/${object}`)),
                ),
              ]
            : ['nothing is like it']
          if (missing.length > 0) wider.push(`${JSON.stringify(who)} ${action} ${bucket}/${key}: ${missing}`)
        }
  return { wider, allowed }
}

const actions = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('s3:*', 's3:Get*', 's3:Put*', 's3:List*', 's3:*Object*', '*') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...Object.values(meaning).flatMap((one) => [...(one?.bucket ?? []), ...(one?.objects ?? [])]),
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
      condition: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 1, 2),
    })
    .map(({ Effect, isNot, actions: names, resources, condition }) => ({
      Effect,
      ...(isNot === 0 ? { NotAction: names } : { Action: names }),
      ...(isNot === 1 ? { NotResource: resources } : { Resource: resources }),
      ...(condition === 1 ? { Condition: { Bool: { 'aws:SecureTransport': 'true' } } } : {}),
      ...(condition === 2 ? { Condition: { StringEquals: { 's3:prefix': 'never' } } } : {}),
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
  it('lets nobody, and no key, do what MinIO does not let them', () => {
    let allowed = 0
    let worldsWithAny = 0
    fc.assert(
      fc.property(worlds, (world) => {
        const found = compare(world)
        allowed += found.allowed
        worldsWithAny += Number(found.allowed > 0)
        assert.deepEqual(found.wider, [])
      }),
      { numRuns: 1000 },
    )
    // Nothing at all would not be wider either.
    assert.ok(worldsWithAny > 150 && allowed > 20_000, `${worldsWithAny} worlds, ${allowed} answers`)
  })

  it('the comparison notices a group with one grant too many', () => {
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
    const before = compare(world)
    assert.deepEqual(before.wider, [])
    assert.ok(before.allowed > 0)
    const [{ who, groups } = assert.fail()] = actorsOf(world)
    assert.equal(decide(groups, 'read', 'photos', 'a/b').allowed, true)
    assert.equal(minioAllows(world, who, 's3:GetObject', 'photos/a/b'), true)
    assert.equal(minioAllows(world, who, 's3:GetObject', 'logs/a/b'), false)
    assert.equal(decide(groups, 'read', 'logs', 'a/b').allowed, false)
    assert.equal(decide(groups, 'share', 'photos', 'a/b').allowed, false)
  })
})
