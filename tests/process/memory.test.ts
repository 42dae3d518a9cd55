import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'

const MIB = 1024 * 1024
const SIZE = 2048 * MIB
/** A form is sent after a large upload and read before a large download: more of it would be the same again. */
const FORM_SIZE = 512 * MIB
const MOST = 100 * 1000 * 1000

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-memory-'))
const { bavail, bsize } = fs.statfsSync(folder)
const skip =
  process.platform !== 'linux'
    ? 'reads /proc, which only Linux has'
    : bavail * bsize < 4e9 && 'needs 4 GB of free disk in the temporary folder'
let running: ServerProcess | undefined
after(async () => {
  await running?.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
})

it('uploads and downloads of 2 GB keep the growth of resident memory under 100 MB', { skip }, async (t) => {
  const server = await spawnServer(serverEnv(folder))
  running = server
  const { access_token: token } = await createClient({ baseUrl: server.url }).login({
    body: { username: ADMIN.email, password: ADMIN.password },
  })
  const client = createClient({ baseUrl: server.url, token })
  await client.createBucket({ body: { name: 'memory', trash_days: 0 } })
  await client.putObject({ params: { bucket: 'memory', key: 'warm' }, body: Buffer.alloc(8 * MIB) })

  const chunk = Buffer.alloc(MIB, 'strongroom ')
  const hash = createHash('md5')
  const etags = new Map<number, string>()
  for (let sent = MIB; sent <= SIZE; sent += MIB) {
    hash.update(chunk)
    if (sent === FORM_SIZE || sent === SIZE) etags.set(sent, `"${hash.copy().digest('hex')}"`)
  }
  const none = Buffer.alloc(0)
  const send = async (
    method: string,
    at: string,
    size: number,
    { headers = {}, head = none, tail = none }: { headers?: object; head?: Buffer; tail?: Buffer } = {},
  ) => {
    const length = head.length + size + tail.length
    const request = http.request(`${server.url}/api/v1/buckets/memory/${at}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-length': length, ...headers },
    })
    const answered = once(request, 'response') as Promise<[http.IncomingMessage]>
    const source = function* () {
      yield head
      for (let i = 0; i < size / MIB; i++) yield chunk
      yield tail
    }
    await pipeline(Readable.from(source(), { objectMode: false, highWaterMark: 4 * MIB }), request)
    const [response] = await answered
    assert.equal(response.statusCode, 201)
    response.resume()
  }
  const growth = async (name: string, work: () => Promise<void>) => {
    fs.writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5')
    const before = server.memory().rss
    await work()
    const grown = server.memory().peak - before
    t.diagnostic(`${name}: ${Math.round(grown / 1e6)} MB`)
    assert.ok(grown < MOST, `${name} grew by ${Math.round(grown / 1e6)} MB`)
  }
  await growth('PUT', () => send('PUT', 'objects/put', SIZE))
  await growth('form', () =>
    send('POST', 'objects', FORM_SIZE, {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      head: Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="form"\r\n\r\n'),
      tail: Buffer.from('\r\n--b--\r\n'),
    }),
  )
  for (const [key, size] of [
    ['form', FORM_SIZE],
    ['put', SIZE],
  ] as const)
    await growth(`GET ${key}`, async () => {
      const at = `${server.url}/api/v1/buckets/memory/objects/${key}`
      const request = http.get(at, { headers: { authorization: `Bearer ${token}` } })
      const [response] = (await once(request, 'response')) as [http.IncomingMessage]
      assert.equal(response.headers.etag, etags.get(size))
      let received = 0
      for await (const part of response as AsyncIterable<Buffer>)
        for (let i = 0; i < part.length; ) {
          const from = received % MIB
          const same = part.subarray(i, i + MIB - from)
          assert.ok(chunk.subarray(from, from + same.length).equals(same), `it differs after ${received} bytes`)
          i += same.length
          received += same.length
        }
      assert.equal(received, size)
    })
})
