import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, it } from 'node:test'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, onS3, STORED, startServer, type TestServer } from '../support/server.ts'

const bucket = 'keys'
const KEYS = [
  'ä',
  '漢字/かな',
  '😀/😀.png',
  ' leading and trailing ',
  'a b/c  d',
  '100%',
  '%2F%00%zz',
  'a+b&c=d',
  'hash#tag',
  'what?no',
  '//double//slash',
  '/leading',
  'trailing/',
  '..',
  '.',
  '../../../etc/passwd',
  'a/../b',
  'a/./b',
  'con\\aux:nul*?"<>|',
  '\u0001\u001f\u007f',
  'é',
  'e\u0301',
  "it's; drop table objects--",
  '[1]',
  '{"a":1}',
  'true',
  '*',
  '\u{10ffff}',
  'x'.repeat(1024),
  '漢'.repeat(341),
  '%2e%2e/%2e%2e',
  'a\r\nSet-Cookie: b',
  'tab\t.txt',
  'line\u2028end.txt',
  'a;b=c',
  '::',
  '__proto__',
  'undefined',
  '/',
  '..//',
]
const encoded = (key: string) => key.split('/').map(encodeURIComponent).join('/')

describeEngines('keys', (engine, itOnce) => {
  let server: TestServer
  const send = (method: string, path: string, body?: string) =>
    request({ url: server.url, path: `/api/v1/buckets/${bucket}${path}`, method, token: server.adminToken, body })

  before(async () => {
    server = await startServer(engine, STORED)
    await server.admin.createBucket({ body: { name: bucket } })
  })
  after(() => server.stop())

  for (const key of KEYS)
    it(`keeps ${JSON.stringify(key.length > 40 ? `${key.slice(0, 10)}… (${key.length})` : key)} as it is`, async () => {
      const { admin } = server
      await server.records([{ action: 'upload', bucket, key }], async () => {
        const put = await send('PUT', `/objects/${encoded(key)}`, `body of ${key}`)
        assert.equal(put.status, 201)
        assert.equal(put.json().key, key)
      })
      for (const path of [`/objects/${encoded(key)}`, `/object?key=${encodeURIComponent(key)}`]) {
        assert.equal((await send('HEAD', path)).status, 200)
        assert.equal((await send('GET', path)).body.toString(), `body of ${key}`)
      }
      await findByBrowsing(key)
      assert.ok((await admin.listObjects({ params: { bucket } })).items.some((one) => one.key === key))
      await server.records([{ action: 'delete', bucket, key }], async () => {
        assert.equal((await send('DELETE', `/object?key=${encodeURIComponent(key)}`)).status, 204)
      })
      const trash = await admin.listTrash({ params: { bucket }, query: { prefix: key } })
      const items = trash.items.filter((one) => one.key === key)
      assert.equal(items.length, 1)
      await server.records([{ action: 'restore', bucket, key }], () =>
        admin.restoreTrash({ params: { bucket }, body: { ids: [items[0]?.id ?? ''] } }),
      )
      assert.equal((await send('GET', `/objects/${encoded(key)}`)).status, 200)
      const again = await send('PUT', `/object?key=${encodeURIComponent(key)}`, 'again')
      assert.deepEqual([again.status, again.json().key], [200, key])
      assert.equal((await send('GET', `/objects/${encoded(key)}`)).body.toString(), 'again')
      assert.equal((await send('DELETE', `/objects/${encoded(key)}`)).status, 204)
      assert.equal((await send('GET', `/objects/${encoded(key)}`)).status, 404)
    })

  /** Walks down from the top by the folders that browse shows. */
  async function findByBrowsing(key: string): Promise<void> {
    let prefix = ''
    for (;;) {
      const page = await server.admin.browse({ params: { bucket }, query: { prefix } })
      if (page.objects.some((one) => one.key === key)) return
      const next = page.common_prefixes.find((folder) => key.startsWith(folder))
      assert.ok(next !== undefined && next.length > prefix.length, `browsing does not lead from "${prefix}" to the key`)
      prefix = next
    }
  }

  itOnce('treats %2F in a path as a slash', async () => {
    await send('PUT', '/objects/one%2Ftwo', 'x')
    assert.equal((await send('GET', '/objects/one/two')).status, 200)
    assert.equal((await send('GET', '/object?key=one%2Ftwo')).status, 200)
  })

  itOnce('rejects invalid keys, and changes nothing', async () => {
    await server.records([], async () => {
      for (const [path, status] of [
        [`/objects/${'x'.repeat(1025)}`, 422],
        [`/objects/${encoded('漢'.repeat(342))}`, 422],
        ['/objects/', 422],
        ['/objects/a%00b', 422],
        ['/objects/%ff%fe', 400],
        ['/objects/%', 400],
        ['/objects/%ed%a0%80', 400],
        ['/objects/%c0%af', 400],
        ['/object?key=%ff', 400],
        ['/object?key=%ed%a0%80', 400],
        ['/object?key=%', 400],
        ['/object?key=a&key=b', 422],
        ['/object', 422],
        ['/object?key=', 422],
        ['/object?key=a%00b', 422],
        [`/object?key=${'x'.repeat(1025)}`, 422],
      ] as const) {
        const answer = await send('PUT', path, 'x')
        assert.equal(answer.status, status, path.slice(0, 60))
        assert.match(String(answer.headers['content-type']), /problem\+json/)
      }
      await rejectsWith(
        server.admin.browse({ params: { bucket }, query: { prefix: 'a\0' } }),
        'invalid_request',
        'query.prefix',
      )
    })
  })

  itOnce(
    'never lets a key touch a path: every file is a blob in its shard',
    { skip: onS3 && 'about files' },
    async () => {
      assert.ok((await server.stored()).length >= KEYS.length)
      for (const name of fs.readdirSync(server.folder)) assert.match(name, /^(blobs|strongroom\.db(-wal|-shm)?)$/)
      for (const file of await server.stored())
        assert.match(file, /^([0-9a-f]{2})[/\\][0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{10}\1$/)
    },
  )
})
