// A mirror that hangs, fails, lies or answers with other bytes: nothing wrong is read, and `one` waits for none of it.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { it } from 'node:test'
import { type Behaviour, badEngine } from '../support/bad-engine.ts'
import { blobFile } from '../support/blob-file.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { parseMetrics } from '../support/metrics.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeOnce } from '../support/server.ts'
import { storagesWorld } from './storages.ts'

const gateway = await cephGateway()
const DEFAULT = { storage: 'default' }
const PART = 5 * 1024 ** 2

describeOnce('a mirror that behaves badly', (engine) => {
  const world = storagesWorld(engine, { MIRROR_TIMEOUT_SECONDS: '1', SCRUB_DAYS: '30' })
  const mirrorOf = async () => (await world.server.admin.getStorage({ params: DEFAULT })).mirror

  it('never makes a read wrong, nor an upload slow that needs one copy', {
    skip: gateway ? false : noGateway,
  }, async (t) => {
    if (!gateway) return
    const { server } = world
    const target = new URL(newBucket(gateway))
    const bad = await badEngine(target.searchParams.get('endpoint') ?? '')
    t.after(() => bad.close())
    const { accessKeyId, secretAccessKey } = gateway.credentials
    server.secrets.add(secretAccessKey)
    const access = { access_key_id: accessKeyId, secret_access_key: secretAccessKey }
    const place = { endpoint: bad.url, bucket: target.hostname, prefix: target.pathname.slice(1) }
    await server.admin.createStorage({ body: { name: 'bad', ...place, ...access } })
    const bucket = await world.bucket()
    const set = (mirror: object) => server.admin.updateStorage({ params: DEFAULT, body: { mirror } })
    const copy = async (times = 3) => {
      for (let i = 0; i < times; i++) {
        server.clock.advance(61_000)
        await server.running.tick('mirror-copies')
      }
      await server.later(0)
    }
    const get = async (key: string) => {
      const answer = await server.admin.getObject({ params: { bucket, key } })
      return Buffer.from(await answer.arrayBuffer())
    }
    await set({ storage: 'bad' })
    const bodies = new Map<string, Buffer<ArrayBuffer>>()
    const put = async (key: string) => {
      const body = randomBytes(200_000)
      await world.put(bucket, key, body)
      bodies.set(key, body)
    }
    const putParts = async (key: string) => {
      const body = randomBytes(PART + 100_000)
      const params = { bucket }
      const { upload_id, urls } = await server.admin.initUpload({
        params,
        body: { key, file_size: body.length, part_size: PART },
      })
      const parts = []
      for (const [i, part] of [body.subarray(0, PART), body.subarray(PART)].entries())
        parts.push({ part_number: i + 1, etag: await world.sendPart(urls[i] ?? '', part) })
      await server.admin.completeUpload({ params, body: { upload_id, parts } })
      bodies.set(key, body)
    }
    const lag = async () => {
      const headers = { authorization: `Bearer ${server.adminToken}` }
      const series = parseMetrics(await (await fetch(`${server.url}/metrics`, { headers })).text())
      return series.get('strongroom_copies_oldest_due_seconds{storage="bad"}') ?? 0
    }
    await put('before')
    await copy()
    assert.equal((await mirrorOf())?.copies_due, 0)

    for (const how of ['hangs', 'stalls', 'fails', 'lies', 'changes'] as const satisfies Behaviour[]) {
      bad.behave(how)
      await set({ acknowledge: 'one' })
      const asked = bad.asked()
      await put(`during-${how}`)
      await putParts(`parts-${how}`)
      assert.equal(bad.asked(), asked, `${how}: an upload has asked the mirror`)
      await copy(1)
      for (const [key, body] of bodies) assert.ok(body.equals(await get(key)), `${how}: ${key}`)
      const isStuck = how !== 'lies' && how !== 'changes'
      if (isStuck) {
        assert.equal((await mirrorOf())?.copies_due, 2, how)
        const before = await lag()
        await server.later(600_000)
        assert.ok((await lag()) >= before + 600, `${how}: the lag does not grow`)
        await set({ acknowledge: 'both' })
        await rejectsWith(world.put(bucket, `refused-${how}`, randomBytes(200_000)), 'busy')
        await rejectsWith(putParts(`refused-${how}`), 'busy')
        await set({ when_down: 'continue' })
        await put(`alone-${how}`)
        await putParts(`alone-parts-${how}`)
        await set({ when_down: 'refuse' })
      }
      bad.behave('well')
      for (let i = 0; i < 12 && ((await mirrorOf())?.copies_due ?? 0) > 0; i++) await copy()
      assert.equal((await mirrorOf())?.copies_due, 0, how)
    }

    // What the mirror said to have stored is found missing, and stored.
    await set({ acknowledge: 'both' })
    bad.behave('lies')
    await put('lied about')
    bad.behave('well')
    await server.running.tick('scrub')
    await server.records([{ action: 'heal', bucket, key: 'lied about' }], () => server.running.tick('mirror-copies'))
    // While the first copy is gone, a mirror that changes bytes is found out.
    const file = await blobFile(server, 'before')
    const good = fs.readFileSync(file)
    fs.rmSync(file)
    bad.behave('changes')
    await rejectsWith(server.admin.getObject({ params: { bucket, key: 'before' } }), 'damaged').catch(async () => {
      await assert.rejects(get('before'))
    })
    bad.behave('well')
    assert.ok(good.equals(await get('before')))
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })
  it('that is the first place is left for the mirror, and is told from one that is damaged', {
    skip: gateway ? false : noGateway,
  }, async (t) => {
    if (!gateway) return
    const { server } = world
    const target = new URL(newBucket(gateway))
    const bad = await badEngine(target.searchParams.get('endpoint') ?? '')
    t.after(() => bad.close())
    const { accessKeyId, secretAccessKey } = gateway.credentials
    const access = { access_key_id: accessKeyId, secret_access_key: secretAccessKey }
    const place = { endpoint: bad.url, bucket: target.hostname, prefix: target.pathname.slice(1) }
    await server.admin.createStorage({ body: { name: 'first', ...place, ...access } })
    const params = { storage: 'first' }
    await server.admin.updateStorage({ params, body: { mirror: { storage: 'default' } } })
    const bucket = await world.bucket('first')
    const bodies = new Map([70_000, 900_000].map((size) => [`k${size}`, randomBytes(size)]))
    for (const [key, body] of bodies) await world.put(bucket, key, body)
    const isComplete = async () => (await server.admin.getStorage({ params })).mirror?.complete
    const work = async () => {
      server.clock.advance(61_000)
      await server.running.tick('mirror-copies')
      await server.later(0)
    }
    for (let i = 0; i < 10 && !(await isComplete()); i++) await work()
    assert.ok(await isComplete())
    for (const how of ['hangs', 'fails', 'changes'] as const satisfies Behaviour[]) {
      bad.behave(how)
      for (const [key, body] of bodies) {
        const answer = await server.admin.getObject({ params: { bucket, key } })
        assert.ok(body.equals(Buffer.from(await answer.arrayBuffer())), `${how}: ${key}`)
      }
      bad.behave('well')
      // Bytes that were changed on their way are no damage, once they are looked at again.
      await server.records([], async () => {
        for (let i = 0; i < 3; i++) {
          server.clock.advance(61_000)
          await server.running.tick('mirror-copies')
        }
      })
      await server.later(0)
      assert.equal((await server.admin.getStorage({ params })).mirror?.copies_due, 0, how)
    }
    await server.admin.updateStorage({ params, body: { mirror: null } })
  })
})
