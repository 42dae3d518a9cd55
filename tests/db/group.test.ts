import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../server/base/id.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import type { Tx } from '../../server/db/schema.ts'

const BUCKET = { trash_days: 7, created_at: '2026-01-02T03:04:05.678Z', created_by: null, deleted_at: null }
const insert = (tx: Tx, name: string) =>
  tx
    .insertInto('buckets')
    .values({ ...BUCKET, id: newId(), name })
    .execute()
const names = async (db: Pick<Database['db'], 'selectFrom'>) =>
  (await db.selectFrom('buckets').select('name').orderBy('name').execute()).map(({ name }) => name)

describe('SQLite transactions that share a commit', () => {
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  async function open() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-group-'))
    const file = path.join(folder, 'x.db')
    const commits = { made: 0 }
    const database = await openDatabase(`sqlite:${file}`, {
      observer: {
        statement: (kind) => {
          if (kind === 'commit') commits.made++
        },
        waited() {},
        synced() {},
      },
    })
    ends.push(
      () => fs.rmSync(folder, { recursive: true, force: true }),
      () => database.close(),
    )
    await database.migrate()
    commits.made = 0
    return { database, file, commits }
  }

  it('are those that begin in one turn of the event loop', async () => {
    const { database, commits } = await open()
    const wanted = Array.from({ length: 20 }, (_, i) => `box-${10 + i}`)
    await Promise.all(wanted.map((name) => database.transaction((tx) => insert(tx, name))))
    assert.deepEqual([await names(database.db), commits.made], [wanted, 1])
    await database.transaction((tx) => insert(tx, 'later'))
    assert.equal(commits.made, 2)
  })

  it('are at most 100', async () => {
    const { database, commits } = await open()
    await Promise.all(Array.from({ length: 250 }, (_, i) => database.transaction((tx) => insert(tx, `box-${i}`))))
    assert.equal(commits.made, 3)
    assert.equal((await names(database.db)).length, 250)
  })

  it('fail alone, the first one too, and see those before them', async () => {
    const { database } = await open()
    const seen: string[][] = []
    const attempt = (name: string, fails?: string) =>
      database.transaction(async (tx) => {
        seen.push(await names(tx))
        await insert(tx, name)
        if (fails) throw new Error(fails)
      })
    const ended = await Promise.allSettled([
      attempt('a', 'first'),
      attempt('b'),
      attempt('c', 'third'),
      attempt('b'),
      attempt('d'),
    ])
    const said = ended.map((one) => (one.status === 'rejected' ? String(one.reason.message) : 'kept'))
    assert.deepEqual(
      said.map((text) => text.replace(/.*UNIQUE.*/, 'taken')),
      ['first', 'kept', 'third', 'taken', 'kept'],
    )
    assert.deepEqual(seen, [[], [], ['b'], ['b'], ['b']])
    assert.deepEqual(await names(database.db), ['b', 'd'])
  })

  it('are lost together when their commit fails, and so is what one was refused because of another', async () => {
    const { database } = await open()
    const ended = await Promise.allSettled([
      database.transaction((tx) => insert(tx, 'a')),
      database.transaction(async (tx) => {
        await sql`pragma defer_foreign_keys = on`.execute(tx)
        await tx.insertInto('bodies').values({ blob_id: newId(), bytes: new Uint8Array() }).execute()
      }),
      database.transaction((tx) => insert(tx, 'a')),
    ])
    for (const one of ended) assert.match(String(one.status === 'rejected' && one.reason), /FOREIGN KEY/)
    assert.deepEqual(await names(database.db), [])
    await database.transaction((tx) => insert(tx, 'a'))
    assert.deepEqual(await names(database.db), ['a'])
  })

  it('are lost together when the disk is full, and those after them are not', async () => {
    const { database } = await open()
    const ended = await Promise.allSettled([
      database.transaction((tx) => insert(tx, 'a')),
      database.transaction(async (tx) => {
        await sql`pragma max_page_count = 1`.execute(tx)
        // Of a table without triggers: where there are some, SQLite undoes the statement alone.
        const row = { failures: 1, window_started_at: BUCKET.created_at, blocked_until: null }
        await tx
          .insertInto('login_throttle')
          .values({ ...row, key: 'b'.repeat(100_000) })
          .execute()
      }),
      database.transaction(async (tx) => {
        await sql`pragma max_page_count = 1000000`.execute(tx)
        await insert(tx, 'b')
      }),
    ])
    assert.deepEqual(
      ended.map((one) => one.status === 'rejected' && String(one.reason)),
      ['Error: database or disk is full', 'Error: database or disk is full', false],
    )
    assert.deepEqual(await names(database.db), ['b'])
  })

  it('wait for another process that writes, and hold up no reader meanwhile', async () => {
    const { database, file } = await open()
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    const inserted = database.transaction((tx) => insert(tx, 'a'))
    for (let i = 0; i < 200; i++) assert.deepEqual(await names(database.db), [])
    other.exec('rollback')
    other.close()
    await inserted
    assert.deepEqual(await names(database.db), ['a'])
  })
})
