import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** How an engine behaves that is reached through the proxy: as it does, or badly towards objects of a body. */
export type Behaviour = 'well' | 'hangs' | 'stalls' | 'fails' | 'lies' | 'changes'

/**
 * An HTTP proxy in front of an S3 engine. `hangs`: nothing is answered. `stalls`: nor is what is to be stored taken, while all else works. `fails`: 500. `lies`: what is stored is acknowledged, and
 * not stored. `changes`: one byte of what is read is another.
 */
export async function badEngine(target: string) {
  const { hostname, port } = new URL(target)
  let behaviour: Behaviour = 'well'
  let asked = 0
  const waiting = new Set<http.ServerResponse>()
  const server = http.createServer((request, response) => {
    const { method, url, headers } = request
    asked++
    if (behaviour === 'hangs') {
      waiting.add(response)
      request.resume()
      return
    }
    if (behaviour === 'stalls' && method === 'PUT') {
      waiting.add(response)
      return
    }
    if (behaviour === 'fails') {
      request.resume()
      response.writeHead(500).end()
      return
    }
    if (behaviour === 'lies' && method === 'PUT') {
      request.resume()
      request.once('end', () => response.writeHead(200, { etag: '"d41d8cd98f00b204e9800998ecf8427e"' }).end())
      return
    }
    const upstream = http.request({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      let isChanged = behaviour !== 'changes' || method !== 'GET'
      answer.on('data', (chunk: Buffer) => {
        if (!isChanged) chunk[0] = (chunk[0] ?? 0) ^ 1
        isChanged = true
        response.write(chunk)
      })
      answer.on('end', () => response.end())
      answer.on('error', () => response.destroy())
    })
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many requests there were. */
    asked: () => asked,
    behave(how: Behaviour) {
      behaviour = how
      for (const response of waiting) response.destroy()
      waiting.clear()
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
