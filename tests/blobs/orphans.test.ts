// What `verify --fix` does with bytes that the database does not know, and with entries of the storage that are damaged.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { describeEngines, onS3, STORED, startServer, type TestServer } from '../support/server.ts'
import { verifying } from './verifying.ts'

const HOUR = 3600_000
const OBJECTS = 40

/** What a command prints and exits with; the findings are sorted. */
type Strongroom = (...args: string[]) => ReturnType<typeof verifying>
const strongroomOf =
  (env: TestServer['env']): Strongroom =>
  async (...args) => {
    const ran = await verifying({ env: { ...env, LOG_LEVEL: 'error' } }, ...args)
    return { ...ran, findings: ran.findings.sort() }
  }

const kinds = (findings: readonly string[]) => findings.map((line) => line.split(':')[0])

describeEngines('bytes unknown to the database', (engine, itOnce) => {
  if (onS3) return
  let server: TestServer
  let strongroom: Strongroom
  const blobs = () => path.join(server.folder, 'blobs')
  const fileOf = (id: string, ending = '') => path.join(blobs(), id.slice(-2), id + ending)
  const aside = (name = '') => path.join(blobs(), 'orphans', name)
  /** Makes everything that is stored older than the grace period. */
  const age = (folder = blobs()) => {
    const long = new Date(Date.now() - 48 * HOUR)
    for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (!entry.isDirectory()) fs.lutimesSync(path.join(entry.parentPath, entry.name), long, long)
  }
  const blobOf = async (key: string) =>
    (await server.database.db.selectFrom('objects').select('blob_id').where('key', '=', key).executeTakeFirstOrThrow())
      .blob_id
  const addOrphan = (text: string): string => {
    const id = newId()
    fs.writeFileSync(fileOf(id), text)
    return id
  }
  /** Every file with its contents, to compare. */
  const contents = () =>
    fs
      .readdirSync(blobs(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file, fs.readFileSync(file, 'base64')])
  const uploadInParts = async (key: string) => {
    const part = randomBytes(5 * 1024 ** 2)
    const { upload_id, urls } = await server.admin.initUpload({
      params: { bucket: 'kept' },
      body: { key, file_size: part.length + 3, part_size: part.length },
    })
    const parts = []
    for (const [i, body] of [part, Buffer.from('end')].entries()) {
      const answer = await fetch(server.url + new URL(urls[i] ?? '').pathname, { method: 'PUT', body })
      parts.push({ part_number: i + 1, etag: answer.headers.get('etag') ?? '' })
    }
    await server.admin.completeUpload({ params: { bucket: 'kept' }, body: { upload_id, parts } })
    return blobOf(key)
  }

  before(async () => {
    server = await startServer(engine, STORED)
    strongroom = strongroomOf(server.env)
    await server.admin.createBucket({ body: { name: 'kept' } })
    for (let i = 0; i < OBJECTS; i++)
      await server.admin.putObject({ params: { bucket: 'kept', key: `o${i}` }, body: `contents ${i}` })
    await uploadInParts('in parts')
    age()
  })
  after(() => server.stop())

  it('a database that knows no blob changes nothing', { skip: engine === 'postgres' }, async () => {
    const folder = fs.mkdtempSync(path.join(server.folder, 'wrong-'))
    const env = {
      ...server.env,
      DATABASE_URL: `sqlite:${path.join(folder, 'typo.sqlite')}`,
      STORAGE_URL: `file:${blobs()}`,
    }
    const { openDatabase } = await import('../../server/db/open.ts')
    const wrong = await openDatabase(env.DATABASE_URL)
    await wrong.migrate()
    const was = contents()
    const unknown = await strongroomOf(env)('verify', '--fix')
    assert.match(unknown.err, /No service has been started on this database yet/)
    // One of this very service, emptied: nothing else keeps it from the storage.
    const instance = await server.database.db.selectFrom('instance').selectAll().executeTakeFirstOrThrow()
    await wrong.transaction((tx) => tx.updateTable('instance').set(instance).execute())
    await wrong.close()
    const refused = await strongroomOf(env)('verify', '--fix')
    assert.equal(refused.code, 1, refused.out)
    assert.match(refused.err, /knows none of the 41 blobs/)
    assert.deepEqual(contents(), was)
    assert.equal(
      await server.admin.getObject({ params: { bucket: 'kept', key: 'o1' } }).then((r) => r.text()),
      'contents 1',
    )
  })

  itOnce('more than a tenth is set aside only with the exact number, and is not deleted', async () => {
    const orphans = Array.from({ length: 6 }, (_, i) => addOrphan(`nobody’s ${i}`))
    age()
    const was = contents()
    const refused = await strongroom('verify', '--fix')
    assert.equal(refused.code, 1)
    assert.match(refused.err, /6 of 47 blobs .*--yes-remove 6/s)
    assert.deepEqual(contents(), was)
    for (const number of ['5', '7']) {
      const other = await strongroom('verify', '--fix', '--yes-remove', number)
      assert.equal(other.code, 1)
      assert.match(other.err, /--yes-remove 6/)
      assert.deepEqual(contents(), was)
    }
    for (const args of [
      ['--yes-remove', '6'],
      ['--fix', '--yes-remove', 'all'],
    ]) {
      const wrong = await strongroom('verify', ...args)
      assert.notEqual(wrong.code, 0)
      assert.match(wrong.err, /--yes-remove/)
      assert.deepEqual(contents(), was)
    }
    const done = await strongroom('verify', '--fix', '--yes-remove', '6')
    assert.deepEqual([done.code, done.findings.length], [0, 6], done.err)
    for (const [i, id] of orphans.entries()) {
      assert.equal(fs.existsSync(fileOf(id)), false)
      assert.equal(fs.readFileSync(aside(id), 'utf8'), `nobody’s ${i}`)
    }
    assert.deepEqual((await strongroom('verify')).findings, [])
  })

  it('up to a tenth is set aside without confirmation', async () => {
    const id = addOrphan('one of 42')
    age(path.dirname(fileOf(id)))
    const { code, findings } = await strongroom('verify', '--fix')
    assert.deepEqual([code, findings], [0, ['orphan: the database does not know the blob ID (9 bytes); set aside']])
    assert.equal(fs.readFileSync(aside(id), 'utf8'), 'one of 42')
  })

  it('known blobs are restored', async () => {
    const [file, parts] = [await blobOf('o3'), await blobOf('in parts')]
    fs.renameSync(fileOf(file), aside(file))
    fs.renameSync(fileOf(parts, '.d'), aside(`${parts}.d`))
    const seen = await strongroom('verify')
    assert.equal(seen.code, 1)
    assert.deepEqual(kinds(seen.findings), ['aside', 'aside', 'missing', 'missing'])
    const mended = await strongroom('verify', '--fix')
    assert.deepEqual([mended.code, kinds(mended.findings)], [0, ['aside', 'aside']], mended.err)
    assert.equal((await server.admin.getObject({ params: { bucket: 'kept', key: 'o3' } })).status, 200)
    assert.deepEqual((await strongroom('verify', '--deep')).findings, [])
  })

  it('the service empties it after the grace period, and brings back what is known', async () => {
    const known = await blobOf('o4')
    fs.renameSync(fileOf(known), aside(known))
    const parts = newId()
    fs.mkdirSync(aside(`${parts}.d`))
    fs.writeFileSync(aside(`${parts}.d/1-0-00000000`), 'part')
    const [old, young] = [newId(), newId()]
    for (const id of [old, young]) fs.writeFileSync(aside(id), 'bytes')
    const at = (ms: number) => new Date(server.clock.now().getTime() + ms)
    for (const name of fs.readdirSync(aside())) fs.utimesSync(aside(name), at(-HOUR - 1), at(-HOUR - 1))
    fs.utimesSync(aside(young), at(-HOUR + 60_000), at(-HOUR + 60_000))
    await server.running.tick()
    assert.deepEqual(fs.readdirSync(aside()), [young])
    assert.equal((await server.admin.getObject({ params: { bucket: 'kept', key: 'o4' } })).status, 200)
    assert.match(server.logged(), /brought back/)
  })

  itOnce('a damaged entry is reported, and the check continues after it', async () => {
    // What a power failure and fsck can leave: a file in place of a folder, a folder in place of a file, and what cannot
    // be opened at all.
    const broken = await blobOf('in parts')
    fs.rmSync(fileOf(broken, '.d'), { recursive: true })
    fs.writeFileSync(fileOf(broken, '.d'), 'was a folder')
    const folder = await blobOf('o10')
    fs.rmSync(fileOf(folder))
    fs.mkdirSync(fileOf(folder))
    const loop = await blobOf('o11')
    fs.rmSync(fileOf(loop))
    fs.symlinkSync(fileOf(loop), fileOf(loop))
    fs.rmSync(fileOf(await blobOf('o12')))
    const orphan = newId()
    fs.writeFileSync(fileOf(orphan, '.d'), 'nobody’s')
    const lost = addOrphan('an orphan beside them')
    age()
    const found = await strongroom('verify', '--deep')
    assert.equal(found.code, 1)
    assert.deepEqual(kinds(found.findings), [...Array(4).fill('damaged'), 'missing', 'orphan'], found.out)
    for (const code of ['ENOTDIR', 'EISDIR', 'ELOOP']) assert.match(found.out, new RegExp(`damaged: .*${code}`))
    assert.match(found.err, /4 damaged/)
    const fixed = await strongroom('verify', '--fix')
    assert.equal(fixed.code, 1)
    assert.equal(fs.readFileSync(aside(lost), 'utf8'), 'an orphan beside them')
    assert.equal(fs.readFileSync(aside(`${orphan}.d`), 'utf8'), 'nobody’s')
    const left = await strongroom('verify')
    assert.deepEqual(kinds(left.findings), ['damaged', 'damaged', 'damaged', 'missing'])
  })

  itOnce('a damaged entry does not keep the collector from the others', async () => {
    for (const key of ['in parts', 'o10', 'o11', 'o20'])
      await server.admin.deleteObject({ params: { bucket: 'kept', key } })
    const ids = (await server.database.db.selectFrom('trash').select('blob_id').execute()).map(({ blob_id }) => blob_id)
    assert.equal(ids.length, 4)
    await server.admin.purgeTrash({ params: { bucket: 'kept' }, body: { all: true } })
    await server.later(2 * HOUR)
    await server.running.tick()
    for (const id of ids)
      for (const ending of ['', '.d'])
        assert.equal(fs.lstatSync(fileOf(id, ending), { throwIfNoEntry: false }), undefined)
    assert.deepEqual(await server.database.db.selectFrom('blob_removals').selectAll().execute(), [])
  })
})
