// A policy denies a user what all of their grants allow. They try every door; none opens.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { bucketActions } from '../../contract/names.ts'
import type { BucketAction } from '../../contract/permissions.ts'
import { outcome, s3World } from '../s3/s3.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const B = 'vault'
const SECRET = 'the secret itself'
const KEY = 'secret/plan.txt'
const DENIED = { action: 'access_denied', result: 'denied' } as const
/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describeEngines('A user whom a policy denies what their grants allow', (engine) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let admin: S3Client
  let theirs: S3Client
  let token: string
  let before_: {
    presigned: string
    direct: string
    link: string
    folder: string
    version: string
    email: string
    /** When there was only that version. */
    moment: string
    agent: { token: string; s3: S3Client }
  }
  let made = 0

  const statement = (more: object) => ({
    Effect: 'Deny',
    Principal: { AWS: `arn:aws:iam::000000000000:user/${before_.email}` },
    ...more,
  })
  const put = (...Statement: object[]) =>
    admin.send(new PutBucketPolicyCommand({ Bucket: B, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }))
  const call = async (path: string, init: RequestInit = {}, as: string | null = token) => {
    const own = path.startsWith('http') ? path : `${server.url}/api/v1${path}`
    // URLs of the API are made for its public address.
    const url = own.startsWith(world.url.href) ? own : server.url + own.slice(new URL(own).origin.length)
    const response = await fetch(url, {
      ...init,
      headers: {
        ...(init.headers as Record<string, string> | undefined),
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(typeof init.body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
    })
    return { status: response.status, text: await response.text() }
  }
  const post = (path: string, body: object, method = 'POST') => call(path, { method, body: JSON.stringify(body) })
  const job = async (body: object) => {
    const { status, text } = await post('/jobs', body)
    for (let i = 0; i < 20; i++) await server.running.tick()
    return { status, text: `${text} ${(await call('/jobs')).text}` }
  }
  const read = (command: GetObjectCommand, by = theirs) =>
    by
      .send(command)
      .then(async ({ Body }) => ({ status: 200, text: (await Body?.transformToString()) ?? '' }))
      .catch((error: Error) => ({ status: 403, text: `${error.name} ${error.message}` }))

  before(async () => {
    server = await startServer(engine, { S3_PORT: '0', TRUSTED_PROXIES: '127.0.0.1' })
    world = s3World(server)
    admin = world.clientOf(await world.keyOf())
    await server.admin.createBucket({ body: { name: B } })
    await server.admin.createBucket({ body: { name: 'elsewhere' } })
    token = await server.userWith({ bucket_pattern: '*', actions: [...bucketActions] })
    theirs = world.clientOf(await world.keyOf(token))
    await admin.send(new PutBucketVersioningCommand({ Bucket: B, VersioningConfiguration: { Status: 'Enabled' } }))
    const first = await admin.send(
      new PutObjectCommand({ Bucket: B, Key: KEY, Body: SECRET, Tagging: `why=${SECRET.length}` }),
    )
    const dot = { Key: 'secret/dot.png', Body: PNG, ContentType: 'image/png', Tagging: 'why=secret' }
    await admin.send(new PutObjectCommand({ Bucket: B, ...dot }))
    await admin.send(new PutObjectCommand({ Bucket: B, Key: 'open.txt', Body: 'open' }))
    server.clock.advance(1000)
    const moment = server.clock.now().toISOString()
    await server.admin.createSnapshot({ params: { bucket: B }, body: { name: 'then' } })
    server.clock.advance(1000)
    await admin.send(new PutObjectCommand({ Bucket: B, Key: KEY, Body: SECRET }))
    const client = server.as(token)
    await client.createBucket({ body: { name: 'their-fork', from: { bucket: B } } })
    await client.putObject({ params: { bucket: 'their-fork', key: KEY }, body: 'theirs' })
    const agent = await client.createAgent({
      body: { name: 'reader', scope: [{ bucket: B, actions: ['list', 'read'] }] },
    })
    server.secrets.add(agent.token).add(agent.secret_access_key)
    const me = await client.me()
    const link = await client.createShare({ body: { kind: 'object', bucket: B, key: KEY } })
    const folder = await client.createShare({ body: { kind: 'folder', bucket: B, prefix: '' } })
    const presigned = await client.presignObject({ params: { bucket: B }, body: { key: KEY } })
    before_ = {
      email: me.email,
      moment,
      agent: { token: agent.token, s3: world.clientOf(agent) },
      version: first.VersionId ?? '',
      link: link.token,
      folder: folder.token,
      direct: presigned.url,
      presigned: await getSignedUrl(theirs, new GetObjectCommand({ Bucket: B, Key: KEY }), {
        signingDate: server.clock.now(),
      }),
    }
  })
  after(() => server.stop())

  /** Every way to the contents: how it ends, and what of them is seen. */
  const readings = (): { [door: string]: () => Promise<{ status: number; text: string }> } => {
    const at = { Bucket: B, Key: KEY }
    const s3 = (send: () => Promise<unknown>) => async () => {
      const ended = await outcome(send())
      return { status: ended === 'ok' ? 200 : 403, text: ended === 'ok' ? SECRET : ended }
    }
    const source = `${B}/${KEY}`
    /** A fork that they make now, and what of the secret is in it. */
    const fork = (from: object) => async () => {
      const name = `fork-${++made}`
      const answer = await post('/buckets', { name, from: { bucket: B, ...from } })
      for (let i = 0; i < 8; i++) await server.running.tick()
      return answer.status === 201 ? call(`/buckets/${name}/objects/${KEY}`) : answer
    }
    /** Names that are found by the tag of what is secret. */
    const search = (path: string) => async () => {
      const { status, text } = await call(`${path}?q=${encodeURIComponent(`tag:why=secret bucket:${B}`)}`)
      return { status, text: text.includes('secret/dot.png') ? SECRET : text }
    }
    const inventory = async () => {
      const body = { name: `all-${++made}`, bucket: B, destination: { bucket: 'elsewhere', prefix: `lists-${made}/` } }
      const { status, text } = await post('/inventories', { ...body, format: 'csv' })
      if (status !== 201) return { status, text }
      const at = `/inventories/${(JSON.parse(text) as { id: string }).id}`
      await post(`${at}/run`, {})
      for (let i = 0; i < 8; i++) await server.running.tick()
      const { items } = JSON.parse((await call(`${at}/runs`)).text) as { items: { status: string }[] }
      return { status, text: items[0]?.status === 'succeeded' ? SECRET : JSON.stringify(items) }
    }
    return {
      'a moment over S3': () => read(new GetObjectCommand({ ...at, Bucket: `${B}.at-then` })),
      'a moment': () => call(`/buckets/${B}/objects/${KEY}?at=${before_.moment}`),
      'a fork': fork({}),
      'a fork of a moment': fork({ at: before_.moment }),
      'a fork of the folder': fork({ prefix: 'secret/' }),
      'a search in the bucket': search(`/buckets/${B}/search`),
      'a search everywhere': search('/search'),
      'an inventory': inventory,
      'their agent': () => call(`/buckets/${B}/objects/${KEY}`, {}, before_.agent.token),
      'their agent over S3': () => read(new GetObjectCommand(at), before_.agent.s3),
      'GET over S3': () => read(new GetObjectCommand(at)),
      'HEAD over S3': s3(() => theirs.send(new HeadObjectCommand(at))),
      'a version over S3': () => read(new GetObjectCommand({ ...at, VersionId: before_.version })),
      'attributes over S3': s3(() =>
        theirs.send(new GetObjectAttributesCommand({ ...at, ObjectAttributes: ['ETag', 'ObjectSize'] })),
      ),
      'tags over S3': s3(() => theirs.send(new GetObjectTaggingCommand(at))),
      'source of a copy over S3': s3(() =>
        theirs.send(new CopyObjectCommand({ Bucket: 'elsewhere', Key: 'copy', CopySource: source })),
      ),
      'version as source of a copy': s3(() =>
        theirs.send(
          new CopyObjectCommand({
            Bucket: 'elsewhere',
            Key: 'copy',
            CopySource: `${source}?versionId=${before_.version}`,
          }),
        ),
      ),
      'part of an upload from it': s3(async () => {
        const to = { Bucket: 'elsewhere', Key: 'parts' }
        const { UploadId } = await theirs.send(new CreateMultipartUploadCommand(to))
        const { CopyPartResult } = await theirs.send(
          new UploadPartCopyCommand({ ...to, UploadId, PartNumber: 1, CopySource: source }),
        )
        const Parts = [{ PartNumber: 1, ETag: CopyPartResult?.ETag }]
        await theirs.send(new CompleteMultipartUploadCommand({ ...to, UploadId, MultipartUpload: { Parts } }))
      }),
      'a URL presigned before, S3': () => call(before_.presigned, {}, null),
      'a URL presigned before, API': () => call(before_.direct, {}, null),
      'a new presigned URL': async () => {
        const { status, text } = await post(`/buckets/${B}/objects/presign`, { key: KEY })
        return status === 200 ? call((JSON.parse(text) as { url: string }).url, {}, null) : { status, text }
      },
      GET: () => call(`/buckets/${B}/objects/${KEY}`),
      'GET with the key in the query': () => call(`/buckets/${B}/object?key=${KEY}`),
      'GET of a version': () => call(`/buckets/${B}/objects/${KEY}?version_id=${before_.version}`),
      'an archive of the folder': () => call(`/buckets/${B}/objects/archive?prefix=secret/`),
      'an archive of everything': () => call(`/buckets/${B}/objects/archive?prefix=`),
      'an archive of the key': () => call(`/buckets/${B}/objects/archive?keys=${KEY}`),
      'an image': () => call(`/images/${B}/secret/dot.png?w=10`),
      'a copy': () => post('/buckets/elsewhere/objects/copy', { source_bucket: B, source_key: KEY }),
      'a move': () => post('/buckets/elsewhere/objects/move', { source_bucket: B, source_key: KEY }),
      'a bulk copy': () =>
        post('/buckets/elsewhere/objects/bulk-copy', { source_bucket: B, keys: [KEY], dest_prefix: '' }),
      'a bulk move': () =>
        post('/buckets/elsewhere/objects/bulk-move', { source_bucket: B, keys: [KEY], dest_prefix: '' }),
      'a job that copies': () =>
        job({ kind: 'copy', source_bucket: B, prefix: '', dest_bucket: 'elsewhere', dest_prefix: 'job/' }),
      'a job that moves': () =>
        job({ kind: 'move', source_bucket: B, prefix: 'secret/', dest_bucket: 'elsewhere', dest_prefix: 'job/' }),
      'a version that becomes current': () =>
        post(`/buckets/${B}/versions/restore`, { key: KEY, version_id: before_.version }),
      'their link': () => call(`${server.url}/public/s/${before_.link}`, {}, null),
      'their link to the folder': () => call(`${server.url}/public/s/${before_.folder}/${KEY}`, {}, null),
      'an archive by their link': () => call(`${server.url}/public/s/${before_.folder}?archive=1`, {}, null),
      'a new link': async () => {
        const { status, text } = await post(`/share/${B}/${KEY}`, {})
        return status === 201
          ? call(`${server.url}/public/s/${(JSON.parse(text) as { token: string }).token}`, {}, null)
          : { status, text }
      },
    }
  }

  it('reads it through no door', async () => {
    // Nothing here is denied by anything but the policy: the next test finds each of these open.
    const opened: string[] = []
    await put(statement({ Action: 's3:GetObject*', Resource: `arn:aws:s3:::${B}/secret/*` }))
    for (const [door, attempt] of Object.entries(readings())) {
      const { status, text } = await attempt()
      if (text.includes(SECRET) || (status === 200 && door === 'an image')) opened.push(`${door}: ${status} ${text}`)
    }
    const stolen = await admin.send(new ListObjectsV2Command({ Bucket: 'elsewhere' }))
    for (const { Key } of stolen.Contents ?? []) if (!Key?.endsWith('open.txt')) opened.push(`copied as ${Key}`)
    assert.deepEqual(opened, [])
    // What is not denied is theirs as before, from the same doors.
    assert.equal((await call(`/buckets/${B}/objects/open.txt`)).text, 'open')
    assert.match((await call(`/buckets/${B}/objects/archive?prefix=`)).text, /open\.txt/)
  })

  it('finds every one of these doors open without the policy', async () => {
    await admin.send(new DeleteBucketPolicyCommand({ Bucket: B }))
    const closed: string[] = []
    for (const [door, attempt] of Object.entries(readings())) {
      if (door.includes('move')) continue
      const { status, text } = await attempt()
      const isDone = /copy|copies|job|part of|becomes current/.test(door) ? status < 300 : text.includes(SECRET)
      if (!isDone && !(door === 'an image' && status === 200)) closed.push(`${door}: ${status} ${text.slice(0, 200)}`)
    }
    assert.deepEqual(closed, [])
  })

  it('writes and deletes through none', async () => {
    const resource = `arn:aws:s3:::${B}/secret/*`
    await put(statement({ Action: ['s3:Put*', 's3:Delete*', 's3:AbortMultipartUpload'], Resource: resource }))
    const count = async () => {
      const { Versions = [], DeleteMarkers = [] } = await admin.send(
        new ListObjectVersionsCommand({ Bucket: B, Prefix: 'secret/' }),
      )
      return JSON.stringify([Versions, DeleteMarkers])
    }
    const before = await count()
    const at = { Bucket: B, Key: KEY }
    await outcome(theirs.send(new PutObjectCommand({ ...at, Body: 'x' })))
    await outcome(theirs.send(new DeleteObjectCommand(at)))
    await outcome(theirs.send(new DeleteObjectCommand({ ...at, VersionId: before_.version })))
    await outcome(theirs.send(new PutObjectTaggingCommand({ ...at, Tagging: { TagSet: [{ Key: 'a', Value: 'b' }] } })))
    await outcome(theirs.send(new CreateMultipartUploadCommand(at)))
    await outcome(
      theirs.send(
        new DeleteObjectsCommand({
          Bucket: B,
          Delete: { Objects: [{ Key: KEY }, { Key: KEY, VersionId: before_.version }] },
        }),
      ),
    )
    await call(`/buckets/${B}/objects/${KEY}`, { method: 'PUT', body: 'x' })
    await call(`/buckets/${B}/objects/${KEY}`, { method: 'DELETE' })
    await call(`/buckets/${B}/objects/${KEY}?version_id=${before_.version}&permanent=true`, { method: 'DELETE' })
    await post(`/buckets/${B}/objects/bulk-delete`, { keys: [KEY] })
    await post(`/buckets/${B}/objects/${KEY}`, { metadata: { a: 'b' } }, 'PATCH')
    await post(`/buckets/${B}/objects/copy`, { source_bucket: B, source_key: 'open.txt', dest_key: KEY })
    await post(`/buckets/${B}/upload/init`, { key: KEY, file_size: 1 })
    await job({ kind: 'delete', source_bucket: B, prefix: 'secret/' })
    await job({ kind: 'empty_bucket', source_bucket: B })
    await post('/buckets/elsewhere/objects/move', { source_bucket: B, source_key: KEY })
    const merge = () => job({ kind: 'merge', source_bucket: 'their-fork', on_conflict: 'fork' })
    const rollback = () => job({ kind: 'rollback', source_bucket: B, prefix: 'secret/', to: before_.moment })
    await merge()
    await rollback()
    assert.equal(await count(), before)
    // What is beside was emptied.
    const { Contents = [] } = await admin.send(new ListObjectsV2Command({ Bucket: B }))
    assert.deepEqual(
      Contents.map(({ Key }) => Key),
      ['secret/dot.png', KEY],
    )
    // Without the policy, these two change it.
    await admin.send(new DeleteBucketPolicyCommand({ Bucket: B }))
    for (const change of [merge, rollback]) {
      const earlier = await count()
      const { text } = await change()
      assert.notEqual(await count(), earlier, text)
    }
  })

  it('has as much right as before once the policy is gone, and none once it is there, from the next request on', async () => {
    const get = () => read(new GetObjectCommand({ Bucket: B, Key: KEY })).then(({ status }) => status)
    const denied = statement({ Action: 's3:GetObject', Resource: `arn:aws:s3:::${B}/secret/*` })
    const ends: number[] = []
    for (let i = 0; i < 5; i++) {
      await put(denied)
      ends.push(await get(), (await call(`/buckets/${B}/objects/${KEY}`)).status)
      await admin.send(new DeleteBucketPolicyCommand({ Bucket: B }))
      ends.push(await get(), (await call(`/buckets/${B}/objects/${KEY}`)).status)
    }
    assert.deepEqual(ends, Array.from({ length: 5 }, () => [403, 403, 200, 200]).flat())
  })

  it('conditions see the address that a trusted proxy passed on, how the request is encrypted, and what it asks for', async () => {
    const from = (ip: string) => ({ 'x-forwarded-for': ip })
    const office = { NotIpAddress: { 'aws:SourceIp': '192.0.2.0/24' } }
    await put(statement({ Action: 's3:GetObject', Resource: `arn:aws:s3:::${B}/*`, Condition: office }))
    const path = `/${B}/secret/plan.txt`
    const pair = await world.keyOf(token)
    const status = async (ip: string) =>
      (await world.send('GET', path, { ...(await world.signed(pair, { method: 'GET', path })), ...from(ip) })).status
    assert.deepEqual([await status('192.0.2.9'), await status('198.51.100.1')], [200, 403])
    const api = async (ip: string) => (await call(`/buckets/${B}/objects/${KEY}`, { headers: from(ip) })).status
    assert.deepEqual([await api('192.0.2.9'), await api('198.51.100.1')], [200, 403])

    const unencrypted = { Null: { 's3:x-amz-server-side-encryption': 'true' } }
    await put(statement({ Action: 's3:PutObject', Resource: `arn:aws:s3:::${B}/*`, Condition: unencrypted }))
    const to = { Bucket: B, Key: 'new' }
    await server.records([DENIED, { action: 'upload', bucket: B, key: 'new' }], async () => {
      assert.equal(await outcome(theirs.send(new PutObjectCommand({ ...to, Body: 'x' }))), 'AccessDenied')
      assert.equal(
        await outcome(theirs.send(new PutObjectCommand({ ...to, Body: 'x', ServerSideEncryption: 'AES256' }))),
        'ok',
      )
    })
  })

  it('a request does not get around a condition by headers and parameters that are of other requests', async () => {
    const read = (given: { acl?: string; prefix?: string }) => {
      const command = new GetObjectCommand({ Bucket: B, Key: KEY })
      command.middlewareStack.add(
        (next) => (args) => {
          const request = args.request as { headers: { [name: string]: string }; query: { [name: string]: string } }
          if (given.acl !== undefined) request.headers['x-amz-acl'] = given.acl
          if (given.prefix !== undefined) request.query.prefix = given.prefix
          return next(args)
        },
        { step: 'build' },
      )
      return outcome(theirs.send(command))
    }
    const unless = (key: string, value: string) =>
      put(
        statement({
          Action: 's3:GetObject',
          Resource: `arn:aws:s3:::${B}/*`,
          Condition: { StringNotEquals: { [key]: value } },
        }),
      )
    await unless('s3:x-amz-acl', 'private')
    await server.records([DENIED, DENIED], async () => {
      assert.deepEqual([await read({}), await read({ acl: 'private' })], ['AccessDenied', 'AccessDenied'])
    })
    await unless('s3:prefix', 'secret/')
    await server.records([DENIED, DENIED], async () => {
      assert.deepEqual([await read({}), await read({ prefix: 'secret/' })], ['AccessDenied', 'AccessDenied'])
    })
  })

  it('what managers may do has actions of its own, over S3 and through the API', async () => {
    // Sixty denials of a user are recorded in a minute, and the attacks before this one were many.
    await server.later(61_000)
    await put(
      statement({
        Action: ['s3:PutBucketVersioning', 's3:DeleteBucket', 's3:PutBucketCORS', 's3:ListBucketVersions'],
        Resource: `arn:aws:s3:::${B}`,
      }),
    )
    const suspended = new PutBucketVersioningCommand({ Bucket: B, VersioningConfiguration: { Status: 'Suspended' } })
    await server.records([DENIED, DENIED, DENIED, DENIED, DENIED], async () => {
      assert.equal(await outcome(theirs.send(suspended)), 'AccessDenied')
      assert.equal((await post(`/buckets/${B}`, { versioning: 'suspended' }, 'PATCH')).status, 403)
      assert.equal((await call(`/buckets/${B}`, { method: 'DELETE' })).status, 403)
      assert.equal(await outcome(theirs.send(new ListObjectVersionsCommand({ Bucket: B }))), 'AccessDenied')
      assert.equal((await call(`/buckets/${B}/versions`)).status, 403)
    })
    assert.equal((await post(`/buckets/${B}`, { trash_days: 3 }, 'PATCH')).status, 200)
  })

  it('the statement that decides is named', async () => {
    const explain = async (key: string, action = 'read') =>
      JSON.parse((await call(`/permissions/explain?action=${action}&bucket=${B}&key=${key}`)).text)
    await put({ Sid: 'NoSecrets', ...statement({ Action: 's3:Get*', Resource: `arn:aws:s3:::${B}/secret/*` }) })
    const denied = await explain(KEY)
    assert.equal(denied.allowed, false)
    assert.deepEqual(denied.statement, { policy_of: 'bucket', sid: 'NoSecrets', index: 0, effect: 'Deny' })
    assert.match(denied.reason, /denied by statement "NoSecrets" of the policy of bucket "vault"/)
    const granted = await explain('open.txt')
    assert.deepEqual([granted.allowed, granted.statement, granted.via.length], [true, null, 1])
  })

  it('an administrator who is denied everything can still delete the policy', async () => {
    await put({
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:*',
      Resource: [`arn:aws:s3:::${B}`, `arn:aws:s3:::${B}/*`],
    })
    assert.equal(await outcome(admin.send(new GetObjectCommand({ Bucket: B, Key: KEY }))), 'AccessDenied')
    assert.equal(await outcome(theirs.send(new DeleteBucketPolicyCommand({ Bucket: B }))), 'AccessDenied')
    await server.records([{ action: 'update_bucket', bucket: B }], async () =>
      assert.equal(await outcome(admin.send(new DeleteBucketPolicyCommand({ Bucket: B }))), 'ok'),
    )
    assert.equal(await outcome(admin.send(new GetObjectCommand({ Bucket: B, Key: KEY }))), 'ok')
  })

  it('a policy that names a user lets them in at every door, with no grant at all', async () => {
    const stranger = await server.userWith()
    const email = (await server.as(stranger).me()).email
    const s3 = world.clientOf(await world.keyOf(stranger))
    const who = { AWS: `arn:aws:iam::000000000000:user/${email}` }
    const see = () => call(`/buckets/${B}/objects/${KEY}`, {}, stranger)
    assert.equal((await see()).status, 403)
    await put(
      { Effect: 'Allow', Principal: who, Action: 's3:GetObject', Resource: `arn:aws:s3:::${B}/secret/*.txt` },
      {
        Effect: 'Allow',
        Principal: who,
        Action: 's3:ListBucket',
        Resource: `arn:aws:s3:::${B}`,
        Condition: { StringLike: { 's3:prefix': 'secret/*' } },
      },
    )
    assert.equal((await see()).text, SECRET)
    assert.equal(await outcome(s3.send(new GetObjectCommand({ Bucket: B, Key: KEY }))), 'ok')
    assert.equal(await outcome(s3.send(new GetObjectCommand({ Bucket: B, Key: 'secret/dot.png' }))), 'AccessDenied')
    assert.equal(await outcome(s3.send(new PutObjectCommand({ Bucket: B, Key: KEY, Body: '' }))), 'AccessDenied')
    assert.equal(await outcome(s3.send(new ListObjectsV2Command({ Bucket: B, Prefix: 'secret/' }))), 'ok')
    assert.equal(await outcome(s3.send(new ListObjectsV2Command({ Bucket: B }))), 'AccessDenied')
    assert.equal((await call(`/buckets/${B}/browse?prefix=secret/`, {}, stranger)).status, 200)
    assert.equal((await call(`/buckets/${B}/browse`, {}, stranger)).status, 403)
    assert.match((await call('/buckets', {}, stranger)).text, /vault/)
    const actions: BucketAction[] = ['read']
    const limited = world.clientOf(await world.keyOf(stranger, [{ bucket: B, prefix: 'other/', actions }]))
    assert.equal(await outcome(limited.send(new GetObjectCommand({ Bucket: B, Key: KEY }))), 'AccessDenied')
  })
})
