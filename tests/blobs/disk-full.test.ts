import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { type Client, ProblemError } from '../../client/derived.ts'
import { STORED, startServer } from '../support/server.ts'
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
