import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { pino } from 'pino'
import { systemActor } from '../../server/access/actors.ts'
import { agentGate } from '../../server/access/agent-limits/gate.ts'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Ctx, createContext, type Step } from '../../server/context.ts'
import { migrations } from '../../server/db/migrations/index.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { prepared } from '../../server/db/prepare.ts'
import type { Db, Tx } from '../../server/db/schema.ts'
import { publish } from '../../server/process/publish.ts'
import { beNextRelease, NEXT } from '../support/next-release.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { describeEngines, SECRET_KEY } from '../support/server.ts'
import { until } from '../support/until.ts'

const TIME = '2026-01-02T03:04:05.678Z'
const OPEN = path.join(import.meta.dirname, '../..', 'server', 'db', 'open.ts')

describeEngines('database', (engine) => {
  let folder: string
  let url: string
  let drop: (() => Promise<void>) | undefined
  let database: Database
  const reported: Error[] = []
  let ctx: Ctx

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-db-'))
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    drop = postgres?.drop
    url = postgres?.url ?? `sqlite:${path.join(folder, 'x.db')}`
    await Promise.all([inProcess('migrate()'), inProcess('migrate()'), inProcess('migrate()')])
    database = await openDatabase(url, { report: (error) => void reported.push(error) })
    await database.migrate()
    ctx = createContext(
      {
        database,
        blobs: null as never,
        config: readConfig({ SECRET_KEY, DATA_DIR: folder }),
        now: () => new Date('2026-01-01'),
        log: pino({ level: 'silent' }),
        background: () => undefined,
        worksInBackground: false,
        stopping: new AbortController().signal,
        publish,
        agentGate,
      },
      systemActor,
    )
  })
  after(async () => {
    await database?.close()
    await drop?.()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** Opens the same database in a process of its own and calls this on it; rejects when that process fails. */
  async function inProcess(call: string, end = 'await database.close()'): Promise<void> {
    const code = `import { openDatabase } from ${JSON.stringify(OPEN)}
      const database = await openDatabase(${JSON.stringify(url)})
      await database.${call}
      ${end}`
    const file = path.join(folder, `${newId()}.mjs`)
    fs.writeFileSync(file, code)
    await promisify(execFile)(process.execPath, [file])
  }
  const bucket = (name: string) => ({
    id: newId(),
    name,
    trash_days: 7,
    created_at: TIME,
    created_by: null,
    deleted_at: null,
  })
  const insert = (tx: Tx, ...names: string[]) => tx.insertInto('buckets').values(names.map(bucket)).execute()
  const names = async () =>
    (await database.db.selectFrom('buckets').select('name').orderBy('name').execute()).map(({ name }) => name)
  const count = async (table: 'audit' | 'webhook_deliveries' | 'kysely_migration') =>
    (
      await database.db
        .selectFrom(table as 'audit')
        .selectAll()
        .execute()
    ).length

  const daysOf = async (name: string) =>
    (await database.db.selectFrom('buckets').select('trash_days').where('name', '=', name).executeTakeFirstOrThrow())
      .trash_days

  it('is migrated once by three concurrent processes', async () => {
    const all = Object.keys(migrations).length
    assert.equal(await count('kysely_migration'), all)
    await database.migrate()
    await inProcess('migrate()')
    assert.equal(await count('kysely_migration'), all)
  })

  it('is brought up to date with its rows by the next release, and still served by this one', async () => {
    const other = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    const beside = other?.url ?? `sqlite:${path.join(folder, 'beside.db')}`
    const opened: Database[] = []
    const errors: string[] = []
    const open = async () => {
      const database = await openDatabase(beside, { report: (error) => void errors.push(error.message) })
      opened.push(database)
      return database
    }
    try {
      const before = await open()
      await before.migrate()
      await before.transaction((tx) => insert(tx, 'old', 'older'))
      const resume = beNextRelease()
      try {
        // SQLite's lock would keep this process waiting for itself.
        if (engine === 'postgres') await Promise.all((await Promise.all([open(), open()])).map((one) => one.migrate()))
        else await (await open()).migrate()
      } finally {
        resume()
      }
      assert.equal(errors.length, 0)
      const { rows } = await sql<{ name: string; colour: string }>`
        select name, colour from buckets order by name`.execute(before.db as never)
      assert.deepEqual(
        rows.map(({ name, colour }) => [name, colour]),
        [
          ['old', 'none'],
          ['older', 'none'],
        ],
      )
      await before.migrate()
      assert.match(errors.join(), new RegExp(`later release \\(${NEXT}\\)`))
      await before.transaction((tx) => insert(tx, 'new'))
    } finally {
      for (const one of opened) await one.close()
      await other?.drop()
    }
  })

  it('keeps a change only with its record and deliveries, and rolls all back together', async () => {
    await ctx.upkeep(({ tx }) =>
      tx
        .insertInto('webhooks')
        .values({
          id: newId(),
          name: 'all',
          url: 'https://example.com',
          events: '["*"]',
          secret: 'x',
          created_at: TIME,
          created_by: null,
          disabled_at: null,
        })
        .execute(),
    )
    await assert.rejects(
      ctx.act(({ tx }) => insert(tx, 'unrecorded')),
      /recorded no action/,
    )
    const create = (name: string, failure?: Error) =>
      ctx.act(async ({ tx, record }) => {
        await insert(tx, name)
        record({ name: 'create_bucket', bucket: name, details: { quota_gb: null, trash_days: 7 } })
        if (failure) throw failure
      })
    await assert.rejects(create('thrown', new Error('after the record')), /after the record/)
    assert.deepEqual([await names(), await count('audit'), await count('webhook_deliveries')], [[], 0, 0])
    await create('recorded')
    assert.deepEqual([await names(), await count('audit'), await count('webhook_deliveries')], [['recorded'], 1, 1])
    // A record that cannot be written takes the change with it.
    await assert.rejects(
      ctx.act(async ({ tx, record }) => {
        await insert(tx, 'unwritable')
        record({ name: null as never, bucket: 'unwritable', details: { quota_gb: null, trash_days: 7 } })
      }),
      /null/i,
    )
    assert.deepEqual([await names(), await count('audit'), await count('webhook_deliveries')], [['recorded'], 1, 1])
  })

  it('refuses the root handle and another transaction inside a transaction, at once', async () => {
    const inside = /inside a transaction/
    const another = /inside another/
    await assert.rejects(
      ctx.upkeep(() => ctx.db.selectFrom('buckets').selectAll().execute()),
      inside,
    )
    await assert.rejects(
      ctx.act(() => ctx.db.selectFrom('buckets').selectAll().execute()),
      inside,
    )
    for (const outer of [ctx.act, ctx.upkeep])
      for (const inner of [ctx.act, ctx.upkeep])
        await assert.rejects(outer(() => inner(async () => 0)) as never, another)
    // Side by side both are fine.
    await Promise.all([ctx.upkeep(({ tx }) => insert(tx, 'beside')), names(), ctx.upkeep(async () => undefined)])
    assert.ok((await names()).includes('beside'))
  })

  it('returns times with milliseconds, large numbers as numbers, and names in byte order', async () => {
    await ctx.upkeep(({ tx }) => tx.deleteFrom('buckets').execute())
    const all = ['a', 'Z', 'A', 'z', 'ä', 'Ä', '漢', '😀', '\uffff', 'a/b', 'a b', 'a-b', 'a_b', 'aa', 'é', 'e\u0301']
    await ctx.upkeep(({ tx }) => insert(tx, ...all), { relaxed: true })
    assert.deepEqual(
      await names(),
      all.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    )
    const row = await database.db.selectFrom('buckets').selectAll().where('name', '=', 'a').executeTakeFirstOrThrow()
    assert.equal(row.created_at, TIME)
    assert.equal(row.deleted_at, null)
    const large = 5 * 1024 ** 4 + 1
    await ctx.upkeep(({ tx }) =>
      tx
        .insertInto('bucket_usage')
        .values([0, 1].map((shard) => ({ bucket_id: row.id, shard, bytes: large, objects: 1, trash_bytes: 0 })))
        .execute(),
    )
    const usage = database.db.selectFrom('bucket_usage')
    assert.equal((await usage.select('bytes').executeTakeFirstOrThrow()).bytes, large)
    const sums = await usage
      .select((e) => [e.fn.sum<number>('bytes').as('bytes'), e.fn.countAll<number>().as('rows')])
      .executeTakeFirstOrThrow()
    assert.deepEqual({ ...sums }, { bytes: 2 * large, rows: 2 })
  })

  it('runs a prepared query with each call’s values, all named by the first call', async () => {
    await ctx.upkeep(({ tx }) => insert(tx, 'first', 'second'))
    const find = prepared((db: Db, { name, days }: { name: string; days?: number }) => {
      const query = db.selectFrom('buckets').select('name').where('name', '=', name)
      return days === undefined ? query : query.where('trash_days', '=', days)
    })
    const found = async (name: string, days: number) => (await find(database.db, { name, days })).map((row) => row.name)
    assert.deepEqual(await found('first', 7), ['first'])
    assert.deepEqual(await found('second', 7), ['second'])
    assert.deepEqual(await found('second', 8), [])
    await assert.rejects(find(database.db, { name: 'second' }), /without its parameter days/)
    const looks = prepared((db: Db, { name }: { name: string }) =>
      db.selectFrom('buckets').select('name').where('name', '=', `${name}!`),
    )
    await assert.rejects(looks(database.db, { name: 'first' }), /takes all of its values from its parameters/)
  })

  it('runs a prepared query with lists of values and rows of any length', async () => {
    const put = prepared((tx: Tx, { rows }: { rows: readonly ReturnType<typeof bucket>[] }) =>
      tx.insertInto('buckets').values(rows).returning('name'),
    )
    const find = prepared((db: Db, { days, named }: { days: number; named: readonly string[] }) =>
      db.selectFrom('buckets').select('name').where('trash_days', '=', days).where('name', 'in', named).orderBy('name'),
    )
    for (const [i, length] of [1, 3, 5, 3, 1, 5].entries()) {
      const listed = Array.from({ length }, (_, k) => `listed-${i}-${k}`)
      const put_ = await ctx.upkeep(({ tx }) => put(tx, { rows: listed.map(bucket) }))
      assert.deepEqual(put_.map(({ name }) => name).sort(), listed)
      const named = [...listed, 'nowhere']
      assert.deepEqual(
        (await find(database.db, { days: 7, named })).map(({ name }) => name),
        listed,
      )
      assert.deepEqual(await find(database.db, { days: 8, named }), [])
    }
    await assert.rejects(
      ctx.upkeep(({ tx }) => put(tx, { rows: [bucket('whole'), { ...bucket('half'), name: undefined as never }] })),
      /without its parameter rows.1.name/,
    )
    assert.ok(!(await names()).includes('whole'))
  })

  it('runs statements of a transaction in the order in which they were begun, without waiting for each', async () => {
    const found = await ctx.upkeep(async ({ tx }) => {
      const row = bucket('in order')
      const days = (trash_days: number) =>
        tx.updateTable('buckets').set({ trash_days }).where('id', '=', row.id).execute()
      const read = () => tx.selectFrom('buckets').select('trash_days').where('id', '=', row.id).execute()
      const all = await Promise.all([
        read(),
        insert(tx, 'other'),
        read(),
        tx.insertInto('buckets').values(row).execute(),
        read(),
        days(1),
        read(),
        days(2),
        read(),
      ])
      return [0, 2, 4, 6, 8].map((i) => (all[i] as { trash_days: number }[]).map(({ trash_days }) => trash_days))
    })
    assert.deepEqual(found, [[], [], [7], [1], [2]])
  })

  it('fails with the first error of statements that were begun together, and changes nothing', async () => {
    await ctx.upkeep(({ tx }) => insert(tx, 'taken'))
    const together = ctx.upkeep(({ tx }) => {
      const early = insert(tx, 'not kept').then(() => insert(tx, 'taken'))
      const late = early.then(
        () => undefined,
        () => insert(tx, 'after the failure'),
      )
      return Promise.all([late, early])
    })
    await assert.rejects(together, /unique/i)
    assert.deepEqual(
      (await names()).filter((name) => name === 'not kept' || name === 'after the failure'),
      [],
    )
  })

  it('refuses a statement of a transaction that has ended', async () => {
    let kept: Tx | undefined
    await ctx.upkeep(async ({ tx }) => {
      kept = tx
      await insert(tx, 'ended')
    })
    await assert.rejects(insert(kept as Tx, 'too late'), /after the end of its transaction/)
    await assert.rejects(
      ctx.upkeep(({ tx }) => {
        kept = tx
        throw new Error('changed its mind')
      }),
      /changed its mind/,
    )
    await assert.rejects(insert(kept as Tx, 'too late'), /after the end of its transaction/)
    assert.ok(!(await names()).includes('too late'))
  })

  it('records nothing and keeps nothing when what a change does not wait for fails', async () => {
    const records = await count('audit')
    const change = (name: string, last: (step: Step) => Promise<void> | void) =>
      ctx.act(async (step) => {
        step.awaitAtCommit(insert(step.tx, 'alongside'))
        step.awaitAtCommit(insert(step.tx, name))
        step.record({ name: 'create_bucket', bucket: name, details: { quota_gb: null, trash_days: 7 } })
        await last(step)
      })
    await assert.rejects(
      change('taken', () => undefined),
      /unique/i,
    )
    await assert.rejects(
      change('taken', (step) => void step.awaitAtCommit(Promise.reject(new Error('later')))),
      /unique|later/i,
    )
    await assert.rejects(
      change('free', () => {
        throw new Error('fails itself')
      }),
      /fails itself/,
    )
    assert.equal(await count('audit'), records)
    assert.deepEqual(
      (await names()).filter((name) => name === 'alongside' || name === 'free'),
      [],
    )
    await change('free', () => undefined)
    assert.equal(await count('audit'), records + 1)
  })

  if (engine === 'postgres')
    it('goes on with prepared queries after a migration has changed their columns', async () => {
      const all = prepared((db: Db, { name }: { name: string }) =>
        db.selectFrom('buckets').selectAll().where('name', '=', name),
      )
      const opened = await openDatabase(url, { report: (error) => void reported.push(error), connections: 3 })
      const find = async () => Object.keys((await all(opened.db, { name: 'taken' }))[0] ?? {}).length
      const inTransaction = () =>
        opened.transaction(async (tx) => Object.keys((await all(tx, { name: 'taken' }))[0] ?? {}).length)
      const everywhere = () => Promise.all([find(), find(), find(), inTransaction(), inTransaction()])
      try {
        // Twice: the first may use one connection several times.
        await everywhere()
        const [columns = 0] = await everywhere()
        await sql`alter table buckets add column colour text`.execute(database.db as never)
        assert.deepEqual(await everywhere(), Array(5).fill(columns + 1))
        await sql`alter table buckets drop column colour`.execute(database.db as never)
        assert.deepEqual([await inTransaction(), await find()], [columns, columns])
        assert.deepEqual(await everywhere(), Array(5).fill(columns))
      } finally {
        await opened.close()
      }
    })

  it('finds nothing in an empty list, and everything outside of it, in columns of any type', async () => {
    await ctx.upkeep(({ tx }) => insert(tx, 'listed'))
    const count = async (operator: 'in' | 'not in', column: 'name' | 'created_at' | 'trash_days') =>
      (await database.db.selectFrom('buckets').select('id').where(column, operator, []).execute()).length
    const all = (await names()).length
    for (const column of ['name', 'created_at', 'trash_days'] as const)
      assert.deepEqual([await count('in', column), await count('not in', column)], [0, all])
  })

  it('runs two transactions that lock two rows in opposite orders, both to the end', async () => {
    await ctx.upkeep(({ tx }) => insert(tx, 'left', 'right'))
    let attempts = 0
    let waiting = 0
    const both = Promise.withResolvers<void>()
    const raise = (first: string, second: string) =>
      ctx.upkeep(async ({ tx }) => {
        attempts++
        const add = (name: string) =>
          tx
            .updateTable('buckets')
            .set((e) => ({ trash_days: e('trash_days', '+', 1) }))
            .where('name', '=', name)
            .execute()
        await add(first)
        // Each holds its first row before either asks for the other's. SQLite has one writer at a time.
        if (++waiting === 2 || engine === 'sqlite') both.resolve()
        await both.promise
        await add(second)
      })
    await Promise.all([raise('left', 'right'), raise('right', 'left')])
    if (engine === 'postgres') assert.ok(attempts > 2, 'what was chosen to fail ran again')
    assert.deepEqual([await daysOf('left'), await daysOf('right')], [9, 9])
  })

  if (engine === 'postgres')
    it('fails one transaction, not the process, when its connection is lost between two statements', async () => {
      const pid = Promise.withResolvers<number>()
      const lost = database.transaction(async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
        pid.resolve(Number(rows[0]?.pid))
        // Nobody waits for an answer of this connection when its end is heard of.
        await until(() => reported.length > 0)
        await tx.selectFrom('buckets').select('id').execute()
      })
      await sql`select pg_terminate_backend(${await pid.promise}::integer)`.execute(database.db as never)
      await assert.rejects(lost)
      await database.check()
    })

  it('keeps committed rows, relaxed ones too, when its process is killed', async () => {
    for (const options of ['{}', '{ relaxed: true }']) {
      const row = bucket(`kept ${options}`)
      const insertRow = `transaction((tx) => tx.insertInto('buckets').values(${JSON.stringify(row)}).execute(), ${options})`
      await assert.rejects(inProcess(insertRow, `process.kill(process.pid, 'SIGKILL')`), { signal: 'SIGKILL' })
      assert.ok((await names()).includes(row.name))
    }
  })

  it('forgets a transaction that was open when its process was killed', async () => {
    const row = bucket('never')
    const open = `transaction(async (tx) => {
      await tx.insertInto('buckets').values(${JSON.stringify(row)}).execute()
      process.kill(process.pid, 'SIGKILL')
      await new Promise(() => undefined)
    })`
    await assert.rejects(inProcess(open), { signal: 'SIGKILL' })
    assert.ok(!(await names()).includes('never'))
    await ctx.upkeep(({ tx }) => insert(tx, 'after it'))
  })

  it('moves a long log into the database while it is written to', async () => {
    await Promise.all(
      Array.from({ length: 1000 }, () =>
        ctx.upkeep(
          ({ tx }) =>
            tx
              .updateTable('buckets')
              .set((e) => ({ trash_days: e('trash_days', '+', 1) }))
              .where('name', '=', 'left')
              .execute(),
          { relaxed: true },
        ),
      ),
    )
    await database.check()
    assert.equal(await daysOf('left'), 1009)
  })

  it('accepts no other database than these two', async () => {
    for (const other of ['mysql://x', 'data/strongroom.db', ''])
      await assert.rejects(async () => openDatabase(other), /neither sqlite:<path> nor postgres/)
  })
})
