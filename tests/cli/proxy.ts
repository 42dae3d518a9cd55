import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service's address that can be cut off from it. */
export interface CuttingProxy {
  url: string
  /** Requests that passed, with their range. */
  seen: string[]
  /** Number of parts that pass; later ones wait forever. */
  parts: number
  /** Number of requests for a job that get no answer: their connections break. */
  away: number
  /** Bytes after which the next long answer breaks off, once. */
  cutAfter: number
  close(): Promise<void>
}

/** Passes requests on to a service, and can keep them from arriving. */
export async function startProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const proxy: CuttingProxy = {
    url: '',
    seen: [],
    parts: Number.POSITIVE_INFINITY,
    away: 0,
    cutAfter: 0,
    async close() {
      listener.closeAllConnections()
      listener.close()
      await once(listener, 'close')
    },
  }
  const listener = http.createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    if (url.startsWith('/api/v1/parts/') && proxy.parts-- <= 0) return
    if (proxy.away > 0 && /^\/api\/v1\/jobs\/./.test(url)) {
      proxy.away--
      return void outgoing.destroy()
    }
    proxy.seen.push(`${method} ${url} ${headers.range ?? ''}`)
    const onward = http.request({ hostname, port, path: url, method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (proxy.cutAfter === 0 || bytes < proxy.cutAfter) return
        proxy.cutAfter = 0
        // What was written before reaches the client first.
        outgoing.write('', () => outgoing.destroy())
      })
      answer.on('error', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  proxy.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  return proxy
}
