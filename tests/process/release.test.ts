import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const MIB = 1024 ** 2
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-memory-'))
let server: ServerProcess
before(async () => {
  server = await spawnServer({ ...serverEnv(folder), LOG_LEVEL: 'warn' })
})
after(async () => {
  await server?.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
})

it('releases the memory that a load needed', { skip: process.platform !== 'linux' && 'reads /proc' }, async (t) => {
  const { access_token: token } = await createClient({ baseUrl: server.url }).login({
    body: { username: ADMIN.email, password: ADMIN.password },
  })
  const client = createClient({ baseUrl: server.url, token })
  await client.createBucket({ body: { name: 'load' } })
  const clients = Array.from({ length: 8 }, async (_, i) => {
    for (let n = 0; n < 100; n++) {
      await client.putObject({ params: { bucket: 'load', key: `${i}/${n}` }, query: {}, body: 'x'.repeat(4096) })
      await client.browse({ params: { bucket: 'load' }, query: { prefix: `${i}/` } })
    }
  })
  await Promise.all(clients)
  const { rss: loaded } = server.memory()
  await until(() => server.memory().rss < loaded - 16 * MIB)
  t.diagnostic(`${Math.round(loaded / MIB)} MiB, then ${Math.round(server.memory().rss / MIB)} MiB`)
  assert.equal((await client.browse({ params: { bucket: 'load' }, query: { prefix: '' } })).common_prefixes.length, 8)
})
