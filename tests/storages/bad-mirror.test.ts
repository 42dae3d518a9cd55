// A mirror that hangs, fails, lies or answers with other bytes: nothing wrong is read, and `one` waits for none of it.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { it } from 'node:test'
import { type Behaviour, badEngine } from '../support/bad-engine.ts'
import { blobFile } from '../support/blob-file.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeOnce } from '../support/server.ts'
import { storagesWorld } from './storages.ts'

const gateway = await cephGateway()
const DEFAULT = { storage: 'default' }

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
    const copy = async () => {
      for (let i = 0; i < 3; i++) {
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
    await put('before')
    await copy()
    assert.equal((await mirrorOf())?.copies_due, 0)

    for (const how of ['hangs', 'fails', 'lies', 'changes'] as const satisfies Behaviour[]) {
      bad.behave(how)
      await set({ acknowledge: 'one' })
      const began = performance.now()
      await put(`during-${how}`)
      assert.ok(performance.now() - began < 1000, `${how}: an upload waited for the mirror`)
      await copy()
      for (const [key, body] of bodies) assert.ok(body.equals(await get(key)), `${how}: ${key}`)
      if (how === 'hangs' || how === 'fails') {
        assert.equal((await mirrorOf())?.copies_due, 1, how)
        await set({ acknowledge: 'both' })
        await rejectsWith(world.put(bucket, `refused-${how}`, randomBytes(200_000)), 'busy')
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
})
