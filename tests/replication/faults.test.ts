// What a replica is when it is down, when the service is killed, and when several processes write and copy at once.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Client } from '../../client/derived.ts'
import { openDatabase } from '../../server/db/open.ts'
import { type Foreign, foreignBucket } from '../attached/foreign.ts'
import { placeOn } from '../attached/site.ts'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { type CutWire, cutWire } from '../support/cut-wire.ts'
import { killableService } from '../support/killable.ts'
import { describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'
import { replicationWorld } from './world.ts'

const gateway = await cephGateway()
const endpoint = gateway && (new URL(gateway.url).searchParams.get('endpoint') ?? '')
const MiB = 1024 ** 2

describeEngines('replication to a place that fails', (engine) => {
  if (!gateway || !endpoint) return it('needs an engine', { skip: noGateway }, () => undefined)
  const world = replicationWorld(engine, gateway, { INLINE_MAX_BYTES: '0' })
  let wire: CutWire
  before(async () => {
    wire = await cutWire(endpoint)
  })
  after(() => wire.close())

  it('queues while it is down, says so, slows no upload, and has everything afterwards', async () => {
    const { server } = world
    const { name, prefix } = await world.storage(wire.url)
    const bucket = await world.bucket()
    await server.admin.setReplication({ params: { bucket }, body: { storage: name, rules: [{ deletes: true }] } })
    await world.settle(bucket)
    wire.cutAt(0)
    for (const key of ['a', 'b', 'c']) await world.put(bucket, key, `first ${key}`)
    await server.running.tick('replication')
    await until(async () => (await world.state(bucket)).error !== null)
    const down = await world.state(bucket)
    assert.match(
      down.error ?? '',
      /^(The storage broke off the connection|The storage did not answer in time|The connection was refused)/,
    )
    assert.deepEqual([down.backlog.objects, down.failed], [3, 0])
    const metrics = await (
      await fetch(`${server.running.url}/metrics`, { headers: { authorization: `Bearer ${server.adminToken}` } })
    ).text()
    assert.match(metrics, new RegExp(`strongroom_replica_up\\{storage="${name}"\\} 0`))
    assert.match(metrics, new RegExp(`strongroom_replica_backlog_objects\\{storage="${name}"\\} 3`))
    await world.put(bucket, 'a', 'second a')
    await server.admin.deleteObject({ params: { bucket, key: 'b' } })
    wire.mend()
    await world.settle(bucket)
    assert.deepEqual(await world.there(prefix), { a: 'second a', c: 'first c' })
    assert.equal((await world.state(bucket)).error, null)
  })

  it('leaves nothing of an object that breaks off half-way, and sends it whole the next time', async () => {
    const { server, foreign } = world
    const { name, prefix } = await world.storage(wire.url)
    const bucket = await world.bucket()
    await server.admin.setReplication({ params: { bucket }, body: { storage: name } })
    await world.settle(bucket)
    const body = randomBytes(8 * MiB)
    await world.put(bucket, 'large', body)
    wire.cutAt(wire.sent() + 4 * MiB)
    await server.running.tick('replication')
    await until(async () => (await world.state(bucket)).error !== null)
    assert.deepEqual(await world.there(prefix), {})
    wire.mend()
    await world.settle(bucket)
    assert.ok((await foreign.bytesOf(`${prefix}large`)).equals(body))
  })

  it('the last content wins, whoever writes and whichever process copies', async () => {
    const { server } = world
    const { bucket, prefix } = await world.replicated({ rules: [{ deletes: true }] })
    const keys = ['x', 'y', 'z']
    let isWriting = true
    const copying = (async () => {
      while (isWriting) {
        await server.running.tick('replication')
        await setImmediate()
      }
    })()
    const write = async (writer: number) => {
      for (let i = 0; i < 25; i++)
        for (const key of keys) {
          if (i % 7 === writer) await server.admin.deleteObject({ params: { bucket, key } }).catch(() => undefined)
          else await world.put(bucket, key, `${key} by ${writer}, ${i}`)
        }
    }
    await Promise.all([write(0), write(1), write(2)])
    isWriting = false
    await copying
    await world.settle(bucket)
    const here: Record<string, string> = {}
    for (const { key } of (await server.admin.listObjects({ params: { bucket } })).items)
      here[key] = await (await server.admin.getObject({ params: { bucket, key } })).text()
    assert.deepEqual(await world.there(prefix), here)
    await world.noDifference(bucket)
  })
})

describeEngines('replication by a service that is killed', (engine) => {
  if (!gateway || !endpoint) return it('needs an engine', { skip: noGateway }, () => undefined)
  const service = killableService(engine)
  let foreign: Foreign
  before(async () => {
    foreign = await foreignBucket(gateway)
  })
  after(() => foreign.empty())

  it('goes on where it was, and loses and doubles nothing', async () => {
    let client: Client = await service.connect()
    const params = { bucket: 'source' }
    await client.createBucket({ body: { name: 'source' } })
    const place = { ...placeOn(gateway, endpoint), bucket: foreign.bucket }
    await client.createStorage({ body: { name: 'engine', ...place } })
    await client.setReplication({ params, body: { storage: 'engine', rules: [{ deletes: true }] } })
    const bodies = new Map(Array.from({ length: 60 }, (_, i) => [`k${i}`, randomBytes(i % 10 === 0 ? MiB : 2000)]))
    for (let kills = 0; kills < 3; kills++) {
      for (const [key, body] of bodies) {
        await client.putObject({ params: { ...params, key }, body })
        if (key === `k${20 * (kills + 1) - 1}`) await service.running.kill('SIGKILL')
        if (key === `k${20 * (kills + 1) - 1}`) break
      }
      client = await service.connect()
    }
    for (const [key, body] of bodies) await client.putObject({ params: { ...params, key }, body })
    await client.deleteObject({ params: { ...params, key: 'k1' } })
    bodies.delete('k1')
    // What the killed processes held is free after a minute and a half: here, at once.
    const database = await openDatabase(service.databaseUrl)
    await database.transaction((tx) =>
      tx.updateTable('replication_queue').set({ leased_until: '2000-01-01T00:00:00.000Z' }).execute(),
    )
    await database.close()
    await until(async () => (await client.getReplication({ params })).backlog.objects === 0)
    const found = await foreign.listed()
    assert.deepEqual(found.map(({ key }) => key).sort(), [...bodies.keys()].sort())
    for (const [key, body] of bodies) assert.ok((await foreign.bytesOf(key)).equals(body), key)
    assert.deepEqual((await client.verifyReplication({ params, body: {} })).differences, [])
  })
})
