import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/derived.ts'
import type { Job } from '../../contract/jobs.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { killableService } from '../support/killable.ts'
import { endLeases } from '../support/leases.ts'
import { bareEnv, MAIN, strongroom } from '../support/process.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'

const B = 'recoded'
/** More than one step of a job, and than one batch of a rotation. */
const SMALL = 600
const LARGE = 16
const KILLS = 2
/** How often a fast machine may be done before it is killed. */
const TRIES = 12
/** Objects that are read at the same time. */
const AT_ONCE = 8

describeEngines('kill -9 while contents are encrypted', (engine) => {
  const service = killableService(engine)
  let client: Client
  let database: Database
  const bodies = new Map<string, Uint8Array<ArrayBuffer>>()

  async function fill(): Promise<void> {
    await client.createBucket({ body: { name: B, versioning: 'enabled' } })
    for (let i = 0; i < SMALL; i += 200) {
      const form = new FormData()
      for (let n = i; n < i + 200; n++) {
        const body = randomBytes(randomInt(0, 300))
        bodies.set(`small/${n}`, body)
        form.append('file', new Blob([body]), String(n))
      }
      await client.uploadForm({ params: { bucket: B }, query: { prefix: 'small/' }, body: form })
    }
    for (let n = 0; n < LARGE; n++) {
      const body = randomBytes(randomInt(20_000, 400_000))
      bodies.set(`large/${n}`, body)
      await client.putObject({ params: { bucket: B, key: `large/${n}` }, body })
    }
  }
  async function assertAll(isEncrypted: boolean): Promise<void> {
    const rows = await database.db.selectFrom('objects').select(['key', 'encryption']).execute()
    assert.equal(rows.length, bodies.size)
    for (const { key, encryption } of rows) assert.equal(encryption, isEncrypted ? 'AES256' : null, key)
    const waiting = [...bodies]
    const readNext = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [key, body] = next
        const answer = await client.getObject({ params: { bucket: B, key } })
        assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), new Uint8Array(body), key)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, readNext))
    const verified = await strongroom(['verify', '--deep'], service.env)
    assert.equal(verified.code, 0, verified.out + verified.err)
  }
  const isOver = ({ finished_at }: Job) => finished_at !== null

  /** Runs a job, during which the service is killed a few times, or as often as it is not over before. */
  async function recode(kind: 'encrypt' | 'decrypt'): Promise<number> {
    const { id } = await client.createJob({ body: { kind, source_bucket: B } })
    const state = () => client.getJob({ params: { id } })
    let kills = 0
    for (; kills < KILLS; kills++) {
      const before = await state()
      await until(async () => {
        const now = await state()
        return now.done > before.done || isOver(now)
      })
      await pause(randomInt(0, 60))
      if (isOver(await state())) break
      assert.equal(await service.running.kill('SIGKILL'), 'SIGKILL')
      await endLeases(database, 'jobs')
      client = await service.connect()
    }
    await until(async () => isOver(await state()))
    const { status, failed, done, total } = await state()
    assert.deepEqual([status, failed, done], ['succeeded', 0, total])
    return kills
  }
  /** Runs a job, and the opposite one and it again until it was killed at least once. */
  async function recodeKilled(kind: 'encrypt' | 'decrypt'): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const kills = await recode(kind)
      if (kills > 0 || attempt === TRIES) return kills
      await recode(kind === 'encrypt' ? 'decrypt' : 'encrypt')
    }
  }

  const wrappedBy = async () =>
    Map.groupBy(
      (await database.db.selectFrom('blobs').select('service_key').where('envelope', 'is not', null).execute()).map(
        ({ service_key }) => service_key,
      ),
      (version) => version,
    )
  /** Begins a rotation and kills it once it has rewrapped some keys; whether it had left others. */
  async function breakOff(version: number): Promise<boolean> {
    const child = spawn(process.execPath, [MAIN, 'rotate-encryption-key'], {
      env: { ...bareEnv, ...service.env, LOG_LEVEL: 'error' },
    })
    const exited = once(child, 'exit')
    let ended = false
    exited.then(() => {
      ended = true
    })
    await until(async () => ended || (await wrappedBy()).has(version))
    child.kill('SIGKILL')
    await exited
    return (await wrappedBy()).size > 1
  }

  it('loses nothing of a bucket, and goes on where it was', { timeout: 600_000 }, async (t) => {
    client = await service.connect()
    database = await openDatabase(service.databaseUrl)
    t.after(() => database.close())
    await fill()
    const kills = await recodeKilled('encrypt')
    await assertAll(true)

    // The first key is there from the start.
    let version = 1
    let left = false
    for (let attempt = 0; attempt < TRIES && !left; attempt++) {
      left = await breakOff(++version)
      const done = await strongroom(['rotate-encryption-key'], service.env)
      assert.equal(done.code, 0, done.err)
      if (left) assert.match(done.out, new RegExp(`^Finished the rotation to key ${version}: [0-9]+ object keys`))
      // Where nothing was left, that made another key.
      else version++
      assert.equal((await wrappedBy()).size, 1)
    }
    await service.running.kill('SIGKILL')
    client = await service.connect()
    await assertAll(true)

    const more = await recodeKilled('decrypt')
    await assertAll(false)
    t.diagnostic(`killed ${kills} times during encrypt, ${more} during decrypt; a rotation was broken off: ${left}`)
    assert.ok(kills > 0 && left && more > 0)
    const records = (await allActions(database)).filter(({ action }) => action === 'read_damaged')
    assert.deepEqual(records, [])
    assert.equal(await service.running.kill('SIGTERM'), 0)
  })
})
