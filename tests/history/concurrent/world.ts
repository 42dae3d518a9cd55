// Three processes of a service on one PostgreSQL: two that are asked, and one that may be killed while it works on jobs.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '../../../client/derived.ts'
import { type Database, openDatabase } from '../../../server/db/open.ts'
import { endLeases } from '../../support/leases.ts'
import { migratedPostgres } from '../../support/migrated.ts'
import { createDatabase, postgresUrl } from '../../support/postgres.ts'
import { type ServerProcess, spawnServer } from '../../support/process.ts'
import { ADMIN, serverEnv } from '../../support/server.ts'
import type { Item, Span, State } from './order.ts'

export interface Answer extends Span {
  status: number
  moment: string | null
  text: string
}
/** As of contents that are not encrypted. */
export const etagOf = (text: string): string => createHash('md5').update(text).digest('hex')

interface Asked {
  body?: unknown
  headers?: Record<string, string>
  /** Of which process; by default of the next one. */
  of?: ServerProcess
}

export class World {
  readonly #env: Record<string, string>
  readonly #drop: () => Promise<void>
  readonly #services: ServerProcess[]
  readonly #token: string
  readonly #texts = new Map<string, string>()
  #asked = 0
  #clock = 0
  #isKilling = false
  kills = 0
  readonly database: Database
  /** Of the first process, and of the second one. */
  readonly clients: readonly [Client, Client]
  /** Works on jobs as well, and is the next to be killed. */
  #spare: Promise<ServerProcess> | undefined

  private constructor(given: {
    env: Record<string, string>
    drop: () => Promise<void>
    services: ServerProcess[]
    token: string
    database: Database
  }) {
    this.#env = given.env
    this.#drop = given.drop
    this.#services = given.services
    this.#token = given.token
    this.database = given.database
    const [first, second] = given.services.map(({ url }) => createClient({ baseUrl: url, token: given.token }))
    this.clients = [first as Client, second as Client]
  }

  static async open(): Promise<World> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-order-'))
    const postgres = await createDatabase(await postgresUrl(), migratedPostgres)
    const env = { ...serverEnv(folder, postgres.url), INLINE_MAX_BYTES: '24' }
    const first = await spawnServer(env)
    const second = await spawnServer(env)
    const login = { body: { username: ADMIN.email, password: ADMIN.password } }
    const { access_token } = await createClient({ baseUrl: first.url }).login(login)
    const client = createClient({ baseUrl: first.url, token: access_token })
    const { token } = await client.createToken({ body: { name: 'writers' } })
    const drop = async () => {
      await postgres.drop()
      fs.rmSync(folder, { recursive: true, force: true })
    }
    const database = await openDatabase(postgres.url)
    return new World({ env, drop, services: [first, second], token, database })
  }

  /** A time that is after every one before. */
  tick(): number {
    return ++this.#clock
  }

  #next(): ServerProcess {
    return this.#services[this.#asked++ % this.#services.length] as ServerProcess
  }

  /** Sends a request to one process after another; one to read again while the machine has too much to do. */
  async ask(method: string, url: string, asked: Asked = {}): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#ask(method, url, asked)
      if (answer.status !== 503 || method !== 'GET' || tries === 10) {
        assert.ok(answer.status < 500, `${answer.what} ${answer.text}`)
        return answer
      }
    }
  }
  async #ask(method: string, url: string, { body, headers = {}, of = this.#next() }: Asked): Promise<Answer> {
    const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof FormData)
    const sent = this.tick()
    const response = await fetch(`${of.url}/api/v1${url}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as string) }),
    })
    const text = await response.text()
    const answered = this.tick()
    const what = `${method} ${url} ${isJson ? JSON.stringify(body) : ''} (${sent}-${answered}): ${response.status}`
    return { what, sent, answered, status: response.status, moment: response.headers.get('x-strongroom-moment'), text }
  }

  /** Remembers contents by their ETag. */
  contents(text: string): string {
    this.#texts.set(etagOf(text), text)
    return text
  }
  textOf(etag: string): string {
    return this.#texts.get(etag) ?? assert.fail(`nobody wrote what has the ETag ${etag}`)
  }

  /** What the answer about an object says of it. */
  itemOf(said: {
    etag: string
    content_type: string
    metadata: Record<string, string>
    tags?: Record<string, string>
  }): Item {
    const { etag, content_type: type, metadata, tags = {} } = said
    return { text: this.textOf(etag), type, metadata, tags }
  }

  /** What a bucket is, or was, as its list has it; the bytes of these keys are read as well. */
  async stateOf(
    bucket: string,
    at?: string,
    { bytes = [] }: { bytes?: 'all' | readonly string[] } = {},
  ): Promise<State> {
    const past = at === undefined ? '' : `&at=${at}`
    const answer = await this.ask('GET', `/buckets/${bucket}/objects?limit=1000${past}`)
    assert.equal(answer.status, 200, `${answer.what} ${answer.text}`)
    const { items } = JSON.parse(answer.text) as { items: ({ key: string } & Parameters<World['itemOf']>[0])[] }
    const state = Object.fromEntries(items.map((item) => [item.key, this.itemOf(item)]))
    const asked = Object.entries(state).filter(([key]) => bytes === 'all' || bytes.includes(key))
    await Promise.all(
      asked.map(async ([key, { text }]) => {
        const query = at === undefined ? '' : `?at=${at}`
        const read = await this.ask('GET', `/buckets/${bucket}/objects/${encodeURIComponent(key)}${query}`)
        assert.equal(read.text, text, read.what)
      }),
    )
    return state
  }

  /** Asks another process for a job, and kills that a few ms later, in the midst of it or not; then there is a new one. */
  async killAtJob(body: object, afterMs: number): Promise<Answer> {
    // One at a time.
    if (this.#isKilling) return this.ask('POST', '/jobs', { body })
    this.#isKilling = true
    const spare = this.#spare ?? spawnServer(this.#env)
    this.#spare = undefined
    const worker = await spare
    const answer = await this.ask('POST', '/jobs', { body, of: worker })
    await pause(afterMs)
    await worker.kill('SIGKILL')
    await endLeases(this.database, 'jobs')
    // Looks for jobs to go on with when it starts.
    this.#spare = spawnServer(this.#env)
    await this.#spare
    this.#isKilling = false
    this.kills++
    return answer
  }

  async stop(): Promise<void> {
    for (const service of [...this.#services, await this.#spare]) await service?.kill('SIGKILL')
    await this.database.close()
    await this.#drop()
  }
}
