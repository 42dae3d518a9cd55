// The backup place can be a registered storage, whose address and keys are in the database.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-registered-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))

it('follows to a registered storage as soon as there is one, and is recovered from its address', {
  timeout: 240_000,
}, async () => {
  const nas = path.join(root, 'nas')
  const envOf = (machine: string): Record<string, string> => ({
    ...serverEnv(path.join(root, machine)),
    STORAGE_URL: `file:${path.join(root, 'bytes')}`,
    STORAGE_FOLDERS: root,
    BACKUP_URL: 'storage:nas',
    LOG_LEVEL: 'error',
  })
  const first = await spawnServer(envOf('first'))
  const body = { username: ADMIN.email, password: ADMIN.password }
  const token = (await createClient({ baseUrl: first.url }).login({ body })).access_token
  const admin = createClient({ baseUrl: first.url, token })
  await until(() => /BACKUP_URL names the storage \\"nas\\", which is not registered/.test(first.log()))
  await admin.createStorage({ body: { name: 'nas', kind: 'file', folder: nas } })
  await admin.createBucket({ body: { name: 'files' } })
  await admin.putObject({ params: { bucket: 'files', key: 'k' }, query: {}, body: 'x'.repeat(50_000) })
  await admin.createBucket({ body: { name: 'there', storage: 'nas' } })
  await admin.putObject({ params: { bucket: 'there', key: 'k' }, query: {}, body: 'y'.repeat(50_000) })
  const now = Date.now()
  await until(async () => Date.parse((await admin.getBackup()).moment ?? '') > now)
  const { place } = await admin.getBackup()
  assert.equal(place, `file:${path.join(nas, 'database')}`)
  // What is there is not taken for blobs.
  const verified = await strongroom(['verify', '--deep'], envOf('first'))
  assert.deepEqual([verified.err, verified.code], ['', 0])
  await first.kill('SIGKILL')
  fs.rmSync(path.join(root, 'first'), { recursive: true })

  const unnamed = await strongroom(['recover'], envOf('second'))
  assert.match(unnamed.err, /BACKUP_URL names a registered storage[\s\S]*--from/)
  const { out, code } = await strongroom(['recover', '--from', place ?? ''], envOf('second'))
  assert.equal(code, 0)
  assert.match(out, /2 buckets, 2 objects and 1 user/)
  // It goes on at the same storage, and whoever is fenced by it finds that there.
  const second = await spawnServer(envOf('second'))
  const recovered = createClient({ baseUrl: second.url, token })
  await until(async () => (await recovered.getBackup()).state === 'following')
  await second.kill('SIGKILL')
  assert.equal((await strongroom(['recover', '--from', place ?? ''], envOf('third'))).code, 0)
  fs.rmSync(path.join(root, 'bytes', 'epochs'), { recursive: true })
  assert.match((await strongroom(['users', 'list'], envOf('second'))).err, /must not be used any more/)
})
