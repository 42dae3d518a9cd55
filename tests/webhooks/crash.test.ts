import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../client/derived.ts'
import { openDatabase } from '../../server/db/open.ts'
import { queueDeliveries, registerFor, statuses } from '../support/outbox.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

/** CRASH_DELIVERIES=10000 is the whole of it; by default there is less of both. */
const DELIVERIES = Number(process.env.CRASH_DELIVERIES ?? 500)
const WHOLE = DELIVERIES >= 10_000
const KILLS = WHOLE ? 24 : 3
const ENDPOINTS = 25
const DISPATCHERS = 3

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-crash-webhooks-'))
const stops: (() => Promise<unknown>)[] = [async () => fs.rmSync(folder, { recursive: true, force: true })]
after(async () => {
  for (const stop of stops.reverse()) await stop()
})

it(`${DELIVERIES} deliveries, three dispatchers, repeated kill -9: none lost, none twice except after an expired lease`, async (t) => {
  const { url, drop } = await createDatabase(await postgresUrl())
  stops.push(drop)
  const env = { ...serverEnv(folder, url), WEBHOOK_ALLOWED_CIDRS: '127.0.0.1', WEBHOOK_TIMEOUT_SECONDS: '5' }
  const database = await openDatabase(url)
  stops.push(() => database.close())
  const running = new Set<ServerProcess>()
  stops.push(() => Promise.all([...running].map((one) => one.kill('SIGKILL'))))
  const start = async () => running.add(await spawnServer(env))
  await Promise.all(Array.from({ length: DISPATCHERS }, start))
  const receiver = await startReceiver((_request, response) => {
    setTimeout(() => response.writeHead(204).end(), WHOLE ? randomInt(10, 60) : randomInt(60, 260))
  })
  stops.push(receiver.stop)

  const [{ url: baseUrl } = assert.fail()] = running
  const { access_token: token } = await createClient({ baseUrl }).login({
    body: { username: ADMIN.email, password: ADMIN.password },
  })
  const admin = createClient({ baseUrl, token })
  const endpoints: string[] = []
  // Room for all that they have in flight: what a dead one still holds keeps the others from nothing.
  for (let i = 0; i < ENDPOINTS; i++) endpoints.push(await registerFor(admin, receiver.url, 16))
  const began = Date.now()
  const deliveries = await queueDeliveries(database, endpoints, DELIVERIES / ENDPOINTS)

  const restarts: Promise<unknown>[] = []
  const left = async () => deliveries.length - ((await statuses(database)).acknowledged ?? 0)
  // By how far they are and not by the time: however fast the machine is, each kill comes in their midst.
  for (let kill = 1; kill <= KILLS; kill++) {
    while ((await left()) > DELIVERIES * (1 - kill / (KILLS + 1)) || running.size === 0) await pause(5)
    const victim = [...running][randomInt(running.size)] as ServerProcess
    running.delete(victim)
    assert.equal(await victim.kill('SIGKILL'), 'SIGKILL')
    restarts.push(start())
  }
  await Promise.all(restarts)
  // What was in flight at a kill is sent again when its lease ends: 25 s later.
  for (let i = 0; i < 4 && (await left()) > 0; i++) await until(async () => (await left()) === 0).catch(() => undefined)
  assert.deepEqual(await statuses(database), { acknowledged: DELIVERIES })

  const posts = Map.groupBy(receiver.received, ({ headers }) => String(headers['x-svc-delivery']))
  assert.deepEqual([...posts.keys()].toSorted(), deliveries.toSorted(), 'every delivery reached the receiver')
  const rows = await database.db
    .selectFrom('webhook_attempts')
    .select(['delivery_id', 'trigger'])
    .where('trigger', '=', 'interrupted')
    .execute()
  const interrupted = Map.groupBy(rows, ({ delivery_id }) => delivery_id)
  let repeated = 0
  for (const [id, all] of posts) {
    repeated += all.length - 1
    assert.ok(all.length <= 1 + (interrupted.get(id)?.length ?? 0), `${id} was sent ${all.length} times`)
    assert.equal(new Set(all.map(({ body }) => body)).size, 1)
  }
  assert.ok(rows.length > 0, 'no kill came in the midst of an attempt')
  t.diagnostic(
    `${DELIVERIES} acknowledged in ${((Date.now() - began) / 1000).toFixed(1)} s through ${KILLS} kills: 0 lost, ` +
      `${rows.length} attempts interrupted, ${repeated} of them had reached the receiver and were sent again`,
  )
})
