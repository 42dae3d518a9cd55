import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { it } from 'node:test'
import { request } from '../support/http.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { reset } from '../support/reset.ts'
import { startServer } from '../support/server.ts'

it('returns 503 rather than a client error when a PostgreSQL connection is reset', async (t) => {
  const database = await createDatabase(await postgresUrl())
  const target = new URL(database.url)
  const sockets = new Set<net.Socket>()
  let cutting = false
  const proxy = net.createServer((inner) => {
    const outer = net.connect(Number(target.port), target.hostname)
    sockets.add(inner)
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      one.on('error', () => undefined).on('close', () => other.destroy())
      one.on('data', (chunk: Buffer) => {
        // At the next statement of anyone: that is the one a request waits for.
        if (cutting && one === inner) for (const socket of sockets) reset(socket)
        else other.write(chunk)
      })
    }
    inner.on('close', () => sockets.delete(inner))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(database.url)
  through.port = String((proxy.address() as AddressInfo).port)
  const server = await startServer('postgres', { DATABASE_URL: through.href })
  t.after(async () => {
    await server.stop()
    proxy.close()
    await database.drop()
  })
  await server.admin.createBucket({ body: { name: 'box' } })

  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--b--\r\n'
  for (const [method, path, type, body] of [
    ['GET', '/api/v1/buckets', undefined, undefined],
    ['PUT', '/api/v1/buckets/box/objects/f', 'text/plain', 'x'],
    ['POST', '/api/v1/buckets/box/objects', 'multipart/form-data; boundary=b', form],
  ] as const) {
    cutting = true
    const headers = type === undefined ? {} : { 'content-type': type }
    const answer = await request({ url: server.url, path, method, token: server.adminToken, headers, body })
    cutting = false
    assert.deepEqual([answer.status, answer.json().code], [503, 'busy'], `${method} ${path}`)
  }
  await server.admin.putObject({ params: { bucket: 'box', key: 'f' }, body: 'x' })
})
