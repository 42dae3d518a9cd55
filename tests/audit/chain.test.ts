import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { AuditFault } from '../../contract/audit.ts'
import { newId } from '../../server/base/id.ts'
import type { Row, Schema } from '../../server/db/schema.ts'
import { hashLink, hashRow } from '../../server/features/audit/hashes.ts'
import { bareEnv } from '../support/process.ts'
import { describeEngines, type Engine, startServer, type TestServer } from '../support/server.ts'

const HOUR = 3600_000
const tables = ['audit_recent', 'audit_sealed', 'audit_chain', 'audit_head', 'audit_checkpoints'] as const

/** What someone with the password of the database can do. */
function intruder(server: TestServer, engine: Engine) {
  const run = (...texts: string[]) =>
    server.database.transaction(async (tx) => {
      for (const text of texts) await sql.raw(text).execute(tx)
    })
  const guarded = ['audit_recent', 'audit_sealed', 'audit_chain', 'audit_checkpoints']
  const unguarded = async (work: () => Promise<unknown>) => {
    const db = server.database.db as Kysely<Schema>
    if (engine === 'postgres') {
      await run(...guarded.map((table) => `alter table ${table} disable trigger user`))
      await work()
      return run(...guarded.map((table) => `alter table ${table} enable trigger user`))
    }
    const { rows } = await sql<{ name: string; sql: string }>`
      select name, sql from sqlite_schema where type = 'trigger' and name like 'audit%'`.execute(db)
    await run(...rows.map(({ name }) => `drop trigger ${name}`))
    await work()
    return run(...rows.map((one) => one.sql))
  }
  const all = <T extends (typeof tables)[number]>(table: T) =>
    server.database.db
      .selectFrom(table as 'audit_sealed')
      .selectAll()
      .execute() as unknown as Promise<Row<T>[]>
  /** Makes a change, returns the verification result, and undoes the change. */
  const tamper = async (work: () => Promise<unknown>, meanwhile: () => Promise<unknown> = async () => undefined) => {
    const kept = await Promise.all(tables.map(async (table) => ({ table, rows: await all(table) })))
    await unguarded(work)
    await meanwhile()
    const found = await server.admin.verifyAudit()
    await unguarded(async () => {
      await run(...tables.map((table) => `delete from ${table}`))
      for (const { table, rows } of kept)
        if (rows.length > 0)
          await server.database.transaction((tx) =>
            tx
              .insertInto(table as 'audit_sealed')
              .values(rows as never)
              .execute(),
          )
    })
    assert.equal((await server.admin.verifyAudit()).ok, true, 'undone')
    return found
  }
  return { run, unguarded, tamper, all }
}

const first = ({ first_fault }: { first_fault: AuditFault | null }) => [first_fault?.kind, first_fault?.seq]
const quoted = (value: string | number | null) =>
  value === null ? 'null' : typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`

describeEngines('the audit chain', (engine, itOnce) => {
  let server: TestServer
  let db: ReturnType<typeof intruder>
  let ids: string[]
  const file = path.join(os.tmpdir(), `checkpoints-${randomUUID()}.ndjson`)
  const id = (seq: number) => ids[seq - 1] ?? assert.fail()
  const put = (key: string) => server.admin.putObject({ params: { bucket: 'chained', key }, body: key })
  const links = async () => (await db.all('audit_chain')).sort((a, b) => a.seq - b.seq)

  before(async () => {
    server = await startServer(engine, { AUDIT_CHECKPOINT_FILE: file })
    db = intruder(server, engine)
    await server.admin.createBucket({ body: { name: 'chained' } })
    for (let i = 0; i < 30; i++) await put(`${i}`)
    await server.running.tick()
    await server.later(HOUR)
    await server.running.tick()
    ids = (await links()).map(({ audit_id }) => audit_id)
  })
  after(async () => {
    await server.stop()
    fs.rmSync(file, { force: true })
  })

  it('contains every record once, with hashes computed as documented', async () => {
    const rows = new Map((await db.all('audit_sealed')).map((row) => [row.id, row]))
    assert.equal(ids.length, rows.size)
    let previous = '0'.repeat(64)
    for (const [i, { seq, audit_id, row_hash, chain_hash }] of (await links()).entries()) {
      const row = rows.get(audit_id) ?? assert.fail()
      previous = hashLink(previous, row_hash)
      assert.deepEqual([seq, hashRow(row), chain_hash], [i + 1, row_hash, previous])
    }
    const found = await server.admin.verifyAudit()
    assert.deepEqual(
      [found.ok, found.complete, found.checked, found.pending, found.first_seq, found.last_seq, found.next_seq],
      [true, true, ids.length, 0, 1, ids.length, null],
    )
    assert.deepEqual(found.head, { seq: ids.length, chain_hash: previous })
    const rest = await server.admin.verifyAudit({ query: { from: 11, seconds: 60 } })
    assert.deepEqual([rest.ok, rest.first_seq, rest.checked], [true, 11, ids.length - 10])
  })

  it('checkpoints every hour, in the table, the log and the file', async () => {
    const made = (await db.all('audit_checkpoints')).sort((a, b) => a.n - b.n)
    // The first before anything was sealed; the second an hour later, before that hour’s login was.
    assert.deepEqual(
      made.map(({ n, seq }) => [n, seq]),
      [
        [1, 0],
        [2, ids.length - 1],
      ],
    )
    const lines = fs.readFileSync(file, 'utf8').trim().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      made.map((one) => ({ ...one })),
    )
    for (const { signature } of made) assert.ok(server.logged().includes(signature))
    assert.equal((await server.admin.verifyAudit()).checkpoints, 4, 'those of the table and those of the file')
  })

  it('neither records nor links can be changed or deleted, nor replaced', async () => {
    await put('recent')
    for (const text of [
      "update audit_sealed set action = 'login'",
      "update audit_recent set action = 'login'",
      'delete from audit_recent',
      'delete from audit_sealed',
      `delete from audit_sealed where id = '${id(3)}'`,
      "update audit_chain set row_hash = ''",
      'delete from audit_chain where seq = 1',
      'update audit_checkpoints set seq = 1',
      'delete from audit_checkpoints',
      ...(engine === 'sqlite'
        ? ['insert or replace into audit_sealed select * from audit_sealed limit 1']
        : ['truncate audit_sealed', 'truncate audit_chain', 'truncate audit_checkpoints']),
    ])
      await assert.rejects(db.run(text), /append-only/, text)
    assert.equal((await server.admin.verifyAudit()).ok, true)
    await server.running.tick()
    ids = (await links()).map(({ audit_id }) => audit_id)
  })

  it('finds an edit', async () => {
    for (const change of [
      "object_key = 'other'",
      'actor_email = null',
      engine === 'sqlite' ? "time = '2026-01-01T00:00:00.001Z'" : "time = time + interval '1 millisecond'",
      "details = replace(details, ':1,', ':2,')",
      'status_code = 200',
    ]) {
      const found = await db.tamper(() => db.run(`update audit_sealed set ${change} where id = '${id(10)}'`))
      assert.deepEqual(
        [first(found), found.fault_count, found.first_fault?.audit_id],
        [['edited', 10], 1, id(10)],
        change,
      )
    }
  })

  it('finds a record that was deleted from the middle, and one with its link', async () => {
    const record = `delete from audit_sealed where id = '${id(12)}'`
    const link = 'delete from audit_chain where seq = 12'
    assert.deepEqual(first(await db.tamper(() => db.run(record))), ['missing', 12])
    assert.deepEqual(first(await db.tamper(() => db.run(record, link))), ['gap', 12])
    const alone = await db.tamper(() => db.run(link))
    assert.deepEqual(first(alone), ['gap', 12])
    assert.equal(alone.faults.at(-1)?.audit_id, id(12), 'the record that lost its link')
  })

  it('detects a deleted tail, even if the deletion was hidden', async () => {
    const tail = [
      `delete from audit_sealed where id in (select audit_id from audit_chain where seq > 25)`,
      'delete from audit_chain where seq > 25',
    ]
    assert.deepEqual(first(await db.tamper(() => db.run(...tail.slice(0, 1)))), ['missing', 26])
    assert.deepEqual(first(await db.tamper(() => db.run(...tail))), ['tail', 26])
    const head = `update audit_head set seq = 25, chain_hash = (select chain_hash from audit_chain where seq = 25)`
    const hidden = await db.tamper(() => db.run(...tail, head))
    assert.deepEqual(first(hidden), ['tail', 26])
    const checkpoints = ['delete from audit_checkpoints where n > 1', 'update audit_head set checkpoints = 1']
    const more = await db.tamper(() => db.run(...tail, head, ...checkpoints))
    assert.deepEqual(first(more), ['tail', 26], 'by the file')
    // The service continues without hiding it.
    const grown = await db.tamper(
      () => db.run(...tail, head, ...checkpoints),
      async () => {
        await put('later')
        await server.running.tick()
      },
    )
    assert.deepEqual(first(grown), ['checkpoint', 25])
    // With the whole table of that time put back, head and all, only what is kept elsewhere tells.
    const [old] = await db.all('audit_head')
    await put('more')
    await server.running.tick()
    const replayed = await db.tamper(() =>
      db.run(
        `delete from audit_sealed where id in (select audit_id from audit_chain where seq > ${ids.length})`,
        `delete from audit_chain where seq > ${ids.length}`,
        `update audit_head set seq = ${old?.seq}, chain_hash = '${old?.chain_hash}', mac = '${old?.mac}'`,
      ),
    )
    assert.equal(replayed.ok, true, 'since the last checkpoint it is not found: the documentation says so')
    await server.later(HOUR)
    await server.running.tick()
    const caught = await db.tamper(() =>
      db.run(
        `delete from audit_sealed where id in (select audit_id from audit_chain where seq > ${ids.length})`,
        `delete from audit_chain where seq > ${ids.length}`,
        'delete from audit_checkpoints where n > 2',
        `update audit_head set seq = ${old?.seq}, chain_hash = '${old?.chain_hash}', checkpoints = 2, mac = '${old?.mac}'`,
      ),
    )
    assert.deepEqual(first(caught), ['tail', ids.length + 1])
  })

  itOnce('detects swapped records and swapped links', async () => {
    const [a, b] = [id(8), id(14)]
    const columns = Object.keys((await db.all('audit_sealed'))[0] ?? {}).filter((one) => one !== 'id')
    const rows = new Map((await db.all('audit_sealed')).map((row) => [row.id, row]))
    const set = (to: string, from: string) =>
      `update audit_sealed set ${columns
        .map((one) => `${one} = ${quoted(rows.get(from)?.[one as 'action'] ?? null)}`)
        .join(', ')} where id = '${to}'`
    const contents = await db.tamper(() => db.run(set(a, b), set(b, a)))
    assert.deepEqual(
      contents.faults.map(({ kind, seq }) => [kind, seq]),
      [
        ['swapped', 8],
        ['swapped', 14],
      ],
    )
    const ofLink = new Map((await links()).map((link) => [link.seq, link]))
    const move = (to: number, from: number, field: 'audit_id' | 'row_hash' | 'chain_hash') =>
      `update audit_chain set ${field} = '${ofLink.get(from)?.[field]}' where seq = ${to}`
    const free = `update audit_chain set audit_id = 'x' where seq = 8`
    const both = (field: 'audit_id' | 'row_hash' | 'chain_hash') => [move(14, 8, field), move(8, 14, field)]
    assert.deepEqual(first(await db.tamper(() => db.run(free, ...both('audit_id')))), ['swapped', 8])
    const deeper = [free, ...both('audit_id'), ...both('row_hash')]
    assert.deepEqual(first(await db.tamper(() => db.run(...deeper))), ['swapped', 8])
    assert.deepEqual(first(await db.tamper(() => db.run(...deeper, ...both('chain_hash')))), ['swapped', 8])
  })

  it('detects an inserted record, before and after sealing, and one in a recomputed chain', async () => {
    const [row] = await db.all('audit_sealed')
    const forged = { ...(row ?? assert.fail()), id: newId(), object_key: 'never happened' }
    const insert = (one: Row<'audit'>, table: 'audit_recent' | 'audit_sealed' = 'audit_recent') =>
      server.database.transaction((tx) => tx.insertInto(table).values(one).execute())
    for (const table of ['audit_recent', 'audit_sealed'] as const) {
      const early = await db.tamper(() => insert(forged, table))
      assert.deepEqual([first(early), early.first_fault?.audit_id], [['forged', null], forged.id])
    }
    for (const mac of [forged.mac, null, 'ffffffff.AAAA']) {
      // The trigger is there again: what waits is sealed as everything is.
      const one = { ...forged, id: newId(), mac }
      const sealed = await db.tamper(
        async () => undefined,
        async () => {
          await insert(one)
          await server.running.tick()
        },
      )
      const [kind, seq] = first(sealed)
      assert.deepEqual([kind, sealed.first_fault?.audit_id, sealed.fault_count], ['forged', one.id, 1])
      assert.ok(Number(seq) > ids.length)
    }
    assert.match(server.logged(), /an audit record was not written by this service/)

    // Edited, with every later hash recomputed.
    const anew = await db.tamper(async () => {
      await db.run(`update audit_sealed set object_key = 'other' where id = '${id(20)}'`)
      const rows = new Map((await db.all('audit_sealed')).map((one) => [one.id, one]))
      let previous = '0'.repeat(64)
      for (const { seq, audit_id } of await links()) {
        const row_hash = hashRow(rows.get(audit_id) ?? assert.fail())
        previous = hashLink(previous, row_hash)
        await db.run(`update audit_chain set row_hash = '${row_hash}', chain_hash = '${previous}' where seq = ${seq}`)
      }
    })
    assert.deepEqual(first(anew), ['forged', 20])
    assert.ok(anew.faults.some(({ kind }) => kind === 'checkpoint'))

    // One left out, and the numbers closed up.
    const closed = await db.tamper(async () => {
      const rows = new Map((await db.all('audit_sealed')).map((one) => [one.id, one]))
      const kept = (await links()).filter(({ seq }) => seq !== 20)
      await db.run(`delete from audit_sealed where id = '${id(20)}'`, 'delete from audit_chain')
      let chain_hash = '0'.repeat(64)
      const made = kept.map(({ audit_id }, i) => {
        const row_hash = hashRow(rows.get(audit_id) ?? assert.fail())
        chain_hash = hashLink(chain_hash, row_hash)
        return { seq: i + 1, audit_id, row_hash, chain_hash }
      })
      await server.database.transaction((tx) => tx.insertInto('audit_chain').values(made).execute())
      await db.run(`update audit_head set seq = ${made.length}, chain_hash = '${chain_hash}'`)
    })
    assert.equal(closed.first_fault?.kind, 'checkpoint')
  })

  itOnce('detects tampering with checkpoints and the head', async () => {
    const edited = await db.tamper(() =>
      db.run("update audit_checkpoints set time = '2026-01-01T00:00:01.000Z' where n = 2"),
    )
    assert.deepEqual(first(edited)[0], 'checkpoint')
    const gone = await db.tamper(() => db.run('delete from audit_checkpoints where n = 2'))
    assert.equal(gone.first_fault?.kind, 'checkpoint')
    const last = await db.tamper(() =>
      db.run('delete from audit_checkpoints where n = (select max(n) from audit_checkpoints)'),
    )
    assert.equal(last.first_fault?.kind, 'checkpoint')
    for (const change of ['mac = null', 'anchor_seq = 5', 'checkpoints = 0', "mac = 'x'"]) {
      const head = await db.tamper(() => db.run(`update audit_head set ${change}`))
      assert.equal(head.ok, false, change)
      const sealed = await db.tamper(
        () => db.run(`update audit_head set ${change}`),
        async () => {
          await put('goes on')
          await server.running.tick()
        },
      )
      assert.equal(sealed.ok, false, `${change}, sealed on`)
    }
    const headless = await db.tamper(
      () => db.run('delete from audit_head'),
      async () => {
        await put('goes on')
        await server.running.tick()
      },
    )
    assert.equal(headless.first_fault?.kind, 'checkpoint')
  })

  itOnce('the command reports the same, with matching exit codes', async () => {
    const strongroom = async (...args: string[]) => {
      const main = path.join(import.meta.dirname, '../..', 'server', 'main.ts')
      const child = spawn(process.execPath, [main, 'audit', ...args], {
        env: { ...bareEnv, ...server.env, LOG_LEVEL: 'silent' },
      })
      const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
      return { out, err, code }
    }
    const whole = await strongroom('verify')
    assert.deepEqual([whole.code, whole.err], [0, ''])
    assert.match(whole.out, /^Checked \d+ records \(1 to \d+\) .* No tampering found\.\n$/)
    assert.match((await strongroom('verify', '--from', '5')).out, /\(5 to/)
    for (const args of [['lost'], ['verify', '--from', 'x'], ['verify', '--checkpoints', '/nowhere']])
      assert.equal((await strongroom(...args)).code, 1)
    let found = { out: '', err: '', code: 0 }
    await db.tamper(
      () => db.run(`delete from audit_sealed where id = '${id(12)}'`),
      async () => {
        found = await strongroom('verify', '--checkpoints', file)
      },
    )
    assert.equal(found.code, 3)
    assert.match(found.err, new RegExp(`^missing\t12\t${id(12)}\t`))
    const other = `${file}.other`
    fs.writeFileSync(other, fs.readFileSync(file, 'utf8').replace('"seq":0', '"seq":1'))
    const forged = await strongroom('verify', '--checkpoints', other)
    fs.rmSync(other)
    assert.deepEqual([forged.code, /^checkpoint\t1\t/.test(forged.err)], [3, true])
  })
})
