import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import type http from 'node:http'
import { after, before } from 'node:test'
import { type Client, ProblemError } from '../../client/derived.ts'
import { systemActor } from '../../server/access/actors.ts'
import { agentGate } from '../../server/access/agent-limits/gate.ts'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import { createContext } from '../../server/context.ts'
import type { BlobDriver } from '../../server/drivers/driver.ts'
import { openStorage } from '../../server/drivers/open.ts'
import { createLog } from '../../server/observe/log.ts'
import { blobsOf } from '../../server/process/blobs.ts'
import { publish } from '../../server/process/publish.ts'
import type { Running } from '../../server/process/start.ts'
import { type Answer, request } from '../support/http.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'
import { withTwin } from '../support/twin.ts'

export const MIB = 1024 ** 2

export const GIB = 1024 ** 3

/** The smallest size of a part that is not the last. */
export const PART = 5 * MIB

export const HOUR = 3600_000

export const ABSENT = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'

export const noise = randomBytes(40 * MIB)

/** Some bytes, others from another place. */
export const bytes = (size: number, from = randomInt(0, noise.length - size + 1)) => noise.subarray(from, from + size)

export const digest = (data: Uint8Array) => createHash('md5').update(data)

export const md5 = (data: Uint8Array) => digest(data).digest('hex')

/** The ETag of a multipart object as AWS computes it. */
export const etagOfParts = (...parts: Uint8Array[]) =>
  `${md5(Buffer.concat(parts.map((part) => digest(part).digest())))}-${parts.length}`

export const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

/** How each call ended: `ok` or its problem's code. */
export const outcomes = async (calls: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) => {
    if (one.status === 'fulfilled') return 'ok'
    return one.reason instanceof ProblemError ? one.reason.problem.code : String(one.reason)
  })

export const count = (all: string[], code: string) => all.filter((one) => one === code).length

export interface Named {
  part_number: number
  etag: string
}

export type Init = Parameters<Client['initUpload']>[0]['body']

/** The services' own functions over a test's database, and over its storage or what `wrap` makes of it. */
export async function servicesOf({ database, env, clock }: TestServer, wrap: (storage: BlobDriver) => BlobDriver) {
  const config = readConfig(env)
  const storage = await openStorage(config)
  const admins = [{ id: newId(), name: 'Administrators', global: ['admin' as const], grants: [] }]
  const stopping = new AbortController().signal
  const shared = {
    database,
    config,
    now: clock.now,
    log: createLog('silent', undefined),
    stopping,
    background: () => {},
    worksInBackground: false,
    publish,
    agentGate,
  }
  const blobs = blobsOf(shared, wrap(storage))
  const ctx = createContext({ ...shared, blobs }, { ...systemActor, groups: admins })
  return { ctx, storage }
}

/** The service of a suite, started before and stopped after it, and what its cases ask of it. */
export function uploadsWorld(engine: Engine) {
  let server: TestServer
  /** On PostgreSQL a second service on the same tables and folder. */
  let twin: Running | undefined
  let clients: Client[]
  let buckets = 0
  const client = (i: number) => clients[i % clients.length] as Client
  const open = async (quotaBytes?: number, more: object = {}) => {
    const name = `uploads-${++buckets}`
    const quota = quotaBytes === undefined ? {} : { quota_gb: quotaBytes / GIB }
    await server.admin.createBucket({ body: { name, ...quota, ...more } })
    return name
  }
  const usage = async (name: string) => {
    const { used_bytes, reserved_bytes, object_count, trash_bytes } = await server.admin.getBucket({
      params: { bucket: name },
    })
    return { used_bytes, reserved_bytes, object_count, trash_bytes }
  }
  /** PUTs to a URL as it was given, without a credential. */
  const putAt = (url: string, body: Uint8Array, headers: http.OutgoingHttpHeaders = {}): Promise<Answer> =>
    request({ url: server.url, path: new URL(url).pathname, method: 'PUT', body, headers })
  const refusal = (answer: Answer) => [answer.status, answer.json().code]
  const begin = async (name: string, body: Init, by = server.admin) => {
    const params = { bucket: name }
    const upload = await by.initUpload({ params, body })
    const { upload_id, urls } = upload
    const url = (number: number) => urls[number - 1] ?? assert.fail(`no URL of part ${number}`)
    return {
      ...upload,
      url,
      try: (number: number, data: Uint8Array, headers = {}) => putAt(url(number), data, headers),
      /** Sends a part, which must be accepted, and returns how complete refers to it. */
      async send(number: number, data: Uint8Array): Promise<Named> {
        const answer = await putAt(url(number), data)
        assert.equal(answer.status, 200, answer.body.toString())
        return { part_number: number, etag: answer.json<{ etag: string }>().etag }
      },
      status: (query = {}, who = by) => who.getUpload({ params: { bucket: name, upload_id }, query }),
      complete: (parts: Named[], more: { key?: string; if_none_match?: '*' } = {}, who = by) =>
        who.completeUpload({ params, body: { upload_id, parts, ...more } }),
      abort: (who = by) => who.abortUpload({ params, body: { upload_id } }),
    }
  }
  /** A whole upload of one small part. */
  const store = async (name: string, key: string, data: Uint8Array, more: Partial<Init> = {}) => {
    const upload = await begin(name, { key, file_size: data.length, ...more })
    return upload.complete([await upload.send(1, data)])
  }
  const read = async (name: string, key: string): Promise<Buffer> =>
    Buffer.from(await (await server.admin.getObject({ params: { bucket: name, key } })).arrayBuffer())
  const person = async (...grants: Parameters<TestServer['userWith']>) => {
    const token = await server.userWith(...grants)
    const { id, email, groups } = await server.as(token).me()
    return { id, email, token, client: server.as(token), groupId: groups[0]?.id ?? '' }
  }
  const tick = () => Promise.all([server.running.tick(), twin?.tick()])
  /** After this only what is in use is left. */
  const pastGrace = async () => {
    await server.later(2 * HOUR)
    await tick()
  }

  before(async () => {
    server = await startServer(engine)
    const both = await withTwin(server, engine)
    twin = both.twin
    clients = both.clients
  })
  after(async () => {
    await twin?.stop()
    await server.stop()
  })

  return {
    get server() {
      return server
    },
    get twin() {
      return twin
    },
    client,
    open,
    usage,
    putAt,
    refusal,
    begin,
    store,
    read,
    person,
    tick,
    pastGrace,
  }
}
