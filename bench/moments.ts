/**
 * What it costs that every moment of a bucket is kept: changes beside the same ones in a database whose triggers are dropped,
 * and pages of a bucket as it was beside the same pages now. `node bench/moments.ts [--objects N] [--changes N] [--rounds N]`.
 */
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { type Client, createClient } from '../client/derived.ts'
import { spawnServer } from '../tests/support/process.ts'
import { cpuSeconds, median } from './load.ts'
import { flat, seedObjects } from './seed.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000000' },
    changes: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '5' },
  },
})
const [OBJECTS, CHANGES, ROUNDS] = [options.objects, options.changes, options.rounds].map(Number) as [
  number,
  number,
  number,
]
const CONNECTIONS = 16
const TRIGGERS = ['objects_inserted', 'objects_changed', 'objects_deleted', 'objects_changed_silently']

buildService()

/** A service of its own; `keeps`: as it is, or without what keeps moments. */
async function open(keeps: boolean) {
  const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
  const start = () => spawnServer({ ...serviceEnv(folder), ...ALLOCATOR, WORKERS: '1' }, ['serve'], COMPILED)
  let server = await start()
  if (!keeps) {
    await server.kill('SIGTERM')
    const database = new DatabaseSync(path.join(folder, 'strongroom.db'))
    for (const name of TRIGGERS) database.exec(`drop trigger ${name}`)
    database.exec('drop index objects_by_moment')
    database.close()
    server = await start()
  }
  const { access_token: token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  const client: Client = createClient({ baseUrl: server.url, token })
  await client.createBucket({ body: { name: 'bench' } })
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  /** CPU time of the service for one of these requests, in ms. */
  async function cost(method: string, keys: readonly string[], body?: Buffer): Promise<number> {
    const before = cpuSeconds(server.child.pid)
    const left = keys.values()
    const work = async () => {
      for (const key of left)
        await new Promise<void>((resolve, reject) => {
          const url = `${server.url}/api/v1/buckets/bench/objects/${key}`
          const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-length': body.length }) }
          const request = http.request(url, { method, agent, headers }, (response) => {
            response.resume().on('end', () => {
              if ((response.statusCode ?? 500) < 300) resolve()
              else reject(new Error(`${method} ${response.statusCode}`))
            })
          })
          request.on('error', reject).end(body)
        })
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
    return ((cpuSeconds(server.child.pid) - before) * 1000) / keys.length
  }
  /** The same for each object of a folder that a job moves. */
  async function moveCost(from: string, to: string, objects: number): Promise<number> {
    const before = cpuSeconds(server.child.pid)
    const body = {
      kind: 'move',
      source_bucket: 'bench',
      prefix: from,
      dest_bucket: 'bench',
      dest_prefix: to,
    } as const
    let job = await client.createJob({ body })
    while (job.status === 'queued' || job.status === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 20))
      job = await client.getJob({ params: { id: job.id } })
    }
    if (job.done !== objects) throw new Error(`The job moved ${job.done} of ${objects} objects`)
    return ((cpuSeconds(server.child.pid) - before) * 1000) / objects
  }
  return { server, folder, client, token, cost, moveCost }
}
type Service = Awaited<ReturnType<typeof open>>

const services: [Service, Service] = [await open(true), await open(false)]
const [keeping] = services
const rows: Record<string, { kept: string; without: string; ratio: string; goal: string }> = {}
const body = Buffer.alloc(4096, 'strongroom ')

/** Runs the same on both services in turns, and notes the median of what each took. */
async function compare(
  name: string,
  goal: string,
  unit: string,
  run: (one: Service, round: number) => Promise<number>,
) {
  const found: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++)
    for (const i of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      found[i].push(await run(services[i], round))
  const [kept, without] = [median(found[0]), median(found[1])]
  const ratio = median(found[0].map((one, i) => one / (found[1][i] ?? 1)))
  rows[name] = {
    kept: `${kept.toFixed(3)} ${unit}`,
    without: `${without.toFixed(3)} ${unit}`,
    ratio: ratio.toFixed(2),
    goal,
  }
  console.log(name, rows[name])
}

try {
  const keysOf = (round: number) =>
    Array.from({ length: CHANGES }, (_, i) => `folder/${round}/${String(i).padStart(6, '0')}`)
  for (const one of services) await one.cost('PUT', keysOf(-1), body)
  await compare('PUT of a new key, 4 KiB', '≤ 1.1', 'ms CPU', (one, round) => one.cost('PUT', keysOf(round), body))
  await compare('PUT over an object', '≤ 1.1', 'ms CPU', (one, round) => one.cost('PUT', keysOf(round), body))
  await compare('move of a folder, an object', '≤ 1.1', 'ms CPU', (one, round) =>
    one.moveCost(`folder/${round}/`, `moved/${round}/`, CHANGES),
  )
  await compare('DELETE', '≤ 1.1', 'ms CPU', (one, round) =>
    one.cost(
      'DELETE',
      keysOf(round).map((key) => key.replace('folder/', 'moved/')),
    ),
  )

  // A million objects, a fifth of which is written over, and a twentieth deleted.
  await keeping.client.createBucket({ body: { name: 'large' } })
  await keeping.server.kill('SIGTERM')
  await seedObjects(`sqlite:${path.join(keeping.folder, 'strongroom.db')}`, 'large', flat(OBJECTS))
  keeping.server = await spawnServer({ ...serviceEnv(keeping.folder), ...ALLOCATOR, WORKERS: '1' }, ['serve'], COMPILED)
  const { access_token: token } = await createClient({ baseUrl: keeping.server.url }).login({ body: WHO })
  const client = createClient({ baseUrl: keeping.server.url, token })
  const at = new Date().toISOString()
  const database = new DatabaseSync(path.join(keeping.folder, 'strongroom.db'))
  let moment = Date.now() * 1000 + 1_000_000
  database.function('strongroom_moment', (_floor) => BigInt(moment))
  database.function('strongroom_author', () => null)
  const large = database.prepare("select id from buckets where name = 'large'").get()?.id as string
  database.prepare(`update objects set etag = 'x', moment = ${moment} where bucket_id = ? and rowid % 5 = 0`).run(large)
  moment++
  database.prepare('delete from objects where bucket_id = ? and rowid % 20 = 1').run(large)
  database.close()
  const names = [...flat(OBJECTS)]
  for (const [place, from] of [
    ['first', 0],
    ['middle', OBJECTS >> 1],
    ['last', OBJECTS - 1100],
  ] as const) {
    const cursor = from === 0 ? undefined : Buffer.from(JSON.stringify([names[from]])).toString('base64url')
    const query = { limit: 1000, ...(cursor === undefined ? {} : { cursor }) }
    const timeOf = async (more: object) => {
      const began = performance.now()
      await client.listObjects({ params: { bucket: 'large' }, query: { ...query, ...more } })
      return performance.now() - began
    }
    const [then, now]: [number[], number[]] = [[], []]
    for (let round = 0; round < 20; round++) {
      then.push(await timeOf({ at }))
      now.push(await timeOf({}))
    }
    const [kept, without] = [median(then), median(now)]
    rows[`${place} page of 1,000 at a moment`] = {
      kept: `${kept.toFixed(1)} ms`,
      without: `${without.toFixed(1)} ms now`,
      ratio: (kept / without).toFixed(2),
      goal: '≤ 2',
    }
  }
} finally {
  for (const { server, folder } of services) {
    await server.kill('SIGTERM')
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
console.table(rows)
