// Where the engine of a mirror has Object Lock, nobody can destroy the copies there before `keep_removed_days` are over.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { outcome, startS3 } from '../s3/s3.ts'
import { describeOnce } from '../support/server.ts'
import { storagesWorld } from './storages.ts'

const DAY_MS = 24 * 3_600_000
const DEFAULT = { storage: 'default' }
const KEEP = 3
const SCRUB = 10

describeOnce('a mirror whose engine locks objects', (engine) => {
  const world = storagesWorld(engine, { SCRUB_DAYS: `${SCRUB}`, SCRUB_MIB_PER_SECOND: '1000' })
  /** Another Strongroom, whose S3 endpoint is the engine of the mirror. */
  let other: Awaited<ReturnType<typeof startS3>>
  before(async () => {
    other = await startS3('sqlite')
    // The SDK signs at the time of the machine.
    for (const { clock, later } of [other.server, world.server]) await later(Date.now() - clock.now().getTime())
  })
  after(() => other.server.stop())

  const thief = () => other.world.clientOf(other.pair)
  const mirrorOf = async () => (await world.server.admin.getStorage({ params: DEFAULT })).mirror
  async function copyAll(): Promise<void> {
    for (let i = 0; i < 4; i++) {
      await world.server.later(61_000)
      await world.server.running.tick('mirror-copies')
    }
  }
  async function storageIn(Bucket: string, locks: boolean): Promise<string> {
    await thief().send(new s3.CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: locks }))
    const { access_key_id, secret_access_key } = other.pair
    world.server.secrets.add(secret_access_key)
    const place = {
      endpoint: other.world.url.origin,
      bucket: Bucket,
      path_style: true,
      access_key_id,
      secret_access_key,
    }
    await world.server.admin.createStorage({ body: { name: Bucket, kind: 's3', ...place } })
    return Bucket
  }
  async function setMirror(storage: string, more: object = {}) {
    const body = { mirror: { storage, keep_removed_days: KEEP, ...more } }
    const set = await world.server.records([{ action: 'storage_update' }], () =>
      world.server.admin.updateStorage({ params: DEFAULT, body }),
    )
    return set.mirror
  }
  async function keyOf(bucket: string, key: string): Promise<string> {
    const { blob_id } = await world.server.database.db
      .selectFrom('objects')
      .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
      .where('buckets.name', '=', bucket)
      .where('objects.key', '=', key)
      .select('objects.blob_id')
      .executeTakeFirstOrThrow()
    return `${blob_id.slice(-2)}/${blob_id}`
  }
  const retentionOf = async (Bucket: string, Key: string): Promise<Date | undefined> =>
    (await thief().send(new s3.HeadObjectCommand({ Bucket, Key }))).ObjectLockRetainUntilDate
  const daysLeft = (until: Date | undefined): number =>
    ((until?.getTime() ?? Number.NaN) - world.server.clock.now().getTime()) / DAY_MS
  async function versionsOf(Bucket: string, Prefix: string): Promise<string[]> {
    const { Versions = [] } = await thief().send(new s3.ListObjectVersionsCommand({ Bucket, Prefix }))
    return Versions.map(({ VersionId = '' }) => VersionId)
  }

  it('locks each copy, and the scrub does it again', async () => {
    const { server } = world
    const vault = await storageIn('vault', true)
    const bucket = await world.bucket()
    await world.put(bucket, 'before', randomBytes(50_000))
    const set = await setMirror(vault)
    assert.equal(set?.locked, false)
    await copyAll()
    assert.deepEqual([(await mirrorOf())?.locked, (await mirrorOf())?.complete], [true, true])
    await world.put(bucket, 'after', randomBytes(50_000))
    await copyAll()
    for (const key of ['before', 'after']) {
      const Key = await keyOf(bucket, key)
      const left = daysLeft(await retentionOf(vault, Key))
      assert.ok(left > KEEP + 2 * SCRUB - 1 && left <= KEEP + 2 * SCRUB, `${left}`)
      const [VersionId = ''] = await versionsOf(vault, Key)
      // Whoever has the keys of the engine, and every permission there.
      const del = new s3.DeleteObjectCommand({ Bucket: vault, Key, VersionId, BypassGovernanceRetention: true })
      assert.equal(await outcome(thief().send(del)), 'AccessDenied')
    }
    const Key = await keyOf(bucket, 'before')
    await server.later(SCRUB * DAY_MS)
    await server.running.tick('scrub')
    const left = daysLeft(await retentionOf(vault, Key))
    assert.ok(left > KEEP + 2 * SCRUB - 1, `${left}`)
    // A lock cannot be shortened: less is no failure.
    await setMirror(vault, { keep_removed_days: 1 })
    await server.later(SCRUB * DAY_MS - 1)
    await server.running.tick('scrub')
    assert.doesNotMatch(server.logged(), /could not be locked/)
    await setMirror(vault)
  })

  it('locks what was acknowledged with both copies as well', async () => {
    const bucket = await world.bucket()
    await setMirror('vault', { acknowledge: 'both' })
    await world.put(bucket, 'k', randomBytes(50_000))
    await copyAll()
    const left = daysLeft(await retentionOf('vault', await keyOf(bucket, 'k')))
    assert.ok(left > KEEP + 2 * SCRUB - 1, `${left}`)
    assert.equal((await mirrorOf())?.copies_due, 0)
    await setMirror('vault', { acknowledge: 'one' })
  })

  it('removes a copy, with all of its versions, once the engine lets it', async () => {
    const { server } = world
    const bucket = await world.bucket(undefined, { trash_days: 0 })
    await world.put(bucket, 'k', randomBytes(50_000))
    await copyAll()
    const Key = await keyOf(bucket, 'k')
    const id = Key.slice(3)
    const removal = () =>
      server.database.db.selectFrom('copy_removals').select('due_at').where('blob_id', '=', id).executeTakeFirst()
    await server.admin.deleteObject({ params: { bucket, key: 'k' } })
    await world.collect()
    await server.later((KEEP + 1) * DAY_MS)
    await server.running.tick('mirror-copies')
    // It is due by what the mirror says, and still locked.
    const due = await removal()
    assert.ok(daysLeft(new Date(due?.due_at ?? '')) > SCRUB)
    assert.equal((await versionsOf('vault', Key)).length, 1)
    assert.equal(await outcome(thief().send(new s3.HeadObjectCommand({ Bucket: 'vault', Key }))), 'NotFound')
    // As if that time had passed at the engine.
    const past = new Date(Date.now() - DAY_MS).toISOString()
    await other.server.database.transaction(async (tx) => {
      for (const table of ['objects', 'versions'] as const)
        await tx.updateTable(table).set({ locked_until: past }).where('key', '=', Key).execute()
    })
    await server.later(2 * SCRUB * DAY_MS)
    await server.running.tick('mirror-copies')
    assert.equal(await removal(), undefined)
    assert.deepEqual(await versionsOf('vault', Key), [])
  })

  it('locks nothing where nothing is to be kept, or the engine cannot', async () => {
    const bucket = await world.bucket()
    await setMirror('vault', { keep_removed_days: 0 })
    await world.put(bucket, 'k', randomBytes(50_000))
    await copyAll()
    assert.equal(await retentionOf('vault', await keyOf(bucket, 'k')), undefined)
    assert.equal((await mirrorOf())?.locked, false)
    const plain = await storageIn('plain', false)
    await setMirror(plain)
    await world.put(bucket, 'plain', randomBytes(50_000))
    await copyAll()
    assert.equal(await retentionOf(plain, await keyOf(bucket, 'plain')), undefined)
    assert.equal((await mirrorOf())?.locked, false)
  })
})
