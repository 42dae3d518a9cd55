// With an S3 engine as storage, the engine alone is enough to recover: nothing else has to be configured.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { openNamedFiles } from '../../server/drivers/named-files/open.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { type ServerProcess, spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-engine-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))

async function adminOf({ url }: ServerProcess) {
  const body = { username: ADMIN.email, password: ADMIN.password }
  return createClient({ baseUrl: url, token: (await createClient({ baseUrl: url }).login({ body })).access_token })
}

it('recovers names and contents from an S3 engine alone', { timeout: 300_000 }, async (t) => {
  const gateway = await cephGateway()
  if (!gateway) return t.skip(noGateway)
  const { accessKeyId, secretAccessKey } = gateway.credentials
  const STORAGE_URL = newBucket(gateway)
  const engine = { STORAGE_URL, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey }
  const envOf = (machine: string): Record<string, string> => ({ ...serverEnv(path.join(root, machine)), ...engine })
  const first = await spawnServer(envOf('first'))
  const admin = await adminOf(first)
  await admin.createBucket({ body: { name: 'files' } })
  const contents = { small: 'x'.repeat(100), large: 'y'.repeat(300_000) }
  for (const [key, body] of Object.entries(contents))
    await admin.putObject({ params: { bucket: 'files', key }, query: {}, body })
  const stored = Date.now()
  await until(async () => {
    const { state, moment } = await admin.getBackup()
    return state === 'following' && Date.parse(moment ?? '') > stored
  })
  const { place, lag_seconds } = await admin.getBackup()
  assert.match(place ?? '', /^s3:\/\/.*\/database\?/)
  assert.equal(typeof lag_seconds, 'number')
  // Nothing of the rows is legible there.
  const files = await openNamedFiles(place ?? '', gateway.credentials)
  for (const { name } of await files.list('')) {
    const file = await files.get(name)
    assert.ok(file && !file.includes('SQLite format') && !file.includes(ADMIN.email), name)
  }
  files.close()
  await first.kill('SIGKILL')
  fs.rmSync(path.join(root, 'first'), { recursive: true })

  const { out, err, code } = await strongroom(['recover'], envOf('second'))
  assert.deepEqual([err, code], ['', 0])
  assert.match(out, /2 objects and 1 user/)
  const second = await spawnServer(envOf('second'))
  const fresh = await adminOf(second)
  for (const [key, body] of Object.entries(contents)) {
    const answer = await fresh.getObject({ params: { bucket: 'files', key }, query: {} })
    assert.equal(await answer.text(), body)
  }
  await second.kill('SIGTERM')
})
