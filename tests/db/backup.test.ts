// `strongroom backup` on SQLite: a consistent snapshot, next to writers, checked before it gets its name.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { openDatabase } from '../../server/db/open.ts'
import { backupSqlite } from '../../server/db/sqlite/backup.ts'
import { bareEnv } from '../support/process.ts'
import { startServer, type TestServer } from '../support/server.ts'

const MAIN = path.join(import.meta.dirname, '../..', 'server', 'main.ts')
const OBJECTS = 12
const MiB = 1024 ** 2

describe('backup on SQLite', () => {
  let server: TestServer
  let folder: string
  before(async () => {
    server = await startServer('sqlite')
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-backup-'))
    await server.admin.createBucket({ body: { name: 'one' } })
    await server.admin.createBucket({ body: { name: 'two' } })
    for (let i = 0; i < OBJECTS; i++)
      await server.admin.putObject({ params: { bucket: 'one', key: `k${i}` }, body: `contents ${i}` })
  })
  after(async () => {
    fs.rmSync(folder, { recursive: true, force: true })
    await server.stop()
  })

  const backup = (target: string, env: Record<string, string> = {}, timeout = 0) =>
    new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
      execFile(
        process.execPath,
        [MAIN, 'backup', target],
        { env: { ...bareEnv, ...server.env, LOG_LEVEL: 'error', ...env }, timeout, killSignal: 'SIGKILL' },
        (error, out, err) =>
          resolve({ code: error ? ((error.code as number | null | undefined) ?? null) : 0, out, err }),
      )
    })
  const databaseFile = () => path.join(server.folder, 'strongroom.db')
  const refusedAs = async (target: string, message: RegExp, env: Record<string, string> = {}) => {
    const was = fs.readdirSync(folder).sort()
    const { code, out, err } = await backup(target, env)
    assert.equal(code, 1, out)
    assert.match(err, message)
    assert.doesNotMatch(err, /\n\s+at /, 'a sentence, no stack')
    assert.deepEqual(fs.readdirSync(folder).sort(), was, 'nothing is left')
  }

  it('finishes next to a writer that commits every 20 ms, as a consistent snapshot', async () => {
    const filler = new DatabaseSync(databaseFile(), { timeout: 10_000 })
    filler.exec('create table filler (bytes blob); create table halves (side text primary key, n integer)')
    filler.exec("insert into halves values ('left', 0), ('right', 0)")
    const insert = filler.prepare('insert into filler values (?)')
    filler.exec('begin')
    for (let i = 0; i < 120; i++) insert.run(randomBytes(MiB))
    filler.exec('commit; pragma wal_checkpoint(truncate)')
    filler.close()
    // Each commit changes two pages far apart: a copy of two moments would show it.
    const writer = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { DatabaseSync } from 'node:sqlite'
        const database = new DatabaseSync(${JSON.stringify(databaseFile())}, { timeout: 10_000 })
        database.exec('pragma synchronous = off; pragma wal_autocheckpoint = 0')
        const step = (side) => database.exec("update halves set n = n + 1 where side = '" + side + "'")
        let commits = 0
        setInterval(() => {
          database.exec('begin immediate')
          step('left')
          database.exec('update filler set bytes = bytes where rowid = ' + (1 + (commits % 120)))
          step('right')
          database.exec('commit')
          if (++commits === 1) console.log('writes')
        }, 20)`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], env: bareEnv },
    )
    try {
      await once(writer.stdout, 'data')
      const target = path.join(folder, 'beside.db')
      const began = performance.now()
      const { code, out, err } = await backup(target, {}, 60_000)
      assert.equal(code, 0, err || `not done after ${Math.round(performance.now() - began)} ms`)
      assert.match(out, /2 buckets, 12 objects and 1 user\b/)
      const copy = new DatabaseSync(target, { readOnly: true })
      const [left, right] = copy.prepare('select n from halves order by side').all()
      assert.equal(left?.n, right?.n)
      assert.deepEqual({ ...copy.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
      copy.close()
    } finally {
      writer.kill('SIGKILL')
      await once(writer, 'exit')
      const mine = new DatabaseSync(databaseFile(), { timeout: 10_000 })
      mine.exec('drop table filler; drop table halves')
      mine.close()
    }
  })

  it('the copy is a private file, its contents are reported, and no other file is left', async () => {
    const target = path.join(folder, 'private.db')
    const was = fs.readdirSync(folder)
    const { code, out, err } = await backup(target)
    assert.equal(code, 0, err)
    assert.match(out, /2 buckets, 12 objects and 1 user\b/)
    assert.equal(fs.statSync(target).mode & 0o777, 0o600)
    assert.deepEqual(fs.readdirSync(folder).sort(), [...was, 'private.db'].sort())
    const copy = await openDatabase(`sqlite:${target}`)
    assert.equal((await copy.db.selectFrom('objects').select('key').execute()).length, OBJECTS)
    await copy.close()
  })

  it('a file that exists is left as it is', async () => {
    const target = path.join(folder, 'taken.db')
    fs.writeFileSync(target, 'mine')
    await refusedAs(target, /already exists/)
    assert.equal(fs.readFileSync(target, 'utf8'), 'mine')
  })

  it('a folder that cannot be written is named', () =>
    refusedAs(path.join(folder, 'nowhere', 'copy.db'), /Cannot write the copy.*nowhere/))

  it('an empty database is no backup', async () => {
    const other = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-empty-'))
    const url = `sqlite:${path.join(other, 'strongroom.db')}`
    const empty = await openDatabase(url)
    await empty.migrate()
    await empty.close()
    // The command refuses it before that, as one that no service has been started on.
    await assert.rejects(
      backupSqlite(url.slice('sqlite:'.length), path.join(folder, 'empty.db')),
      /no user and no bucket/,
    )
    assert.ok(!fs.existsSync(path.join(folder, 'empty.db')))
    await refusedAs(path.join(folder, 'empty.db'), /No service has been started/, {
      DATABASE_URL: url,
      DATA_DIR: other,
    })
    fs.rmSync(other, { recursive: true })
  })

  it('another program’s database, or a damaged one, is rejected', async () => {
    const other = path.join(folder, 'other.sqlite')
    const foreign = new DatabaseSync(other)
    foreign.exec('pragma journal_mode = wal; create table things (a)')
    foreign.close()
    const opened = await openDatabase(`sqlite:${other}`)
    const was = fs.readdirSync(folder).sort()
    await assert.rejects(opened.backup(path.join(folder, 'x.db')), /not a Strongroom database/)
    assert.deepEqual(fs.readdirSync(folder).sort(), was)
    await opened.close()

    const torn = path.join(folder, 'torn.sqlite')
    await server.database.backup(torn)
    const cut = new DatabaseSync(torn)
    cut.exec('pragma foreign_keys = off; delete from buckets')
    cut.close()
    const half = await openDatabase(`sqlite:${torn}`)
    await assert.rejects(half.backup(path.join(folder, 'y.db')), /inconsistent.*"buckets"/)
    await half.close()
    assert.equal(fs.existsSync(path.join(folder, 'y.db')), false)
  })
})
