import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { it } from 'node:test'
import { flushed, undelivered } from '../../server/process/flush.ts'
import { until } from '../support/until.ts'

const linux = { skip: process.platform !== 'linux' && 'reads /proc' }

/** A connection that its server has filled and closed, and whose client has read nothing yet. */
async function closedFull() {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(Buffer.alloc(1024 * 1024), () => socket.destroySoon())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as net.AddressInfo
  const client = net.connect(port, '127.0.0.1').pause()
  await once(client, 'connect')
  server.close()
  return { port, client }
}

it('waits for what a slow client has not received yet', linux, async (t) => {
  const { port, client } = await closedFull()
  t.after(() => client.destroy())
  await until(() => undelivered([port]) > 0)
  let done = false
  const sent = flushed([port]).then(() => {
    done = true
  })
  assert.equal(undelivered([port + 1]), 0)
  assert.equal(done, false)
  client.resume()
  await Promise.all([sent, once(client, 'close')])
  assert.equal(client.bytesRead, 1024 * 1024)
})

it('does not wait for a client that takes nothing', linux, async (t) => {
  const { port, client } = await closedFull()
  t.after(() => client.destroy())
  await until(() => undelivered([port]) > 0)
  await flushed([port], 100)
  assert.ok(undelivered([port]) > 0)
})
