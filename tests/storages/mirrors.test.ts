import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import type { ErrorCode } from '../../contract/errors.ts'
import { newBlobId } from '../../server/drivers/routing/ids.ts'
import { blobFile } from '../support/blob-file.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'
import { sameKeys, storagesWorld } from './storages.ts'

const DEFAULT = { storage: 'default' }
const DAY_MS = 24 * 3_600_000
const mirrored = [{ action: 'storage_update' }] as const

describeEngines('mirrors', (engine) => {
  const world = storagesWorld(engine, { MIRROR_TIMEOUT_SECONDS: '1' })
  const mirrorOf = async (name = 'default') =>
    (await world.server.admin.getStorage({ params: { storage: name } })).mirror
  const tick = () => world.server.running.tick('mirror-copies')
  /** Makes the copies that are due, and those that are due after the rows of new blobs are complete. */
  async function copy(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      world.server.clock.advance(61_000)
      await tick()
    }
    await world.server.later(0)
  }
  async function caughtUp(): Promise<void> {
    for (let i = 0; i < 20 && ((await mirrorOf())?.copies_due ?? 0) > 0; i++) await copy()
  }
  const files = (folder: string) =>
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /^[0-9a-f-]{36}$/.test(entry.name))
      .map((entry) => entry.name)
      .sort()
  const own = () => path.join(world.server.folder, 'blobs')
  const bytesOf = async (bucket: string, key: string, range?: string) => {
    const headers = { authorization: `Bearer ${world.server.adminToken}`, ...(range && { range }) }
    const answer = await fetch(`${world.server.url}/api/v1/buckets/${bucket}/objects/${key}`, { headers })
    assert.ok(answer.ok, `${answer.status}`)
    return Buffer.from(await answer.arrayBuffer())
  }
  const idOf = async (key: string) => path.basename(await blobFile(world.server, key))
  const at = (folder: string, id: string) => path.join(folder, id.slice(-2), id)

  it('have a copy of everything: what was there, what comes, parts and encrypted contents', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    const bodies = new Map([10, 70_000, 3_000_000].map((size) => [`before-${size}`, randomBytes(size)]))
    for (const [key, body] of bodies) await world.put(bucket, key, body)
    const sealed = await world.bucket(undefined, { encryption: { algorithm: 'AES256' } })
    await world.put(sealed, 'sealed-before', randomBytes(200_000))
    const set = await server.records(mirrored, () =>
      server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } }),
    )
    assert.deepEqual(set.mirror, {
      storage: nas,
      acknowledge: 'one',
      when_down: 'refuse',
      keep_removed_days: 30,
      copies_due: 0,
      due_since: null,
      complete: false,
      locked: false,
    })
    await world.put(bucket, 'after', randomBytes(100_000))
    const size = 5 * 1024 ** 2 + 1
    const { upload_id, urls } = await server.admin.initUpload({
      params: { bucket },
      body: { key: 'parts', file_size: size + 100, part_size: size },
    })
    const parts = []
    for (const [i, length] of [size, 100].entries())
      parts.push({ part_number: i + 1, etag: await world.sendPart(urls[i] ?? '', randomBytes(length)) })
    await server.admin.completeUpload({ params: { bucket }, body: { upload_id, parts } })
    assert.equal((await mirrorOf())?.copies_due, 2)
    await server.records([{ action: 'login' }], copy)
    const joined = await idOf('parts')
    sameKeys(files(world.folderOf(nas)), [...files(own()), joined])
    for (const id of files(own()))
      assert.ok(fs.readFileSync(at(own(), id)).equals(fs.readFileSync(at(world.folderOf(nas), id))))
    assert.deepEqual([(await mirrorOf())?.complete, (await mirrorOf())?.copies_due], [true, 0])
    assert.ok(
      (await bytesOf(bucket, 'parts')).equals(
        await (async () => {
          fs.rmSync(`${at(own(), joined)}.d`, { recursive: true })
          return bytesOf(bucket, 'parts')
        })(),
      ),
    )
    await server.records([{ action: 'heal', bucket, key: 'parts' }], tick)
    const off = await server.records(mirrored, () =>
      server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } }),
    )
    assert.equal(off.mirror, null)
  })

  it('answer with the other copy where one is damaged, and replace that', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } })
    const body = randomBytes(2_000_000)
    await world.put(bucket, 'mended', body)
    await copy()
    const id = await idOf('mended')
    const [one, two] = [at(own(), id), at(world.folderOf(nas), id)]
    const good = fs.readFileSync(one)
    const damages: [string, (file: string) => void][] = [
      ['changed', (file) => fs.writeFileSync(file, Buffer.concat([good.subarray(0, 1_500_000), randomBytes(500_000)]))],
      ['missing', (file) => fs.rmSync(file)],
      ['missing', (file) => fs.truncateSync(file, 700_000)],
      [
        'missing',
        (file) => {
          fs.rmSync(file)
          fs.mkdirSync(file)
        },
      ],
    ]
    for (const [reason, damage] of damages) {
      damage(one)
      assert.ok(body.equals(await bytesOf(bucket, 'mended')), reason)
      assert.ok(body.subarray(1_600_000).equals(await bytesOf(bucket, 'mended', 'bytes=1600000-')), reason)
      await server.records([{ action: 'heal', bucket, key: 'mended' }], tick)
      assert.ok(good.equals(fs.readFileSync(one)), reason)
      const { items } = await server.admin.listAudit({ query: { action: ['heal'], page_size: 1 } })
      assert.deepEqual(items[0]?.details, { blob_id: id, storage: 'default', reason })
    }
    // Both are damaged: the truth is told, and nothing is called healed.
    for (const file of [one, two]) fs.writeFileSync(file, randomBytes(good.length))
    const answer = await fetch(`${server.url}/api/v1/buckets/${bucket}/objects/mended`, {
      headers: { authorization: `Bearer ${server.adminToken}` },
    })
    assert.equal(answer.status, 409)
    await answer.arrayBuffer()
    fs.writeFileSync(two, good)
    await copy()
    await copy()
    assert.ok(good.equals(fs.readFileSync(one)))
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  it('are mended from each other where both are damaged, each in another place', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } })
    const body = randomBytes(2_000_000)
    await world.put(bucket, 'halves', body)
    await copy()
    const id = await idOf('halves')
    const both = [at(own(), id), at(world.folderOf(nas), id)] as const
    const flip = (file: string, place: number) => {
      const bytes = fs.readFileSync(file)
      bytes[place] = (bytes[place] ?? 0) ^ 1
      fs.writeFileSync(file, bytes)
    }
    flip(both[0], 100)
    flip(both[1], 1_900_000)
    assert.ok(body.equals(await bytesOf(bucket, 'halves')))
    const heal = { action: 'heal', bucket, key: 'halves' } as const
    await server.records([heal, heal], tick)
    for (const file of both) assert.ok(body.equals(fs.readFileSync(file)))
    // In the same place: what is whole elsewhere is not thrown away by an attempt.
    for (const file of both) flip(file, 100)
    const damaged = both.map((file) => fs.readFileSync(file))
    await assert.rejects(bytesOf(bucket, 'halves'))
    const isRecorded = async () =>
      (await server.admin.listAudit({ query: { action: ['read_damaged'], bucket, object_key_prefix: 'halves' } })).items
        .length === 1
    await until(isRecorded)
    await server.records([], tick)
    for (const [i, file] of both.entries()) assert.ok(damaged[i]?.equals(fs.readFileSync(file)))
    assert.ok(body.subarray(70_000).equals(await bytesOf(bucket, 'halves', 'bytes=70000-')))
    fs.writeFileSync(both[1], body)
    await caughtUp()
    await server.later(3_600_000)
    await tick()
    for (const file of both) assert.ok(body.equals(fs.readFileSync(file)))
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  it('write nothing to a disk that is not mounted, whatever looks missing there', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } })
    const body = randomBytes(300_000)
    await world.put(bucket, 'unmounted', body)
    await copy()
    fs.renameSync(own(), `${own()}-away`)
    for (let i = 0; i < 256; i++) fs.mkdirSync(path.join(own(), i.toString(16).padStart(2, '0')), { recursive: true })
    assert.ok(body.equals(await bytesOf(bucket, 'unmounted')))
    await server.records([], tick)
    assert.deepEqual(files(own()), [])
    fs.rmSync(own(), { recursive: true })
    fs.renameSync(`${own()}-away`, own())
    await server.later(3_600_000)
    await server.records([], tick)
    assert.ok(body.equals(fs.readFileSync(at(own(), await idOf('unmounted')))))
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  // The reads that fail meanwhile show that the mirror lacks what it is to get: due again at once, it kept a process busy for good.
  it('are filled later while the disk that they copy from is away', { timeout: 60_000 }, async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    const bodies = new Map(['older', 'newer'].map((key) => [key, randomBytes(300_000)]))
    for (const [key, body] of bodies) await world.put(bucket, key, body)
    const ids = await Promise.all([...bodies.keys()].map(idOf))
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } })
    fs.renameSync(own(), `${own()}-away`)
    fs.mkdirSync(own())
    await server.records([], tick)
    const waiting = async () => {
      const due = server.database.db.selectFrom('copies_due').where('blob_id', 'in', ids)
      const rows = await due.where('reason', '=', 'existing').select('attempts').execute()
      return rows.map(({ attempts }) => attempts)
    }
    assert.deepEqual(await waiting(), [1, 1])
    await server.later(60_000)
    await server.records([], tick)
    assert.deepEqual(await waiting(), [2, 2])
    fs.rmSync(own(), { recursive: true })
    fs.renameSync(`${own()}-away`, own())
    await server.later(3_600_000)
    await server.records([], tick)
    assert.equal((await mirrorOf())?.copies_due, 0)
    for (const [key, body] of bodies) {
      assert.ok(body.equals(fs.readFileSync(at(own(), await idOf(key)))))
      assert.ok(body.equals(fs.readFileSync(at(world.folderOf(nas), await idOf(key)))))
    }
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  // Found by the model: the read showed that the mirror lacked what was queued for it, and getting it was recorded as a repair.
  it('are filled, not repaired, where somebody reads what could not be copied yet', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    const body = randomBytes(300_000)
    await world.put(bucket, 'early', body)
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } })
    fs.renameSync(own(), `${own()}-away`)
    fs.writeFileSync(own(), 'no folder')
    // Everything is queued, and nothing can be copied.
    for (let i = 0; i < 3; i++) {
      await server.later(61_000)
      await server.records([], tick)
    }
    const { walked_to, walked_again_at } = await server.database.db
      .selectFrom('mirrors')
      .select(['walked_to', 'walked_again_at'])
      .executeTakeFirstOrThrow()
    assert.deepEqual([walked_to, walked_again_at === null], [null, false])
    const reasons = async () => {
      // What is at the storage's own place is looked at again as well.
      const due = server.database.db.selectFrom('copies_due').where('place', '<>', 0)
      return (
        await due
          .where('blob_id', '=', await idOf('early'))
          .select('reason')
          .execute()
      ).map(({ reason }) => reason)
    }
    assert.deepEqual(await reasons(), ['existing'])
    for (let i = 0; i < 3; i++) await assert.rejects(bytesOf(bucket, 'early'))
    await server.later(0)
    assert.deepEqual(await reasons(), ['existing'])
    fs.rmSync(own())
    fs.renameSync(`${own()}-away`, own())
    await server.later(3_600_000)
    await server.records([], tick)
    assert.equal((await mirrorOf())?.copies_due, 0)
    assert.ok(body.equals(fs.readFileSync(at(world.folderOf(nas), await idOf('early')))))
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  it('go on without one that is away, as they are told to, and catch up', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    const set = (mirror: object) => server.admin.updateStorage({ params: DEFAULT, body: { mirror } })
    await set({ storage: nas, acknowledge: 'both' })
    await world.put(bucket, 'both', randomBytes(300_000))
    const both = await idOf('both')
    assert.ok(fs.existsSync(at(world.folderOf(nas), both)), 'acknowledged with both copies')
    await copy()
    assert.equal((await mirrorOf())?.copies_due, 0)
    fs.renameSync(world.folderOf(nas), `${world.folderOf(nas)}-away`)
    const before = await server.stored()
    await rejectsWith(world.put(bucket, 'refused', randomBytes(300_000)), 'busy')
    sameKeys(await server.stored(), before)
    await set({ when_down: 'continue' })
    await world.put(bucket, 'alone', randomBytes(300_000))
    assert.equal((await mirrorOf())?.copies_due, 1)
    await set({ acknowledge: 'one' })
    await world.put(bucket, 'one', randomBytes(300_000))
    await copy()
    assert.equal((await mirrorOf())?.copies_due, 2)
    fs.renameSync(`${world.folderOf(nas)}-away`, world.folderOf(nas))
    await caughtUp()
    assert.equal((await mirrorOf())?.copies_due, 0)
    for (const key of ['alone', 'one']) assert.ok(fs.existsSync(at(world.folderOf(nas), await idOf(key))))
    await set({ storage: nas, acknowledge: 'one' })
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  it('take over by one call, with nothing copied, and back', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } })
    const body = randomBytes(500_000)
    await world.put(bucket, 'kept', body)
    await rejectsWith(server.admin.failoverStorage({ params: DEFAULT, body: {} }), 'conflict')
    await copy()
    fs.renameSync(own(), `${own()}-away`)
    const over = await server.records([{ action: 'storage_failover' }], () =>
      server.admin.failoverStorage({ params: DEFAULT, body: {} }),
    )
    assert.deepEqual([over.served_by, over.mirror?.storage], [nas, 'default'])
    assert.ok(body.equals(await bytesOf(bucket, 'kept')))
    const newer = randomBytes(400_000)
    await world.put(bucket, 'newer', newer)
    assert.ok(newer.equals(await bytesOf(bucket, 'newer')))
    assert.ok(fs.existsSync(at(world.folderOf(nas), await idOf('newer'))))
    await copy()
    assert.equal((await mirrorOf())?.copies_due, 1)
    fs.renameSync(`${own()}-away`, own())
    await caughtUp()
    assert.ok(fs.existsSync(at(own(), await idOf('newer'))), 'the old one is caught up')
    const back = await server.admin.failoverStorage({ params: DEFAULT, body: {} })
    assert.deepEqual([back.served_by, back.mirror?.storage], [null, nas])
    assert.ok(newer.equals(await bytesOf(bucket, 'newer')))
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  it('keep what was removed for as long as they are told to', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket(undefined, { trash_days: 0 })
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas, keep_removed_days: 3 } } })
    await world.put(bucket, 'gone', randomBytes(300_000))
    await copy()
    const id = await idOf('gone')
    await server.admin.deleteObject({ params: { bucket, key: 'gone' } })
    await world.collect()
    assert.deepEqual([fs.existsSync(at(own(), id)), fs.existsSync(at(world.folderOf(nas), id))], [false, true])
    await server.later(2 * DAY_MS)
    await copy()
    assert.ok(fs.existsSync(at(world.folderOf(nas), id)))
    await server.later(DAY_MS)
    await copy()
    assert.ok(!fs.existsSync(at(world.folderOf(nas), id)))
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  it('are refused where they cannot be, which changes nothing', async () => {
    const { server } = world
    const nas = await world.storage()
    const refuse = (storage: string, body: object, code: ErrorCode) =>
      server.records([], () =>
        rejectsWith(server.admin.updateStorage({ params: { storage }, body: body as never }), code),
      )
    await refuse('default', { mirror: { storage: 'default' } }, 'invalid_request')
    await refuse('default', { mirror: { storage: 'nobody' } }, 'not_found')
    await refuse('default', { mirror: { acknowledge: 'both' } }, 'invalid_request')
    await refuse('default', { mirror: { storage: nas, keep_removed_days: -1 } }, 'invalid_request')
    await refuse(nas, { mirror: { storage: nas } }, 'invalid_request')
    await refuse(nas, { enabled: true, mirror: null }, 'invalid_request')
    await refuse('default', { enabled: false }, 'conflict')
    assert.equal(await mirrorOf(), null)
    await rejectsWith(server.admin.failoverStorage({ params: DEFAULT, body: {} }), 'conflict')
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } })
    await rejectsWith(server.admin.deleteStorage({ params: { storage: nas } }), 'not_empty')
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  it('can be of other storages than the default one, which can be their mirror', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket(nas)
    await server.admin.updateStorage({ params: { storage: nas }, body: { mirror: { storage: 'default' } } })
    const body = randomBytes(150_000)
    await world.put(bucket, 'theirs', body)
    await copy()
    const id = await idOf('theirs')
    assert.ok(fs.existsSync(at(own(), id)))
    assert.equal(newBlobId(Number(await world.idOf(nas))).slice(14, 18), id.slice(14, 18))
    fs.rmSync(at(world.folderOf(nas), id))
    assert.ok(body.equals(await bytesOf(bucket, 'theirs')))
    await server.admin.updateStorage({ params: { storage: nas }, body: { mirror: null } })
  })
})
