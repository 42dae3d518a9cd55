// Who has access, where policies have a say: what the list answers is what the decision says.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import type { OtherAccess, UserAccess } from '../../contract/bucket-access.ts'
import { type BucketAction, presets } from '../../contract/permissions.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

type At = { key?: string; prefix?: string }
type NewGrant = { bucket_pattern: string; prefix?: string; actions: BucketAction[] }
type Row = UserAccess | OtherAccess

const document = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement })
const userArn = (name: string) => `arn:aws:iam::000000000000:user/${name}@example.com`
/** What a policy says of the name of whoever asks. */
const OWN = `$${'{aws:username}'}`
const OFFICE = { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } }

describeEngines('who has access by policies', (engine, itOnce) => {
  let server: TestServer
  const ids = new Map<string, string>()
  const group = async (name: string, ...grants: NewGrant[]) =>
    (await server.admin.createGroup({ body: { name, grants } })).id
  const user = async (name: string, ...group_ids: string[]) => {
    const { id } = await server.admin.createUser({
      body: { email: `${name}@example.com`, display_name: name, group_ids },
    })
    ids.set(name, id)
    return id
  }
  const bucketPolicy = (bucket: string, ...statements: object[]) =>
    server.admin.putBucketPolicy({ params: { bucket }, body: { document: document(...statements) } })
  const inline = (kind: 'user' | 'group' | 'role', owner: string, name: string, ...statements: object[]) =>
    server.admin.putInlinePolicy({ params: { kind, owner, name }, body: { document: document(...statements) } })

  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const list = (bucket: string, at: At = {}) =>
    server.records([], async () => (await server.admin.listBucketAccess({ params: { bucket }, query: at })).items)
  const others = (bucket: string, at: At = {}) =>
    server.records([], async () => (await server.admin.listOtherBucketAccess({ params: { bucket }, query: at })).items)
  const rowOf = async (bucket: string, name: string, at: At = {}) =>
    (await list(bucket, at)).find(({ display_name }) => display_name === name)

  /** What somebody may: everywhere, in part, under conditions, and what a policy denies. */
  const may = (row: Row | undefined) =>
    row && [
      row.permissions.join(),
      row.permissions_in_part.join(),
      row.permissions_if.join(),
      row.permissions_denied.join(),
    ]
  /** Why, of one permission: what allows it, and what denies it. */
  const why = (row: Row | undefined, permission: BucketAction, action?: string) => {
    const decision = row?.decisions.find(
      (one) => one.permission === permission && (action === undefined || one.action === action),
    )
    const named = (at: number) => {
      const { kind, via, statement } = row?.reasons[at] ?? {}
      return statement ? `${statement.policy?.name ?? 'bucket'}: ${statement.sentence.text}` : `${kind} ${via?.group}`
    }
    return decision && [decision.effect, decision.by.map(named), decision.unless.map(named)]
  }

  it('names those whom a bucket policy allows, denies, or allows under conditions, and says by which statement', async () => {
    await server.admin.createBucket({ body: { name: 'photos' } })
    const viewers = await group('Viewers', { bucket_pattern: 'photos', actions: [...presets.viewer] })
    await user('ann')
    await user('ben', viewers)
    await user('cem', viewers)
    await user('dan')
    await user('eva')
    const all = 'arn:aws:s3:::photos/*'
    await bucketPolicy(
      'photos',
      { Sid: 'Ann', Effect: 'Allow', Principal: { AWS: userArn('ann') }, Action: 's3:GetObject', Resource: all },
      { Sid: 'Cem', Effect: 'Deny', Principal: { AWS: userArn('cem') }, Action: 's3:GetObject', Resource: all },
      {
        Sid: 'Office',
        Effect: 'Allow',
        Principal: { AWS: userArn('dan') },
        Action: 's3:PutObject',
        Resource: 'arn:aws:s3:::photos/in/*',
        Condition: OFFICE,
      },
      {
        Effect: 'Deny',
        Principal: { AWS: userArn('ben') },
        Action: 's3:GetObject',
        Resource: `${all.slice(0, -1)}x/*`,
      },
      { Effect: 'Deny', Principal: { AWS: userArn('eva') }, Action: 's3:*', Resource: all },
    )
    assert.deepEqual(may(await rowOf('photos', 'ann')), ['read', '', '', ''])
    assert.deepEqual(why(await rowOf('photos', 'ann'), 'read'), [
      'allowed',
      ['bucket: ann@example.com can read objects, on all objects of photos.'],
      [],
    ])
    // Older versions are another action, which nobody allowed.
    assert.equal(why(await rowOf('photos', 'ann'), 'read', 's3:GetObjectVersion'), undefined)
    assert.deepEqual(may(await rowOf('photos', 'cem')), ['list', '', '', 'read'])
    assert.deepEqual(why(await rowOf('photos', 'cem'), 'read'), [
      'denied',
      ['grant Viewers'],
      ['bucket: cem@example.com can never read objects, on all objects of photos.'],
    ])
    assert.deepEqual(may(await rowOf('photos', 'ben')), ['list', 'read', '', ''])
    assert.deepEqual(may(await rowOf('photos', 'ben', { prefix: 'x/' })), ['list', '', '', 'read'])
    assert.deepEqual(may(await rowOf('photos', 'ben', { prefix: 'y/' })), ['list,read', '', '', ''])
    assert.deepEqual(may(await rowOf('photos', 'ben', { key: 'x/1' })), ['list', '', '', 'read'])
    assert.deepEqual(may(await rowOf('photos', 'dan')), ['', 'write', '', ''])
    assert.deepEqual(may(await rowOf('photos', 'dan', { prefix: 'in/' })), ['', '', 'write', ''])
    assert.deepEqual(why(await rowOf('photos', 'dan', { key: 'in/1' }), 'write'), [
      'conditional',
      [
        'bucket: dan@example.com can upload and replace objects, on objects that start with in/, if the client’s address is in 192.0.2.0/24.',
      ],
      [],
    ])
    assert.equal(await rowOf('photos', 'dan', { key: 'out/1' }), undefined)
    // Whom nothing allows anything is not listed, whatever a policy denies them.
    assert.equal(await rowOf('photos', 'eva'), undefined)
  })

  it('names those with policies of their own, of their groups, and administrators whom a policy denies', async () => {
    await server.admin.createBucket({ body: { name: 'plans' } })
    await server.admin.createBucket({ body: { name: 'secret-plans' } })
    const readers = await group('Policy readers')
    const elsewhere = await group('Elsewhere')
    await user('fay')
    await user('gil', readers)
    await user('hal', elsewhere)
    const { id: admins } = await server.admin.createGroup({ body: { name: 'Second', global: ['admin'] } })
    await user('ida', admins)
    await inline('user', ids.get('fay') ?? '', 'own', {
      Effect: 'Allow',
      Action: 's3:*',
      Resource: ['arn:aws:s3:::plans', `arn:aws:s3:::plans/${OWN}/*`, 'arn:aws:s3:::secret-plans/*'],
    })
    await inline('group', readers, 'read-all', { Effect: 'Allow', Action: ['s3:Get*'], Resource: '*' })
    await inline('group', elsewhere, 'other', { Effect: 'Allow', Action: 's3:*', Resource: 'arn:aws:s3:::other/*' })
    await inline('user', ids.get('ida') ?? '', 'not-me', { Effect: 'Deny', Action: 's3:DeleteObject', Resource: '*' })

    const fay = await rowOf('plans', 'fay')
    assert.deepEqual(may(fay), ['list,policy,create', 'read,write,delete,bypass_lock', '', ''])
    assert.deepEqual(fay?.decisions.find(({ action }) => action === 's3:PutBucketPolicy')?.effect, 'allowed')
    assert.deepEqual(may(await rowOf('plans', 'fay', { prefix: 'fay@example.com/' })), [
      'list,read,write,delete,policy,create,bypass_lock',
      '',
      '',
      '',
    ])
    // What else a policy is about is not told to those who ask about this bucket.
    assert.ok(fay?.reasons.length)
    assert.doesNotMatch(JSON.stringify(fay), /secret-plans/)
    const [reason] = fay.reasons
    assert.deepEqual(reason?.statement?.policy, { kind: 'inline', name: 'own', of: 'user', owner: 'fay@example.com' })
    const gil = await rowOf('plans', 'gil')
    assert.deepEqual(may(gil), ['read', '', '', ''])
    assert.deepEqual(gil?.reasons[0]?.statement?.policy, {
      kind: 'inline',
      name: 'read-all',
      of: 'group',
      owner: 'Policy readers',
    })
    assert.equal(await rowOf('plans', 'hal'), undefined)
    const ida = await rowOf('plans', 'ida')
    assert.deepEqual(ida?.permissions_denied, ['delete'])
    assert.ok(!ida?.permissions.includes('delete'))
    assert.deepEqual(why(ida, 'delete')?.[1], ['administrator Second'])
    await server.admin.attachPolicy({ params: { kind: 'user', owner: ids.get('hal') ?? '', policy: 'aws:readonly' } })
    assert.deepEqual((await rowOf('plans', 'hal'))?.reasons[0]?.statement?.policy, {
      kind: 'managed',
      name: 'readonly',
      of: 'user',
      owner: 'hal@example.com',
    })
    await server.admin.detachPolicy({ params: { kind: 'user', owner: ids.get('hal') ?? '', policy: 'aws:readonly' } })
  })

  it('names anyone, everyone with a credential, roles and sessions', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'open' } })
    const trust = document({ Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' })
    for (const name of ['Named', 'Owner', 'Idle', 'Other']) await admin.createRole({ body: { name, trust } })
    await inline('role', 'Owner', 'own', { Effect: 'Allow', Action: 's3:PutObject', Resource: 'arn:aws:s3:::open/*' })
    await inline('role', 'Other', 'own', { Effect: 'Allow', Action: 's3:PutObject', Resource: 'arn:aws:s3:::other/*' })
    const all = 'arn:aws:s3:::open/*'
    const statements = [
      { Effect: 'Allow', Principal: '*', Action: 's3:PutObject', Resource: all, Condition: OFFICE },
      {
        Effect: 'Allow',
        Principal: { AWS: 'arn:aws:iam:::role/Named' },
        Action: 's3:GetObject',
        Resource: 'arn:aws:s3:::open/a/*',
      },
      {
        Effect: 'Allow',
        Principal: { AWS: 'arn:aws:sts::000000000000:assumed-role/Named/pod-1' },
        Action: 's3:DeleteObject',
        Resource: all,
      },
      {
        Effect: 'Allow',
        Principal: { Federated: 'idp.example.com' },
        Action: 's3:ListBucket',
        Resource: all.slice(0, -2),
      },
    ]
    await bucketPolicy('open', ...statements)
    const short = async (at?: At) => (await others('open', at)).map((row) => [row.kind, row.name, ...(may(row) ?? [])])
    const closed = [
      ['signed_in', '', '', '', 'write', ''],
      ['provider', 'idp.example.com', 'list', '', 'write', ''],
      ['session', 'Named/pod-1', 'delete', 'read', 'write', ''],
      ['role', 'Named', '', 'read', 'write', ''],
      ['role', 'Owner', 'write', '', '', ''],
    ]
    // What a policy allows from a few addresses is not public; without a credential nothing is answered all the same.
    const inOrder = (rows: unknown[][]) => rows.filter(([, name]) => name !== 'Idle' && name !== 'Other')
    assert.deepEqual(inOrder(await short()), closed)
    await admin.updateSettings({ body: { s3: { public_access: true } } })
    const { items: groups } = await admin.listGroups()
    const everyone = groups.find((one) => one.public)?.id ?? ''
    await admin.updateGroup({
      params: { id: everyone },
      body: { grants: [{ bucket_pattern: 'open', prefix: 'shown/', actions: ['read'] }] },
    })
    await bucketPolicy('open', ...statements, {
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:ListBucket',
      Resource: all.slice(0, -2),
    })
    const [anyone, signedIn] = await others('open')
    assert.deepEqual(may(anyone), ['list', 'read', 'write', ''])
    assert.deepEqual(may(signedIn), ['list', 'read', 'write', ''])
    assert.deepEqual(why(anyone, 'read')?.[1], ['everyone undefined'])
    assert.deepEqual(may((await others('open', { key: 'shown/1' }))[0]), ['list,read', '', 'write', ''])
    // Former contents may have been removed for a reason.
    assert.equal(why(anyone, 'read', 's3:GetObjectVersion'), undefined)
    // Whom a policy denies what everyone has is a user to be named.
    await user('jon')
    await bucketPolicy(
      'open',
      { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: all },
      { Effect: 'Deny', Principal: { AWS: userArn('jon') }, Action: 's3:GetObject', Resource: all },
    )
    assert.deepEqual(may(await rowOf('open', 'jon')), ['', '', '', 'read'])
    await admin.updateBucket({ params: { bucket: 'open' }, body: { public_access_blocked: true } })
    assert.deepEqual(
      (await others('open')).map(({ kind, name }) => `${kind} ${name}`),
      ['role Owner'],
    )
    assert.equal(await rowOf('open', 'jon'), undefined)
    await admin.updateSettings({ body: { s3: { public_access: false } } })
  })

  it('is read page by page, also where many have policies about other buckets', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'paged' } })
    for (let i = 0; i < 9; i++) {
      const id = await user(`many-${i}`)
      const bucket = i % 4 === 3 ? 'paged' : 'elsewhere'
      await inline('user', id, 'own', { Effect: 'Allow', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` })
    }
    const all = (await list('paged')).filter(({ display_name }) => display_name.startsWith('many-'))
    assert.deepEqual(
      all.map(({ display_name }) => display_name),
      ['many-3', 'many-7'],
    )
    const read: UserAccess[] = []
    let cursor: string | null | undefined
    do {
      const page = await admin.listBucketAccess({
        params: { bucket: 'paged' },
        query: { limit: 1, ...(cursor ? { cursor } : {}) },
      })
      assert.ok(page.items.length <= 1)
      read.push(...page.items)
      cursor = page.next_cursor
    } while (cursor)
    assert.deepEqual(read, await list('paged'))
    const of: OtherAccess[] = []
    let next: string | null | undefined
    do {
      const page = await admin.listOtherBucketAccess({
        params: { bucket: 'open' },
        query: { limit: 1, ...(next ? { cursor: next } : {}) },
      })
      of.push(...page.items)
      next = page.next_cursor
    } while (next)
    assert.deepEqual(of, await others('open'))
  })

  itOnce('is for those who manage the bucket, or users, also of others', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'secret-place' } })
    const as = async (grant: NewGrant) => server.as(await server.userWith(grant))
    const params = { bucket: 'secret-place' }
    const manager = await as({ bucket_pattern: 'secret-place', actions: ['manage'] })
    await server.records([], () => manager.listOtherBucketAccess({ params }))
    const reader = await as({ bucket_pattern: 'secret-place', actions: [...presets.publisher] })
    const stranger = await as({ bucket_pattern: 'elsewhere', actions: ['manage'] })
    const denied = [{ action: 'access_denied', result: 'denied' }] as const
    for (const one of [reader, stranger])
      for (const query of [{}, { key: 'a' }, { prefix: 'a/' }]) {
        await server.records(denied, () => rejectsWith(one.listOtherBucketAccess({ params, query }), 'forbidden'))
        await server.records(denied, () => rejectsWith(one.listBucketAccess({ params, query }), 'forbidden'))
      }
    // A policy that allows to change it is no `manage`, and tells nobody who else has access.
    await inline('user', (await reader.me()).id, 'own', { Effect: 'Allow', Action: 's3:*', Resource: '*' })
    await rejectsWith(reader.listBucketAccess({ params }), 'forbidden')
    await rejectsWith(manager.listOtherBucketAccess({ params: { bucket: 'secret-missing' } }), 'forbidden')
    await rejectsWith(admin.listOtherBucketAccess({ params: { bucket: 'secret-missing' } }), 'not_found')
    const both = { key: 'a', prefix: 'a' }
    await rejectsWith(manager.listOtherBucketAccess({ params, query: both }), 'invalid_request', 'query.prefix')
    const bad = manager.listOtherBucketAccess({ params, query: { cursor: 'x' } })
    await rejectsWith(bad, 'invalid_request', 'query.cursor')
  })

  it('says what the decision says, whatever is granted, allowed and denied', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'random' } })
    const granting = await group('Granting')
    const judged = await group('Judged')
    const people = ['kim', 'leo', 'mia', 'nia']
    await user('kim', granting)
    await user('leo', granting, judged)
    await user('mia', judged)
    await user('nia')
    await admin.createRole({
      body: { name: 'Random', trust: document({ Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' }) },
    })
    const keys = ['', 'a', 'a/b', 'a/kim@example.com/x', 'b/x', 'ä']
    const at = fc.constantFrom<At>({}, { prefix: 'a' }, { prefix: 'a/' }, { key: 'a/b' }, { key: 'ä' }, { key: 'b/x' })
    const resource = fc.constantFrom('', '/*', '/a*', '/a/*', '/?', '/a/b', '/*x', `/a/${OWN}/*`, '/b/?')
    const condition = fc.constantFrom(
      {},
      {},
      OFFICE,
      { NotIpAddress: { 'aws:SourceIp': '192.0.2.0/24' } },
      { StringEquals: { 'aws:username': 'kim@example.com' } },
      { StringLike: { 's3:prefix': 'a/*' } },
      { Null: { 's3:x-amz-acl': 'true' } },
      { Bool: { 'aws:SecureTransport': 'false' } },
      { StringEquals: { 's3:ExistingObjectTag/team': 'blue' } },
      { 'ForAllValues:StringEquals': { 'aws:PrincipalTag/team': 'blue' } },
      { DateGreaterThan: { 'aws:CurrentTime': '2000-01-01T00:00:00Z' } },
    )
    const principal = fc.constantFrom(
      '*',
      { AWS: userArn('kim') },
      { AWS: [userArn('leo'), userArn('nia')] },
      { AWS: '000000000000' },
      { AWS: 'arn:aws:iam:::role/Random' },
    )
    const names = ['s3:GetObject', 's3:PutObject', 's3:ListBucket', 's3:*', 's3:*Object', 's3:PutBucketPolicy']
    const statement = fc
      .record({
        Effect: fc.constantFrom('Allow', 'Deny'),
        Action: fc.constantFrom(...names),
        Resource: fc.array(resource, { minLength: 1, maxLength: 2 }),
        Condition: condition,
        negated: fc.constantFrom(false, false, false, true),
      })
      .map(({ Resource, negated, ...rest }) => ({
        ...rest,
        [negated ? 'NotResource' : 'Resource']: Resource.map((one) => `arn:aws:s3:::random${one}`),
      }))
    const own = fc.array(statement, { maxLength: 2 })
    const ofBucket = fc.array(
      fc.tuple(statement, principal).map(([one, Principal]) => ({ ...one, Principal })),
      {
        maxLength: 4,
      },
    )
    const grants = fc.array(
      fc.record({
        bucket_pattern: fc.constantFrom('*', 'random', 'r*'),
        prefix: fc.constantFrom('', 'a', 'a/', 'b'),
        actions: fc.subarray(['list', 'read', 'write', 'manage'] as BucketAction[], { minLength: 1 }),
      }),
      { maxLength: 2 },
    )
    const set = (kind: 'user' | 'group' | 'role', owner: string, statements: object[]) =>
      statements.length > 0
        ? inline(kind, owner, 'random', ...statements)
        : admin.deleteInlinePolicy({ params: { kind, owner, name: 'random' } }).catch(() => undefined)
    const contexts = [
      { 'aws:SourceIp': '192.0.2.9', 'aws:SecureTransport': 'true' },
      { 'aws:SourceIp': '198.51.100.9', 'aws:SecureTransport': 'false', 's3:ExistingObjectTag/team': 'blue' },
      { 'aws:SourceIp': '192.0.2.9', 'aws:SecureTransport': 'false', 's3:x-amz-acl': 'private' },
    ]
    const question = fc.record({
      action: fc.constantFrom('s3:GetObject', 's3:PutObject', 's3:ListBucket', 's3:GetObjectVersion'),
      context: fc.constantFrom(...contexts),
    })
    await admin.updateSettings({ body: { s3: { public_access: true } } })
    const effects = new Set<string | undefined>()
    await fc.assert(
      fc.asyncProperty(
        fc.record({ grants, ofBucket, ofGroup: own, ofUser: own, ofRole: own, at, question }),
        async ({ at, question: { action, context }, ...random }) => {
          await admin.updateGroup({ params: { id: granting }, body: { grants: random.grants } })
          await set('group', judged, random.ofGroup)
          await set('user', ids.get('nia') ?? '', random.ofUser)
          await set('role', 'Random', random.ofRole)
          if (random.ofBucket.length > 0) await bucketPolicy('random', ...random.ofBucket)
          else await admin.deleteBucketPolicy({ params: { bucket: 'random' } })
          const users = await list('random', at)
          const rest = await others('random', at)
          const of = (kind: OtherAccess['kind']) => rest.find((one) => one.kind === kind)
          const asked = [
            ...people.map((name) => ({
              who: { user_id: ids.get(name) ?? '' },
              row: users.find(({ display_name }) => display_name === name),
            })),
            { who: { role: 'Random' }, row: of('role') },
            { who: { anonymous: true as const }, row: of('anyone') },
          ]
          const place = at.key ?? at.prefix ?? ''
          // A list is of what it asks for: the place.
          const there = keys.filter((key) =>
            action === 's3:ListBucket' ? key === place : at.key ? key === at.key : key !== '' && key.startsWith(place),
          )
          const decisionIn = (row: Row | undefined) => row?.decisions.find((one) => one.action === action)
          for (const { who, row } of asked) {
            const found = decisionIn(row) ?? ('anonymous' in who ? undefined : decisionIn(of('signed_in')))
            effects.add(found?.effect)
            const given = Object.entries(context).map(([key, value]) => ({ key, values: [value] }))
            for (const key of there) {
              const body = { who, action, bucket: 'random', key, context: given }
              const { allowed, ...decided } = await admin.simulatePermission({ body })
              const said = `${JSON.stringify({ ...body, found, decided })}`
              if (found?.effect === 'allowed') assert.ok(allowed, said)
              if (found?.effect === 'denied') assert.ok(!allowed, said)
              if (!found) assert.ok(!allowed, said)
            }
          }
        },
      ),
      { numRuns: 80 },
    )
    assert.deepEqual(effects, new Set(['allowed', 'conditional', 'in_part', 'denied', undefined]))
  })
})
