import assert from 'node:assert/strict'
import fs from 'node:fs'
import { it } from 'node:test'
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3ServiceException } from '@aws-sdk/client-s3'
import { clientTo, type Pair } from '../s3/s3.ts'
import { blobFile } from '../support/blob-file.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { cutWire } from '../support/cut-wire.ts'
import { request } from '../support/http.ts'
import { parseMetrics } from '../support/metrics.ts'
import { describeOnce, type TestServer } from '../support/server.ts'
import { storagesWorld } from './storages.ts'

const gateway = await cephGateway()

describeOnce('states of storages', (engine) => {
  const world = storagesWorld(engine, { S3_PORT: '0' })
  const metric = async (server: TestServer, name: string) => {
    server.clock.advance(10_000)
    const headers = { authorization: `Bearer ${server.adminToken}` }
    return parseMetrics(await (await fetch(`${server.url}/metrics`, { headers })).text()).get(name)
  }
  const s3 = async (server: TestServer) => {
    const pair = (await server.admin.createAccessKey({ body: { name: 'states' } })) as Pair
    const systemClockOffset = server.clock.now().getTime() - Date.now()
    return clientTo(new URL(server.running.s3Url ?? ''), pair, { systemClockOffset })
  }
  const refused = (answer: Promise<unknown>) =>
    answer.then(
      () => assert.fail('it was answered'),
      (error: unknown) => {
        assert.ok(error instanceof S3ServiceException, String(error))
        const { name, message, $metadata } = error
        return { name, message, status: $metadata.httpStatusCode }
      },
    )
  const lines = (server: TestServer, pattern: RegExp) => server.logged().match(new RegExp(pattern, 'g'))?.length ?? 0

  it('are in metrics, log and API by the name of the storage, from when it fails until it is back', async () => {
    const { server } = world
    const name = await world.storage()
    const bucket = await world.bucket(name)
    await world.put(bucket, 'f', 'here')
    const up = `strongroom_storage_up{storage="${name}"}`
    assert.equal((await server.admin.getStorage({ params: { storage: name } })).health, null)
    assert.deepEqual([await metric(server, up), await metric(server, 'strongroom_storage_up')], [1, 1])
    assert.ok(((await metric(server, `strongroom_storage_free_bytes{storage="${name}"}`)) ?? 0) > 0)
    const before = (await server.admin.getStorage({ params: { storage: name } })).health
    assert.equal(before?.ok, true)

    fs.renameSync(world.folderOf(name), `${world.folderOf(name)}-away`)
    server.clock.advance(30_000)
    const since = server.clock.now().toISOString()
    await server.running.tick('storage-watch')
    server.clock.advance(30_000)
    await server.running.tick('storage-watch')
    const { items } = await server.admin.listStorages()
    const health = items.find((one) => one.name === name)?.health
    assert.deepEqual(
      [health?.ok, health?.since, health?.checked_at, items[0]?.health?.ok],
      [false, since, server.clock.now().toISOString(), true],
    )
    assert.match(health?.detail ?? '', /^The folder or a file in it does not exist\.$|^The storage "/)
    assert.equal(await metric(server, up), 0)
    assert.deepEqual(
      [await metric(server, 'strongroom_storage_up'), await metric(server, 'strongroom_storage_up{storage="default"}')],
      [1, 1],
    )
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    assert.equal(lines(server, new RegExp(`the storage \\\\"${name}\\\\" cannot be used: `)), 1)

    fs.renameSync(`${world.folderOf(name)}-away`, world.folderOf(name))
    assert.equal(await metric(server, up), 1)
    assert.equal(lines(server, new RegExp(`the storage \\\\"${name}\\\\" can be used again`)), 1)
    await server.admin.updateStorage({ params: { storage: name }, body: { enabled: false } })
    assert.equal(await metric(server, up), undefined)
    assert.equal((await server.admin.getStorage({ params: { storage: name } })).health, null)
  })

  it('answers what an engine that is down keeps with ServiceUnavailable, not SlowDown', {
    skip: gateway ? false : noGateway,
  }, async (t) => {
    const { server } = world
    if (!gateway) return
    const target = new URL(newBucket(gateway))
    const wire = await cutWire(target.searchParams.get('endpoint') ?? '')
    t.after(() => wire.close())
    const { accessKeyId, secretAccessKey } = gateway.credentials
    server.secrets.add(secretAccessKey)
    await server.admin.createStorage({
      body: {
        name: 'engine',
        endpoint: wire.url,
        bucket: target.hostname,
        prefix: target.pathname.slice(1),
        access_key_id: accessKeyId,
        secret_access_key: secretAccessKey,
      },
    })
    const Bucket = await world.bucket('engine')
    await world.put(Bucket, 'f', 'here')
    wire.cutAt(0)
    const client = await s3(server)
    for (const call of [
      new GetObjectCommand({ Bucket, Key: 'f' }),
      new PutObjectCommand({ Bucket, Key: 'g', Body: 'x' }),
    ]) {
      const { name, message, status } = await refused(client.send(call as GetObjectCommand))
      assert.deepEqual([name, status], ['ServiceUnavailable', 503])
      assert.match(message, /^The storage of this bucket cannot be reached at the moment\. Try again\./)
    }
    await server.running.tick('storage-watch')
    assert.equal(lines(server, /the storage \\"engine\\" cannot be used: /), 1)
    assert.equal(await metric(server, 'strongroom_storage_up{storage="engine"}'), 0)
    wire.mend()
    assert.equal((await client.send(new HeadObjectCommand({ Bucket, Key: 'f' }))).ContentLength, 4)
    assert.equal(await metric(server, 'strongroom_storage_up{storage="engine"}'), 1)
  })

  it('tells clients once that bytes are missing or truncated, instead of having them try again', async () => {
    const { server } = world
    const bucket = await world.bucket()
    const client = await s3(server)
    const body = Buffer.alloc(100_000, 'a')
    for (const key of ['gone', 'short', 'long']) await world.put(bucket, key, body)
    const fileOf = (key: string) => blobFile(server, key)
    fs.rmSync(await fileOf('gone'))
    fs.truncateSync(await fileOf('short'), 99_999)
    fs.appendFileSync(await fileOf('long'), 'more')
    for (const Key of ['gone', 'short']) {
      const { name, status } = await refused(client.send(new GetObjectCommand({ Bucket: bucket, Key })))
      // No SDK tries a 409 again.
      assert.deepEqual([name, status], ['ObjectDamaged', 409])
      const problem = await request({
        url: server.url,
        path: `/api/v1/buckets/${bucket}/objects/${Key}`,
        token: server.adminToken,
      })
      assert.deepEqual([problem.status, problem.json().code], [409, 'damaged'])
    }
    assert.equal((await world.get(bucket, 'long')).length, body.length)
    assert.equal(lines(server, /bytes of an object are missing or incomplete/), 4)
    assert.equal(await metric(server, 'strongroom_storage_missing_total'), 4)
  })

  it('does not count what its client broke off as a failure of the storage', async () => {
    const { server } = world
    const bucket = await world.bucket()
    const failures = async () => (await metric(server, 'strongroom_storage_failures_total{operation="put"}')) ?? 0
    const before = await failures()
    const broken = await fetch(`${server.url}/api/v1/buckets/${bucket}/objects/x`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${server.adminToken}`, 'content-type': 'text/plain' },
      body: new ReadableStream({
        pull(controller) {
          controller.enqueue(Buffer.alloc(100_000))
          controller.error(new Error('the client has left'))
        },
      }),
      duplex: 'half',
    } as RequestInit).catch((error: Error) => error)
    assert.ok(broken instanceof Error)
    assert.equal(await failures(), before)
  })
})
