import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import zlib from 'node:zlib'
import { parseRange } from '../../server/base/address.ts'
import { createPoster } from '../../server/outbound/post.ts'
import { createResolve } from '../../server/outbound/resolve.ts'
import type { Route } from '../../server/outbound/route.ts'
import { startDns } from '../support/dns.ts'
import { answer, startReceiver } from '../support/receiver.ts'
import { reset } from '../support/reset.ts'
import { until } from '../support/until.ts'

const stops: (() => unknown)[] = []
after(async () => {
  for (const stop of stops.reverse()) await stop()
})
const keep = <T extends { stop(): unknown }>(one: T): T => {
  stops.push(() => one.stop())
  return one
}
/** The way out, with 127.0.0.2 standing for the public internet: 127.0.0.1 is what must not be reached. */
function poster(options: Partial<Route> & { dns?: string; timeout?: number } = {}) {
  const { dns, timeout = 3000, ...route } = options
  const resolve = createResolve({ servers: dns ? [dns] : ['127.0.0.1:9'], systemNames: [] })
  const one = createPoster(
    {
      allowed: [parseRange('127.0.0.2')],
      denied: [],
      resolve,
      proxy: null,
      ca: null,
      ownPort: 0,
      ...route,
    },
    timeout,
  )
  stops.push(() => one.close())
  return one
}
const ask = (one: ReturnType<typeof poster>, url: string) => one.post(new URL(url), { 'X-Test': '1' }, '{}')
/** A server that handles each connection with a given function. */
async function tcp(serve: (socket: net.Socket) => void, host = '127.0.0.2'): Promise<number> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    serve(socket)
  })
  server.listen(0, host)
  await once(server, 'listening')
  stops.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('where a delivery may go', () => {
  it('no spelling of an address gets past the check', async () => {
    const inside = keep(await startReceiver())
    const inside6 = keep(await startReceiver(undefined, { host: '::1' }))
    const one = poster()
    for (const host of [
      '127.0.0.1',
      '127.1',
      '127.0.1',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '0177.0.0.1',
      '0177.1',
      '017700000001',
      '１２７.0.0.1',
      '１２７．０．０．１',
      '127。0。0。1',
      '%31%32%37.0.0.1',
      '127.0.0.1.',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '0.0.0.0',
      '0',
      '[::]',
    ]) {
      const { status, failure, ip } = await ask(one, `http://${host}:${inside.port}/`)
      assert.deepEqual([status, failure?.kind, failure?.text, ip], [null, 'blocked', 'address not allowed', null], host)
    }
    for (const host of ['[::1]', '[0:0::1]', '[::0001]'])
      assert.equal((await ask(one, `http://${host}:${inside6.port}/`)).failure?.kind, 'blocked', host)
    assert.deepEqual([inside.connections, inside6.connections], [0, 0], 'no one even connected')
  })

  it('a name is judged by its answers, all of them, when it is connected to', async () => {
    const [outside, inside] = [keep(await startReceiver(undefined, { host: '127.0.0.2' })), keep(await startReceiver())]
    const dns = keep(
      await startDns((name) =>
        name === 'good.test'
          ? ['127.0.0.2']
          : name === 'mixed.test'
            ? ['127.0.0.2', '127.0.0.1']
            : name === 'mapped.test'
              ? ['::ffff:127.0.0.1']
              : name === 'compatible.test'
                ? ['::7f00:1']
                : name === 'metadata.test'
                  ? ['169.254.169.254']
                  : [],
      ),
    )
    const one = poster({ dns: dns.address })
    assert.equal((await ask(one, `http://good.test:${outside.port}/`)).status, 204)
    for (const name of ['mixed', 'mapped', 'compatible', 'metadata']) {
      const { failure } = await ask(one, `http://${name}.test:${inside.port}/`)
      assert.deepEqual([failure?.kind, failure?.text], ['blocked', 'address not allowed'], name)
    }
    const { failure } = await ask(one, 'http://unknown.test/')
    assert.equal(failure?.kind, 'dns')
    assert.equal(inside.connections, 0)
  })

  it('a name that changes its answer (rebinding) is asked once for each connection, and dialled by that answer', async () => {
    const [outside, inside] = [keep(await startReceiver(undefined, { host: '127.0.0.2' })), keep(await startReceiver())]
    let now = ['127.0.0.2']
    const dns = keep(await startDns(() => now))
    const one = poster({ dns: dns.address })
    const url = `http://rebinding.test:${outside.port}/`
    assert.equal((await ask(one, url)).status, 204)
    assert.deepEqual(dns.questions.toSorted(), ['A rebinding.test', 'AAAA rebinding.test'])
    now = ['127.0.0.1']
    const reused = await ask(one, url)
    assert.deepEqual([reused.status, reused.ip], [204, '127.0.0.2'], 'a kept connection stays where it was checked')
    assert.equal(outside.connections, 1)
    one.close()
    const fresh = await ask(one, `http://rebinding.test:${inside.port}/`)
    assert.deepEqual([fresh.failure?.kind, inside.connections], ['blocked', 0])
    // Another answer for each question: the one that was checked is the one that is used.
    const turns = keep(await startDns((_name, asked) => (asked % 2 === 1 ? ['127.0.0.2'] : ['127.0.0.1'])))
    const other = poster({ dns: turns.address })
    for (let i = 0; i < 4; i++) {
      await ask(other, `http://turning.test:${outside.port}/`)
      other.close()
    }
    assert.equal(inside.connections, 0)
  })

  it('no redirect is followed', async () => {
    const inside = keep(await startReceiver())
    const one = poster()
    for (const status of [301, 302, 303, 307, 308]) {
      const to = keep(await startReceiver(answer(status, { location: inside.url }), { host: '127.0.0.2' }))
      const { status: seen, failure } = await ask(one, to.url)
      assert.deepEqual([seen, failure?.kind], [status, 'http_status'])
    }
    assert.equal(inside.connections, 0)
  })

  it('WEBHOOK_DENIED_CIDRS closes what is open; the own listener is never reached', async () => {
    const to = keep(await startReceiver(undefined, { host: '127.0.0.2' }))
    assert.equal((await ask(poster({ denied: [parseRange('127.0.0.0/8')] }), to.url)).failure?.kind, 'blocked')
    assert.equal((await ask(poster({ ownPort: to.port }), to.url)).failure?.kind, 'blocked')
    assert.equal(to.connections, 0)
  })

  it('names that are never resolved block no thread: files are read meanwhile', async () => {
    const silent = keep(await startDns(() => null))
    const one = poster({ dns: silent.address, timeout: 1500 })
    const asked = Array.from({ length: 32 }, (_, i) => ask(one, `http://hole${i}.test/`))
    await until(() => silent.questions.length > 20)
    const began = performance.now()
    await fs.promises.stat(os.tmpdir())
    assert.ok(performance.now() - began < 500)
    for (const { failure } of await Promise.all(asked)) assert.equal(failure?.kind, 'dns')
  })
})

describe('one deadline for everything, and answers of every kind', () => {
  const LIMIT = 800
  const timed = async (url: string, options: Parameters<typeof poster>[0] = {}) => {
    const began = performance.now()
    const result = await ask(poster({ timeout: LIMIT, ...options }), url)
    return { ...result, took: performance.now() - began }
  }
  const inTime = (took: number) => assert.ok(took > LIMIT - 50 && took < LIMIT + 500, `${took} ms`)

  it('ends a hang at the deadline and names where it hung', async () => {
    const silent = await tcp(() => undefined)
    const hole = keep(await startDns(() => null))
    const drip = await tcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('X'), 100)
      socket.on('close', () => clearInterval(timer))
    })
    const hints = await tcp((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    for (const [url, kind, text, options] of [
      [`http://127.0.0.2:${silent}/`, 'timeout_headers', /status and headers/],
      [`https://127.0.0.2:${silent}/`, 'tls', /TLS handshake/],
      [`http://127.0.0.2:${drip}/`, 'timeout_headers', /status and headers/],
      [`http://127.0.0.2:${hints}/`, 'timeout_headers', /status and headers/],
      ['http://hole.test/', 'dns', /DNS/, { dns: hole.address }],
    ] as const) {
      const { failure, took, status } = await timed(url, options)
      assert.deepEqual([status, failure?.kind], [null, kind], url)
      assert.match(failure?.text ?? '', text)
      inTime(took)
    }
  })

  it('nothing after the headers of a 2xx can undo it', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n'
    const stalls = await tcp((socket) => void socket.write(`${head}begin`))
    const stalled = await timed(`http://127.0.0.2:${stalls}/`)
    assert.deepEqual([stalled.status, stalled.failure, stalled.truncated], [200, null, true])
    assert.equal(stalled.body.toString(), 'begin')
    inTime(stalled.took)
    const drips = await tcp((socket) => {
      socket.write(head)
      const timer = setInterval(() => socket.write('x'), 50)
      socket.on('close', () => clearInterval(timer))
    })
    inTime((await timed(`http://127.0.0.2:${drips}/`)).took)
    // Later than the headers: what a reset overtakes is lost on its way.
    const resets = await tcp((socket) => socket.write(head, () => setTimeout(() => reset(socket), 100)))
    assert.deepEqual((await timed(`http://127.0.0.2:${resets}/`)).failure, null)
    const broken = await tcp((socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'))
    assert.deepEqual((await timed(`http://127.0.0.2:${broken}/`)).failure, null)
    let sent = 0
    const endless = await tcp((socket) => {
      socket.write(head)
      const chunk = Buffer.alloc(65_536, 'y')
      const more = () => {
        while (!socket.destroyed && socket.writable) {
          sent += chunk.length
          if (!socket.write(chunk)) return void socket.once('drain', more)
        }
      }
      more()
    })
    const huge = await timed(`http://127.0.0.2:${endless}/`)
    assert.deepEqual([huge.status, huge.failure, huge.body.length, huge.truncated], [200, null, 16_384, true])
    assert.ok(huge.took < LIMIT, 'it stops reading')
    assert.ok(sent < 50_000_000, `${sent} bytes were taken`)
    const failing = await tcp((socket) => void socket.write('HTTP/1.1 500 Oops\r\nContent-Length: 10\r\n\r\nbe'))
    const late = await timed(`http://127.0.0.2:${failing}/`)
    assert.deepEqual([late.status, late.failure?.kind, late.body.toString()], [500, 'timeout_body', 'be'])
  })

  it('decompresses nothing, and takes headers of 16 KiB at most', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(10_000_000))
    const to = keep(
      await startReceiver(
        (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
        {
          host: '127.0.0.2',
        },
      ),
    )
    const { body, failure } = await timed(to.url)
    assert.deepEqual([failure, body.equals(bomb.subarray(0, 16_384))], [null, true])
    const large = await tcp((socket) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(65_536)}\r\n\r\n`))
    assert.equal((await timed(`http://127.0.0.2:${large}/`)).failure?.kind, 'protocol')
  })

  it('names what went wrong', async () => {
    const closed = await tcp(() => undefined)
    const unused = net.createServer().listen(0, '127.0.0.2')
    await once(unused, 'listening')
    const { port } = unused.address() as AddressInfo
    unused.close()
    await once(unused, 'close')
    const broken = await tcp((socket) => socket.once('data', () => reset(socket)))
    const ended = await tcp((socket) => socket.once('data', () => socket.end()))
    const junk = await tcp((socket) => socket.once('data', () => socket.end('HTTP/0.9 junk\r\n\r\n')))
    const hints = await tcp((socket) =>
      socket.once('data', () =>
        socket.end(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`),
      ),
    )
    for (const [at, kind] of [
      [port, 'connect'],
      [broken, 'reset'],
      [ended, 'reset'],
      [junk, 'protocol'],
    ] as const)
      assert.equal((await timed(`http://127.0.0.2:${at}/`)).failure?.kind, kind)
    assert.equal((await timed(`https://127.0.0.2:${ended}/`)).failure?.kind, 'tls')
    assert.deepEqual((await timed(`http://127.0.0.2:${hints}/`)).status, 200)
    assert.ok(closed)
  })
})

describe('TLS', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-tls-'))
  stops.push(() => fs.rmSync(folder, { recursive: true, force: true }))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const read = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8')
  const made = (() => {
    try {
      openssl('version')
      return true
    } catch {
      return false
    }
  })()

  it('asks for a certificate of a known authority for the name; an own authority is one', { skip: !made }, async () => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Own CA', '-days', '30')
    for (const name of ['good.test', 'other.test']) {
      openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
      fs.writeFileSync(path.join(folder, 'ext'), `subjectAltName=DNS:${name}`)
      openssl(
        ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
        ...['-out', `${name}.pem`, '-days', '30', '-extfile', 'ext'],
      )
    }
    const dns = keep(await startDns(() => ['127.0.0.2']))
    const serve = async (name: string, more = {}) =>
      keep(
        await startReceiver(undefined, {
          host: '127.0.0.2',
          tls: { key: read(`${name}.key`), cert: read(`${name}.pem`), ...more },
        }),
      )
    const [good, other] = [await serve('good.test'), await serve('other.test')]
    const old = await serve('good.test', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
    const ca = read('ca.pem')
    const at = (port: number) => `https://good.test:${port}/`
    const unknown = await ask(poster({ dns: dns.address }), at(good.port))
    assert.deepEqual([unknown.failure?.kind, good.received.length], ['tls', 0])
    const known = poster({ dns: dns.address, ca })
    const fine = await ask(known, at(good.port))
    assert.deepEqual([fine.failure, fine.status], [null, 204])
    const wrong = await ask(known, at(other.port))
    assert.match(`${wrong.failure?.kind} ${wrong.failure?.text}`, /^tls .*ALTNAME/)
    assert.equal((await ask(known, at(old.port))).failure?.kind, 'tls')
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    assert.equal((await ask(poster({ dns: dns.address }), at(good.port))).failure?.kind, 'tls')
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  })
})

describe('through a proxy', () => {
  async function proxy(reply: (target: string, socket: net.Socket) => void) {
    const asked: string[] = []
    const server = http.createServer((_request, response) => response.writeHead(400).end())
    server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
      reply(request.url ?? '', socket)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    stops.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return { asked, url: new URL(`http://user:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`) }
  }

  it('tunnels names unresolved, judges addresses here, and tells the proxy’s failures from the receiver’s', async () => {
    const to = keep(await startReceiver())
    const tunnel = await proxy((target, socket) => {
      const there = net.connect(to.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(there).pipe(socket)
      })
      assert.equal(target, `any.test:${to.port}`)
    })
    const one = poster({ proxy: tunnel.url })
    const sent = await ask(one, `http://any.test:${to.port}/x`)
    assert.deepEqual([sent.status, sent.ip, sent.failure], [204, null, null])
    const credentials = Buffer.from('user:p@ss').toString('base64')
    assert.deepEqual(tunnel.asked, [`any.test:${to.port} Basic ${credentials}`])
    assert.equal((await ask(one, `http://10.0.0.1:${to.port}/x`)).failure?.kind, 'blocked')
    assert.equal(tunnel.asked.length, 1)
    for (const [status, kind] of [
      [403, 'blocked'],
      [407, 'proxy'],
      [500, 'proxy'],
      [502, 'connect'],
      [504, 'connect'],
    ] as const) {
      const refusing = await proxy((_target, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`))
      assert.equal((await ask(poster({ proxy: refusing.url }), 'http://any.test/')).failure?.kind, kind, String(status))
    }
    const gone = await ask(poster({ proxy: new URL('http://127.0.0.1:1') }), 'http://any.test/')
    assert.equal(gone.failure?.kind, 'proxy')
  })
})
