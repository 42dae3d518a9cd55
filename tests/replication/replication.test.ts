import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { foreignBucket } from '../attached/foreign.ts'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'
import { replicationWorld } from './world.ts'

const gateway = await cephGateway()

describeEngines('replication of buckets', (engine) => {
  if (!gateway) return it('needs an engine', { skip: noGateway }, () => undefined)
  const world = replicationWorld(engine, gateway)
  const MiB = 1024 ** 2

  it('copies what is there and every change, with headers, metadata and tags', async () => {
    const { server, foreign } = world
    const bucket = await world.bucket()
    await world.put(bucket, 'before', 'there before')
    await world.put(bucket, 'ä/漢 +%.txt', 'odd key')
    const { name, prefix } = await world.storage()
    const set = await server.records([{ action: 'update_bucket', bucket }], () =>
      server.admin.setReplication({ params: { bucket }, body: { storage: name, rules: [{ deletes: true }] } }),
    )
    assert.deepEqual(
      { ...set, configured_at: '' },
      {
        storage: name,
        prefix,
        rules: [{ enabled: true, prefix: '', deletes: true }],
        encrypted: 'refuse',
        existing: true,
        configured_at: '',
        paused: false,
        filled: false,
        lag_seconds: 0,
        backlog: { objects: 0, bytes: 0 },
        failed: 0,
        error: null,
      },
    )
    assert.equal(await world.status(bucket, 'before'), 'PENDING')
    await server.records([], () => world.settle(bucket))
    assert.deepEqual(await world.there(prefix), { before: 'there before', 'ä/漢 +%.txt': 'odd key' })
    assert.equal(await world.status(bucket, 'before'), 'COMPLETED')

    const large = randomBytes(3 * MiB)
    await world.s3.send(
      new s3.PutObjectCommand({
        Bucket: bucket,
        Key: 'large',
        Body: large,
        ContentType: 'image/png',
        CacheControl: 'max-age=3',
        Metadata: { camera: 'x', city: 'Zürich' },
        Tagging: 'a=1&b=2',
      }),
    )
    server.clock.advance(5000)
    const waiting = await world.state(bucket)
    assert.deepEqual(waiting.backlog, { objects: 1, bytes: 3 * MiB })
    assert.ok(Math.abs(waiting.lag_seconds - 5) < 0.5, `${waiting.lag_seconds}`)
    const all = await server.records([], () => server.admin.listReplications())
    assert.deepEqual(
      all.items.filter((one) => one.bucket === bucket),
      [{ bucket, ...(await world.state(bucket)) }],
      'the list says the same of each',
    )
    await world.settle(bucket)
    const head = await foreign.client.send(new s3.HeadObjectCommand({ Bucket: foreign.bucket, Key: `${prefix}large` }))
    assert.deepEqual([head.ContentType, head.CacheControl, head.Metadata?.camera], ['image/png', 'max-age=3', 'x'])
    const tags = () =>
      foreign.client
        .send(new s3.GetObjectTaggingCommand({ Bucket: foreign.bucket, Key: `${prefix}large` }))
        .then(({ TagSet = [] }) => Object.fromEntries(TagSet.map(({ Key, Value }) => [Key, Value])))
    assert.deepEqual(await tags(), { a: '1', b: '2' })
    assert.ok((await foreign.bytesOf(`${prefix}large`)).equals(large))

    await world.s3.send(
      new s3.PutObjectTaggingCommand({ Bucket: bucket, Key: 'large', Tagging: { TagSet: [{ Key: 'c', Value: '3' }] } }),
    )
    await server.admin.copyObject({
      params: { bucket },
      body: { source_bucket: bucket, source_key: 'before', dest_key: 'copy' },
    })
    await server.admin.moveObject({
      params: { bucket },
      body: { source_bucket: bucket, source_key: 'before', dest_key: 'moved' },
    })
    await world.put(bucket, 'copy', 'overwritten')
    await server.admin.deleteObject({ params: { bucket, key: 'ä/漢 +%.txt' } })
    await world.settle(bucket)
    assert.deepEqual(await tags(), { c: '3' })
    const { large: _, ...small } = await world.there(prefix)
    assert.deepEqual(small, { copy: 'overwritten', moved: 'there before' })

    const { items } = await server.admin.listTrash({ params: { bucket } })
    const deleted = items.find(({ key }) => key === 'ä/漢 +%.txt')
    await server.admin.restoreTrash({ params: { bucket }, body: { ids: [deleted?.id ?? ''] } })
    await world.settle(bucket)
    assert.equal((await world.there(prefix))['ä/漢 +%.txt'], 'odd key')
    await world.noDifference(bucket)
  })

  it('follows folders that jobs rename and delete', async () => {
    const { server } = world
    const { bucket, prefix } = await world.replicated({ rules: [{ deletes: true }] })
    const keys = Array.from({ length: 30 }, (_, i) => `in/${i}`)
    for (const key of keys) await world.put(bucket, key, key)
    await world.settle(bucket)
    const run = async (body: Parameters<typeof server.admin.createJob>[0]['body']) => {
      const { id } = await server.admin.createJob({ body })
      await until(async () => {
        await server.running.tick('jobs')
        return (await server.admin.getJob({ params: { id } })).status === 'succeeded'
      })
    }
    await run({ kind: 'move', source_bucket: bucket, prefix: 'in/', dest_bucket: bucket, dest_prefix: 'out/' })
    await world.settle(bucket)
    assert.deepEqual(
      await world.there(prefix),
      Object.fromEntries(keys.map((key) => [key.replace('in/', 'out/'), key])),
    )
    await run({ kind: 'delete', source_bucket: bucket, prefix: 'out/1' })
    await world.settle(bucket)
    assert.equal(Object.keys(await world.there(prefix)).filter((key) => key.startsWith('out/1')).length, 0)
    await world.noDifference(bucket)
  })

  it('takes what rules say: prefixes, tags, priorities, and deletions only where they are to be', async () => {
    const { server, s3: client } = { ...world, server: world.server, s3: world.s3 }
    const { bucket, prefix } = await world.replicated({
      rules: [
        { prefix: 'logs/', deletes: true },
        { prefix: 'logs/keep/', priority: 1 },
        { tags: { copy: 'yes', env: 'live' } },
        { prefix: 'off/', enabled: false },
      ],
    })
    const tagged = (Key: string, Tagging: string) =>
      client.send(new s3.PutObjectCommand({ Bucket: bucket, Key, Body: Key, Tagging }))
    for (const key of ['logs/a', 'logs/keep/b', 'other', 'off/c']) await world.put(bucket, key, key)
    await tagged('tagged', 'copy=yes&env=live&more=1')
    await tagged('half', 'copy=yes')
    await world.settle(bucket)
    const all = { 'logs/a': 'logs/a', 'logs/keep/b': 'logs/keep/b', tagged: 'tagged' }
    assert.deepEqual(await world.there(prefix), all)
    assert.deepEqual(
      [await world.status(bucket, 'half'), await world.status(bucket, 'tagged')],
      [undefined, 'COMPLETED'],
    )
    await client.send(
      new s3.PutObjectTaggingCommand({
        Bucket: bucket,
        Key: 'half',
        Tagging: {
          TagSet: [
            { Key: 'copy', Value: 'yes' },
            { Key: 'env', Value: 'live' },
          ],
        },
      }),
    )
    for (const key of ['logs/a', 'logs/keep/b', 'tagged']) await server.admin.deleteObject({ params: { bucket, key } })
    await world.settle(bucket)
    assert.deepEqual(await world.there(prefix), { 'logs/keep/b': 'logs/keep/b', tagged: 'tagged', half: 'half' })
    const { differences } = await server.admin.verifyReplication({ params: { bucket }, body: {} })
    assert.deepEqual(
      differences.map(({ key, kind }) => [key, kind]),
      [
        ['logs/keep/b', 'extra'],
        ['tagged', 'extra'],
      ],
    )
  })

  it('keeps the order of contents, as versions where the other side keeps them', async () => {
    const { server } = world
    const target = await foreignBucket(gateway, { versioned: true })
    const { name, prefix } = await world.storage(undefined, target)
    const bucket = await world.bucket({ versioning: 'enabled' })
    await server.admin.setReplication({ params: { bucket }, body: { storage: name, rules: [{ deletes: true }] } })
    // Longer than clocks may be apart.
    server.clock.advance(6000)
    for (const text of ['one', 'two', 'three']) await world.put(bucket, 'key', text)
    await server.admin.deleteObject({ params: { bucket, key: 'key' } })
    await world.put(bucket, 'key', 'four')
    const first = (await server.admin.listVersions({ params: { bucket }, query: { key: 'key' } })).items.at(-1)
    assert.equal(await world.status(bucket, 'key', first?.version_id), 'PENDING')
    await world.settle(bucket)
    assert.equal(await world.status(bucket, 'key', first?.version_id), 'COMPLETED')
    const Key = `${prefix}key`
    const { Versions = [], DeleteMarkers = [] } = await target.client.send(
      new s3.ListObjectVersionsCommand({ Bucket: target.bucket, Prefix: Key }),
    )
    assert.equal(DeleteMarkers.length, 1)
    const texts = []
    for (const { VersionId } of Versions) {
      const { Body } = await target.client.send(new s3.GetObjectCommand({ Bucket: target.bucket, Key, VersionId }))
      texts.push(await Body?.transformToString())
    }
    assert.deepEqual(texts, ['four', 'three', 'two', 'one'])
    // Without them, the version before is current again.
    const all = await world.s3.send(new s3.ListObjectVersionsCommand({ Bucket: bucket }))
    const four = all.Versions?.find(({ IsLatest }) => IsLatest)
    for (const VersionId of [four?.VersionId, all.DeleteMarkers?.[0]?.VersionId])
      await world.s3.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: 'key', VersionId }))
    await world.settle(bucket)
    const { Body } = await target.client.send(new s3.GetObjectCommand({ Bucket: target.bucket, Key }))
    assert.equal(await Body?.transformToString(), 'three')
    await target.empty()
  })

  it('says what could not be replicated and why, and tries again when it is told to', async () => {
    const { server } = world
    const { bucket, prefix } = await world.replicated({}, { encryption: { algorithm: 'AES256' } })
    await world.put(bucket, 'sealed', 'sealed')
    const key = 'k'.repeat(1024)
    await world.put(bucket, key, 'long')
    await world.settle(bucket)
    const { items } = await server.admin.listReplicationFailures({ params: { bucket } })
    assert.deepEqual(
      items.map((one) => [one.key, one.version_id, one.size, one.reason]),
      [
        [key, null, 4, 'With the prefix of the replica, its key has more than 1,024 bytes.'],
        ['sealed', null, 6, 'It is encrypted, and the replication is not set up to send such objects decrypted.'],
      ],
    )
    const paged = await server.admin.listReplicationFailures({ params: { bucket }, query: { limit: 1 } })
    const next = await server.admin.listReplicationFailures({
      params: { bucket },
      query: { limit: 1, cursor: paged.next_cursor ?? '' },
    })
    assert.deepEqual([paged.items[0], next.items[0], next.next_cursor], [items[0], items[1], null])
    assert.deepEqual([(await world.state(bucket)).failed, await world.status(bucket, 'sealed')], [2, 'FAILED'])
    assert.deepEqual(await world.there(prefix), {})
    const { waiting, checked } = await server.admin.verifyReplication({ params: { bucket }, body: {} })
    assert.deepEqual([waiting, checked], [2, 2])

    // Decrypted by a copy, it is another object.
    await server.admin.updateBucket({ params: { bucket }, body: { encryption: null } })
    await world.put(bucket, 'sealed', 'open')
    await server.records([], async () => {
      await server.admin.resumeReplication({ params: { bucket } })
    })
    await world.settle(bucket)
    assert.deepEqual(await world.there(prefix), { sealed: 'open' })
    assert.equal((await world.state(bucket)).failed, 1)
  })

  it('what a client’s own key encrypts is never sent', async () => {
    const { server } = world
    const { bucket, prefix } = await world.replicated()
    const secret = randomBytes(32)
    const config = {
      Bucket: bucket,
      Key: 'own',
      SSECustomerAlgorithm: 'AES256',
      SSECustomerKey: secret.toString('base64'),
    }
    const { createHash } = await import('node:crypto')
    const SSECustomerKeyMD5 = createHash('md5').update(secret).digest('base64')
    await world.s3.send(new s3.PutObjectCommand({ ...config, SSECustomerKeyMD5, Body: 'mine' }))
    await world.settle(bucket)
    const { items } = await server.admin.listReplicationFailures({ params: { bucket } })
    assert.deepEqual(
      items.map(({ reason }) => reason),
      ['Its bytes are encrypted with a key that only the client has.'],
    )
    assert.deepEqual(await world.there(prefix), {})
  })

  it('is paused, resumed, changed and ended, each with a record; what is there stays', async () => {
    const { server } = world
    const { bucket, prefix } = await world.replicated()
    const params = { bucket }
    const changed = [{ action: 'update_bucket', bucket }] as const
    assert.equal((await server.records(changed, () => server.admin.pauseReplication({ params }))).paused, true)
    await server.records([], () => server.admin.pauseReplication({ params }))
    await world.put(bucket, 'a', 'a')
    for (let i = 0; i < 3; i++) await server.running.tick('replication')
    assert.deepEqual([await world.there(prefix), (await world.state(bucket)).backlog.objects], [{}, 1])
    assert.equal((await server.records(changed, () => server.admin.resumeReplication({ params }))).paused, false)
    await world.settle(bucket)
    assert.deepEqual(await world.there(prefix), { a: 'a' })
    const { storage } = await world.state(bucket)
    await rejectsWith(server.admin.deleteStorage({ params: { storage } }), 'not_empty')
    await server.records(changed, () => server.admin.deleteReplication({ params }))
    await rejectsWith(server.admin.getReplication({ params }), 'not_found')
    await world.put(bucket, 'b', 'b')
    await server.running.tick('replication')
    assert.deepEqual(await world.there(prefix), { a: 'a' })
    const { count } = await server.database.db
      .selectFrom('replication_queue')
      .innerJoin('buckets', 'buckets.id', 'replication_queue.bucket_id')
      .where('name', '=', bucket)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    assert.equal(Number(count), 0)
  })

  it('names every difference', async () => {
    const { server, foreign } = world
    const { bucket, prefix } = await world.replicated()
    const keys = Array.from({ length: 20 }, (_, i) => `k${String(i).padStart(2, '0')}`)
    for (const key of keys) await world.put(bucket, key, `text of ${key}`)
    await world.settle(bucket)
    await world.noDifference(bucket)
    await foreign.put(`${prefix}k03`, 'TEXT of k03')
    await foreign.put(`${prefix}k04`, 'longer than it was')
    await foreign.delete(`${prefix}k05`)
    await foreign.put(`${prefix}k055`, 'foreign')
    await foreign.putInParts(`${prefix}k06`, Buffer.from('text of k06'))
    await foreign.putInParts(`${prefix}k07`, Buffer.from('text of k08'))
    const { differences, checked } = await server.records([], () =>
      server.admin.verifyReplication({ params: { bucket }, body: {} }),
    )
    assert.deepEqual(
      [checked, differences.map(({ key, kind }) => `${key} ${kind}`)],
      [20, ['k03 different', 'k04 different', 'k05 missing', 'k055 extra', 'k07 different']],
    )
  })

  it('refuses what cannot be', async () => {
    const { server } = world
    const { name } = await world.storage()
    const bucket = await world.bucket()
    const set = (body: object, params = { bucket }) =>
      server.admin.setReplication({ params, body: { storage: name, ...body } as never })
    await server.records([], async () => {
      await rejectsWith(set({ storage: 'default' }), 'invalid_request')
      await rejectsWith(set({ storage: 'nowhere' }), 'not_found')
      await rejectsWith(set({}, { bucket: 'not-there' }), 'not_found')
      await rejectsWith(set({ rules: [] }), 'invalid_request')
      await rejectsWith(set({ rules: [{ tags: { a: '1' }, deletes: true }] }), 'invalid_request')
      for (const encrypted of ['plain', 'engine']) await rejectsWith(set({ encrypted }), 'invalid_request')
    })
    await set({})
    const other = await world.bucket()
    await rejectsWith(set({}, { bucket: other }), 'conflict')
    await rejectsWith(set({ prefix: '' }, { bucket: other }), 'conflict')
    await rejectsWith(server.admin.createBucket({ body: { name: 'owned', storage: name } }), 'conflict')
    await set({ prefix: 'elsewhere/' }, { bucket: other })
    const attached = 'attached-one'
    await server.admin.createBucket({ body: { name: attached, mode: 'read_only', storage: name, prefix: 'shown/' } })
    await rejectsWith(set({ prefix: 'third/' }, { bucket: attached }), 'read_only')
  })

  it('a bucket without a replica asks nothing more and queues nothing', async () => {
    const { server } = world
    const bucket = await world.bucket()
    await world.put(bucket, 'a', 'a')
    assert.equal(await world.status(bucket, 'a'), undefined)
    const rows = await server.database.db
      .selectFrom('buckets')
      .leftJoin('replication_queue', 'replication_queue.bucket_id', 'buckets.id')
      .select(['replication', 'key'])
      .where('name', '=', bucket)
      .execute()
    assert.deepEqual(rows, [{ replication: null, key: null }])
  })
})
