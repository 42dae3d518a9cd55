import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { queueDeliveries, registerFor, statuses } from '../support/outbox.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { answer, type Receiver, startReceiver } from '../support/receiver.ts'
import { ADMIN, describeEngines, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

describeEngines('webhooks of whole processes', (engine) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-webhooks-'))
  const stops: (() => Promise<unknown>)[] = []
  let drop: (() => Promise<void>) | undefined
  let env: Record<string, string>
  let database: Database
  let processes: ServerProcess[] = []
  let admin: Client

  before(async () => {
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    drop = postgres?.drop
    env = { ...serverEnv(folder, postgres?.url), WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', WEBHOOK_TIMEOUT_SECONDS: '5' }
    await run(1)
    database = await openDatabase(env.DATABASE_URL ?? '')
  })
  after(async () => {
    for (const one of processes) await one.kill('SIGKILL')
    for (const stop of stops) await stop()
    await database.close()
    await drop?.()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  /** Serves with this many processes; SQLite has one. */
  async function run(count: number): Promise<void> {
    processes = processes.filter(({ child }) => child.exitCode === null && child.signalCode === null)
    while (processes.length < (engine === 'sqlite' ? 1 : count)) processes.push(await spawnServer(env))
    const baseUrl = processes[0]?.url ?? ''
    const { access_token } = await createClient({ baseUrl }).login({
      body: { username: ADMIN.email, password: ADMIN.password },
    })
    admin = createClient({ baseUrl, token: access_token })
  }
  const receiver = async (reply?: Receiver['reply']) => {
    const one = await startReceiver(reply)
    stops.push(one.stop)
    return one
  }
  const ids = ({ received }: Receiver) => received.map(({ headers }) => String(headers['x-svc-delivery']))

  it('the first attempt begins within a second of the change, also of one that another process made', async (t) => {
    const to = await receiver()
    await admin.createBucket({ body: { name: 'hooked' } })
    await admin.createWebhook({ body: { name: 'n', url: to.url, events: ['upload'] } })
    const took: number[] = []
    for (let i = 0; i < 20; i++) {
      await admin.putObject({ params: { bucket: 'hooked', key: `k${i}` }, body: 'x' })
      const acknowledged = Date.now()
      await until(() => to.received.length > i)
      took.push((to.received[i]?.at ?? 0) - acknowledged)
    }
    const slowest = Math.max(...took)
    t.diagnostic(`from the answer to the POST: at most ${slowest} ms`)
    assert.ok(slowest < 1000)
    const elsewhere = await receiver()
    const id = await registerFor(admin, elsewhere.url)
    const queued = Date.now()
    await queueDeliveries(database, [id], 1)
    await until(() => elsewhere.received.length === 1)
    t.diagnostic(`by polling: ${(elsewhere.received[0]?.at ?? 0) - queued} ms`)
    assert.ok((elsewhere.received[0]?.at ?? 0) - queued < 1000)
  })

  it('a delivery whose process is killed in the midst is sent again with the same id; nothing is charged', async () => {
    const to = await receiver(() => undefined)
    const id = await registerFor(admin, to.url)
    const [delivery = ''] = await queueDeliveries(database, [id], 1)
    await until(() => to.received.length === 1)
    for (const one of processes) await one.kill('SIGKILL')
    to.reply = answer(204)
    const { lease_until } = await database.db
      .selectFrom('webhook_deliveries')
      .select('lease_until')
      .where('id', '=', delivery)
      .executeTakeFirstOrThrow()
    const left = Date.parse(lease_until ?? '') - Date.now()
    assert.ok(left > 20_000 && left <= 25_000, 'the lease is as long as an attempt may take, and 20 s')
    await run(1)
    // As if that time had passed.
    await database.transaction((tx) =>
      tx
        .updateTable('webhook_deliveries')
        .set({ lease_until: new Date(0).toISOString() })
        .where('id', '=', delivery)
        .execute(),
    )
    const at = { id, delivery_id: delivery }
    await until(async () => (await admin.getDelivery({ params: at })).status === 'acknowledged')
    assert.deepEqual(ids(to), [delivery, delivery])
    assert.equal(to.received[0]?.body, to.received[1]?.body)
    const { attempts, attempt_log } = await admin.getDelivery({ params: at })
    assert.deepEqual([attempts, attempt_log.map(({ trigger }) => trigger)], [1, ['interrupted', 'scheduled']])
  })

  it('an interrupted delivery costs an attempt from the fourth time on, and ends as failed', async () => {
    const to = await receiver()
    const id = await registerFor(admin, to.url)
    for (const [interruptions, attempts, status, charged] of [
      [2, 0, 'acknowledged', 1],
      [3, 0, 'acknowledged', 2],
      [3, 3, 'failed', 4],
    ] as const) {
      const before = to.received.length
      const [delivery = ''] = await queueDeliveries(database, [id], 1, new Date(Date.now() + 60_000))
      const past = new Date(0).toISOString()
      const lease = { lease_token: delivery, lease_until: past, leased_at: past, interruptions, attempts }
      await database.transaction((tx) =>
        tx
          .updateTable('webhook_deliveries')
          .set({ ...lease, next_attempt_at: past })
          .where('id', '=', delivery)
          .execute(),
      )
      const at = { id, delivery_id: delivery }
      await until(async () => (await admin.getDelivery({ params: at })).status === status)
      assert.deepEqual(
        [(await admin.getDelivery({ params: at })).attempts, to.received.length - before],
        [charged, status === 'failed' ? 0 : 1],
      )
    }
  })

  it('an outcome whose lease has gone to another is not written (fencing)', async () => {
    let finish: () => void = () => undefined
    const to = await receiver((_request, response) => {
      finish = () => void response.writeHead(500).end()
    })
    const id = await registerFor(admin, to.url)
    const [delivery = ''] = await queueDeliveries(database, [id], 1)
    await until(() => to.received.length === 1)
    const until60 = new Date(Date.now() + 60_000).toISOString()
    await database.transaction((tx) =>
      tx
        .updateTable('webhook_deliveries')
        .set({ lease_token: 'another', lease_until: until60 })
        .where('id', '=', delivery)
        .execute(),
    )
    finish()
    // The next delivery of the endpoint comes after that outcome was dealt with.
    to.reply = answer(204)
    await queueDeliveries(database, [id], 1)
    await until(() => to.received.length === 2)
    const { attempts, attempt_log, last_status_code } = await admin.getDelivery({
      params: { id, delivery_id: delivery },
    })
    assert.deepEqual([attempts, attempt_log, last_status_code], [0, [], null])
  })

  it('SIGTERM takes nothing new, lets attempts in flight finish, and nothing is sent twice', async () => {
    const held: (() => void)[] = []
    const to = await receiver((_request, response) => void held.push(() => response.writeHead(204).end()))
    const id = await registerFor(admin, to.url)
    const deliveries = await queueDeliveries(database, [id], 6)
    await until(() => to.received.length === 2)
    const ends = processes.map((one) => one.kill('SIGTERM'))
    await until(() =>
      fetch(`${processes[0]?.url}/healthz`).then(
        () => false,
        () => true,
      ),
    )
    for (const finish of held) finish()
    for (const end of ends) assert.equal(await end, 0)
    assert.equal(to.received.length, 2)
    const rows = await database.db
      .selectFrom('webhook_deliveries')
      .select(['status', 'lease_token'])
      .where('webhook_id', '=', id)
      .orderBy('status')
      .execute()
    assert.deepEqual(
      rows.map(({ status }) => status),
      [...Array(2).fill('acknowledged'), ...Array(4).fill('queued')],
    )
    assert.ok(rows.every(({ lease_token }) => lease_token === null))
    to.reply = answer(204)
    await run(1)
    await until(() => to.received.length === 6)
    assert.deepEqual(ids(to).toSorted(), deliveries.toSorted())
  })

  it('one endpoint that hangs holds no other up', async (t) => {
    const hanging = await receiver(() => undefined)
    const fast = await receiver()
    const slow = await registerFor(admin, hanging.url)
    const others: string[] = []
    for (let i = 0; i < 20; i++) others.push(await registerFor(admin, fast.url))
    const already = (await statuses(database)).acknowledged ?? 0
    await queueDeliveries(database, [slow], 500)
    await until(() => hanging.received.length > 0)
    const began = Date.now()
    await queueDeliveries(database, others, 20)
    const acknowledged = async () => ((await statuses(database)).acknowledged ?? 0) - already
    await until(async () => (await acknowledged()) >= 400)
    t.diagnostic(`400 deliveries of 20 endpoints beside 500 of one that hangs: ${Date.now() - began} ms`)
    assert.ok(hanging.received.length <= 4, 'it had no more than its two at a time')
    // Its first attempts are over only after five seconds.
    assert.ok(Date.now() - began < 5000)
    assert.equal(new Set(ids(fast)).size, 400)
    const perEndpoint = await database.db
      .selectFrom('webhook_deliveries')
      .select((e) => ['webhook_id', e.fn.countAll<number>().as('count')])
      .where('webhook_id', 'in', others)
      .where('status', '=', 'acknowledged')
      .groupBy('webhook_id')
      .execute()
    assert.ok(perEndpoint.every(({ count }) => count === 20))
    await admin.deleteWebhook({ params: { id: slow } })
  })

  it('three processes send 1,000 deliveries once each, two at a time for each endpoint', async (t) => {
    await run(3)
    let most = 0
    const now = new Map<string, number>()
    const to = await receiver((request, response) => {
      const { path: at } = request
      const count = (now.get(at) ?? 0) + 1
      now.set(at, count)
      most = Math.max(most, count)
      setTimeout(() => {
        now.set(at, (now.get(at) ?? 0) - 1)
        response.writeHead(204).end()
      }, 3)
    })
    const endpoints: string[] = []
    for (let i = 0; i < 10; i++) endpoints.push(await registerFor(admin, `${to.url}/${i}`))
    const began = Date.now()
    const deliveries = await queueDeliveries(database, endpoints, 100)
    await until(() => to.received.length >= 1000)
    t.diagnostic(`1,000 deliveries by ${processes.length} process(es): ${Date.now() - began} ms`)
    const counts = async () =>
      (
        await database.db
          .selectFrom('webhook_deliveries')
          .select('id')
          .where('webhook_id', 'in', endpoints)
          .where('status', '=', 'acknowledged')
          .where('attempts', '=', 1)
          .execute()
      ).length
    await until(async () => (await counts()) === 1000)
    assert.deepEqual(ids(to).toSorted(), deliveries.toSorted())
    assert.equal(most, 2, 'the cap is strict, and used')
  })
})
