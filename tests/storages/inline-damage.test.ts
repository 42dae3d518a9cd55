// Contents in the database have a checksum like those in a storage: what has changed there is found, and never served.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, it } from 'node:test'
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { verifying } from '../blobs/verifying.ts'
import { newClientKey } from '../encryption/client-key.ts'
import { outcome, s3World } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'
import { storagesWorld } from './storages.ts'

const DAY_MS = 24 * 3_600_000
const DEFAULT = { storage: 'default' }
const LIMIT = 8192

describeEngines('contents in the database', (engine) => {
  const world = storagesWorld(engine, { INLINE_MAX_BYTES: `${LIMIT}`, SCRUB_DAYS: '30', S3_PORT: '0' })
  let bucket: string
  let sealed: string
  let s3: S3Client
  const bodies = new Map<string, Buffer<ArrayBuffer>>()
  before(async () => {
    const { server } = world
    const { keyOf, clientOf } = s3World(server)
    s3 = clientOf(await keyOf())
    bucket = await world.bucket()
    sealed = await world.bucket(undefined, { encryption: { algorithm: 'AES256' } })
    for (const [key, size] of Object.entries({ empty: 0, byte: 1, small: 3000, limit: LIMIT })) {
      bodies.set(key, randomBytes(size))
      await world.put(bucket, key, bodies.get(key) as Buffer<ArrayBuffer>)
    }
    await world.put(sealed, 'sealed', randomBytes(500))
  })

  const idOf = async (key: string) => {
    const { db } = world.server.database
    return (await db.selectFrom('objects').select('blob_id').where('key', '=', key).executeTakeFirstOrThrow()).blob_id
  }
  /** What the database has of an object is something else while `work` runs. */
  async function changed(key: string, change: (bytes: Buffer) => Buffer, work: () => Promise<void>): Promise<void> {
    const { database } = world.server
    const blob_id = await idOf(key)
    const { bytes } = await database.db
      .selectFrom('bodies')
      .select('bytes')
      .where('blob_id', '=', blob_id)
      .executeTakeFirstOrThrow()
    const write = (now: Uint8Array) =>
      database.transaction((tx) =>
        tx
          .updateTable('bodies')
          .set({ bytes: Buffer.from(now) })
          .where('blob_id', '=', blob_id)
          .execute(),
      )
    await write(change(Buffer.from(bytes)))
    try {
      await work()
    } finally {
      await write(bytes)
    }
  }
  const flip = (bytes: Buffer): Buffer => {
    const at = Math.floor(Math.random() * bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8))
    return bytes
  }
  const sumsOf = async (key: string) => {
    const { db } = world.server.database
    const id = await idOf(key)
    return (await db.selectFrom('blobs').select('sums').where('id', '=', id).executeTakeFirstOrThrow()).sums
  }
  const recorded = async (action: 'read_damaged' | 'scrub_damaged', key: string) =>
    (await world.server.admin.listAudit({ query: { action: [action], bucket, object_key_prefix: key } })).items
  const scrub = async () => {
    await world.server.later(31 * DAY_MS)
    await world.server.running.tick('scrub')
    return (await world.server.admin.getStorage({ params: DEFAULT })).scrub
  }
  const read = async (key: string, range?: string) => {
    const headers = { authorization: `Bearer ${world.server.adminToken}`, ...(range && { range }) }
    const answer = await fetch(`${world.server.url}/api/v1/buckets/${bucket}/objects/${key}`, { headers })
    return answer.ok ? Buffer.from(await answer.arrayBuffer()) : ((await answer.json()) as { code: string }).code
  }

  it('are compared before a byte of them leaves, over both protocols, as a whole and in ranges', async () => {
    for (const [key, body] of bodies) assert.ok(body.equals((await read(key)) as Buffer), key)
    assert.ok(
      bodies
        .get('small')
        ?.subarray(10, 21)
        .equals((await read('small', 'bytes=10-20')) as Buffer),
    )
    for (const key of ['byte', 'small', 'limit'])
      await changed(key, flip, async () => {
        assert.equal(await read(key), 'damaged')
        assert.equal(await read(key, 'bytes=0-0'), 'damaged')
        assert.notEqual(await outcome(s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))), 'ok')
        await until(async () => (await recorded('read_damaged', key)).length > 0)
        const [{ details } = {}, ...more] = await recorded('read_damaged', key)
        assert.deepEqual([(details as { reason: string }).reason, more.length], ['changed', 0])
      })
    await changed(
      'small',
      (bytes) => bytes.subarray(1),
      async () => assert.equal(await read('small'), 'damaged'),
    )
    await changed('sealed', flip, async () => {
      await rejectsWith(world.server.admin.getObject({ params: { bucket: sealed, key: 'sealed' } }), 'damaged')
    })
    assert.ok(bodies.get('small')?.equals((await read('small')) as Buffer))
  })

  it('are found by a scrub, each once, and by verify --deep', async () => {
    const { server } = world
    const before = await scrub()
    assert.deepEqual([before?.damaged, before?.checked], [0, bodies.size + 1])
    await changed('small', flip, () =>
      changed('sealed', flip, async () => {
        const damaged = { action: 'scrub_damaged', result: 'failure' } as const
        const now = await server.records(
          [{ action: 'login' }, { ...damaged, bucket, key: 'small' }, { ...damaged, bucket: sealed, key: 'sealed' }],
          scrub,
        )
        assert.equal(now?.damaged, 2)
        const [{ details } = {}] = await recorded('scrub_damaged', 'small')
        assert.deepEqual(details, { blob_id: await idOf('small'), storage: null, reason: 'changed' })
        const { code, findings } = await verifying(server, 'verify', '--deep')
        assert.equal(code, 1)
        assert.equal(findings.filter((one) => /^different: the bytes of \S+\/(small|sealed) /.test(one)).length, 2)
      }),
    )
    assert.equal((await scrub())?.damaged, 0)
  })

  it('get their checksum from a scrub, if an earlier release wrote them, unless they are damaged', async () => {
    const { server } = world
    const keys = ['byte', 'small', 'limit', 'sealed']
    const sums = new Map<string, Uint8Array | null>()
    for (const key of keys) sums.set(key, await sumsOf(key))
    for (const one of sums.values()) assert.equal(one?.length, 4)
    const ids = await Promise.all(keys.map(idOf))
    await server.database.transaction((tx) =>
      tx.updateTable('blobs').set({ sums: null }).where('id', 'in', ids).execute(),
    )
    await changed('small', flip, async () => {
      const found = await scrub()
      assert.deepEqual([found?.damaged, found?.summed], [1, keys.length - 1])
      assert.equal(await sumsOf('small'), null)
    })
    assert.equal((await scrub())?.summed, 1)
    for (const key of keys) assert.deepEqual(await sumsOf(key), sums.get(key), key)
  })

  it('that the key of a client encrypts are compared without it', async () => {
    const { SSECustomerKey, ...algorithm } = newClientKey()
    world.server.secrets.add(SSECustomerKey)
    const { PutObjectCommand } = await import('@aws-sdk/client-s3')
    const { keyOf, clientOf } = s3World(world.server)
    const client = clientOf(await keyOf())
    const put = { Bucket: bucket, Key: 'theirs', Body: randomBytes(700), SSECustomerKey, ...algorithm }
    await client.send(new PutObjectCommand(put))
    assert.equal((await scrub())?.damaged, 0)
    await changed('theirs', flip, async () => assert.equal((await scrub())?.damaged, 1))
  })
})
