import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { openDatabase } from '../../server/db/open.ts'
import { blobFile } from '../support/blob-file.ts'
import { describeEngines, STORED, startServer, type TestServer } from '../support/server.ts'
import { verifying } from './verifying.ts'

const HOUR = 3600_000
const part = Buffer.alloc(5 * 1024 ** 2, 7)

/** Uploads an object in these parts. */
async function putParts(
  { admin, url }: TestServer,
  key: string,
  bodies: readonly Buffer<ArrayBuffer>[],
): Promise<void> {
  const { upload_id, urls } = await admin.initUpload({
    params: { bucket: 'checked' },
    body: { key, file_size: bodies.reduce((sum, { length }) => sum + length, 0), part_size: part.length },
  })
  const parts = []
  for (const [i, body] of bodies.entries()) {
    const answer = await fetch(url + new URL(urls[i] ?? '').pathname, { method: 'PUT', body })
    parts.push({ part_number: i + 1, etag: answer.headers.get('etag') ?? '' })
  }
  await admin.completeUpload({ params: { bucket: 'checked' }, body: { upload_id, parts } })
}

describeEngines('verify and backup', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, STORED)
    const { admin } = server
    await admin.createBucket({ body: { name: 'checked' } })
    for (const key of ['a', 'b', 'c', 'deleted', 'empty'])
      await admin.putObject({ params: { bucket: 'checked', key }, body: key === 'empty' ? '' : `contents of ${key}` })
    await admin.copyObject({
      params: { bucket: 'checked' },
      body: { source_bucket: 'checked', source_key: 'a', dest_key: 'copy' },
    })
    await admin.deleteObject({ params: { bucket: 'checked', key: 'deleted' } })
    await putParts(server, 'parts', [part, Buffer.from('end')])
    await admin.initUpload({ params: { bucket: 'checked' }, body: { key: 'open', file_size: 10 } })
  })
  after(() => server.stop())

  const strongroom = (...args: string[]) => verifying(server, ...args)
  const blobOf = (key: string) => blobFile(server, key)

  it('finds nothing where all is well', async () => {
    for (const args of [[], ['--deep']]) {
      const { code, findings, last } = await strongroom('verify', ...args)
      assert.deepEqual([code, findings], [0, []], last)
      assert.match(last, /^Checked 6 blobs with 5242941 bytes/)
    }
  })

  it('finds missing, altered and unknown bytes and wrong counts; fixes the last two on request', async () => {
    fs.rmSync(await blobOf('b'))
    const altered = await blobOf('c')
    fs.writeFileSync(altered, fs.readFileSync(altered).fill(1))
    const joined = `${await blobOf('parts')}.d`
    const files = fs.readdirSync(joined).map((name) => path.join(joined, name))
    fs.writeFileSync(files.find((one) => fs.readFileSync(one).toString() === 'end') ?? '', 'END')
    const orphan = newId()
    const file = path.join(server.folder, 'blobs', orphan.slice(-2), orphan)
    fs.writeFileSync(file, 'nobody’s')
    const long = new Date(Date.now() - 48 * HOUR)
    fs.utimesSync(file, long, long)
    const young = newId()
    fs.writeFileSync(path.join(server.folder, 'blobs', young.slice(-2), young), 'being written')
    await server.database.transaction((tx) =>
      tx
        .updateTable('bucket_usage')
        .set((e) => ({ bytes: e('bytes', '+', 1) }))
        .execute(),
    )
    await server.database.transaction((tx) =>
      tx.insertInto('blobs').values({ id: newId(), check_after: null }).execute(),
    )
    const usage = await server.database.db
      .selectFrom('bucket_usage')
      .select((e) => e.fn.sum<number>('bytes').as('n'))
      .executeTakeFirstOrThrow()
    const expected = [
      'missing: the bytes of checked/b (blob ID, 13 bytes) are not in the storage',
      'orphan: the database does not know the blob ID (10 bytes)',
      'orphan: nothing points at the blob ID',
      `miscounted: bucket "checked" has bytes ${usage.n} instead of 5242935`,
    ]
    const shallow = await strongroom('verify')
    assert.deepEqual([shallow.code, shallow.findings.sort()], [1, [...expected].sort()])
    const different = [
      'different: the bytes of checked/c (blob ID) do not match their checksums',
      'different: the bytes of checked/parts (blob ID) do not match their checksums',
    ]
    const deep = await strongroom('verify', '--deep')
    assert.deepEqual([deep.code, deep.findings.sort()], [1, [...expected, ...different].sort()])
    assert.ok(fs.existsSync(file), 'nothing is mended unasked')
    const fixed = await strongroom('verify', '--deep', '--fix', '--yes-remove', '1')
    assert.deepEqual([fixed.code, fixed.findings.length, fs.existsSync(file)], [1, 6, false])
    const left = await strongroom('verify', '--deep')
    assert.deepEqual([left.code, left.findings.sort()], [1, [...different, expected[0]].sort()])
    assert.equal((await server.admin.getBucket({ params: { bucket: 'checked' } })).used_bytes, 5_242_935)
  })

  it('tells bytes that are too few or too many from missing ones', async () => {
    const before = (await strongroom('verify')).findings
    await server.admin.putObject({ params: { bucket: 'checked', key: 'short' }, body: 'shorter than it was' })
    await server.admin.putObject({ params: { bucket: 'checked', key: 'long' }, body: 'longer than it was' })
    await putParts(server, 'hole', [part, Buffer.from('end')])
    const short = await blobOf('short')
    const long = await blobOf('long')
    const hole = `${await blobOf('hole')}.d`
    fs.truncateSync(short, 5)
    fs.appendFileSync(long, 'more')
    const first = fs.readdirSync(hole).find((name) => fs.statSync(path.join(hole, name)).size === part.length)
    fs.truncateSync(path.join(hole, first ?? ''), part.length - 1)
    const { code, findings } = await strongroom('verify')
    assert.equal(code, 1)
    assert.deepEqual(findings.filter((one) => !before.includes(one)).sort(), [
      'overlong: the blob ID has 22 bytes in the storage instead of 18',
      `truncated: the blob ID has ${part.length + 2} bytes in the storage instead of ${part.length + 3}`,
      'truncated: the bytes of checked/short (blob ID, 19 bytes) are fewer in the storage',
    ])
    for (const key of ['short', 'long', 'hole']) await server.admin.deleteObject({ params: { bucket: 'checked', key } })
    await server.admin.purgeTrash({ params: { bucket: 'checked' }, body: { all: true } })
    await server.later(3 * HOUR)
    await server.running.tick('blob-collector')
    assert.deepEqual((await strongroom('verify')).findings, before)
  })

  it('says where the rows of parts are wrong, whatever they say', async () => {
    await putParts(server, 'rows', [part, Buffer.from('end')])
    const blob_id = path.basename(await blobOf('rows'))
    const different = async () =>
      (await strongroom('verify', '--deep')).findings.filter((one) => one.includes('checked/rows'))
    assert.deepEqual(await different(), [])
    const change = (size: number) =>
      server.database.transaction((tx) =>
        tx
          .updateTable('blob_parts')
          .set({ size })
          .where('blob_id', '=', blob_id)
          .where('part_number', '=', 2)
          .execute(),
      )
    const told = ['different: the bytes of checked/rows (blob ID) do not match their MD5']
    for (const size of [0, -1, 1, 2 ** 40]) {
      await change(size)
      assert.deepEqual(await different(), told, `${size}`)
    }
    await change(3)
    assert.deepEqual(await different(), [])
    await server.database.transaction((tx) =>
      tx.deleteFrom('blob_parts').where('blob_id', '=', blob_id).where('part_number', '=', 2).execute(),
    )
    assert.deepEqual(await different(), told)
    await server.admin.deleteObject({ params: { bucket: 'checked', key: 'rows' }, query: { permanent: true } })
  })

  it('copies the database beside the running service', { skip: engine === 'postgres' }, async () => {
    const target = path.join(server.folder, 'copy.db')
    const { code, last } = await strongroom('backup', target)
    assert.equal(code, 0, last)
    const copy = await openDatabase(`sqlite:${target}`)
    const keys = await copy.db.selectFrom('objects').select('key').orderBy('key').execute()
    assert.deepEqual(
      keys.map(({ key }) => key),
      ['a', 'b', 'c', 'copy', 'empty', 'parts'],
    )
    await copy.close()
    assert.match((await strongroom('backup', target)).last, /already exists/)
  })

  it('leaves backups of PostgreSQL to its own tools', { skip: engine === 'sqlite' }, async () => {
    const { code, last } = await strongroom('backup', path.join(server.folder, 'copy.db'))
    assert.equal(code, 1)
    assert.match(last, /^`backup` copies SQLite databases\. Of PostgreSQL, use pg_dump/)
    assert.equal(fs.existsSync(path.join(server.folder, 'copy.db')), false)
  })
})
