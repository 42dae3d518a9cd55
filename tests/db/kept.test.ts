import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, it } from 'node:test'
import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { kept } from '../../server/db/kept.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import type { Db, Schema, Tx } from '../../server/db/schema.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-kept-'))
after(() => fs.rmSync(folder, { recursive: true }))

let files = 0
/** One database, as two processes have it open. */
async function twice(url = `sqlite:${path.join(folder, `${files++}.db`)}`): Promise<[Database, Database]> {
  const first = await openDatabase(url)
  await first.migrate()
  return [first, await openDatabase(url)]
}

const GROUPS = ['a', 'b']
const read = async (db: Db, name: string) =>
  db.selectFrom('groups').select(['id', 'name', 'global']).where('id', '=', name).executeTakeFirst()

/** Step: makes, changes or deletes a group. */
async function change(tx: Tx, id: string, value: number): Promise<void> {
  if (value === 0) await tx.deleteFrom('groups').where('id', '=', id).execute()
  else {
    const row = { name: `${id}${value}`, name_key: `${id}${value}`, description: '', global: `[${value}]` }
    await tx
      .insertInto('groups')
      .values({ id, ...row, created_at: new Date(0).toISOString() })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }
}

class Undone extends Error {}

const FINDS = 'whatever two processes change, commit and undo, what is kept is what a statement would find'
it(`${FINDS}, on SQLite`, () =>
  findsWhatIsThere(25, async () => {
    const databases = await twice()
    return { databases, close: async () => void (await Promise.all(databases.map((one) => one.close()))) }
  }))
it(`${FINDS}, on PostgreSQL`, async () => {
  const { url, drop } = await createDatabase(await postgresUrl())
  const databases = await twice(url)
  const close = async () => void (await databases[0].transaction((tx) => tx.deleteFrom('groups').execute()))
  try {
    await findsWhatIsThere(10, async () => ({ databases, close }))
  } finally {
    await Promise.all(databases.map((one) => one.close()))
    await drop()
  }
})

/** `close` leaves no group behind. */
async function findsWhatIsThere(
  numRuns: number,
  open: () => Promise<{ databases: [Database, Database]; close(): Promise<void> }>,
): Promise<void> {
  const place = { process: fc.constantFrom(0, 1), group: fc.constantFrom(...GROUPS) }
  const step = fc.oneof(
    fc.record({ kind: fc.constant('look' as const), ...place }),
    fc.record({
      kind: fc.constant('transaction' as const),
      ...place,
      values: fc.array(fc.nat(3), { maxLength: 3 }),
      undone: fc.boolean(),
      /** Looks of the other readers while the transaction is under way. */
      meanwhile: fc.boolean(),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { databases, close } = await open()
      const find = kept(read)
      const look = async (db: Db, group: string) => assert.deepEqual(await find(db, group), await read(db, group))
      try {
        for (const one of steps) {
          const database = databases[one.process] as Database
          if (one.kind === 'look') await look(database.db, one.group)
          else {
            const others: Promise<void>[] = []
            const work = database
              .transaction(async (tx) => {
                await look(tx, one.group)
                for (const value of one.values) {
                  await change(tx, one.group, value)
                  await look(tx, one.group)
                }
                if (one.undone) throw new Undone()
              })
              .catch((error: unknown) => assert.ok(error instanceof Undone, String(error)))
            if (one.meanwhile) for (const { db } of databases) for (const id of GROUPS) others.push(seen(db, id))
            await Promise.all([work, ...others])
          }
          for (const { db } of databases) for (const id of GROUPS) await look(db, id)
        }
      } finally {
        await close()
      }
      async function seen(db: Db, group: string): Promise<void> {
        await find(db, group)
      }
    }),
    { numRuns },
  )
}

it('a commit counts at once, also in the turn of the event loop in which the counter was looked at', async () => {
  const url = `sqlite:${path.join(folder, `${files++}.db`)}`
  const database = await openDatabase(url, { answersWait: () => true })
  try {
    await database.migrate()
    await database.transaction((tx) => change(tx, 'a', 1))
    const find = kept(read)
    await find(database.db, 'a')
    // The hundredth transaction of a group commits it, without waiting for anything.
    const all = Array.from({ length: 100 }, (_, i) => database.transaction((tx) => change(tx, i === 99 ? 'a' : 'b', 2)))
    for (let name: string | undefined; name !== 'a2'; ) {
      const before = await read(database.db, 'a')
      const found = await find(database.db, 'a')
      const after = await read(database.db, 'a')
      assert.ok([before?.name, after?.name].includes(found?.name), `${found?.name} is not ${after?.name}`)
      name = before?.name
    }
    await Promise.all(all)
  } finally {
    await database.close()
  }
})

it('reads once while nothing changes, and again after every change', async () => {
  const [database, other] = await twice()
  try {
    let reads = 0
    const find = kept((db, name) => {
      reads++
      return read(db, name)
    })
    await database.transaction((tx) => change(tx, 'a', 1))
    const first = await find(database.db, 'a')
    assert.equal(await find(database.db, 'a'), first)
    assert.equal(await database.transaction(async (tx) => find(tx, 'a')), first)
    assert.equal(reads, 1)
    assert.throws(() => Object.assign(first as object, { name: 'another' }), TypeError)
    // What nothing kept depends on does not count.
    await other.transaction((tx) => tx.updateTable('settings').set({ setup_hash: 'x' }).execute())
    assert.equal(await find(database.db, 'a'), first)
    await other.transaction((tx) => change(tx, 'a', 2))
    assert.equal((await find(database.db, 'a'))?.name, 'a2')
    assert.equal(reads, 2)
    // What is missing is asked for each time.
    assert.equal(await find(database.db, 'none'), undefined)
    assert.equal(await find(database.db, 'none'), undefined)
    assert.equal(reads, 4)
  } finally {
    await database.close()
    await other.close()
  }
})

/** Columns whose changes are not counted: nothing that is kept depends on them. */
const UNCOUNTED: { [table: string]: readonly string[] } = {
  access_keys: [
    'id',
    'name',
    'created_at',
    'created_via',
    'created_by_token_id',
    'last_used_at',
    'last_used_ip',
    'notice_days',
  ],
  tokens: ['id', 'created_at', 'created_via', 'created_by_token_id', 'last_used_at', 'last_used_ip', 'notice_days'],
  sessions: ['id', 'signed_in_with', 'ip', 'user_agent', 'created_at', 'last_used_at'],
  users: [
    'id',
    'email_key',
    'search_key',
    'password_hash',
    'must_change_password',
    'password_generated',
    'language',
    'created_at',
    'last_login_at',
  ],
  groups: ['id', 'name_key', 'description', 'path', 'created_at'],
  group_members: ['added_at'],
  grants: ['id'],
  settings: ['id', 'setup_hash'],
  buckets: ['id'],
  bucket_config: ['updated_at', 'updated_by'],
  quotas: ['used_bytes'],
  webhooks: [
    'id',
    'name',
    'url',
    'secret',
    'next_secret',
    'promotes_at',
    'max_in_flight',
    'created_at',
    'created_by',
    'disabled_reason',
    'failing_since',
    'failed_deliveries',
    'failures_in_row',
    'cooling_until',
  ],
  roles: ['id', 'name_key', 'description', 'trust', 'tags', 'max_session_seconds', 'created_at'],
  temporary_credentials: ['id', 'parent_id', 'ip'],
  agents: ['id', 'token_prefix', 'created_at', 'last_used_at', 'last_used_ip'],
  temporary_credential_groups: [],
}
/** Whose new rows are not counted: nothing that is kept depends on them. */
const UNCOUNTED_WHEN_NEW = new Set(['temporary_credentials', 'temporary_credential_groups'])

it('every column of the tables that are watched is counted, or named here; a migration that rebuilds one keeps that', async () => {
  const file = path.join(folder, 'columns.db')
  const database = await openDatabase(`sqlite:${file}`)
  await database.migrate()
  await database.close()
  const { DatabaseSync } = await import('node:sqlite')
  const sqlite = new DatabaseSync(file)
  for (const [table, uncounted] of Object.entries(UNCOUNTED)) {
    const triggers = sqlite
      .prepare(`select sql from sqlite_schema where type = 'trigger' and tbl_name = ? and name like ?`)
      .all(table, `${table}_revised_%`)
      .map((one) => String(one.sql))
    // One for new rows, one for deleted ones, one for changes, and one more for each migration that added columns.
    const changes = triggers.flatMap((text) => /after update of (.*) on /.exec(text)?.[1]?.split(', ') ?? [])
    assert.ok(
      [...(UNCOUNTED_WHEN_NEW.has(table) ? [] : ['insert']), 'delete'].every((event) =>
        triggers.some((text) => text.includes(`after ${event} on`)),
      ),
      table,
    )
    const columns = sqlite
      .prepare(`select name from pragma_table_info(?)`)
      .all(table)
      .map((one) => String(one.name))
    assert.deepEqual([...changes, ...uncounted].sort(), columns.sort(), table)
  }
  sqlite.close()
})

it('PostgreSQL counts what SQLite counts', async () => {
  const { url, drop } = await createDatabase(await postgresUrl())
  const database = await openDatabase(url)
  try {
    await database.migrate()
    const { rows } = await sql<{ table: string; text: string }>`
      select tgrelid::regclass::text as "table", pg_get_triggerdef(oid) as text from pg_trigger
        where not tgisinternal and tgfoid = 'revise'::regproc`.execute(database.db as Kysely<Schema>)
    for (const [table, uncounted] of Object.entries(UNCOUNTED)) {
      const text = rows.find((one) => one.table === table)?.text ?? ''
      const events = [...(UNCOUNTED_WHEN_NEW.has(table) ? [] : ['INSERT']), 'DELETE']
      for (const event of events) assert.match(text, new RegExp(`(AFTER|OR) ${event}\\b`), `${table}: ${event}`)
      const columns = /UPDATE OF (.*?) ON /.exec(text)?.[1]?.split(', ') ?? []
      const all = await sql<{ name: string }>`
        select attname::text as name from pg_attribute
          where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`.execute(
        database.db as Kysely<Schema>,
      )
      assert.deepEqual([...columns, ...uncounted].sort(), all.rows.map(({ name }) => name).sort(), table)
    }
    assert.deepEqual(
      rows.map(({ table }) => table).sort(),
      [...Object.keys(UNCOUNTED), 'inline_policies', 'attached_policies', 'managed_policies'].sort(),
    )
  } finally {
    await database.close()
    await drop()
  }
})
