// Open connections when a service stops, with a clock that moves only when told to.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { trackConnections } from '../../server/http/connections.ts'

const REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'

it('closes idle keep-alive connections immediately, and gives new ones time for a request', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const answers: http.ServerResponse[] = []
  const server = http.createServer((_request, response) => void answers.push(response))
  const end = trackConnections(server)
  server.listen(0, '127.0.0.1')
  t.after(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async () => {
    const accepted = once(server, 'connection')
    const socket = net.connect(port, '127.0.0.1')
    await accepted
    return socket
  }
  /** A request that has arrived; its answer is given by `answers`. */
  const ask = async (socket: net.Socket) => {
    const arrived = once(server, 'request')
    socket.write(REQUEST)
    await arrived
  }

  const used = await open()
  await ask(used)
  answers.pop()?.end('first')
  await once(used, 'data')
  const busy = await open()
  await ask(busy)
  const late = await open()
  const silent = await open()

  end()
  await once(used.resume(), 'close')
  await ask(late)
  for (const answer of answers.splice(0)) answer.end('whole')
  for (const socket of [busy, late]) assert.match(await text(socket), /^HTTP\/1.1 200 OK\r\n(.|\r\n)*\r\n\r\nwhole$/)
  t.mock.timers.tick(999)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(silent.readableEnded, false)
  t.mock.timers.tick(1)
  assert.equal(await text(silent), '')
})
