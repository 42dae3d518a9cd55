import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../server/db/database.ts'
import { openDatabase } from '../../server/db/open.ts'

let folder: string
let database: Database
before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-rows-'))
  database = await openDatabase(`sqlite:${path.join(folder, 'x.db')}`)
  await database.transaction(async (tx) => {
    await sql`create table one (id integer primary key, text text, bytes blob)`.execute(tx)
    await sql`create table two (id integer primary key, note text)`.execute(tx)
    await sql`insert into one values (1, null, x'0102')`.execute(tx)
    await sql`insert into two values (1, 'told')`.execute(tx)
  })
})
after(async () => {
  await database?.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const joined = sql`select one.*, two.note as told from one join two on two.id = one.id`

it('names the values of rows, and has nothing of a statement that finds none', async () => {
  assert.deepEqual((await joined.execute(database.db)).rows, [
    { id: 1, text: null, bytes: new Uint8Array([1, 2]), told: 'told' },
  ])
  assert.deepEqual((await sql`select * from one where id = 2`.execute(database.db)).rows, [])
  assert.deepEqual((await sql`select 1 as "it's ""quoted""", 2 as a, 3 as a`.execute(database.db)).rows, [
    { 'it\'s "quoted"': 1, a: 3 },
  ])
})

it('names them rightly after another process has added a column', async () => {
  await joined.execute(database.db)
  const other = new DatabaseSync(path.join(folder, 'x.db'))
  other.exec("alter table one add column added text default 'new'")
  other.close()
  assert.deepEqual((await joined.execute(database.db)).rows, [
    { id: 1, text: null, bytes: new Uint8Array([1, 2]), added: 'new', told: 'told' },
  ])
})
