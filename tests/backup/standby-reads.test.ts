// What a standby that serves says of its age, what it refuses, and how it answers those who want it promoted.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { readStandbyProgress } from '../../server/db/standby-state.ts'
import { s3UrlOf, spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-standby-reads-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))
const envOf = (machine: string): Record<string, string> => ({
  ...serverEnv(path.join(root, machine)),
  STORAGE_URL: `file:${path.join(root, 'bytes')}`,
  BACKUP_URL: `file:${path.join(root, 'backup')}`,
  S3_PORT: '0',
  LOG_LEVEL: 'error',
})
const database = (machine: string) => path.join(root, machine, 'strongroom.db')
const HEADER = 'x-strongroom-standby-lag'

it('says how old its answers are, refuses what would leave no trace, and what is older than it may be', {
  timeout: 300_000,
}, async () => {
  const main = await spawnServer(envOf('main'))
  const body = { username: ADMIN.email, password: ADMIN.password }
  const token = (await createClient({ baseUrl: main.url }).login({ body })).access_token
  const admin = createClient({ baseUrl: main.url, token })
  await admin.createBucket({ body: { name: 'files' } })
  await admin.putObject({ params: { bucket: 'files', key: 'a' }, query: {}, body: 'x' })
  const { token: own } = await admin.createToken({ body: { name: 'test' } })
  const link = await admin.createShare({ body: { kind: 'object', bucket: 'files', key: 'a' } })
  assert.equal((await fetch(`${main.url}/healthz`)).headers.get(HEADER), null)
  const standby = await spawnServer({ ...envOf('second'), STANDBY_MAX_LAG_SECONDS: '30' }, ['standby', '--serve'])
  const get = (at: string) => fetch(standby.url + at, { headers: { authorization: `Bearer ${own}` } })
  const object = '/api/v1/buckets/files/objects/a'
  await until(async () => (await get(object)).status === 200)
  const lag = (await get(object)).headers.get(HEADER)
  assert.match(lag ?? '', /^\d+\.\d$/)
  const ready = await get('/readyz')
  assert.equal(ready.status, 200)
  const { standby: health } = (await ready.json()) as { standby: { ok: boolean; lag_seconds: number } }
  assert.ok(health.ok && health.lag_seconds < 30)
  assert.match(await (await get('/metrics')).text(), /^strongroom_standby_lag_seconds \d/m)
  // S3 says it as well.
  assert.match((await fetch(await s3UrlOf(standby))).headers.get(HEADER) ?? '', /^\d+\.\d$/)

  // A link that is used leaves a trace, or is not used.
  const opened = await get(`/api/v1/public/s/${link.token}`)
  assert.deepEqual([opened.status, ((await opened.json()) as { code: string }).code], [503, 'standby'])
  await admin.updateSettings({ body: { audit: { log_reads: true } } })
  await until(async () => (await get(object)).status === 503)
  assert.match(((await (await get(object)).json()) as { detail: string }).detail, /Reads of objects are recorded/)
  await admin.updateSettings({ body: { audit: { log_reads: false } } })
  await until(async () => (await get(object)).status === 200)
  const accesses = await admin.listShareAccesses({ params: { id: link.id }, query: {} })
  assert.equal(accesses.items.length, 0)
  const { items } = await admin.listAudit({ query: { action: ['object_read'] } })
  assert.deepEqual(items, [])
  assert.equal(await standby.kill('SIGTERM'), 0)

  // The main service is gone: what is there is of unknown age, and too old for who has set a limit.
  await main.kill('SIGKILL')
  const late = await spawnServer({ ...envOf('second'), STANDBY_MAX_LAG_SECONDS: '30' }, ['standby', '--serve'])
  const ask = (at: string) => fetch(late.url + at, { headers: { authorization: `Bearer ${own}` } })
  const answer = await ask(object)
  assert.deepEqual([answer.status, answer.headers.get(HEADER)], [503, 'unknown'])
  assert.equal(((await answer.json()) as { code: string }).code, 'standby')
  assert.equal((await ask('/readyz')).status, 503)
  assert.equal((await ask('/healthz')).status, 200)
  // Nobody asks for it, though a command once did that was killed.
  fs.writeFileSync(`${database('second')}-standby-promote`, JSON.stringify({ id: 'x', given: {}, beat: 3 }))
  const { written } = readStandbyProgress(database('second')) ?? assert.fail()
  await until(() => (readStandbyProgress(database('second'))?.written ?? '') > written)
  assert.equal(fs.existsSync(database('second')), false)
  assert.equal(await late.kill('SIGTERM'), 0)
})

it('of two standbys that are promoted at once, one is', { timeout: 300_000 }, async () => {
  const machines = ['one', 'two']
  const promote = () => Promise.all(machines.map((machine) => strongroom(['promote'], envOf(machine))))
  for (const machine of machines) {
    const following = await spawnServer(envOf(machine), ['standby', '--serve'])
    await following.kill('SIGTERM')
  }
  const results = await promote()
  assert.deepEqual(results.map(({ code }) => code).sort(), [0, 1], JSON.stringify(results))
  const lost = results.findIndex(({ code }) => code === 1)
  const { err } = results[lost] ?? assert.fail()
  assert.match(err, /another one takes over just now|Another instance has taken over \(epoch 1\)/)
  assert.equal(fs.existsSync(database(machines[lost] as string)), false)
  const won = machines[1 - lost] as string
  assert.equal(fs.existsSync(database(won)), true)
  assert.match((await strongroom(['promote'], envOf(won))).out, /this standby was promoted before/)
  // Where the other is gone for good, it is said so.
  const again = await strongroom(['promote', '--supersede'], envOf(machines[lost] as string))
  assert.deepEqual([again.err, again.code], ['', 0])
  assert.match((await strongroom(['users', 'list'], envOf(won))).err, /must not be used any more/)
})
