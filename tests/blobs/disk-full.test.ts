import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { type Client, ProblemError } from '../../client/derived.ts'
import { ADMIN, STORED, startServer } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'

const MIB = 1024 ** 2

async function refusal(answer: Promise<unknown>): Promise<[number, string, string]> {
  const error = await answer.then(
    () => assert.fail('it was done'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof ProblemError, String(error))
  const { status, code, detail } = error.problem
  return [status, code, detail]
}
const FULL = [507, 'storage_full', 'The storage is full. Nothing was changed.']
const at = (key: string) => ({ bucket: 'box', key })
const read = async (admin: Client, key: string) => (await admin.getObject({ params: at(key) })).text()

it('returns 507 when the file disk is full, keeps nothing, and recovers when there is space', async (t) => {
  const folder = mountSmallDisk(t, 4)
  if (!folder) return
  const server = await startServer('sqlite', { ...STORED, STORAGE_URL: `file:${folder}` })
  t.after(server.stop)
  const { admin } = server
  await admin.createBucket({ body: { name: 'box', trash_days: 0 } })
  await admin.putObject({ params: at('kept'), body: 'kept' })
  await server.records([], async () => {
    assert.deepEqual(await refusal(admin.putObject({ params: at('large'), body: randomBytes(8 * MIB) })), FULL)
    const form = new FormData()
    form.append('file', new Blob([randomBytes(8 * MIB)]), 'large')
    assert.deepEqual(await refusal(admin.uploadForm({ params: { bucket: 'box' }, body: form })), FULL)
    const { urls } = await admin.initUpload({ params: { bucket: 'box' }, body: { key: 'parts', part_size: 5 * MIB } })
    const part = await fetch(`${server.url}${new URL(urls[0] ?? '').pathname}`, {
      method: 'PUT',
      body: randomBytes(5 * MIB),
    })
    assert.deepEqual([part.status, ((await part.json()) as { code: string }).code], [507, 'storage_full'])
  })
  assert.equal(await read(admin, 'kept'), 'kept')
  await admin.putObject({ params: at('small'), body: 'small' })
  assert.equal(await read(admin, 'small'), 'small')
  assert.equal((await admin.getBucket({ params: { bucket: 'box' } })).used_bytes, 9)
})

it('returns 507 when the database disk is full, keeps reading, and recovers when there is space', async (t) => {
  const folder = mountSmallDisk(t, 16)
  if (!folder) return
  const server = await startServer('sqlite', { DATABASE_URL: `sqlite:${path.join(folder, 'strongroom.db')}` })
  t.after(server.stop)
  const { admin } = server
  await admin.createBucket({ body: { name: 'box' } })
  await admin.putObject({ params: at('kept'), body: 'kept' })
  const ballast = path.join(folder, 'ballast')
  const fill = () =>
    assert.throws(() => {
      for (;;) fs.appendFileSync(ballast, Buffer.alloc(512))
    })
  fill()
  await server.records([], async () => {
    // Frames of former commits may be written over before the log has to grow.
    assert.deepEqual(await refusal(admin.createBucket({ body: { name: 'other' } })), FULL)
    assert.deepEqual(await refusal(admin.putObject({ params: at('new'), body: 'new' })), FULL)
    assert.deepEqual(await refusal(admin.deleteObject({ params: at('kept') })), FULL)
  })
  assert.equal(await read(admin, 'kept'), 'kept')
  fs.rmSync(ballast)
  await admin.createBucket({ body: { name: 'other' } })
  await admin.putObject({ params: at('new'), body: 'new' })
  assert.equal(await read(admin, 'new'), 'new')
  assert.deepEqual(
    (await admin.listObjects({ params: { bucket: 'box' } })).items.map(({ key }) => key),
    ['kept', 'new'],
  )
})

it('lets people sign in, delete and make room on a full disk, and refuses uploads before it is full', async (t) => {
  const folder = mountSmallDisk(t, 60)
  if (!folder) return
  const server = await startServer('sqlite', {
    ...STORED,
    DATABASE_URL: `sqlite:${path.join(folder, 'strongroom.db')}`,
    STORAGE_URL: `file:${path.join(folder, 'blobs')}`,
  })
  t.after(server.stop)
  const { admin } = server
  const reserve = path.join(folder, 'strongroom.db-reserve')
  const metric = async (name: string) =>
    new RegExp(`^${name} (\\S+)$`, 'm').exec(
      await (
        await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.adminToken}` } })
      ).text(),
    )?.[1]
  await server.running.tick('disk-keeper')
  const held = fs.statSync(reserve).size
  assert.ok(held > 7 * MIB && held <= 7.5 * MIB, `an eighth of the disk is kept, not ${held} bytes`)
  assert.equal(await metric('strongroom_disk_reserve_bytes'), String(held))

  const disks = async () => (await admin.listDisks()).items.map(({ of, state }) => [of, state])
  assert.deepEqual(await disks(), [
    ['database', 'room'],
    ['storage', 'room'],
  ])

  await admin.createBucket({ body: { name: 'box' } })
  const body = randomBytes(300_000)
  let stored = 0
  for (; ; stored++) {
    const refused = await admin.putObject({ params: at(`o${stored}`), body }).then(
      () => undefined,
      (error: ProblemError) => error,
    )
    if (!refused) continue
    assert.deepEqual(await refusal(Promise.reject(refused)), FULL)
    break
  }
  const { bavail, bsize } = fs.statfsSync(folder)
  assert.ok(bavail * bsize > 6 * MIB, 'uploads end before the disk is full')
  // The last one was too large for what was left above that.
  const ballast = path.join(folder, 'ballast')
  fs.writeFileSync(ballast, Buffer.alloc(body.length + MIB / 2))
  assert.equal(await metric('strongroom_disk_short{of="database"}'), '1')
  assert.deepEqual((await disks())[0], ['database', 'short'])
  await server.records([], async () => {
    const copy = admin.copyObject({ params: at('copy'), body: { source_bucket: 'box', source_key: 'o0' } })
    assert.deepEqual(await refusal(copy), FULL)
    const upload = admin.initUpload({ params: { bucket: 'box' }, body: { key: 'parts', part_size: 5 * MIB } })
    assert.deepEqual(await refusal(upload), FULL)
  })

  // The log gives back what it has, and others fill the rest.
  await server.running.tick('disk-keeper')
  assert.throws(() => {
    for (;;) fs.appendFileSync(ballast, Buffer.alloc(4096))
  })
  for (let i = 0; i < 100; i++) {
    await admin.deleteObject({ params: at(`o${i}`) })
    // As every few seconds, the log gives back what it has grown by.
    if (i % 20 === 19) await server.running.tick('disk-keeper')
  }
  assert.ok(!fs.existsSync(reserve), 'the reserve was let go')
  await server.login(ADMIN.email, ADMIN.password)
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  await server.running.tick('disk-keeper')
  assert.match(server.logged(), /the disk of the database is almost full: uploads are refused/)
  assert.equal(await metric('strongroom_disk_reserve_bytes'), '0')
  assert.deepEqual(await refusal(admin.putObject({ params: at('new'), body })), FULL)

  const before = server.running
  const { purged, bytes } = await admin.purgeTrash({ params: { bucket: 'box' }, body: { all: true } })
  assert.deepEqual([purged, bytes], [100, 100 * body.length])
  // Ends once what goes on in the background has ended: no grace period keeps the bytes.
  await before.tick('disk-keeper')
  await before.tick('disk-keeper')
  assert.equal(fs.statSync(reserve).size, held, 'the reserve was made again')
  assert.match(server.logged(), /the disk of the database has room again/)
  await admin.putObject({ params: at('new'), body })
  assert.equal(Buffer.compare(Buffer.from(await (await admin.getObject({ params: at('new') })).arrayBuffer()), body), 0)
})
