// `strongroom move-database`: a whole installation between SQLite and PostgreSQL, both ways.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { GetObjectCommand, ListPartsCommand } from '@aws-sdk/client-s3'
import pg from 'pg'
import { createClient } from '../../client/derived.ts'
import { cliActor } from '../../server/access/actors.ts'
import { Refusal } from '../../server/base/refusal.ts'
import { readConfig } from '../../server/config/config.ts'
import { createContext } from '../../server/context.ts'
import { moveRows } from '../../server/db/move/move.ts'
import { assertTarget, openSource, openTarget } from '../../server/db/move/open.ts'
import type { Target } from '../../server/db/move/side.ts'
import { openDatabase } from '../../server/db/open.ts'
import { verifyChain } from '../../server/features/audit/verify.ts'
import { verify } from '../../server/features/verify/service.ts'
import { createLog } from '../../server/observe/log.ts'
import { runCommand } from '../../server/process/commands.ts'
import { moveDatabase } from '../../server/process/move-database.ts'
import { type Running, start } from '../../server/process/start.ts'
import { withSystem } from '../../server/process/with-system.ts'
import { clientTo, type Pair } from '../s3/s3.ts'
import { beNextRelease, NEXT } from '../support/next-release.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { spawnServer, strongroom } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { ADMIN, SECRET_KEY, startServer, type TestServer } from '../support/server.ts'
import { fillRareTables, fillService, ODD_BYTES, ODD_KEY, rowsIn } from './full-service.ts'

type Env = Record<string, string>

describe('move-database', () => {
  const folders: string[] = []
  const databases: { drop(): Promise<void> }[] = []
  /** A service that was filled and stopped, on SQLite, and the same rows on PostgreSQL. */
  let source: Env
  let postgres: Env
  let clock: TestServer['clock']
  let pair: Pair
  let uploadId: string

  const newFolder = () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-move-'))
    folders.push(folder)
    return folder
  }
  const newFile = () => `sqlite:${path.join(newFolder(), 'moved.db')}`
  const newPostgres = async (template?: string) => {
    const made = await createDatabase(await postgresUrl(), template)
    databases.push(made)
    return made.url
  }
  const newTarget = (engine: 'sqlite' | 'postgres') => (engine === 'sqlite' ? newFile() : newPostgres())
  /** Runs the command in a process of its own. */
  const moveByCommand = (env: Env, to: string, more: Env = {}) =>
    strongroom(['move-database', '--to', to], { ...env, ...more })
  /** The same in this process, which spares its start. */
  async function move(env: Env, to: string, more: Env = {}): Promise<{ code: number; out: string; err: string }> {
    const lines: string[] = []
    try {
      const config = readConfig({ ...env, ...more })
      lines.push(await moveDatabase(config, to, (line) => lines.push(line)))
      return { code: 0, out: `${lines.join('\n')}\n`, err: '' }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { code: 1, out: lines.map((line) => `${line}\n`).join(''), err: `${error.message}\n` }
    }
  }
  const on = (url: string): Env => ({ ...source, DATABASE_URL: url })

  before(async () => {
    const receiver = await startReceiver()
    const disks = newFolder()
    const env = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32', S3_PORT: '0', STORAGE_FOLDERS: disks }
    const server = await startServer('sqlite', env)
    const filled = await fillService(server, receiver, path.join(disks, 'one'))
    pair = filled.pair
    uploadId = filled.UploadId ?? ''
    clock = server.clock
    const home = newFolder()
    await server.running.stop()
    await server.database.close()
    fs.cpSync(server.folder, home, { recursive: true })
    fs.rmSync(server.folder, { recursive: true })
    await receiver.stop()
    source = { ...server.env, DATA_DIR: home, DATABASE_URL: `sqlite:${path.join(home, 'strongroom.db')}` }
    postgres = on(await newPostgres())
  })
  after(async () => {
    for (const { drop } of databases) await drop()
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
  })

  /** The bytes of the files that hold a SQLite database, or the rows of one on PostgreSQL. */
  async function kept({ DATABASE_URL = '' }: Env): Promise<unknown> {
    if (!DATABASE_URL.startsWith('sqlite:')) return rowsIn(DATABASE_URL)
    const file = DATABASE_URL.slice('sqlite:'.length)
    const hashOf = (name: string) => createHash('sha256').update(fs.readFileSync(name)).digest('hex')
    return [file, `${file}-wal`].map((one) => fs.existsSync(one) && fs.statSync(one).size > 0 && hashOf(one))
  }
  const startOn = (env: Env): Promise<Running> =>
    start(readConfig({ ...env, LOG_LEVEL: 'silent' }), { now: clock.now, timers: false })
  const clean = async (env: Env) => {
    const config = readConfig({ ...env, LOG_LEVEL: 'silent' })
    await withSystem(config, createLog('silent', undefined), { storage: true }, async (system) => {
      const ctx = createContext(system, cliActor)
      const findings: string[] = []
      const { blobs } = await verify(ctx, {
        deep: true,
        fix: false,
        yesRemove: undefined,
        report: (finding) => findings.push(finding),
      })
      assert.deepEqual(findings, [])
      assert.ok(blobs > 50)
      const { ok, checked, faults } = await verifyChain(ctx, {
        from: undefined,
        most: Number.POSITIVE_INFINITY,
        checkpoints: [],
      })
      assert.deepEqual([ok, faults], [true, []])
      assert.ok(checked > 50)
    })
  }
  const changes = (one: Map<string, string[]>, other: Map<string, string[]>) =>
    [...new Set([...one.keys(), ...other.keys()])].filter(
      (name) => one.get(name)?.join('\n') !== other.get(name)?.join('\n'),
    )

  it('moves a whole installation to PostgreSQL, which is then as the source was', async () => {
    const before = await kept(source)
    const rows = await rowsIn(source.DATABASE_URL ?? '')
    const { code, out, err } = await moveByCommand(source, postgres.DATABASE_URL ?? '')
    assert.deepEqual([code, err], [0, ''], out)
    assert.deepEqual(await kept(source), before)
    const moved = await rowsIn(postgres.DATABASE_URL ?? '')
    assert.deepEqual(changes(rows, moved), [])
    assert.deepEqual(moved, rows)
    // A line for each table, copied and compared.
    for (const [name, { length }] of rows)
      for (const stage of ['copied', 'compared'])
        assert.match(out, new RegExp(`^${stage}\t${name}\t${length} rows\t\\d+\\.\\d s$`, 'm'))
    const total = [...rows.values()].reduce((sum, { length }) => sum + length, 0)
    assert.ok(out.includes(`Moved ${total} rows of ${rows.size} tables`), out)
    assert.match(out, /The database that was moved is unchanged\.\nNow set DATABASE_URL to postgres\S+ and start/)
    await clean(postgres)
  })

  it('and back to SQLite, where everything can be read and written', async () => {
    const to = newFile()
    const rows = await rowsIn(source.DATABASE_URL ?? '')
    const { code, err } = await move(postgres, to)
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(await rowsIn(to), rows)
    assert.equal(fs.statSync(to.slice('sqlite:'.length)).mode & 0o777, 0o600)
    assert.deepEqual(fs.readdirSync(path.dirname(to.slice('sqlite:'.length))).sort(), ['moved.db', 'moved.db-lock'])
    await clean(on(to))
    await works(on(to))
    await clean(on(to))
  })

  it('on PostgreSQL too, and to another database of the same engine', async () => {
    const to = await newPostgres()
    assert.equal((await move(postgres, to)).code, 0)
    assert.deepEqual(await rowsIn(to), await rowsIn(source.DATABASE_URL ?? ''))
    await works(on(to))
    await clean(on(to))
    const file = newFile()
    assert.equal((await move(source, file)).code, 0)
    assert.deepEqual(await rowsIn(file), await rowsIn(source.DATABASE_URL ?? ''))
  })

  /** Reads what was there before through every front, and writes what needs numbers that continue. */
  async function works(env: Env): Promise<void> {
    const running = await startOn(env)
    try {
      const login = { username: ADMIN.email, password: ADMIN.password }
      const { access_token: token } = await createClient({ baseUrl: running.url }).login({ body: login })
      const admin = createClient({ baseUrl: running.url, token })
      const params = { bucket: 'kept' }
      const odd = await admin.getObjectByQuery({ params, query: { key: ODD_KEY } })
      assert.deepEqual(new Uint8Array(await odd.arrayBuffer()), ODD_BYTES)
      const versions = await admin.listVersions({ params, query: { key: 'letter' } })
      assert.equal(versions.items.length, 3)
      assert.deepEqual(
        (await admin.listObjects({ params, query: { search: 'lette' } })).items.map(({ key }) => key),
        ['letter'],
      )
      const s3 = clientTo(new URL(running.s3Url ?? ''), pair, {
        systemClockOffset: clock.now().getTime() - Date.now(),
      })
      const got = await s3.send(new GetObjectCommand({ Bucket: 'elsewhere', Key: 'large' }))
      assert.equal((await got.Body?.transformToString())?.length, 100_000)
      const parts = await s3.send(new ListPartsCommand({ Bucket: 'elsewhere', Key: 'parts', UploadId: uploadId }))
      assert.deepEqual(
        parts.Parts?.map(({ PartNumber }) => PartNumber),
        [1, 3],
      )
      s3.destroy()

      await admin.putObject({ params: { ...params, key: 'letter' }, body: 'fourth' })
      const after = await admin.listVersions({ params, query: { key: 'letter' } })
      assert.equal(after.items.length, 4)
      assert.equal(after.items[0]?.size, 'fourth'.length)
      await admin.createStorage({
        body: {
          name: 'disk-two',
          kind: 'file',
          folder: path.join(env.STORAGE_FOLDERS ?? '', path.basename(env.DATABASE_URL ?? ''), 'two'),
        },
      })
      await admin.createBucket({ body: { name: 'later', storage: 'disk-two' } })
      await admin.putObject({ params: { bucket: 'later', key: 'found-later' }, body: 'x'.repeat(50_000) })
      const found = await admin.listObjects({ params: { bucket: 'later' }, query: { search: 'nd-lat' } })
      assert.equal(found.items.length, 1)
      await running.tick()
    } finally {
      await running.stop()
    }
  }

  it('takes every value of every table along', async () => {
    const home = newFolder()
    const file = path.join(home, 'strongroom.db')
    fs.copyFileSync((source.DATABASE_URL ?? '').slice('sqlite:'.length), file)
    const env = on(`sqlite:${file}`)
    const database = await openDatabase(`sqlite:${file}`)
    await fillRareTables(database)
    await database.close()
    // Integers that JavaScript's numbers cannot hold.
    const beyond = new DatabaseSync(file)
    beyond.exec('update incoming set bytes = 9223372036854775807')
    beyond.exec("update sqlite_sequence set seq = seq + 40 where name = 'versions'")
    beyond.close()
    const holds = (url: string) => rowsIn(url).then((rows) => rows)
    const fixed = (change: string) => {
      const one = new DatabaseSync(file)
      one.exec(change)
      one.close()
    }
    const target = await newPostgres()
    assert.deepEqual((await move(env, target)).err, '')
    const [value] = await query(target, 'select bytes from incoming')
    assert.equal(value?.bytes, '9223372036854775807')
    const back = newFile()
    assert.deepEqual((await move(on(target), back)).err, '')
    const copy = new DatabaseSync(back.slice('sqlite:'.length), { readOnly: true })
    const largest = copy.prepare('select bytes from incoming')
    largest.setReadBigInts(true)
    assert.equal(largest.get()?.bytes, 9223372036854775807n)
    const original = new DatabaseSync(file, { readOnly: true })
    const numbers = 'select name, seq from sqlite_sequence order by name'
    assert.deepEqual(copy.prepare(numbers).all(), original.prepare(numbers).all())
    copy.close()
    original.close()
    for (const url of [target, back]) await update(url, 'update incoming set bytes = 1')
    fixed('update incoming set bytes = 1')
    const expected = await holds(env.DATABASE_URL ?? '')
    const empty = [...expected].filter(([, rows]) => rows.length === 0).map(([name]) => name)
    assert.deepEqual(empty, [], 'tables without a row')
    for (const url of [target, back]) assert.deepEqual(await holds(url), expected)
  })

  it('leaves the indexes, constraints and triggers that a new database has', async () => {
    const fresh = { sqlite: newFile(), postgres: await newPostgres() }
    for (const url of Object.values(fresh)) {
      const database = await openDatabase(url)
      await database.migrate()
      await database.close()
    }
    const moved = { sqlite: newFile(), postgres: postgres.DATABASE_URL ?? '' }
    assert.equal((await move(source, moved.sqlite)).code, 0)
    for (const engine of ['sqlite', 'postgres'] as const)
      assert.deepEqual(await schemaOf(moved[engine]), await schemaOf(fresh[engine]))
  })

  it('moves tables and columns that a later release adds', async () => {
    const env = on(newFile())
    fs.copyFileSync((source.DATABASE_URL ?? '').slice(7), (env.DATABASE_URL ?? '').slice(7))
    const undo = beNextRelease()
    try {
      const database = await openDatabase(env.DATABASE_URL ?? '')
      await database.migrate()
      await database.close()
      await update(env.DATABASE_URL ?? '', "insert into paints (id) values ('red')")
      await update(env.DATABASE_URL ?? '', "update buckets set colour = 'blue'")
      const to = await newPostgres()
      const lines: string[] = []
      await moveDatabase(readConfig({ ...env, LOG_LEVEL: 'silent' }), to, (line) => lines.push(line))
      assert.ok(lines.some((line) => line.startsWith('copied\tpaints\t1 rows')))
      assert.deepEqual(await rowsIn(to), await rowsIn(env.DATABASE_URL ?? ''))
    } finally {
      undo()
    }
  })

  it('names a type that it cannot move', async () => {
    const to = await newPostgres()
    await update(to, 'create table t (id text primary key, j jsonb)')
    await assert.rejects(openSource(to), /The column t\.j has the type jsonb/)
  })

  for (const [from, to] of [
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const)
    it(`can be killed at any time on the way from ${from} to ${to}, and begins again`, async () => {
      const env = from === 'sqlite' ? source : postgres
      const url = await newTarget(to)
      const before = await kept(env)
      const rows = await rowsIn(env.DATABASE_URL ?? '')
      const names = [...rows.keys()]
      // Each moment is one for both ways: which engine is on which side decides nothing about them.
      const moments =
        from === 'sqlite'
          ? [`copied\t${names[0]}`, `copied\t${names.at(-1)}`, 'completed']
          : ['copied\tobjects', 'completed', `compared\t${names.at(-1)}`]
      for (const line of moments) {
        const killed = await moveByCommand(env, url, killedAt(line))
        assert.equal(killed.code, null, killed.err)
        assert.ok(!killed.out.includes(`\n${line}`) && !killed.out.includes('Moved'), killed.out)
        assert.deepEqual(await kept(env), before)
        await refusesService(on(url))
      }
      for (const args of from === 'sqlite' ? [['serve'], ['verify']] : []) {
        const { code, out, err } = await strongroom(args, { ...on(url), S3_PORT: '' })
        assert.deepEqual([code, out], [1, ''], err)
        assert.match(err, /^A move into this database was not finished[^\n]*\n$/)
      }
      const { code, err } = await move(env, url)
      assert.deepEqual([code, err], [0, ''])
      assert.deepEqual(await rowsIn(url), rows)
      assert.deepEqual(await kept(env), before)
      await clean(on(url))
    })

  /** A service, and a command, that must not run on what an unfinished move has left. */
  async function refusesService(env: Env): Promise<void> {
    const unfinished = (error: Error) =>
      error instanceof Refusal && /^A move into this database was not finished[^\n]*$/.test(error.message)
    await assert.rejects(startOn(env), unfinished)
    await assert.rejects(runCommand('create-admin', ['x@example.com'], env), unfinished)
  }

  /** Refuses in one line, and changes neither side. */
  async function refuses(env: Env, to: string, said: RegExp, more: Env = {}): Promise<void> {
    const target = to.startsWith('sqlite:') ? path.dirname(to.slice(7)) : undefined
    const files = () =>
      target && fs.existsSync(target)
        ? fs.readdirSync(target).map((name) => [name, fs.statSync(path.join(target, name)).size])
        : []
    const before = { source: await kept(env), files: files(), target: target ? await kept(on(to)) : await stateOf(to) }
    const { code, out, err } = await move(env, to, more)
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, said)
    assert.match(err, /^[^\n]+\n$/)
    const after = { source: await kept(env), files: files(), target: target ? await kept(on(to)) : await stateOf(to) }
    assert.deepEqual(after, before)
  }

  it('refuses a target that is not empty', async () => {
    const file = newFile()
    const other = new DatabaseSync(file.slice(7))
    other.exec('create table things (a)')
    other.close()
    await refuses(source, file, /--to is not empty.*things/)
    const database = await newPostgres()
    await update(database, 'create view things as select 1 as a')
    await refuses(source, database, /--to is not empty.*things/)
    // A whole installation.
    await refuses(source, postgres.DATABASE_URL ?? '', /--to is not empty/)
    const noDatabase = path.join(newFolder(), 'text.db')
    fs.writeFileSync(noDatabase, 'this is a text and no database'.repeat(100))
    await refuses(source, `sqlite:${noDatabase}`, /cannot be opened/)
  })

  it('refuses a target that is the source', async () => {
    const link = path.join(newFolder(), 'link.db')
    fs.symlinkSync((source.DATABASE_URL ?? '').slice(7), link)
    await refuses(source, `sqlite:${link}`, /--to names the database that is to be moved/)
    await refuses(postgres, postgres.DATABASE_URL ?? '', /--to names the database that is to be moved/)
  })

  it('refuses a target that cannot be reached, written or hold every letter', async () => {
    await refuses(
      source,
      `sqlite:${path.join((source.DATABASE_URL ?? '').slice(7), 'x', 'y.db')}`,
      /The folder of --to/,
    )
    const { err, code } = await move(source, 'postgres://nobody@127.0.0.1:1/none')
    assert.match(err, /^The database of --to cannot be opened: [^\n]*\n$/)
    assert.equal(code, 1)
    const made = await createDatabase(
      await postgresUrl(),
      "template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'",
    )
    databases.push(made)
    await refuses(source, made.url, /has the encoding SQL_ASCII/)
  })

  it('refuses another SECRET_KEY, another storage, and an unfinished source', async () => {
    const to = newFile()
    await refuses(source, to, /SECRET_KEY is not the one/, { SECRET_KEY: `${SECRET_KEY}, another` })
    await refuses(source, to, /belongs to another database|cannot be found/, {
      STORAGE_URL: `file:${await foreignStorage()}`,
    })
    const killed = newFile()
    await moveByCommand(source, killed, killedAt('completed'))
    await refuses(on(killed), to, /A move into this database was not finished/)
  })
  async function foreignStorage(): Promise<string> {
    const folder = path.join(newFolder(), 'blobs')
    fs.cpSync(path.join(source.DATA_DIR ?? '', 'blobs'), folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'instance-id'), 'another')
    return folder
  }

  it('refuses a schema that is not that of this release', async () => {
    const undoOlder = beNextRelease()
    await refuses(source, newFile(), /schema of the database is older/).finally(undoOlder)
    const file = newFile()
    fs.copyFileSync((source.DATABASE_URL ?? '').slice(7), file.slice(7))
    const undo = beNextRelease()
    const database = await openDatabase(file)
    await database.migrate()
    await database.close()
    undo()
    await refuses(on(file), newFile(), new RegExp(`newer than this release \\(${NEXT}\\)`))
  })

  it('refuses while a service runs on the source, whichever engine it is on', async () => {
    for (const env of [source, postgres]) {
      const server = await spawnServer({ ...env, S3_PORT: '' })
      try {
        const to = newFile()
        const { code, out, err } = await move(env, to)
        assert.deepEqual([code, out], [1, ''], err)
        assert.match(err, /^(Another service is using|A service is using)[^\n]*\n$/)
        assert.equal(fs.existsSync(to.slice(7)), false)
      } finally {
        await server.kill('SIGTERM')
      }
    }
  })

  it('a service, or anyone else, cannot write to the source meanwhile', async () => {
    const running = await openSource(postgres.DATABASE_URL ?? '')
    try {
      await assert.rejects(
        update(postgres.DATABASE_URL ?? '', "set lock_timeout = '100ms'; update settings set overrides = '{}'"),
        { code: '55P03' },
      )
    } finally {
      await running.close()
    }
    const open = await openSource(source.DATABASE_URL ?? '')
    try {
      const { code, err } = await strongroom(['serve'], { ...source, S3_PORT: '' })
      assert.equal(code, 1)
      assert.match(err, /^Another service is using/)
    } finally {
      await open.close()
    }
  })

  it('does not finish where the source was changed meanwhile', async () => {
    const file = newFile()
    fs.copyFileSync((source.DATABASE_URL ?? '').slice(7), file.slice(7))
    const change = `
      import { DatabaseSync } from 'node:sqlite'
      const other = new DatabaseSync(${JSON.stringify(file.slice(7))})
      other.exec("update settings set setup_hash = 'changed'")
      other.close()`
    const to = await newPostgres()
    const { code, err } = await moveByCommand(on(file), to, atLine('copied\tobjects', change))
    assert.equal(code, 1)
    assert.match(err, /^The database was changed while it was moved[^\n]*\n$/)
    await refusesService(on(to))
  })

  it('does not finish where a row differs in the end', async () => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const url = await newTarget(engine)
      await assertTarget(source.DATABASE_URL ?? '', url)
      const from = await openSource(source.DATABASE_URL ?? '')
      const target = await openTarget(url)
      const spoiled: Target = {
        ...target,
        async complete() {
          await target.complete()
          // Of a column whose change is not counted in `instance`, which would differ first.
          await update(url, "update users set search_key = 'someone else' where email = 'admin@example.com'")
        },
      }
      await assert.rejects(
        moveRows(from, spoiled, () => undefined),
        (error) => error instanceof Refusal && /^The table users of the target is not equal/.test(error.message),
      )
      await target.close()
      await from.close()
      await refusesService(on(url))
    }
  })

  it('does not fill a target that another move is filling', async () => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const url = await newTarget(engine)
      const target = await openTarget(url)
      const { code, err } = await move(source, url)
      assert.equal(code, 1)
      assert.match(err, /^Another (service is using|strongroom move-database)[^\n]*\n$/)
      await target.close()
    }
  })

  it('says in one line what a target does not take, and begins again', async () => {
    const file = newFile()
    fs.copyFileSync((source.DATABASE_URL ?? '').slice(7), file.slice(7))
    await update(file, "update users set display_name = 'a' || char(0) || 'b' where email = 'admin@example.com'")
    const to = await newPostgres()
    const { code, err } = await move(on(file), to)
    assert.equal(code, 1)
    assert.match(err, /^The move was not finished: [^\n]*0x00[^\n]*\n$/)
    await refusesService(on(to))
    await update(file, "update users set display_name = 'ab' where email = 'admin@example.com'")
    assert.equal((await move(on(file), to)).code, 0)
  })

  it('asks for --to, and takes nothing else', async () => {
    for (const args of [[], ['--to', 'mysql://x'], ['--to', 'sqlite:'], ['now', '--to', newFile()]]) {
      const { code, out, err } = await strongroom(['move-database', ...args], source)
      assert.deepEqual(
        [code, out, err],
        [1, '', 'Usage: strongroom move-database --to sqlite:<path> or postgres://…\n'],
      )
    }
    const { code, err } = await strongroom(['move-database', '--deep'], source)
    assert.deepEqual([code, err], [2, `Unknown option '--deep': "move-database" takes --to.\n`])
  })
})

/** Makes a process end itself with SIGKILL instead of writing a line that begins so. */
const killedAt = (line: string): Env => atLine(line, "process.kill(process.pid, 'SIGKILL')")

/** Makes a process run some code when it is about to write a line that begins so. */
function atLine(line: string, code: string): Env {
  const imports = code.match(/^\s*import .*$/gm)?.join('\n') ?? ''
  const hook = `${imports}
    const write = process.stdout.write
    process.stdout.write = function (text, ...rest) {
      if (String(text).startsWith(${JSON.stringify(line)})) { ${code.replaceAll(/^\s*import .*$/gm, '')} }
      return write.call(this, text, ...rest)
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` }
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Runs statements on a database as somebody else. */
async function update(url: string, text: string): Promise<void> {
  if (!url.startsWith('sqlite:')) return void (await query(url, text))
  const database = new DatabaseSync(url.slice(7), { timeout: 10_000 })
  database.exec(text)
  database.close()
}

/** The names of all relations, and how many rows the largest statistics know of. */
const stateOf = (url: string) =>
  query(url, "select relname from pg_class where relnamespace = 'public'::regnamespace order by 1")

/** Everything but tables and their columns. */
async function schemaOf(url: string): Promise<unknown> {
  if (!url.startsWith('sqlite:'))
    return [
      await query(url, "select indexdef from pg_indexes where schemaname = 'public' order by 1"),
      await query(
        url,
        `select conrelid::regclass::text as of, conname, pg_get_constraintdef(oid) as is, convalidated from pg_constraint
          where connamespace = 'public'::regnamespace order by 1, 2`,
      ),
      await query(
        url,
        'select tgrelid::regclass::text as of, tgname, tgenabled from pg_trigger where not tgisinternal order by 1, 2',
      ),
      await query(url, 'select name from kysely_migration order by 1'),
    ]
  const database = new DatabaseSync(url.slice(7), { readOnly: true })
  const found = [
    database.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all(),
    database.prepare('select name from kysely_migration order by 1').all(),
    database.prepare('pragma journal_mode').all(),
  ]
  database.close()
  return found
}
