/**
 * What it costs to attach a filled bucket of a real engine, which shares this machine: the first scan, a quiet one after it,
 * and what people wait for meanwhile. `node bench/attach.ts [--objects N] [--postgres]`. An engine that
 * TEST_S3_URL names keeps its objects for the next run.
 */
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import * as s3 from '@aws-sdk/client-s3'
import aws4 from 'aws4'
import { type Client, createClient } from '../client/derived.ts'
import type { Scan } from '../contract/scans.ts'
import { connect } from '../server/blobs/drivers/s3/client.ts'
import { cephGateway, type Gateway, noGateway } from '../tests/support/ceph.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { type ServerProcess, spawnServer } from '../tests/support/process.ts'
import { cpuSeconds, median } from './load.ts'
import { inFolders } from './seed.ts'
import { ALLOCATOR, buildService, COMPILED, growthDuring, serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({
  options: {
    objects: { type: 'string', default: '20000' },
    postgres: { type: 'boolean', default: false },
  },
})
const COUNT = Number(options.objects)
const CONNECTIONS = 16
const BUCKET = 'attached'
const PLACE = `bench-attach-${COUNT}`
/** Requests of each kind after the scans, to compare with those during the first. */
const ASKED = 50

const rows: Record<string, { measured: string; beside: string; ratio: string; goal: string }> = {}
const report = (name: string, row: (typeof rows)[string]): void => {
  rows[name] = row
  console.log(`${name}: ${row.measured} | ${row.beside} | ${row.ratio} | ${row.goal}`)
}
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
const perSecond = (ms: number) => `${Math.round((COUNT / ms) * 1000)}/s`
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const gateway = await cephGateway()
if (!gateway) throw new Error(noGateway)
const endpoint = new URL(gateway.url).searchParams.get('endpoint') ?? ''
const engine = connect({ bucket: PLACE, prefix: '', endpoint, credentials: gateway.credentials })
await engine.send(new s3.CreateBucketCommand({ Bucket: PLACE }))
if ((await countAll()) !== COUNT) {
  const filling = await timed(() => fill(gateway))
  console.log(`${COUNT} objects were written in ${seconds(filling)}, ${perSecond(filling)}`)
}
const floor = await timed(countAll)
console.log(`listing them takes ${seconds(floor)}, ${perSecond(floor)}`)
await measure(gateway)
engine.destroy()
await gateway.stop()

async function measure({ credentials }: Gateway): Promise<void> {
  buildService()
  const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
  const postgres = options.postgres ? await startPostgres() : undefined
  const env = serviceEnv(folder, postgres && (await createDatabase(postgres.url)).url)
  const server = await spawnServer({ ...env, ...ALLOCATOR }, ['serve'], COMPILED)
  try {
    const { access_token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
    // The login's own token would expire before a scan of a million ends.
    const { token } = await createClient({ baseUrl: server.url, token: access_token }).createToken({
      body: { name: 'bench' },
    })
    const client = createClient({ baseUrl: server.url, token })
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = credentials
    await client.createStorage({
      body: { name: 'engine', endpoint, bucket: PLACE, access_key_id, secret_access_key },
    })
    await measureScans(server, client)
  } finally {
    await server.kill('SIGTERM')
    await postgres?.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
  console.table(rows)
}

async function measureScans(server: ServerProcess, client: Client): Promise<void> {
  const params = { bucket: BUCKET }
  const asks = {
    'first page': () => client.browse({ params, query: { prefix: 'photos-0000/', limit: 100 } }),
    search: () => client.listObjects({ params, query: { search: '_0042', limit: 100 } }),
  }
  const times: Record<keyof typeof asks, number[]> = { 'first page': [], search: [] }
  async function ask(into: typeof times): Promise<void> {
    for (const [name, work] of Object.entries(asks) as [keyof typeof asks, () => Promise<unknown>][])
      into[name].push(await timed(work))
  }
  const created = await cost(server, async () => {
    await client.createBucket({ body: { name: BUCKET, mode: 'read_only', storage: 'engine' } })
    const meanwhile = async () => {
      await ask(times)
      await pause(100)
    }
    return ended(client, meanwhile)
  })
  tell('first scan', created, '1 M in 10 min')
  const again = await cost(server, async () => {
    await client.startScan({ params })
    return ended(client, () => pause(50))
  })
  tell('quiet scan', again, '1 M in 3 min')

  const quiet: typeof times = { 'first page': [], search: [] }
  for (let i = 0; i < ASKED; i++) await ask(quiet)
  for (const name of Object.keys(asks) as (keyof typeof asks)[]) {
    const [during, afterwards] = [median(times[name]), median(quiet[name])]
    report(`${name} during the first scan`, {
      measured: `${during.toFixed(1)} ms, ${Math.max(...times[name]).toFixed(0)} ms at most, of ${times[name].length}`,
      beside: `afterwards ${afterwards.toFixed(1)} ms`,
      ratio: (during / afterwards).toFixed(2),
      goal: '',
    })
  }
  const { object_count } = await client.getBucket({ params })
  if (object_count !== COUNT) throw new Error(`It shows ${object_count} objects instead of ${COUNT}`)
}

interface Cost {
  scan: Scan
  ms: number
  /** By how much the resident memory grew at its peak. */
  mb: number
  cpu: number
}
async function cost(server: ServerProcess, work: () => Promise<Scan>): Promise<Cost> {
  const before = cpuSeconds(server.child.pid)
  let scan: Scan | undefined
  const { mb, seconds: took } = await growthDuring(server, async () => {
    scan = await work()
  })
  return { scan: scan as Scan, ms: took * 1000, mb, cpu: cpuSeconds(server.child.pid) - before }
}
function tell(name: string, { scan, ms, mb, cpu }: Cost, goal: string): void {
  if (scan.status !== 'succeeded') throw new Error(`The ${name} ended as ${scan.status}: ${scan.detail}`)
  if (scan.seen !== COUNT) throw new Error(`The ${name} saw ${scan.seen} objects instead of ${COUNT}`)
  report(name, {
    measured: `${seconds(ms)}, ${perSecond(ms)}, CPU ${cpu.toFixed(1)} s`,
    beside: `bare list ${seconds(floor)}`,
    ratio: `${(ms / floor).toFixed(2)} ×`,
    goal,
  })
  report(`memory during the ${name}`, {
    ...{ measured: `${Math.round(mb)} MB of RSS more`, beside: '', ratio: '', goal: 'flat: the same for any number' },
  })
}

/** Waits until the latest scan has ended, and does something in between. */
async function ended(client: Client, meanwhile: () => Promise<unknown>): Promise<Scan> {
  for (;;) {
    const { items } = await client.listScans({ params: { bucket: BUCKET }, query: { limit: 1 } })
    const [scan] = items
    if (scan && scan.status !== 'queued' && scan.status !== 'running') return scan
    await meanwhile()
  }
}

/** What a scan cannot do without: every page of the list, asked for by the same client. */
async function countAll(): Promise<number> {
  let count = 0
  let ContinuationToken: string | undefined
  do {
    const page: s3.ListObjectsV2CommandOutput = await engine.send(
      new s3.ListObjectsV2Command({ Bucket: PLACE, EncodingType: 'url', ContinuationToken }),
    )
    count += page.Contents?.length ?? 0
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken)
  return count
}

async function fill({ credentials }: Gateway): Promise<void> {
  const { hostname, port } = new URL(endpoint)
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  async function put(key: string): Promise<void> {
    const sent = aws4.sign(
      { ...{ hostname, port: Number(port), method: 'PUT', path: `/${PLACE}/${key}`, service: 's3' }, body: key },
      credentials,
    )
    const request = http.request({ ...sent, agent } as http.RequestOptions)
    request.end(key)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    response.resume()
    await once(response, 'end')
    if (response.statusCode !== 200) throw new Error(`PUT ${key}: ${response.statusCode}`)
  }
  const keys = inFolders(COUNT)
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (const key of keys) await put(key)
    }),
  )
  agent.destroy()
}
