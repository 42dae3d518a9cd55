// Databases, keys and storages that belong together, and what is refused where they do not.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createClient } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import { Refusal } from '../../server/base/refusal.ts'
import { readConfig } from '../../server/config/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { MARK } from '../../server/drivers/driver.ts'
import { openBlobs } from '../../server/drivers/open.ts'
import { runCommand } from '../../server/process/commands.ts'
import { type StartOptions, start } from '../../server/process/start.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { beNextRelease, NEXT_RELEASE } from '../support/next-release.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { type ServerProcess, spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, describeEngines, dump, type Engine, STORED, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const OTHER_KEY = 'another secret key of tests that is long enough'
type Env = Record<string, string>

/** Every command, as it would run alongside a service. */
const COMMANDS = [
  ['verify', '--fix'],
  ['verify'],
  ['verify', '--deep'],
  ['backup', 'HERE/copy.db'],
  ['audit', 'verify'],
  ['create-admin', 'new@example.com'],
  ['reset-password', ADMIN.email],
  ['users', 'list'],
  ['rotate-secrets'],
  ['enable-local-login'],
]

/** Every file below a folder with its mode and contents, and every folder. */
function snapshot(folder: string): Record<string, string> {
  const seen: Record<string, string> = {}
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const whole = path.join(entry.parentPath, entry.name)
    const { mode } = fs.statSync(whole)
    const contents = entry.isFile() ? createHash('sha256').update(fs.readFileSync(whole)).digest('hex') : 'folder'
    seen[path.relative(folder, whole)] = `${(mode & 0o777).toString(8)} ${contents}`
  }
  return seen
}

/** A service that was started once, has an object, and was stopped. */
interface Place {
  folder: string
  env: Env
  /** All that it keeps, in files and rows. */
  kept(): Promise<unknown>
}
let places: { folder: string; drop: (() => Promise<void>) | undefined }[] = []
async function newPlace(engine: Engine, more: Env = {}): Promise<Place> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-instance-'))
  const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
  places.push({ folder, drop: postgres?.drop })
  const env = { ...serverEnv(folder, postgres?.url), ...STORED, LOG_LEVEL: 'silent', ...more }
  return {
    folder,
    env,
    async kept() {
      if (!postgres) return snapshot(folder)
      const database = await openDatabase(postgres.url)
      const rows = await dump(database, 'postgres')
      await database.close()
      return { ...snapshot(folder), rows }
    },
  }
}
const startOnce = async ({ env }: { env: Env }, options: StartOptions = {}) => {
  const running = await start(readConfig({ LOG_LEVEL: 'silent', ...env }), { timers: false, ...options })
  await running.stop()
}
async function fill({ env }: Place): Promise<void> {
  const running = await start(readConfig(env), { timers: false })
  const { access_token: token } = await createClient({ baseUrl: running.url }).login({
    body: { username: ADMIN.email, password: ADMIN.password },
  })
  const client = createClient({ baseUrl: running.url, token })
  await client.createBucket({ body: { name: 'kept' } })
  await client.putObject({ params: { bucket: 'kept', key: 'a' }, body: 'some bytes' })
  await running.stop()
}
async function dropPlaces(): Promise<void> {
  for (const { folder, drop } of places) {
    await drop?.()
    fs.rmSync(folder, { recursive: true, force: true })
  }
  places = []
}

const oneLine = (said: RegExp) => (error: Error) => {
  assert.ok(error instanceof Refusal, String(error.stack))
  assert.match(error.message, said)
  assert.doesNotMatch(error.message, /\n/)
  return true
}
/** Runs all commands, one of them as a process, which have to refuse in one line that says so, and change nothing. */
async function allRefuse(place: Place, env: Env, said: RegExp): Promise<void> {
  const before = await place.kept()
  const [first = [], ...others] = COMMANDS.map((words) => words.map((word) => word.replace('HERE', place.folder)))
  const { code, out, err } = await strongroom(first, env)
  assert.deepEqual([code, out], [1, ''], err)
  assert.match(err, said)
  assert.match(err, /^[^\n]+\n$/)
  for (const [name = '', ...rest] of others)
    await assert.rejects(runCommand(name, rest, { LOG_LEVEL: 'silent', ...env }), oneLine(said), name)
  assert.deepEqual(await place.kept(), before)
}
/** A start that has to refuse in one line that says so, and change nothing in `place`. */
async function startRefuses(place: Place, env: Env, said: RegExp): Promise<void> {
  const before = await place.kept()
  await assert.rejects(startOnce({ env }), oneLine(said))
  assert.deepEqual(await place.kept(), before)
}

describeEngines('commands open only what exists', (engine, itOnce) => {
  let place: Place
  let other: Place
  before(async () => {
    ;[place, other] = [await newPlace(engine), await newPlace(engine)]
    await fill(place)
    await fill(other)
  })
  after(dropPlaces)

  it('refuse where there is no database, and make none', async () => {
    const empty = await newPlace(engine)
    const said = engine === 'sqlite' ? /^There is no database at \/.*strongroom\.db\. / : /^The database .* is empty\. /
    await allRefuse(empty, { ...empty.env, STORAGE_URL: `file:${path.join(place.folder, 'blobs')}` }, said)
    // In the wrong folder, with nothing but defaults.
    if (engine !== 'sqlite') return
    const before = await empty.kept()
    const { code, out, err } = await strongroom(['backup', 'nightly.db'], {}, { cwd: empty.folder })
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, said)
    assert.deepEqual(await empty.kept(), before)
  })

  it('refuse a database that does not answer, in one line', { skip: engine === 'sqlite' }, async () => {
    const gone = new URL(place.env.DATABASE_URL as string)
    gone.pathname = '/no_such_database'
    for (const DATABASE_URL of [gone.href, 'postgres://x:hidden@127.0.0.1:1/x']) {
      const said = oneLine(/^The database of DATABASE_URL cannot be opened: (?!.*hidden)/)
      await assert.rejects(runCommand('users', ['list'], { ...place.env, DATABASE_URL }), said)
    }
  })

  it('refuse what is no database', { skip: engine === 'postgres' }, async () => {
    const file = path.join(other.folder, 'no.db')
    fs.writeFileSync(file, 'no database at all, but some text that is long enough')
    await allRefuse(other, { ...place.env, DATABASE_URL: `sqlite:${file}` }, /cannot be opened: file is not a database/)
    fs.rmSync(file)
  })

  it("refuse another instance's database, by the key and by the storage", async () => {
    await allRefuse(
      other,
      { ...other.env, SECRET_KEY: OTHER_KEY },
      /^SECRET_KEY is not the one this database is used with\./,
    )
    const mixed = { ...place.env, DATABASE_URL: other.env.DATABASE_URL as string }
    await allRefuse(other, mixed, /^The storage .* belongs to another database /)
    await allRefuse(place, mixed, /^The storage .* belongs to another database /)
  })

  itOnce('refuse without the key of the service', async () => {
    const { SECRET_KEY: _key, ...keyless } = place.env
    await allRefuse(place, keyless, /^SECRET_KEY is not set, and \/.*secret\.key does not exist\. /)
  })

  it('refuse a schema that is older, and leave it so', async (t) => {
    const older = await newPlace(engine)
    const database = await openDatabase(older.env.DATABASE_URL as string)
    await database.migrate()
    await database.close()
    t.after(beNextRelease())
    const said = /^The schema of the database is older than this release\. Start the service once/
    await allRefuse(older, { ...older.env, ...NEXT_RELEASE }, said)
  })

  it('refuse a schema of a development version, as a start does, and leave it so', async () => {
    const former = await newPlace(engine)
    await fill(former)
    const database = await openDatabase(former.env.DATABASE_URL as string)
    await database.transaction(async (tx) => {
      await sql`delete from kysely_migration where name <> '0001-initial'`.execute(tx)
      await sql`update kysely_migration set name = '0001-foundation'`.execute(tx)
    })
    await database.close()
    const said = /^The database was created by a development version .* \(0001-foundation\), which cannot be upgraded\./
    await allRefuse(former, former.env, said)
    await startRefuses(former, former.env, said)
  })

  itOnce('verify refuses a storage that is not there, or not whole, and makes none', async () => {
    const away = path.join(other.folder, 'away')
    const env = { ...place.env, STORAGE_URL: `file:${away}` }
    const refuses = (said: RegExp) => assert.rejects(runCommand('verify', ['--fix'], env), oneLine(said))
    await refuses(/^The storage \/.*away cannot be found/)
    assert.ok(!fs.existsSync(away))
    // The others do not need it: one wants to get in, or a copy of the rows, also then.
    assert.equal(await runCommand('users', ['list'], env), 0)
    assert.ok(!fs.existsSync(away))
    fs.cpSync(path.join(place.folder, 'blobs'), away, { recursive: true })
    fs.rmSync(path.join(away, '7f'), { recursive: true })
    await refuses(/^The storage at \/.*away is damaged: 7f is missing\.$/)
    assert.ok(!fs.existsSync(path.join(away, '7f')))
    fs.rmSync(away, { recursive: true })
  })

  it('work where all belong together, beside no service', async () => {
    for (const [name, ...rest] of [['verify', '--deep'], ['audit', 'verify'], ['users', 'list'], ['rotate-secrets']])
      assert.equal(await runCommand(name as string, rest, place.env), 0, name)
  })
})

describeEngines('a start', (engine, itOnce) => {
  afterEach(dropPlaces)
  const idOf = async ({ env }: Place) => {
    const database = await openDatabase(env.DATABASE_URL as string)
    const rows = await database.db.selectFrom('instance').selectAll().execute()
    await database.close()
    assert.equal(rows.length, 1)
    return rows[0]
  }
  const markOf = ({ folder }: Place) => fs.readFileSync(path.join(folder, 'blobs', MARK), 'utf8').trim()

  it('records key and storage, and adopts an older installation silently', async () => {
    const place = await newPlace(engine)
    const database = await openDatabase(place.env.DATABASE_URL as string)
    await database.migrate()
    const blob = newId()
    await database.transaction((tx) => tx.insertInto('blobs').values({ id: blob, check_after: null }).execute())
    await database.close()
    const storage = await openBlobs(`file:${path.join(place.folder, 'blobs')}`)
    for (const id of [newId(), blob, newId()]) await storage.put(id, [Buffer.from('x')] as never)
    await storage.close()
    await startOnce(place)
    const noted = await idOf(place)
    assert.equal(markOf(place), noted?.id)
    assert.match(noted?.key_fingerprint ?? '', /^[\w-]{43}$/)
    await startOnce(place)
    assert.deepEqual(await idOf(place), noted)
  })

  it("is refused with another database's storage, by its mark or by what it holds", async () => {
    const [place, other] = [await newPlace(engine), await newPlace(engine)]
    await fill(place)
    await fill(other)
    const mixed = { ...other.env, STORAGE_URL: `file:${path.join(place.folder, 'blobs')}` }
    await startRefuses(other, mixed, /^The storage \/.* belongs to another database /)
    await startRefuses(place, mixed, /^The storage \/.* belongs to another database /)
    for (const command of ['serve', 'worker']) {
      const { code, out, err } = await strongroom([command], mixed)
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, /^The storage \/[^\n]* belongs to another database [^\n]*\n$/)
    }
    fs.rmSync(path.join(place.folder, 'blobs', MARK))
    const unknown = /^The storage \/.* contains data, but none that this database knows/
    await startRefuses(place, mixed, unknown)
    // Nor does a database that is not made yet take them up.
    const fresh = await newPlace(engine)
    const beside = { ...fresh.env, STORAGE_URL: mixed.STORAGE_URL }
    await startRefuses(place, beside, unknown)
    await startRefuses(fresh, beside, unknown)
    await startOnce(place)
    assert.equal(markOf(place), (await idOf(place))?.id, 'its own does')
  })

  it('is refused with an empty storage where there are objects, as when a disk is not mounted', async () => {
    const place = await newPlace(engine)
    await fill(place)
    const STORAGE_URL = `file:${path.join(place.folder, 'mounted')}`
    fs.mkdirSync(path.join(place.folder, 'mounted'))
    await startRefuses(place, { ...place.env, STORAGE_URL }, /is empty, but this database has objects/)
    await startOnce({ env: { ...place.env, STORAGE_URL } }, { accepted: { newKey: false, newStorage: true } })
    assert.equal(fs.readFileSync(path.join(place.folder, 'mounted', MARK), 'utf8').trim(), (await idOf(place))?.id)
  })

  it('is refused with another SECRET_KEY, unless the former one is named or given up', async () => {
    const place = await newPlace(engine)
    await fill(place)
    const { SECRET_KEY = '' } = place.env
    const next = { ...place.env, SECRET_KEY: OTHER_KEY }
    const said = /^SECRET_KEY is not the one this database is used with: .*--accept-new-key\.$/
    await startRefuses(place, next, said)
    const first = (await idOf(place))?.key_fingerprint
    await startOnce({ env: { ...next, SECRET_KEY_PREVIOUS: SECRET_KEY } })
    assert.notEqual((await idOf(place))?.key_fingerprint, first)
    await startOnce({ env: next })
    await startRefuses(place, place.env, said)
    const served = await spawnServer(place.env, ['serve', '--accept-new-key'])
    assert.equal(await served.kill('SIGTERM'), 0)
    assert.equal((await idOf(place))?.key_fingerprint, first)
    await startRefuses(place, next, said)
  })

  itOnce('generates no key next to an existing database', async () => {
    const place = await newPlace(engine)
    await fill(place)
    const { SECRET_KEY: _key, ...keyless } = place.env
    const refuses = async (said: RegExp) => {
      const before = await place.kept()
      const { code, out, err } = await strongroom(['start'], keyless)
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, said)
      assert.match(err, /^[^\n]+\n$/)
      assert.deepEqual(await place.kept(), before)
    }
    await refuses(/^The database exists, but SECRET_KEY is not set, and \/.*secret\.key does not exist\. /)
    // A crash of an older release has left a part of one.
    fs.writeFileSync(path.join(place.folder, 'secret.key'), '', { mode: 0o600 })
    await refuses(/secret\.key holds no complete key\. /)
    fs.rmSync(path.join(place.folder, 'secret.key'))
    // Without a database, it creates one and continues.
    const fresh = await newPlace(engine)
    const { SECRET_KEY: _none, ...first } = fresh.env
    fs.writeFileSync(path.join(fresh.folder, 'secret.key'), 'half', { mode: 0o600 })
    for (let round = 0; round < 2; round++) assert.equal(await (await spawnServer(first, ['start'])).kill('SIGTERM'), 0)
    const list = await strongroom(['users', 'list'], first)
    assert.deepEqual([list.code, list.err], [0, ''])
  })
})

describe('replicas that start together for the first time', () => {
  afterEach(dropPlaces)

  it('agree on one instance, one key and one storage', async () => {
    for (let round = 0; round < 3; round++) {
      const place = await newPlace('postgres')
      const all = await Promise.all(Array.from({ length: 4 }, () => start(readConfig(place.env), { timers: false })))
      const database = await openDatabase(place.env.DATABASE_URL as string)
      const rows = await database.db.selectFrom('instance').selectAll().execute()
      await database.close()
      for (const one of all) await one.stop()
      assert.equal(rows.length, 1)
      assert.equal(fs.readFileSync(path.join(place.folder, 'blobs', MARK), 'utf8'), `${rows[0]?.id}\n`)
    }
  })

  it('with unlike keys: one key is that of the database, and the others are refused', async () => {
    const place = await newPlace('postgres')
    const all = await Promise.allSettled(
      Array.from({ length: 4 }, (_, i) =>
        start(readConfig({ ...place.env, SECRET_KEY: `${i % 2} of two keys that are long enough` }), { timers: false }),
      ),
    )
    const served = all.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const refused = all.flatMap((one) => (one.status === 'rejected' ? String(one.reason) : []))
    for (const one of served) await one.stop()
    assert.deepEqual([served.length, refused.length], [2, 2], refused.join())
    for (const one of refused) assert.match(one, /SECRET_KEY is not the one/)
  })
})

const gateway = await cephGateway()

describe('the mark of an S3 storage', () => {
  afterEach(dropPlaces)

  it('is an object beside the blobs, and refuses another database', { skip: !gateway && noGateway }, async () => {
    if (!gateway) return
    const { accessKeyId, secretAccessKey } = gateway.credentials
    const s3 = {
      STORAGE_URL: newBucket(gateway),
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    }
    const [place, other] = [await newPlace('postgres', s3), await newPlace('postgres', s3)]
    await fill(place)
    await startRefuses(other, other.env, /^The storage of STORAGE_URL belongs to another database /)
    await startOnce(place)
    assert.equal(await runCommand('verify', ['--deep'], place.env), 0)
  })

  it('is checked later if the engine is down at the start, and nothing is touched before', async () => {
    const place = await newPlace('sqlite', {
      STORAGE_URL: `s3://bucket?endpoint=${encodeURIComponent('http://127.0.0.1:1')}`,
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'a key of tests',
    })
    const running = await start(readConfig(place.env), { timers: false })
    const answer = await fetch(`${running.url}/readyz`)
    assert.equal(answer.status, 503)
    assert.deepEqual(((await answer.json()) as { storage: { ok: boolean } }).storage.ok, false)
    await running.stop()
  })
})

describe('an S3 storage that refuses', () => {
  afterEach(dropPlaces)

  for (const [status, code, said] of [
    [404, 'NoSuchBucket', 'There is no such bucket in the storage.'],
    [403, 'InvalidAccessKeyId', 'The storage does not know the access key ID.'],
    [403, 'SignatureDoesNotMatch', 'The secret access key is wrong: it does not belong to the access key ID.'],
  ] as const)
    it(`is the reason why a start is refused, in one line: ${code}`, async (t) => {
      const engine = http.createServer((request, response) => {
        request.resume()
        response.writeHead(status, { 'content-type': 'application/xml' })
        response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
      })
      t.after(() => engine.close())
      await once(engine.listen(0, '127.0.0.1'), 'listening')
      const { port } = engine.address() as AddressInfo
      const place = await newPlace('sqlite', {
        STORAGE_URL: `s3://bucket?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`,
        S3_ACCESS_KEY_ID: 'id',
        S3_SECRET_ACCESS_KEY: 'a key of tests',
      })
      const { code: exit, err } = await strongroom(['serve'], place.env)
      assert.deepEqual([exit, err], [1, `The storage of STORAGE_URL cannot be used. ${said}\n`])
    })
})

describe('one service at a time on a SQLite file', () => {
  let place: Place
  let running: ServerProcess | undefined
  beforeEach(async () => {
    place = await newPlace('sqlite')
    running = await spawnServer(place.env)
  })
  afterEach(async () => {
    await running?.kill('SIGKILL')
    await dropPlaces()
  })

  it('refuses a second one, while commands work beside it', async () => {
    for (const args of [['serve'], ['worker']]) {
      const { code, out, err } = await strongroom(args, place.env)
      assert.deepEqual([code, out], [1, ''], err)
      assert.match(err, /^Another service is using \/.*strongroom\.db\. [^\n]*\n$/)
    }
    for (const args of [
      ['verify'],
      ['audit', 'verify'],
      ['reset-password', ADMIN.email],
      ['users', 'list'],
      ['backup', path.join(place.folder, 'copy.db')],
    ]) {
      const [name = '', ...rest] = args
      assert.equal(await runCommand(name, rest, place.env), 0, name)
    }
    assert.equal((await fetch(`${running?.url}/readyz`)).status, 200)
  })

  it('was killed: a refused command leaves the database and its log as they are', async () => {
    await running?.kill('SIGKILL')
    const contents = () =>
      ['strongroom.db', 'strongroom.db-wal'].map((name) =>
        fs.readFileSync(path.join(place.folder, name)).toString('base64'),
      )
    const before = contents()
    assert.notEqual(before[1], '')
    await assert.rejects(
      runCommand('users', ['list'], { ...place.env, SECRET_KEY: OTHER_KEY }),
      oneLine(/^SECRET_KEY is not the one/),
    )
    assert.ok(before.every((one, i) => one === contents()[i]))
  })

  it('starts at once after the former one was killed, or has ended', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await running?.kill(signal)
      running = await spawnServer(place.env)
    }
  })
})

const linux = process.platform === 'linux' && process.getuid?.() === 0 ? {} : { skip: 'Needs root, to be another.' }
const NOBODY = 65_534

describe('what cannot be written', linux, () => {
  afterEach(dropPlaces)
  /** A place whose parts may be looked at by everybody. */
  const openPlace = async () => {
    const place = await newPlace('sqlite')
    fs.chmodSync(place.folder, 0o755)
    return place
  }

  it('is said in one line', async () => {
    const place = await openPlace()
    const { SECRET_KEY: _key, DATABASE_URL: _url, ...bare } = place.env
    const refuse = async (args: string[], env: Env, said: string) => {
      const { code, out, err } = await strongroom(args, env, { uid: NOBODY })
      assert.deepEqual([code, out, err], [1, '', `${said}\n`])
    }
    const unwritable = `DATA_DIR ${place.folder} is not writable for uid ${NOBODY}.`
    await refuse(['start'], bare, unwritable)
    await refuse(['serve'], place.env, unwritable)
    await refuse(
      ['serve'],
      { ...place.env, DATA_DIR: path.join(place.folder, 'data', 'more'), DATABASE_URL: '' },
      `DATA_DIR ${path.join(place.folder, 'data', 'more')} cannot be created: ${place.folder} is not writable for uid ${NOBODY}.`,
    )
    const own = fs.mkdtempSync(path.join(place.folder, 'own-'))
    fs.chownSync(own, NOBODY, NOBODY)
    // Where the folder of the storage holds that of the data, the cache may not be in the latter.
    const cache = path.join(path.dirname(place.folder), `${path.basename(place.folder)}-cache`)
    const elsewhere = { ...place.env, DATA_DIR: own, DATABASE_URL: `sqlite:${path.join(own, 'x.db')}` }
    await refuse(
      ['serve'],
      { ...elsewhere, STORAGE_URL: `file:${place.folder}`, IMAGE_CACHE_DIR: cache },
      `The folder of STORAGE_URL ${place.folder} is not writable for uid ${NOBODY}.`,
    )
    await refuse(
      ['serve'],
      { ...elsewhere, DATABASE_URL: `sqlite:${path.join(place.folder, 'x.db')}` },
      `The folder of DATABASE_URL ${place.folder} is not writable for uid ${NOBODY}.`,
    )
    assert.deepEqual(fs.readdirSync(own), [])
  })

  it('is reported for a database created as root, to services and commands', async () => {
    const place = await openPlace()
    await startOnce(place)
    fs.chownSync(place.folder, NOBODY, NOBODY)
    const file = path.join(place.folder, 'strongroom.db')
    for (const args of [['serve'], ['users', 'list']]) {
      const { code, err } = await strongroom(args, place.env, { uid: NOBODY })
      assert.deepEqual([code, err], [1, `The database file ${file} is not readable and writable for uid ${NOBODY}.\n`])
    }
  })
})

describe('the files of SQLite', () => {
  afterEach(dropPlaces)
  const modes = ({ folder }: Place) =>
    fs
      .readdirSync(folder)
      .filter((name) => name.startsWith('strongroom.db'))
      .map((name) => `${name} ${(fs.statSync(path.join(folder, name)).mode & 0o777).toString(8)}`)
      .sort()
  const OURS = ['strongroom.db 600', 'strongroom.db-lock 600', 'strongroom.db-shm 600', 'strongroom.db-wal 600']

  it('are for their owner alone, also in a folder that others made, and narrowed where they were not', async (t) => {
    const place = await newPlace('sqlite')
    fs.chmodSync(place.folder, 0o755)
    let running = await spawnServer(place.env)
    t.after(() => running.kill('SIGKILL'))
    assert.deepEqual(modes(place), OURS)
    await running.kill('SIGKILL')
    for (const name of fs.readdirSync(place.folder))
      if (name.startsWith('strongroom.db')) fs.chmodSync(path.join(place.folder, name), 0o644)
    running = await spawnServer(place.env)
    await until(() => modes(place).length === OURS.length)
    assert.deepEqual(modes(place), OURS)
  })
})
