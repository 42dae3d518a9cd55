/**
 * Calls of tools a second over MCP, next to the same by the API: browsing a folder of a bucket, by an agent.
 * `node bench/mcp.ts [--seconds N] [--rounds N] [--connections N]`.
 */
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import { spawnServer } from '../tests/support/process.ts'
import { cpuSeconds, median } from './load.ts'
import { buildService, COMPILED, serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
  },
})
const REVISION = '2026-07-28'
const OBJECTS = 50

interface Asked {
  path: string
  method: string
  headers: Record<string, string>
  body?: string
}

buildService()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-mcp-'))
const server = await spawnServer(serviceEnv(folder), ['serve'], COMPILED)
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(options.connections) })
try {
  const { access_token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  const client = createClient({ baseUrl: server.url, token: access_token })
  await client.createBucket({ body: { name: 'bench' } })
  for (let i = 0; i < OBJECTS; i++)
    await client.putObject({ params: { bucket: 'bench', key: `a/${i}.txt` }, body: 'x' })
  const { token } = await client.createAgent({
    body: { name: 'bench', scope: [{ bucket: 'bench', actions: ['list'] }] },
  })
  const authorization = `Bearer ${token}`
  const call = (extra: object) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'browse', arguments: { bucket: 'bench', prefix: 'a/' }, ...extra },
    })
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const json = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const rows: [what: string, asked: Asked][] = [
    [
      `MCP ${REVISION}`,
      {
        path: '/mcp',
        method: 'POST',
        headers: { ...json, 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': 'browse' },
        body: call({ _meta: meta }),
      },
    ],
    [
      'MCP before that',
      { path: '/mcp', method: 'POST', headers: { ...json, 'mcp-protocol-version': '2025-11-25' }, body: call({}) },
    ],
    ['API', { path: '/api/v1/buckets/bench/browse?prefix=a/&limit=50', method: 'GET', headers: { authorization } }],
  ]
  for (const [what, asked] of rows) {
    await measure(asked)
    const found: { rate: number; cpu: number }[] = []
    for (let i = 0; i < Number(options.rounds); i++) found.push(await measure(asked))
    const [rate, cpu] = [median(found.map((one) => one.rate)), median(found.map((one) => one.cpu))]
    console.log(`| ${what} | ${rate.toFixed(0)}/s | ${cpu.toFixed(2)} ms |`)
  }
} finally {
  agent.destroy()
  await server.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true })
}

/** Requests a second for some time, and CPU time of the service for each. */
async function measure(asked: Asked): Promise<{ rate: number; cpu: number }> {
  const before = cpuSeconds(server.child.pid)
  const from = performance.now()
  const until = from + Number(options.seconds) * 1000
  let count = 0
  const work = async () => {
    while (performance.now() < until) {
      await once(asked)
      count++
    }
  }
  await Promise.all(Array.from({ length: Number(options.connections) }, work))
  const seconds = (performance.now() - from) / 1000
  return { rate: count / seconds, cpu: ((cpuSeconds(server.child.pid) - before) * 1000) / count }
}

function once({ path, method, headers, body = '' }: Asked): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = http.request(`${server.url}${path}`, { agent, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        if (response.statusCode === 200 && text.includes('a/7.txt') && !text.includes('"isError":true')) resolve()
        else reject(new Error(`${response.statusCode}: ${text.slice(0, 500)}`))
      })
    })
    sent.on('error', reject).end(body)
  })
}
