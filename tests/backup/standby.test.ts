// A standby follows what a service stores at its backup place, answers reads, and takes over by one command.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { readStandbyProgress, standbyFiles } from '../../server/db/standby-state.ts'
import { bareEnv, MAIN, type ServerProcess, spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-standby-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))

/** Machines that share a storage and a backup place. */
function place(name: string) {
  const folder = path.join(root, name)
  const envOf = (machine: string): Record<string, string> => ({
    ...serverEnv(path.join(folder, machine)),
    STORAGE_URL: `file:${path.join(folder, 'bytes')}`,
    BACKUP_URL: `file:${path.join(folder, 'backup')}`,
    LOG_LEVEL: 'error',
  })
  const database = (machine: string) => path.join(folder, machine, 'strongroom.db')
  /** Until a standby has everything that was acknowledged before. */
  const caughtUp = async (machine: string) => {
    const now = Date.now()
    await until(() => Date.parse(readStandbyProgress(database(machine))?.moment ?? '') > now)
  }
  return { folder, envOf, database, caughtUp }
}
/** An administrator with a token that lives in the database. */
async function adminOf({ url }: ServerProcess) {
  const body = { username: ADMIN.email, password: ADMIN.password }
  const client = createClient({
    baseUrl: url,
    token: (await createClient({ baseUrl: url }).login({ body })).access_token,
  })
  const { token } = await client.createToken({ body: { name: 'test' } })
  return { client, token }
}
const reader = ({ url }: ServerProcess, token: string) => createClient({ baseUrl: url, token })
const bodyOf = (i: number): string => `${i} `.repeat(i % 3 === 0 ? 30_000 : 100)
async function put(client: Awaited<ReturnType<typeof adminOf>>['client'], from: number, to: number) {
  for (let i = from; i < to; i++)
    await client.putObject({ params: { bucket: 'files', key: `k${i}` }, query: {}, body: bodyOf(i) })
}
async function assertHas(client: ReturnType<typeof reader>, from: number, to: number) {
  for (let i = from; i < to; i++) {
    const answer = await client.getObject({ params: { bucket: 'files', key: `k${i}` }, query: {} })
    assert.equal(await answer.text(), bodyOf(i), `k${i}`)
  }
}
/** Starts a standby that serves nothing, and resolves when it follows. */
async function follow(env: Record<string, string>, database: string) {
  const child = spawn(process.execPath, [MAIN, 'standby'], { env: { ...bareEnv, ...env } })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      log += chunk
    })
  const exited = once(child, 'exit')
  const begun = new Date().toISOString()
  await until(() => {
    const told = readStandbyProgress(database)
    return told !== undefined && told.written > begun && told.state === 'following'
  })
  return { child, exited, log: () => log }
}

describe('a standby', () => {
  it('follows, answers reads and refuses changes, survives kill -9, and takes over', { timeout: 300_000 }, async () => {
    const { envOf, database, caughtUp } = place('whole')
    const main = await spawnServer(envOf('main'))
    const { client, token } = await adminOf(main)
    await client.createBucket({ body: { name: 'files' } })
    await put(client, 0, 6)
    let standby = await spawnServer(envOf('second'), ['standby', '--serve'])
    await caughtUp('second')
    await assertHas(reader(standby, token), 0, 6)
    await put(client, 6, 12)
    await caughtUp('second')
    await assertHas(reader(standby, token), 6, 12)

    const refused = await reader(standby, token)
      .putObject({ params: { bucket: 'files', key: 'refused' }, query: {}, body: 'x' })
      .then(
        () => undefined,
        (error: { status: number; code: string }) => error,
      )
    assert.deepEqual([refused?.status, refused?.code], [503, 'standby'])
    const login = await fetch(`${standby.url}/api/v1/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ username: ADMIN.email, password: ADMIN.password }),
    })
    assert.deepEqual([login.status, (await login.json()).code], [503, 'standby'])
    // Known once it has heard from the main service after it had everything.
    await until(async () => {
      const { standby: told } = await reader(standby, token).getBackup()
      return told?.state === 'following' && (told.lag_seconds ?? Number.NaN) < 30
    })

    for (let round = 0; round < 3; round++) {
      await put(client, 12 + round * 4, 14 + round * 4)
      await standby.kill('SIGKILL')
      await put(client, 14 + round * 4, 16 + round * 4)
      standby = await spawnServer(envOf('second'), ['standby', '--serve'])
    }
    await caughtUp('second')
    await assertHas(reader(standby, token), 0, 24)

    // The main service is asleep, as if its machine was cut off.
    main.child.kill('SIGSTOP')
    const { out, err, code } = await strongroom(['promote'], envOf('second'))
    assert.deepEqual([err, code], ['', 0])
    assert.match(out, /Everything that was acknowledged until 20\S+Z is here/)
    await until(() => (standby.log().match(/Strongroom serves at/g)?.length ?? 0) > 1)
    const url = [...standby.log().matchAll(/Strongroom serves at (\S+)/g)].at(-1)?.[1] as string
    const promoted = createClient({ baseUrl: url, token })
    await assertHas(promoted, 0, 24)
    await put(promoted, 24, 26)
    await new Promise((resolve) => setTimeout(resolve, 16_000))
    const late = client.putObject({ params: { bucket: 'files', key: 'late' }, query: {}, body: 'x' }).then(
      () => 'written',
      () => 'refused',
    )
    main.child.kill('SIGCONT')
    assert.equal(await late, 'refused')
    assert.equal(await main.kill('SIGCONT'), 0)
    assert.match(main.log(), /another instance has taken over since/)
    const again = await spawnServer(envOf('main')).catch((error: Error) => error.message)
    assert.match(String(again), /This database must not be used any more/)
    const { items } = await promoted.listAudit({ query: { action: ['upload'], page_size: 100 } })
    assert.equal(items.length, 26)
    assert.equal(await standby.kill('SIGTERM'), 0)
    assert.equal((await strongroom(['verify', '--deep'], envOf('second'))).code, 0)
    assert.equal(fs.existsSync(standbyFiles(database('second')).database), false)
    // What is started again in the same way goes on as the service.
    const restarted = await spawnServer(envOf('second'), ['standby', '--serve'])
    await assertHas(createClient({ baseUrl: restarted.url, token }), 24, 26)
    await put(createClient({ baseUrl: restarted.url, token }), 26, 27)
    await restarted.kill('SIGTERM')
  })

  it('is killed at any moment while much arrives, and applies nothing by halves', { timeout: 300_000 }, async () => {
    const { envOf, database, caughtUp } = place('killed')
    const main = await spawnServer(envOf('main'), ['serve', '--workers', '2'])
    const { client } = await adminOf(main)
    await client.createBucket({ body: { name: 'files' } })
    let standby = await follow(envOf('second'), database('second'))
    let written = 0
    let stop = false
    const writing = (async () => {
      for (; !stop; written++)
        await client.putObject({ params: { bucket: 'files', key: `k${written}` }, query: {}, body: bodyOf(1) })
    })()
    for (let round = 0; round < 6; round++) {
      await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 1500))
      standby.child.kill('SIGKILL')
      await standby.exited
      standby = await follow(envOf('second'), database('second'))
    }
    stop = true
    await writing
    await caughtUp('second')
    standby.child.kill('SIGKILL')
    await standby.exited
    await main.kill('SIGTERM')
    const { out, code } = await strongroom(['promote'], envOf('second'))
    assert.equal(code, 0, out)
    const promoted = await spawnServer(envOf('second'))
    const { client: admin } = await adminOf(promoted)
    const { object_count } = await admin.getBucket({ params: { bucket: 'files' } })
    assert.equal(object_count, written)
    await promoted.kill('SIGTERM')
    assert.equal((await strongroom(['verify', '--deep'], envOf('second'))).code, 0)
  })

  it('begins with a new copy where the history it followed has ended', { timeout: 300_000 }, async () => {
    const { envOf, database, caughtUp } = place('again')
    const first = await spawnServer(envOf('main'))
    const { client, token } = await adminOf(first)
    await client.createBucket({ body: { name: 'files' } })
    await put(client, 0, 2)
    const standby = await spawnServer(envOf('second'), ['standby', '--serve'])
    await caughtUp('second')
    await first.kill('SIGKILL')
    assert.equal((await strongroom(['recover'], envOf('third'))).code, 0)
    const third = await spawnServer(envOf('third'))
    await put(reader(third, token), 2, 4)
    await caughtUp('second')
    await until(() => (standby.log().match(/Strongroom serves at/g)?.length ?? 0) > 1)
    const url = [...standby.log().matchAll(/Strongroom serves at (\S+)/g)].at(-1)?.[1] as string
    await assertHas(createClient({ baseUrl: url, token }), 0, 4)
    assert.ok(readStandbyProgress(database('second')))
    await standby.kill('SIGTERM')
    await third.kill('SIGTERM')
  })
})

describe('what a standby refuses', () => {
  let env: Record<string, string>
  const { envOf } = place('refused')
  before(() => {
    env = envOf('there')
  })
  it('says what is wrong', { timeout: 60_000 }, async () => {
    const data = env.DATA_DIR as string
    fs.mkdirSync(data, { recursive: true })
    fs.writeFileSync(path.join(data, 'strongroom.db'), 'x')
    const there = await strongroom(['standby'], env)
    assert.match(there.err, /strongroom\.db exists\. A standby makes its own database/)
    assert.equal(there.code, 1)
    assert.match((await strongroom(['promote'], env)).err, /exists: this is no standby/)
    const nowhere = { ...envOf('nowhere'), BACKUP_URL: 'off' }
    assert.match((await strongroom(['standby'], nowhere)).err, /Say where the backup is/)
    assert.match((await strongroom(['promote'], envOf('empty'))).err, /There is no backup of a database there/)
    assert.match((await strongroom(['standby', 'x'], envOf('empty'))).err, /Usage: strongroom standby/)
  })
})
