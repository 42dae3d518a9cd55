import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketOwnershipControlsCommand,
  DeleteBucketPolicyCommand,
  DeletePublicAccessBlockCommand,
  GetBucketAclCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  ListMultipartUploadsCommand,
  type ObjectCannedACL,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { PUBLIC_GROUP } from '../../contract/public-access.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { type Answer, outcome, type Pair, type s3World, startS3 } from './s3.ts'

const ALL = 'http://acs.amazonaws.com/groups/global/AllUsers'
const statement = (more: object) => ({ Effect: 'Allow', Principal: '*', ...more })
const policyOf = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement })
const arn = (bucket: string, key?: string) => `arn:aws:s3:::${bucket}${key === undefined ? '' : `/${key}`}`

describeEngines('S3: public access', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  let bucket: string
  let made = 0
  const setting = (public_access: boolean) => server.admin.updateSettings({ body: { s3: { public_access } } })
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
  })
  after(() => server.stop())
  beforeEach(async () => {
    bucket = `open-${++made}`
    await setting(true)
    await s3.send(new CreateBucketCommand({ Bucket: bucket, ObjectOwnership: 'ObjectWriter' }))
    for (const Key of ['public/a', 'public/b', 'private/a'])
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }))
  })

  /** A request without a credential. */
  const anyone = (method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> =>
    world.send(method, path, { host: world.url.host, ...headers }, body)
  /** How requests without a credential end: the status, with the error's code. */
  const outcomes = async (requests: readonly (readonly [method: string, path: string])[]) => {
    const ends: Record<string, string> = {}
    for (const [method, path] of requests) {
      const { status, code } = await anyone(method, path, {}, method === 'PUT' ? 'x' : '')
      ends[`${method} ${path.replaceAll(bucket, 'b')}`] = code === '' ? String(status) : `${status} ${code}`
    }
    return ends
  }
  const putPolicy = (...statements: object[]) =>
    s3.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: policyOf(...statements) }))
  const put = (Key: string, ACL?: ObjectCannedACL) =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key, ...(ACL ? { ACL } : {}) }))

  it('nothing is public while the setting is off, whatever is configured, from the next request on', async () => {
    await putPolicy(statement({ Action: 's3:*', Resource: [arn(bucket), arn(bucket, '*')] }))
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read-write' }))
    await put('object', 'public-read')
    assert.equal((await anyone('GET', `/${bucket}/object`)).text, 'object')
    assert.deepEqual((await server.admin.getBucket({ params: { bucket } })).public_access, {
      actions: ['list', 'read', 'write', 'delete'],
      object_acls: true,
      blocked: false,
    })
    await setting(false)
    const requests = [
      ['GET', `/${bucket}/object`],
      ['HEAD', `/${bucket}/object`],
      ['GET', `/${bucket}`],
      ['PUT', `/${bucket}/new`],
      ['DELETE', `/${bucket}/object`],
      ['GET', `/no-such-bucket/x`],
      ['GET', '/'],
    ] as const
    await server.records([], async () => {
      const ends = await outcomes(requests)
      assert.ok(
        Object.values(ends).every((end) => end.startsWith('403')),
        JSON.stringify(ends),
      )
      for (const [what, call] of [
        ['policy', () => putPolicy(statement({ Action: 's3:GetObject', Resource: arn(bucket, '*') }))],
        ['bucket ACL', () => s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'authenticated-read' }))],
        ['object ACL', () => put('refused', 'public-read')],
        ['no block', () => s3.send(new DeletePublicAccessBlockCommand({ Bucket: bucket }))],
        ['half a block', () => s3.send(putBlock({ BlockPublicAcls: true }))],
      ] as const)
        assert.equal(await outcome(call()), 'AccessDenied', what)
    })
    const { PublicAccessBlockConfiguration: block } = await s3.send(new GetPublicAccessBlockCommand({ Bucket: bucket }))
    assert.deepEqual(Object.values(block ?? {}), [true, true, true, true])
    const { PolicyStatus } = await s3.send(new GetBucketPolicyStatusCommand({ Bucket: bucket }))
    assert.equal(PolicyStatus?.IsPublic, false)
    assert.equal((await server.admin.getBucket({ params: { bucket } })).public_access, null)
    // Another one who has a key is no better off.
    const stranger = world.clientOf(await world.keyOf(await server.userWith()))
    assert.equal(await outcome(stranger.send(new GetObjectCommand({ Bucket: bucket, Key: 'object' }))), 'AccessDenied')
    await setting(true)
    assert.equal(await outcome(stranger.send(new GetObjectCommand({ Bucket: bucket, Key: 'object' }))), 'ok')
  })

  it('what anyone may read has validators, ranges and a short life in caches', async () => {
    await putPolicy(statement({ Action: 's3:GetObject', Resource: arn(bucket, 'public/*') }))
    await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'public/own', Body: 'own', CacheControl: 'public, max-age=9' }),
    )
    const path = `/${bucket}/public/a`
    const whole = await anyone('GET', path, { origin: 'https://elsewhere.example' })
    assert.equal(whole.status, 200)
    assert.equal(whole.text, 'public/a')
    assert.equal(whole.headers['cache-control'], 'public, max-age=60')
    const etag = whole.headers.etag ?? ''
    const same = await anyone('GET', path, { 'if-none-match': etag })
    assert.deepEqual([same.status, same.text, same.headers.etag], [304, '', etag])
    assert.equal(same.headers['cache-control'], 'public, max-age=60')
    assert.equal((await anyone('GET', path, { 'if-match': '"other"' })).status, 412)
    const part = await anyone('GET', path, { range: 'bytes=0-5' })
    assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, 'public', 'bytes 0-5/8'])
    assert.equal((await anyone('HEAD', path)).headers['content-length'], '8')
    const own = await anyone('GET', `/${bucket}/public/own`)
    assert.equal(own.headers['cache-control'], 'public, max-age=9')
    const again = await anyone('GET', `/${bucket}/public/own`, { 'if-none-match': own.headers.etag ?? '' })
    assert.deepEqual([again.status, again.headers['cache-control']], [304, 'public, max-age=9'])
    assert.equal((await anyone('GET', `${path}?response-content-type=text/html`)).code, 'InvalidRequest')
    const signed = await world.send('GET', path, await world.signed(pair, { method: 'GET', path }))
    assert.equal(signed.headers['cache-control'], undefined)
  })

  it('a policy allows what it says, and nothing else of anything', async () => {
    await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }))
    const { VersionId } = await put('public/v')
    await put('public/v')
    await putPolicy(
      statement({ Action: 's3:GetObject', Resource: [arn(bucket, 'public/*'), arn(bucket, 'private/a')] }),
      statement({
        Action: ['s3:ListBucket'],
        Resource: arn(bucket),
        Condition: { StringLike: { 's3:prefix': 'public/*' } },
      }),
    )
    await put('private/ab')
    // As in S3, the condition is on what is asked for, not on what is listed.
    assert.equal((await anyone('GET', `/${bucket}?list-type=2`)).code, 'AccessDenied')
    const list = await anyone('GET', `/${bucket}?list-type=2&prefix=public/`)
    assert.deepEqual(
      [...list.text.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key),
      ['public/a', 'public/b', 'public/v'],
    )
    const owners = await anyone('GET', `/${bucket}?prefix=public/`)
    assert.match(owners.text, /<Owner><ID>[0-9a-f]{64}<\/ID><\/Owner>/)
    await server.records([], async () =>
      assert.deepEqual(
        await outcomes([
          ['GET', `/${bucket}/public/a`],
          ['GET', `/${bucket}/public/none`],
          ['GET', `/${bucket}/private/a`],
          ['GET', `/${bucket}/private/ab`],
          ['GET', `/${bucket}/private/none`],
          ['GET', `/${bucket}/public/v?versionId=${VersionId}`],
          ['GET', `/${bucket}?versions`],
          ['GET', `/${bucket}?prefix=private/`],
          ['PUT', `/${bucket}/public/a`],
          ['DELETE', `/${bucket}/public/a`],
          ['GET', `/${bucket}?acl`],
          ['GET', `/${bucket}?policy`],
          ['GET', `/${bucket}?cors`],
          ['GET', `/${bucket}?uploads`],
          ['GET', `/${bucket}/public/a?acl`],
          ['GET', `/${bucket}/public/a?tagging`],
          ['PUT', `/${bucket}/public/a?acl`],
          ['PUT', `/${bucket}?acl`],
          ['PUT', `/${bucket}?policy`],
          ['PUT', `/made-by-anyone`],
          ['DELETE', `/${bucket}`],
          ['GET', '/'],
          ['GET', '/no-such-bucket/x'],
          ['DELETE', '/no-such-bucket/x'],
        ]),
        {
          'GET /b/public/a': '200',
          'GET /b/public/none': '404 NoSuchKey',
          'GET /b/private/a': '200',
          'GET /b/private/ab': '403 AccessDenied',
          'GET /b/private/none': '403 AccessDenied',
          [`GET /b/public/v?versionId=${VersionId}`]: '403 AccessDenied',
          'GET /b?versions': '403 AccessDenied',
          'GET /b?prefix=private/': '403 AccessDenied',
          'PUT /b/public/a': '403 AccessDenied',
          'DELETE /b/public/a': '403 AccessDenied',
          'GET /b?acl': '403 AccessDenied',
          'GET /b?policy': '403 AccessDenied',
          'GET /b?cors': '403 AccessDenied',
          'GET /b?uploads': '403 AccessDenied',
          'GET /b/public/a?acl': '403 AccessDenied',
          'GET /b/public/a?tagging': '403 AccessDenied',
          'PUT /b/public/a?acl': '403 AccessDenied',
          'PUT /b?acl': '403 AccessDenied',
          'PUT /b?policy': '403 AccessDenied',
          'PUT /made-by-anyone': '403 AccessDenied',
          'DELETE /b': '403 AccessDenied',
          'GET /': '403 AccessDenied',
          'GET /no-such-bucket/x': '404 NoSuchBucket',
          'DELETE /no-such-bucket/x': '404 NoSuchBucket',
        },
      ),
    )
    // The API has no such thing.
    const rest = await fetch(`${server.url}/api/v1/buckets/${bucket}/objects/public/a`)
    assert.equal(rest.status, 401)
    const { Policy } = await s3.send(new GetBucketPolicyCommand({ Bucket: bucket }))
    assert.ok(Policy?.includes('StringLike'))
    await server.records([{ action: 'update_bucket', bucket }], () =>
      s3.send(new DeleteBucketPolicyCommand({ Bucket: bucket })),
    )
    assert.equal((await anyone('GET', `/${bucket}/public/a`)).status, 403)
    assert.equal(await outcome(s3.send(new GetBucketPolicyCommand({ Bucket: bucket }))), 'NoSuchBucketPolicy')
  })

  // The policies of `mc anonymous set` and of minio-go's SetPolicy.
  it('keeps the actions that clients put into every policy, and lets everyone do what they say', async () => {
    const everyone = { Effect: 'Allow', Principal: { AWS: ['*'] } }
    const asked = async () =>
      outcomes([
        ['GET', `/${bucket}?location`],
        ['GET', `/${bucket}?uploads`],
        ['GET', `/${bucket}`],
        ['GET', `/${bucket}/public/a`],
        ['PUT', `/${bucket}/public/new`],
        ['POST', `/${bucket}/public/new?uploads`],
        ['GET', `/${bucket}?policy`],
      ])
    const [yes, no] = ['200', '403 AccessDenied']
    const told = ['s3:GetBucketLocation', 's3:ListBucketMultipartUploads']
    const inParts = ['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts']
    for (const [statements, expected] of [
      [
        [
          { ...everyone, Action: ['s3:GetBucketLocation', 's3:ListBucket'], Resource: [arn(bucket)] },
          { ...everyone, Action: ['s3:GetObject'], Resource: [arn(bucket, '*')] },
        ],
        [yes, no, yes, yes, no, no, no],
      ],
      [
        [
          { ...everyone, Action: told, Resource: [arn(bucket)] },
          { ...everyone, Action: [...inParts, 's3:DeleteObject', 's3:PutObject'], Resource: [arn(bucket, '*')] },
        ],
        [yes, yes, no, no, yes, no, no],
      ],
      [[{ ...everyone, Action: 's3:GetBucketLocation', Resource: arn(bucket) }], [yes, no, no, no, no, no, no]],
      [[{ ...everyone, Action: inParts, Resource: arn(bucket, '*') }], [no, no, no, no, no, no, no]],
      [
        [
          {
            ...everyone,
            Action: told,
            Resource: arn(bucket),
            Condition: { StringEquals: { 's3:prefix': 'public/' } },
          },
        ],
        [no, no, no, no, no, no, no],
      ],
    ] as const) {
      await putPolicy(...statements)
      assert.deepEqual(Object.values(await asked()), expected, JSON.stringify(statements))
      const { Policy } = await s3.send(new GetBucketPolicyCommand({ Bucket: bucket }))
      assert.equal(Policy, policyOf(...statements))
    }
    // Uploads in parts of others are shown to nobody.
    await putPolicy({ ...everyone, Action: told, Resource: [arn(bucket)] })
    await s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'public/parts' }))
    const { status, text } = await anyone('GET', `/${bucket}?uploads`)
    assert.deepEqual([status, text.includes('<Upload>')], [200, false])
    await s3.send(putBlock({ RestrictPublicBuckets: true }))
    assert.equal((await anyone('GET', `/${bucket}?location`)).code, 'AccessDenied')
  })

  it('versions are public only by the actions about versions, also where a document names them', async () => {
    await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }))
    const { VersionId } = await put('public/v')
    await put('public/v')
    const remove = (...objects: string[]) =>
      anyone('POST', `/${bucket}?delete`, {}, `<Delete>${objects.map((one) => `<Object>${one}</Object>`)}</Delete>`)
    const version = `<Key>public/v</Key><VersionId>${VersionId}</VersionId>`
    await putPolicy(
      statement({ Action: ['s3:DeleteObject', 's3:GetObjectVersion'], Resource: arn(bucket, 'public/*') }),
    )
    assert.equal((await anyone('GET', `/${bucket}/public/v?versionId=${VersionId}`)).status, 200)
    assert.equal((await anyone('GET', `/${bucket}/public/v`)).status, 403)
    await server.records([], async () => {
      assert.match((await remove(version)).text, /<Error><Key>public\/v<\/Key>.*<Code>AccessDenied<\/Code>/)
      assert.equal((await anyone('DELETE', `/${bucket}/public/v?versionId=${VersionId}`)).code, 'AccessDenied')
    })
    await server.records([{ action: 'delete', bucket, key: 'public/a' }], async () =>
      assert.match((await remove('<Key>public/a</Key>', version)).text, /<Deleted><Key>public\/a<\/Key>.*<Error>/),
    )
    await putPolicy(
      statement({ Action: ['s3:DeleteObject', 's3:DeleteObjectVersion'], Resource: arn(bucket, 'public/*') }),
    )
    const both: Parameters<typeof server.records>[0] = [
      { action: 'delete', bucket, key: 'public/b' },
      { action: 'version_delete', bucket, key: 'public/v' },
    ]
    await server.records(both, async () => assert.equal((await remove('<Key>public/b</Key>', version)).code, ''))
  })

  it('anyone may write where it is public, as nobody, and nothing that outlives that', async () => {
    await putPolicy(statement({ Action: ['s3:PutObject'], Resource: arn(bucket, 'drop/*') }))
    await server.records([{ action: 'upload', bucket, key: 'drop/a' }], async () =>
      assert.equal((await anyone('PUT', `/${bucket}/drop/a`, {}, 'from anyone')).status, 200),
    )
    const { items } = await server.admin.listAudit({ query: { action: ['upload'], bucket, page_size: 1 } })
    assert.deepEqual(items[0]?.actor, { user_id: null, email: null, type: 'public' })
    const { Owner } = await s3.send(new GetObjectAclCommand({ Bucket: bucket, Key: 'drop/a' }))
    assert.equal(Owner?.DisplayName, undefined)
    await server.records([], async () => {
      assert.equal((await anyone('POST', `/${bucket}/drop/parts?uploads`)).code, 'AccessDenied')
      assert.equal((await anyone('GET', `/${bucket}/drop/a`)).code, 'AccessDenied')
      assert.equal((await anyone('PUT', `/${bucket}/other`, {}, 'x')).code, 'AccessDenied')
    })
    // A lock would keep others from removing it.
    await s3.send(new CreateBucketCommand({ Bucket: `${bucket}-locks`, ObjectLockEnabledForBucket: true }))
    await s3.send(
      new PutBucketPolicyCommand({
        Bucket: `${bucket}-locks`,
        Policy: policyOf(statement({ Action: 's3:*', Resource: arn(`${bucket}-locks`, '*') })),
      }),
    )
    const until = new Date(server.clock.now().getTime() + 86_400_000).toISOString()
    const locked = { 'x-amz-object-lock-mode': 'COMPLIANCE', 'x-amz-object-lock-retain-until-date': until }
    assert.equal((await anyone('PUT', `/${bucket}-locks/a`, {}, 'x')).status, 200)
    assert.equal((await anyone('PUT', `/${bucket}-locks/a`, locked, 'x')).code, 'AccessDenied')
    // A body that claims to be signed has no key to be signed with.
    const chunks = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' }
    assert.equal((await anyone('PUT', `/${bucket}/drop/b`, chunks, 'x')).code, 'AccessDenied')
    const digest = { 'x-amz-content-sha256': 'a'.repeat(64) }
    assert.equal((await anyone('PUT', `/${bucket}/drop/b`, digest, 'x')).code, 'XAmzContentSHA256Mismatch')
    assert.equal((await anyone('PUT', `/${bucket}/drop/b`, {}, 'x')).status, 200)
  })

  it('an ACL of an object lets everyone, or everyone with a key, read that object as it is', async () => {
    const stranger = world.clientOf(await world.keyOf(await server.userWith()))
    const get = (s3: S3Client, Key: string) => outcome(s3.send(new GetObjectCommand({ Bucket: bucket, Key })))
    await put('all', 'public-read')
    await put('keys', 'authenticated-read')
    await put('own', 'private')
    assert.deepEqual(
      await outcomes(['all', 'keys', 'own', 'none'].map((key) => ['GET', `/${bucket}/${key}`] as const)),
      {
        'GET /b/all': '200',
        'GET /b/keys': '403 AccessDenied',
        'GET /b/own': '403 AccessDenied',
        'GET /b/none': '403 AccessDenied',
      },
    )
    assert.deepEqual(
      [await get(stranger, 'all'), await get(stranger, 'keys'), await get(stranger, 'own')],
      ['ok', 'ok', 'AccessDenied'],
    )
    const { Grants = [] } = await s3.send(new GetObjectAclCommand({ Bucket: bucket, Key: 'all' }))
    assert.deepEqual(
      Grants.map(({ Grantee, Permission }) => [Grantee?.URI ?? Grantee?.Type, Permission]),
      [
        [ALL, 'READ'],
        ['CanonicalUser', 'FULL_CONTROL'],
      ],
    )
    // Whoever may read it may copy it, and nothing else.
    const copier = world.clientOf(
      await world.keyOf(await server.userWith({ bucket_pattern: `${bucket}-own`, actions: ['read', 'write'] })),
    )
    await s3.send(new CreateBucketCommand({ Bucket: `${bucket}-own` }))
    const copy = (Key: string) =>
      outcome(copier.send(new CopyObjectCommand({ Bucket: `${bucket}-own`, Key, CopySource: `${bucket}/${Key}` })))
    const copied: Parameters<typeof server.records>[0] = [
      { action: 'copy', bucket: `${bucket}-own`, key: 'all' },
      { action: 'access_denied', result: 'denied' },
    ]
    await server.records(copied, async () =>
      assert.deepEqual(
        [await copy('all'), await copy('own'), await copy('none')],
        ['ok', 'AccessDenied', 'AccessDenied'],
      ),
    )
    // A copy, what was moved, and what replaces it are private again.
    await s3.send(new CopyObjectCommand({ Bucket: bucket, Key: 'copy', CopySource: `${bucket}/all` }))
    assert.equal((await anyone('GET', `/${bucket}/copy`)).status, 403)
    await server.admin.moveObject({
      params: { bucket },
      body: { source_bucket: bucket, source_key: 'all', dest_key: 'moved' },
    })
    assert.equal((await anyone('GET', `/${bucket}/moved`)).status, 403)
    await put('again', 'public-read')
    assert.equal((await anyone('GET', `/${bucket}/again`)).status, 200)
    await put('again')
    assert.equal((await anyone('GET', `/${bucket}/again`)).status, 403)
    // It can be set, and is recorded, once.
    const open = () => s3.send(new PutObjectAclCommand({ Bucket: bucket, Key: 'own', ACL: 'public-read' }))
    await server.records([{ action: 'update_object', bucket, key: 'own' }], open)
    await server.records([], open)
    assert.equal((await anyone('GET', `/${bucket}/own`)).status, 200)
    // Whoever may write but not read cannot make others able to.
    const writer = world.clientOf(
      await world.keyOf(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'write'] })),
    )
    const opening = new PutObjectAclCommand({ Bucket: bucket, Key: 'private/a', ACL: 'public-read' })
    assert.equal(await outcome(writer.send(opening)), 'AccessDenied')
    // Where ACLs end, so does what they made public.
    await s3.send(
      new PutBucketOwnershipControlsCommand({
        Bucket: bucket,
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      }),
    )
    assert.equal((await anyone('GET', `/${bucket}/own`)).status, 403)
    assert.equal(await outcome(put('x', 'public-read')), 'AccessControlListNotSupported')
    assert.equal(await outcome(put('x', 'private')), 'AccessControlListNotSupported')
    assert.equal(await outcome(put('x', 'bucket-owner-full-control')), 'ok')
  })

  it('each version has its own ACL, and loses it with nothing', async () => {
    await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }))
    const { VersionId } = await put('doc', 'public-read')
    await put('doc')
    assert.equal((await anyone('GET', `/${bucket}/doc`)).status, 403)
    assert.equal((await anyone('GET', `/${bucket}/doc?versionId=${VersionId}`)).status, 200)
    await s3.send(new PutObjectAclCommand({ Bucket: bucket, Key: 'doc', VersionId, ACL: 'private' }))
    assert.equal((await anyone('GET', `/${bucket}/doc?versionId=${VersionId}`)).status, 403)
  })

  it('a bucket without ACLs refuses them by default, but for what is so anyway', async () => {
    const plain = `${bucket}-plain`
    await s3.send(new CreateBucketCommand({ Bucket: plain }))
    const acl = (ACL: ObjectCannedACL) =>
      outcome(s3.send(new PutObjectCommand({ Bucket: plain, Key: 'k', Body: '', ACL })))
    assert.equal(await acl('private'), 'ok')
    assert.equal(await acl('bucket-owner-full-control'), 'ok')
    assert.equal(await acl('public-read'), 'AccessControlListNotSupported')
    const create = new CreateBucketCommand({ Bucket: `${plain}-2`, ACL: 'public-read' })
    await server.records([], async () =>
      assert.equal(await outcome(s3.send(create)), 'InvalidBucketAclWithObjectOwnership'),
    )
    const ownership = (Bucket: string) =>
      s3
        .send(new GetBucketOwnershipControlsCommand({ Bucket }))
        .then(({ OwnershipControls }) => OwnershipControls?.Rules?.[0]?.ObjectOwnership)
        .catch(({ name }: Error) => name)
    assert.equal(await ownership(plain), 'BucketOwnerEnforced')
    assert.equal(await ownership(bucket), 'ObjectWriter')
    await s3.send(new DeleteBucketOwnershipControlsCommand({ Bucket: bucket }))
    assert.equal(await ownership(bucket), 'OwnershipControlsNotFoundError')
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read' }))
    const enforce = new PutBucketOwnershipControlsCommand({
      Bucket: bucket,
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    })
    assert.equal(await outcome(s3.send(enforce)), 'InvalidBucketAclWithObjectOwnership')
    const { Grants = [] } = await s3.send(new GetBucketAclCommand({ Bucket: bucket }))
    assert.equal(Grants.length, 2)
    // Uploads in parts are listed too, to those with a key who may also write.
    await s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'parts' }))
    const writer = world.clientOf(
      await world.keyOf(await server.userWith({ bucket_pattern: bucket, actions: ['write'] })),
    )
    const uploads = async () => (await writer.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads?.length
    assert.equal(await uploads(), 1)
    await s3.send(putBlock({ IgnorePublicAcls: true }))
    assert.equal(await uploads(), undefined)
    await s3.send(new DeletePublicAccessBlockCommand({ Bucket: bucket }))
    assert.equal((await anyone('GET', `/${bucket}?uploads`)).code, 'AccessDenied')
    assert.equal((await anyone('GET', `/${bucket}?list-type=2`)).status, 200)
    assert.equal((await anyone('GET', `/${bucket}/public/a`)).status, 403)
    const ID = (await s3.send(new GetBucketAclCommand({ Bucket: bucket }))).Owner?.ID
    const grantee = (inner: string) =>
      `<AccessControlPolicy><Owner><ID>${ID}</ID></Owner><AccessControlList><Grant><Grantee>${inner}</Grantee><Permission>READ</Permission></Grant></AccessControlList></AccessControlPolicy>`
    const path = `/${bucket}?acl`
    await server.records([], async () => {
      for (const [inner, code] of [
        ['<ID>_foo</ID>', 'InvalidArgument'],
        [`<ID>${'0'.repeat(64)}</ID>`, 'NotImplemented'],
        ['<EmailAddress>a@example.com</EmailAddress>', 'NotImplemented'],
        ['<URI>constructor</URI>', 'InvalidArgument'],
        ['<URI>http://acs.amazonaws.com/groups/s3/LogDelivery</URI>', 'NotImplemented'],
        ['', 'MalformedACLError'],
      ] as const) {
        const body = grantee(inner)
        const answer = await world.send('PUT', path, await world.signed(pair, { method: 'PUT', path, body }), body)
        assert.equal(answer.code, code, inner)
      }
      const body = grantee(`<URI>${ALL}</URI>`).replace('READ', 'FULL_CONTROL')
      const answer = await world.send('PUT', path, await world.signed(pair, { method: 'PUT', path, body }), body)
      assert.equal(answer.code, 'NotImplemented')
    })
  })

  const putBlock = (block: { [flag: string]: boolean }) =>
    new PutPublicAccessBlockCommand({ Bucket: bucket, PublicAccessBlockConfiguration: block })

  it('a block ends public access of one bucket, flag by flag', async () => {
    await putPolicy(statement({ Action: 's3:GetObject', Resource: arn(bucket, 'public/*') }))
    await put('acl', 'public-read')
    const state = async () => [
      (await anyone('GET', `/${bucket}/public/a`)).status,
      (await anyone('GET', `/${bucket}/acl`)).status,
    ]
    assert.deepEqual(await state(), [200, 200])
    await s3.send(putBlock({ IgnorePublicAcls: true }))
    assert.deepEqual(await state(), [200, 403])
    await s3.send(putBlock({ RestrictPublicBuckets: true }))
    assert.deepEqual(await state(), [403, 200])
    await s3.send(putBlock({ BlockPublicAcls: true, BlockPublicPolicy: true }))
    assert.deepEqual(await state(), [200, 200])
    assert.equal(await outcome(put('more', 'public-read')), 'AccessDenied')
    assert.equal(
      await outcome(putPolicy(statement({ Action: 's3:GetObject', Resource: arn(bucket, '*') }))),
      'AccessDenied',
    )
    await s3.send(new DeletePublicAccessBlockCommand({ Bucket: bucket }))
    assert.equal(
      await outcome(s3.send(new GetPublicAccessBlockCommand({ Bucket: bucket }))),
      'NoSuchPublicAccessBlockConfiguration',
    )
    const block = (public_access_blocked: boolean) =>
      server.admin.updateBucket({ params: { bucket }, body: { public_access_blocked } })
    const blocked = await server.records([{ action: 'update_bucket', bucket }], () => block(true))
    assert.deepEqual(blocked.public_access, { actions: [], object_acls: false, blocked: true })
    assert.deepEqual(await state(), [403, 403])
    assert.deepEqual((await block(false)).public_access?.actions, ['read'])
    assert.deepEqual(await state(), [200, 200])
    await setting(false)
    await assert.rejects(block(false), { code: 'conflict' })
    await block(true)
    await setting(true)
    assert.deepEqual(await state(), [403, 403])
  })

  it('the group of everyone has grants that apply at the S3 endpoint, and no members', async () => {
    const id = PUBLIC_GROUP
    const grant = (bucket_pattern: string, prefix: string, actions: string[]) =>
      server.admin.updateGroup({
        params: { id },
        body: { grants: [{ bucket_pattern, prefix, actions: actions as never }] },
      })
    const group = await server.records([{ action: 'group_update' }], () => grant('open-*', 'public/', ['list', 'read']))
    assert.deepEqual([group.public, group.builtin, group.member_count], [true, true, 0])
    assert.equal((await anyone('GET', `/${bucket}/public/a`)).status, 200)
    assert.equal((await anyone('GET', `/${bucket}/private/a`)).status, 403)
    assert.deepEqual((await server.admin.getBucket({ params: { bucket } })).public_access?.actions, ['list', 'read'])
    const { items } = await server.admin.listBuckets({ query: { limit: 1000 } })
    assert.deepEqual(items.find(({ name }) => name === bucket)?.public_access?.actions, ['list', 'read'])
    const person = await server.admin.createUser({
      body: { email: `${bucket}@example.com`, display_name: 'P', password: 'a long password of theirs' },
    })
    await server.records([], async () => {
      await assert.rejects(grant('open-*', '', ['share']), { code: 'invalid_request' })
      await assert.rejects(server.admin.updateGroup({ params: { id }, body: { global: ['admin'] } }), {
        code: 'conflict',
      })
      await assert.rejects(server.admin.deleteGroup({ params: { id } }), { code: 'conflict' })
      await assert.rejects(server.admin.addMembers({ params: { id }, body: { user_ids: [person.id] } }), {
        code: 'invalid_request',
      })
      await assert.rejects(server.admin.updateUser({ params: { id: person.id }, body: { group_ids: [id] } }), {
        code: 'invalid_request',
      })
      const group_mapping = [{ value: 'everyone', group_id: id }]
      await assert.rejects(server.admin.updateSettings({ body: { idp: { group_mapping } } }), {
        code: 'invalid_request',
      })
    })
    // Those who sign in do not have them.
    const someone = server.as(await server.userWith())
    await assert.rejects(someone.browse({ params: { bucket }, query: {} }), { code: 'forbidden' })
    await grant('none', '', ['read'])
    assert.equal((await anyone('GET', `/${bucket}/public/a`)).status, 403)
  })

  it('a key that is limited gains nothing outside its limits', async () => {
    await putPolicy(statement({ Action: 's3:*', Resource: [arn(bucket), arn(bucket, '*')] }))
    const owner = await server.userWith({ bucket_pattern: bucket, actions: ['read'] })
    const limited = world.clientOf(await world.keyOf(owner, [{ bucket, prefix: 'public/', actions: ['read'] }]))
    const at = (Key: string) => ({ Bucket: bucket, Key })
    assert.equal(await outcome(limited.send(new GetObjectCommand(at('public/a')))), 'ok')
    assert.equal(await outcome(limited.send(new GetObjectCommand(at('private/a')))), 'AccessDenied')
    assert.equal(await outcome(limited.send(new PutObjectCommand({ ...at('public/new'), Body: '' }))), 'AccessDenied')
  })

  itOnce('a policy that is none is refused by what is wrong with it, and changes nothing', async () => {
    const fine = { Action: 's3:GetObject', Resource: arn(bucket, '*') }
    const cases: [string, string, RegExp][] = [
      [policyOf(statement({ ...fine, Principal: { AWS: ['*', 'x'] } })), 'MalformedPolicy', /Invalid principal/],
      [
        policyOf(statement({ ...fine, Principal: { AWS: 'arn:aws:iam::000000000000:user/nobody@example.com' } })),
        'MalformedPolicy',
        /Invalid principal/,
      ],
      [policyOf(statement({ ...fine, Action: 'constructor' })), 'MalformedPolicy', /invalid action/],
      [policyOf(statement({ ...fine, NotPrincipal: '*' })), 'MalformedPolicy', /NotPrincipal/],
      [
        policyOf(statement({ ...fine, Condition: { StringLike: { 'aws:Reverer': 'x' } } })),
        'MalformedPolicy',
        /invalid condition key/,
      ],
      [policyOf(statement({ Action: 's3:GetObject', Resource: arn('other', '*') })), 'MalformedPolicy', /resource/],
      [policyOf(statement({ Action: 's3:GetObject' })), 'MalformedPolicy', /Resource/],
      [policyOf({ Effect: 'Allow', ...fine }), 'MalformedPolicy', /Principal/],
      [policyOf(statement({ ...fine, Odd: 1 })), 'MalformedPolicy', /Odd/],
      [policyOf(), 'MalformedPolicy', /Statement/],
      [policyOf(statement(fine)).replace('"Effect"', '"Effect":"Deny","Effect"'), 'MalformedPolicy', /Duplicate/],
      ['[]', 'MalformedPolicy', /JSON/],
      ['not json', 'MalformedPolicy', /JSON/],
      [policyOf(statement(fine)).padEnd(20_481), 'MaxMessageLengthExceeded', /too large/],
    ]
    const path = `/${bucket}?policy`
    await server.records([], async () => {
      for (const [body, code, message] of cases) {
        const answer = await world.send('PUT', path, await world.signed(pair, { method: 'PUT', path, body }), body)
        assert.equal(answer.code, code, body.slice(0, 200))
        assert.match(answer.text, message)
      }
    })
    assert.equal(await outcome(s3.send(new GetBucketPolicyCommand({ Bucket: bucket }))), 'NoSuchBucketPolicy')
  })
})
