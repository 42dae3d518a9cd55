import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, it, mock } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { request } from '../support/http.ts'
import { startReceiver } from '../support/receiver.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** A disk whose syncs of one file last until they are let go. */
class SlowDisk {
  syncs = 0
  #holding: bigint | undefined
  #held: (() => void)[] = []
  readonly #sync = fs.fdatasync
  readonly #mocked = mock.method(fs, 'fdatasync', (fd: number, done: (error: Error | null) => void) => {
    this.syncs++
    if (fs.fstatSync(fd, { bigint: true }).ino === this.#holding) this.#held.push(() => this.#sync(fd, done))
    else this.#sync(fd, done)
  })
  get held(): number {
    return this.#held.length
  }
  /** Holds the syncs of a database's log from now on. */
  hold(database: string): void {
    this.#holding = fs.statSync(`${database}-wal`, { bigint: true }).ino
  }
  release(): void {
    this.#holding = undefined
    for (const go of this.#held.splice(0)) go()
  }
  fail(): void {
    this.#mocked.mock.mockImplementation((_fd: number, done: (error: Error | null) => void) =>
      done(new Error('the disk is gone')),
    )
  }
  restore(): void {
    this.release()
    this.#mocked.mock.restore()
  }
}

const BUCKET = { trash_days: 7, created_at: '2026-01-02T03:04:05.678Z', created_by: null, deleted_at: null }
const insert = (database: Database, name: string, options?: { relaxed: boolean }) =>
  database.transaction(
    (tx) =>
      tx
        .insertInto('buckets')
        .values({ ...BUCKET, id: newId(), name })
        .execute(),
    options,
  )
const read = (database: Database, name: string) =>
  database.db.selectFrom('buckets').select('name').where('name', '=', name).execute()
/** Whether it has ended by now, whichever way. */
function watch(work: Promise<unknown>): { ended: boolean } {
  const seen = { ended: false }
  const end = () => {
    seen.ended = true
  }
  work.then(end, end)
  return seen
}
/** As many turns of the event loop as would be enough for whatever does not wait for a disk. */
async function turns(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
}

describe('data that SQLite has read but not synced', () => {
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  async function open(answersWait?: () => boolean) {
    const disk = new SlowDisk()
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-durability-'))
    const file = path.join(folder, 'x.db')
    const database = await openDatabase(`sqlite:${file}`, answersWait ? { answersWait } : {})
    ends.push(
      () => disk.restore(),
      () => fs.rmSync(folder, { recursive: true, force: true }),
      () => database.close(),
    )
    await database.migrate()
    await insert(database, 'before')
    return { disk, database, file }
  }

  it('is not returned before its sync, neither by reads nor by failed or relaxed transactions', async () => {
    const { disk, database, file } = await open()
    disk.hold(file)
    const writing = insert(database, 'held')
    await until(() => disk.held === 1)
    const others = [
      read(database, 'held'),
      read(database, 'before'),
      // Its failure tells that the name is taken.
      assert.rejects(insert(database, 'held'), /UNIQUE/),
      // As the dispatcher claims what to send.
      database.transaction((tx) => tx.selectFrom('buckets').select('name').execute(), { relaxed: true }),
    ]
    const watched = [writing, ...others].map(watch)
    await turns()
    assert.deepEqual(
      watched.map(({ ended }) => ended),
      watched.map(() => false),
    )
    assert.equal(disk.held, 1, 'all wait for the sync that is under way, and ask for no other')
    disk.release()
    await Promise.all([writing, ...others])
  })

  it('costs nothing where nothing is pending, nor for what is relaxed', async () => {
    const { disk, database, file } = await open()
    await insert(database, 'relaxed', { relaxed: true })
    const before = disk.syncs
    disk.hold(file)
    for (let i = 0; i < 100; i++) assert.equal((await read(database, 'relaxed')).length, 1)
    assert.equal(disk.syncs, before)
    assert.equal(database.settled(), undefined)
    disk.release()
  })

  it('is read immediately by a request whose response waits for the sync', async () => {
    const { disk, database, file } = await open(() => true)
    assert.equal(database.settled(), undefined)
    disk.hold(file)
    const writing = insert(database, 'held')
    await until(() => disk.held === 1)
    assert.equal((await read(database, 'held')).length, 1)
    const settled = watch(database.settled() as Promise<void>)
    const committed = watch(writing)
    await turns()
    assert.deepEqual([settled.ended, committed.ended], [false, false])
    disk.release()
    await writing
    assert.equal(database.settled(), undefined)
  })

  it('is not returned either where another process has committed it, and may not live to sync it', async () => {
    const { disk, database, file } = await open()
    const other = new DatabaseSync(file)
    ends.push(() => other.close())
    other.exec('pragma synchronous = normal')
    assert.equal((await read(database, 'theirs')).length, 0)
    assert.equal(database.settled(), undefined)
    disk.hold(file)
    const columns = Object.keys(BUCKET)
    other
      .prepare(`insert into buckets (id, name, ${columns}) values (?, 'theirs', ${columns.map(() => '?')})`)
      .run(newId(), ...Object.values(BUCKET))
    const told = [
      read(database, 'theirs'),
      read(database, 'before'),
      assert.rejects(insert(database, 'theirs'), /UNIQUE/),
      database.transaction((tx) => tx.selectFrom('buckets').select('name').execute(), { relaxed: true }),
      database.settled() as Promise<void>,
    ]
    const watched = told.map(watch)
    await until(() => disk.held === 1)
    await turns()
    assert.deepEqual(
      watched.map(({ ended }) => ended),
      watched.map(() => false),
    )
    disk.release()
    assert.equal(((await told[0]) as unknown[]).length, 1)
    await Promise.all(told)
    assert.equal(database.settled(), undefined)
  })

  it('is never returned after the sync has failed', async () => {
    const { disk, database } = await open()
    disk.fail()
    await assert.rejects(insert(database, 'lost'), /the disk is gone/)
    await assert.rejects(read(database, 'lost'), /the disk is gone/)
    await assert.rejects(Promise.resolve(database.settled()), /the disk is gone/)
    await assert.rejects(database.check(), /the disk is gone/)
  })
})

describe('what a service on SQLite sends before a sync', () => {
  it('does not include unsynced data: no response and no delivery', async (t) => {
    const disk = new SlowDisk()
    const server = await startServer('sqlite', { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' })
    const hook = await startReceiver()
    t.after(async () => {
      disk.restore()
      await server.stop()
      await hook.stop()
    })
    const { admin, url, adminToken: token } = server
    await admin.createBucket({ body: { name: 'box' } })
    await admin.createWebhook({ body: { name: 'n', url: hook.url, events: ['upload'] } })
    const upload = await admin.initUpload({ params: { bucket: 'box' }, body: { key: 'parts', file_size: 1 } })
    const { pathname } = new URL(upload.urls[0] ?? '')
    const part = await request({ url, path: pathname, method: 'PUT', body: 'x' })
    const complete = {
      method: 'POST',
      path: '/api/v1/buckets/box/upload/complete',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        upload_id: upload.upload_id,
        parts: [{ part_number: 1, etag: String(part.headers.etag) }],
      }),
    }
    const put = { method: 'PUT', path: '/api/v1/buckets/box/objects/k', body: 'new' }
    const send = (what: { path: string; method?: string; headers?: Record<string, string>; body?: string }) =>
      request({ url, token, ...what })
    await send({ ...put, path: '/api/v1/buckets/box/objects/other' })
    await server.running.tick()
    await until(() => hook.received.length === 1)
    // What is noted of the credential and the download, so that no sync of that is asked for below.
    await send({ path: '/api/v1/buckets/box/objects/other' })
    const about = () => hook.received.filter(({ body }) => !body.includes('"other"')).length

    disk.hold(path.join(server.folder, 'strongroom.db'))
    const first = [send(put)]
    // Of no service: who reads through one waits for the sync.
    const looking = new DatabaseSync(path.join(server.folder, 'strongroom.db'), { readOnly: true })
    t.after(() => looking.close())
    const visible = () => looking.prepare('select key from objects').all().length
    await until(() => visible() === 2)
    // Its commit waits for the sync in progress.
    first.push(send(complete))
    const told = [
      send({ path: '/api/v1/buckets/box/objects/k' }),
      send({ path: '/api/v1/buckets/box/objects/k', method: 'HEAD' }),
      send({ ...put, headers: { 'if-none-match': '*' } }),
      send(complete),
      send({ path: '/api/v1/buckets/box/browse' }),
      send({ path: '/api/v1/audit' }),
      send({ path: '/api/v1/buckets/box/objects/never' }),
      send({ path: '/api/v1/buckets', method: 'POST', headers: complete.headers, body: '{"name":"box"}' }),
    ]
    const watched = [...first, ...told].map(watch)
    const ticked = server.running.tick()
    // Who reads nothing waits for nobody.
    for (let i = 0; i < 20; i++) assert.equal((await request({ url, path: '/healthz' })).status, 200)
    await turns()
    assert.deepEqual([watched.map(({ ended }) => ended), about()], [watched.map(() => false), 0])
    assert.equal(visible(), 2)
    disk.release()
    const statuses = (await Promise.all([...first, ...told])).map(({ status }) => status)
    assert.deepEqual(statuses, [201, 200, 200, 200, 412, 200, 200, 200, 404, 409])
    await ticked
    await server.running.tick()
    await until(() => about() === 2)
  })
})
