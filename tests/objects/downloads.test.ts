import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { after, before, it } from 'node:test'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'

const SIZE = 3_000_000
const OBJECTS = 8
const contentsOf = (n: number) => Buffer.alloc(SIZE, `object ${n}, `)

describeOnce('downloads that share their buffers', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'large' } })
    for (let n = 0; n < OBJECTS; n++)
      await server.admin.putObject({ params: { bucket: 'large', key: `${n}` }, body: contentsOf(n) })
  })
  after(() => server.stop())

  const headers = () => ({ authorization: `Bearer ${server.adminToken}` })
  const open = async (n: number) => {
    const request = http.get(`${server.url}/api/v1/buckets/large/objects/${n}`, { headers: headers(), agent: false })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    return response
  }
  /** Reads a download; `slow`: with a turn of the event loop after each chunk. */
  async function read(n: number, slow: boolean): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of await open(n)) {
      chunks.push(chunk as Buffer)
      if (slow) await new Promise(setImmediate)
    }
    assert.ok(Buffer.concat(chunks).equals(contentsOf(n)), `object ${n} has other bytes`)
  }
  async function abandon(n: number): Promise<void> {
    const response = await open(n)
    await once(response, 'data')
    response.destroy()
  }

  it('give everyone their own bytes, whoever is slow or leaves', async () => {
    for (let round = 0; round < 3; round++)
      await Promise.all(
        Array.from({ length: 4 * OBJECTS }, (_, i) => {
          const n = i % OBJECTS
          return i % 4 === 3 ? abandon(n) : read(n, i % 4 === 1)
        }),
      )
  })

  it('give the responses of one connection their own bytes when it sends its requests together', async () => {
    const { hostname, port } = new URL(server.url)
    const socket = net.connect(Number(port), hostname)
    const ask = (n: number) =>
      `GET /api/v1/buckets/large/objects/${n} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminToken}\r\n${n === OBJECTS - 1 ? 'Connection: close\r\n' : ''}\r\n`
    socket.write(Array.from({ length: OBJECTS }, (_, n) => ask(n)).join(''))
    const received = Buffer.concat(await socket.toArray())
    let at = 0
    for (let n = 0; n < OBJECTS; n++) {
      const body = received.indexOf('\r\n\r\n', at) + 4
      assert.match(received.toString('latin1', at, body), /^HTTP\/1\.1 200 OK/)
      at = body + SIZE
      assert.ok(received.subarray(body, at).equals(contentsOf(n)), `object ${n} has other bytes`)
    }
    assert.equal(at, received.length)
  })
})
