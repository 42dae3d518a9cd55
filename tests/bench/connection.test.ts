import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Connection, type Request } from '../../bench/rivals/connection.ts'

const request = (method: string): Request => ({
  head: Buffer.from(`${method} / HTTP/1.1\r\nhost: x\r\n\r\n`),
  isHead: method === 'HEAD',
})

/** A connection to a server that answers each request with the next of some texts, in pieces of so many bytes. */
async function connected(t: TestContext, answers: readonly string[], piece = Number.POSITIVE_INFINITY) {
  const sockets: Socket[] = []
  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.push(socket)
    let n = 0
    socket.on('data', async () => {
      const answer = answers[n++]
      if (answer === undefined) return socket.destroy()
      for (let at = 0; at < answer.length; at += piece) {
        socket.write(answer.slice(at, at + piece))
        // The pieces arrive one by one.
        if (piece < answer.length) await new Promise(setImmediate)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = await Connection.open('127.0.0.1', (server.address() as AddressInfo).port)
  t.after(() => {
    connection.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return connection
}

const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\na;x=1\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n'
const LENGTH = 'HTTP/1.1 200 OK\r\nETag: "e"\r\ncontent-length: 3\r\n\r\nxyz'

for (const piece of [1, 2, 3, 7, Number.POSITIVE_INFINITY])
  test(`answers are read whole when they arrive in pieces of ${piece} bytes`, async (t) => {
    const headOnly = 'HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n'
    const none = 'HTTP/1.1 204 No Content\r\n\r\n'
    const connection = await connected(t, [LENGTH, CHUNKED, headOnly, none, CHUNKED, LENGTH], piece)
    const read = async (method: string, keeps?: boolean) => {
      const { status, length, body } = await connection.send(request(method), keeps)
      return { status, length, body }
    }
    assert.deepEqual(await read('GET', true), { status: 200, length: 3, body: 'xyz' })
    assert.deepEqual(await read('GET', true), { status: 200, length: 15, body: 'abcde0123456789' })
    assert.deepEqual(await read('HEAD'), { status: 200, length: 0, body: '' })
    assert.deepEqual(await read('DELETE'), { status: 204, length: 0, body: '' })
    assert.deepEqual(await read('GET'), { status: 200, length: 15, body: '' })
    assert.match((await connection.send(request('GET'))).head, /\r\nETag: "e"\r\n/)
  })

test('the body of an error is kept', async (t) => {
  const connection = await connected(t, ['HTTP/1.1 503 Slow Down\r\ncontent-length: 4\r\n\r\nslow'])
  const { status, body } = await connection.send(request('GET'))
  assert.deepEqual({ status, body }, { status: 503, body: 'slow' })
})

test('a connection that closes before its answer fails, and so does the next request', async (t) => {
  const connection = await connected(t, [])
  await assert.rejects(connection.send(request('GET')), /closed the connection/)
  await assert.rejects(connection.send(request('GET')), /closed the connection/)
})
