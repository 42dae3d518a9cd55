// With DIRECT_TRANSFERS: the storage has nothing of encrypted contents that a client could use.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { cephGateway, type Gateway, newBucket, noGateway } from '../support/ceph.ts'
import { STORED, startServer, type TestServer } from '../support/server.ts'

const gateway = await cephGateway()

describe('direct transfers of encrypted contents', { skip: gateway ? false : noGateway }, () => {
  let server: TestServer
  let engine: string
  before(async () => {
    const { url, credentials } = gateway as Gateway
    engine = new URL(new URL(url).searchParams.get('endpoint') ?? '').host
    server = await startServer('sqlite', {
      ...STORED,
      STORAGE_URL: newBucket(gateway as Gateway),
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      DIRECT_TRANSFERS: 'true',
    })
    await server.admin.createBucket({ body: { name: 'plain' } })
    await server.admin.createBucket({ body: { name: 'sealed', encryption: { algorithm: 'AES256' } } })
  })
  after(() => server.stop())

  const pathOf = (url: string) => server.url + new URL(url).pathname + new URL(url).search
  const open = (url: string) => fetch(pathOf(url), { redirect: 'manual' })

  it('redirects no read of them, and gives no URL of the storage for their parts', async () => {
    const body = randomBytes(100_000)
    for (const bucket of ['plain', 'sealed']) {
      await server.admin.putObject({ params: { bucket, key: 'a' }, body })
      const signed = await open((await server.admin.presignObject({ params: { bucket }, body: { key: 'a' } })).url)
      const { token } = await server.admin.shareObject({ params: { bucket, key: 'a' }, body: {} })
      const shared = await fetch(`${server.url}/s/${token}`, { redirect: 'manual' })
      const { urls, upload_id } = await server.admin.initUpload({
        params: { bucket },
        body: { key: 'parts', file_size: 100_000 },
      })
      const { urls: later } = await server.admin.getUpload({ params: { bucket, upload_id } })
      const hosts = new Set([...urls, ...later.map(({ url }) => url)].map((url) => new URL(url).host))
      if (bucket === 'plain') {
        assert.equal(signed.status, 307)
        assert.equal(new URL(signed.headers.get('location') ?? '').host, engine)
        assert.deepEqual([...hosts], [engine])
        continue
      }
      assert.equal(hosts.has(engine), false)
      assert.deepEqual([signed.status, Buffer.from(await signed.arrayBuffer())], [200, body])
      assert.equal((shared.headers.get('location') ?? '').includes(engine), false)
      const opened = await server.as().openShare({ params: { token } })
      assert.deepEqual(Buffer.from(await opened.arrayBuffer()), body)
    }
  })
})
