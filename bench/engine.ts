import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import * as s3 from '@aws-sdk/client-s3'
import aws4 from 'aws4'
import { type Client, createClient } from '../client/derived.ts'
import type { Scan } from '../contract/scans.ts'
import { connect } from '../server/drivers/s3/client.ts'
import type { Gateway } from '../tests/support/ceph.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { type ServerProcess, spawnServer } from '../tests/support/process.ts'
import { cpuSeconds } from './load.ts'
import { ALLOCATOR, buildService, COMPILED, growthDuring, serviceEnv, WHO } from './service.ts'

/** Connections to an engine that is filled or read without Strongroom. */
export const CONNECTIONS = 16

/** What a bench was asked for on the command line. */
export function asked(): { count: number; postgres: boolean } {
  const { values } = parseArgs({
    options: { objects: { type: 'string', default: '20000' }, postgres: { type: 'boolean', default: false } },
  })
  return { count: Number(values.objects), postgres: values.postgres }
}

export const endpointOf = ({ url }: Gateway): string => new URL(url).searchParams.get('endpoint') ?? ''

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
export const rate = (count: number, ms: number) => `${Math.round((count / ms) * 1000)}/s`
/** How many milliseconds some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

export interface Row {
  measured: string
  beside: string
  ratio: string
  goal: string
}
/** A table whose rows are printed as they come, and all of them in the end. */
export function newTable() {
  const rows: Record<string, Row> = {}
  return {
    report(name: string, row: Row): void {
      rows[name] = row
      console.log(`${name}: ${row.measured} | ${row.beside} | ${row.ratio} | ${row.goal}`)
    },
    print: () => console.table(rows),
  }
}
export type Table = ReturnType<typeof newTable>

/** Works on all of them, so many at a time. */
export async function each<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

export type EngineBucket = Awaited<ReturnType<typeof engineBucket>>

/** A bucket of a real engine, made if it is not there, that is used without Strongroom. */
export async function engineBucket(gateway: Gateway, Bucket: string) {
  const { credentials } = gateway
  const endpoint = endpointOf(gateway)
  const { hostname, port } = new URL(endpoint)
  const client = connect({ bucket: Bucket, prefix: '', endpoint, credentials })
  await client.send(new s3.CreateBucketCommand({ Bucket }))
  const agent = new http.Agent({ keepAlive: true })

  /** A request as cheap as it can be, for a key that needs no encoding. Returns the body of the answer. */
  async function send(method: string, key: string, body = ''): Promise<Buffer> {
    const sent = aws4.sign(
      { hostname, port: Number(port), method, path: `/${Bucket}/${key}`, service: 's3', body },
      credentials,
    )
    const request = http.request({ ...sent, agent } as http.RequestOptions)
    request.end(body)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const answer = await buffer(response)
    if (response.statusCode !== 200) throw new Error(`${method} ${key}: ${response.statusCode}`)
    return answer
  }
  /** All objects in key order. */
  async function* listed(): AsyncGenerator<s3._Object> {
    let ContinuationToken: string | undefined
    do {
      const page: s3.ListObjectsV2CommandOutput = await client.send(
        new s3.ListObjectsV2Command({ Bucket, ContinuationToken }),
      )
      yield* page.Contents ?? []
      ContinuationToken = page.NextContinuationToken
    } while (ContinuationToken)
  }
  return {
    bucket: Bucket,
    send,
    listed,
    async count(): Promise<number> {
      let count = 0
      for await (const _ of listed()) count++
      return count
    },
    /** Writes these keys; the body of each is the key. */
    fill: (keys: Iterable<string>) => each(keys, CONNECTIONS, (key) => send('PUT', key, key)),
    async empty(): Promise<void> {
      const found: { Key: string }[] = []
      for await (const { Key = '' } of listed()) found.push({ Key })
      for (let at = 0; at < found.length; at += 1000)
        await client.send(
          new s3.DeleteObjectsCommand({ Bucket, Delete: { Objects: found.slice(at, at + 1000), Quiet: true } }),
        )
    },
    close(): void {
      agent.destroy()
      client.destroy()
    },
  }
}

/** Fills a bucket with these keys unless it has as many, and measures what a scan cannot do without: all pages of its list. */
export async function fillOnce({ count, fill }: EngineBucket, keys: readonly string[]): Promise<number> {
  if ((await count()) !== keys.length) {
    const filling = await timed(() => fill(keys))
    console.log(`${keys.length} objects were written in ${seconds(filling)}, ${rate(keys.length, filling)}`)
  }
  const floor = await timed(count)
  console.log(`listing them takes ${seconds(floor)}, ${rate(keys.length, floor)}`)
  return floor
}

/** Has some work done with a compiled service and its administrator, and ends the service. */
export async function withService(
  { postgres: usesPostgres }: { postgres: boolean },
  work: (server: ServerProcess, client: Client) => Promise<void>,
): Promise<void> {
  buildService()
  const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
  const postgres = usesPostgres ? await startPostgres() : undefined
  const env = serviceEnv(folder, postgres && (await createDatabase(postgres.url)).url)
  const server = await spawnServer({ ...env, ...ALLOCATOR }, ['serve'], COMPILED)
  try {
    const { access_token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
    // The login's own token would expire before a scan of a million ends.
    const { token } = await createClient({ baseUrl: server.url, token: access_token }).createToken({
      body: { name: 'bench' },
    })
    await work(server, createClient({ baseUrl: server.url, token }))
  } finally {
    await server.kill('SIGTERM')
    await postgres?.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** A bucket of an engine as the body of a storage that an endpoint reaches. */
export const placeOf = ({ credentials }: Gateway, bucket: string, endpoint: string) => ({
  endpoint,
  bucket,
  access_key_id: credentials.accessKeyId,
  secret_access_key: credentials.secretAccessKey,
})

export interface Cost<T> {
  result: T
  ms: number
  /** By how much the resident memory grew at its peak. */
  mb: number
  /** Seconds of CPU time. */
  cpu: number
}
/** What some work costs a service. */
export async function cost<T>(server: ServerProcess, work: () => Promise<T>): Promise<Cost<T>> {
  const before = cpuSeconds(server.child.pid)
  const results: T[] = []
  const { mb, seconds: took } = await growthDuring(server, async () => results.push(await work()))
  return { result: results[0] as T, ms: took * 1000, mb, cpu: cpuSeconds(server.child.pid) - before }
}

/** Waits until the latest scan of a bucket has ended, and does something in between. */
export async function scanEnded(client: Client, bucket: string, meanwhile: () => Promise<unknown>): Promise<Scan> {
  for (;;) {
    const { items } = await client.listScans({ params: { bucket }, query: { limit: 1 } })
    const [scan] = items
    if (scan && scan.status !== 'queued' && scan.status !== 'running') return scan
    await meanwhile()
  }
}

/** Throws unless a scan came to its end and saw so many objects. */
export function assertSeen(name: string, { status, detail, seen }: Scan, count: number): void {
  if (status !== 'succeeded') throw new Error(`The ${name} ended as ${status}: ${detail}`)
  if (seen !== count) throw new Error(`The ${name} saw ${seen} objects instead of ${count}`)
}
