import { after, before, beforeEach } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { type Client, ProblemError } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import { request } from '../support/http.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'

export const MINUTE = 60_000

export const HOUR = 60 * MINUTE

export const DAY = 24 * HOUR

export const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

/** How each call ended: `ok` or its problem's code. */
export const outcomes = async (calls: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) => {
    if (one.status === 'fulfilled') return 'ok'
    return one.reason instanceof ProblemError ? one.reason.problem.code : String(one.reason)
  })

export const count = (all: string[], code: string) => all.filter((one) => one === code).length

/** The service of a suite, started before and stopped after it, and what its cases ask of it. */
export function tokensWorld(engine: Engine) {
  let server: TestServer
  let twin: ServerProcess | undefined
  /** Bad tokens are counted by address in each process, and both engines' suites run in this one. */
  const address = (host: number) => `${engine === 'sqlite' ? '198.51.100' : '203.0.113'}.${host}`
  const send = (method: string, url: string, token: string, body?: object, headers = {}) =>
    request({
      url: server.url,
      path: `/api/v1${url}`,
      method,
      token,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const ask = (token: string, ip?: string) =>
    send('GET', '/auth/me', token, undefined, ip === undefined ? {} : { 'x-forwarded-for': ip })
  const statusOf = async (token: string, ip?: string) => (await ask(token, ip)).status
  const person = async (...grants: Parameters<TestServer['userWith']>) => {
    const jwt = await server.userWith(...grants)
    const client = server.as(jwt)
    const { id, email, groups } = await client.me()
    return { id, email, jwt, client, groupId: groups[0]?.id ?? '' }
  }
  const keepSecret = (token: string) => void server.secrets.add(token).add(token.slice(-20))
  const make = async (by: Client, expires_in?: string | number, name = 'ci') => {
    const made = await by.createToken({ body: { name, ...(expires_in === undefined ? {} : { expires_in }) } })
    keepSecret(made.token)
    return { ...made, client: server.as(made.token) }
  }
  const rotate = async (by: Client, id: string, grace_seconds?: number) => {
    const made = await by.rotateToken({ params: { id }, body: grace_seconds === undefined ? {} : { grace_seconds } })
    keepSecret(made.token)
    return made
  }
  const revoke = (by: Client, id: string, cascade?: boolean) =>
    by.revokeToken({ params: { id }, query: cascade === undefined ? {} : { cascade } })
  const rowOf = (id: string) =>
    server.database.db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const listed = async (by: Client, id: string) => (await by.listTokens()).items.find((one) => one.id === id)
  const run = (statement: string) => server.database.transaction((tx) => sql.raw(statement).execute(tx))
  /** Holds what this statement locks on PostgreSQL until it ends. */
  const holding = async (lock: string, ...values: string[]) => {
    const client = new pg.Client({ connectionString: server.env.DATABASE_URL })
    await client.connect()
    await client.query('begin')
    await client.query(lock, values)
    return () => client.end()
  }
  /** How many transactions wait for a lock. */
  const waiting = () =>
    server.database.transaction(async (tx) => {
      const { rows } = await sql<{ n: number }>`
        select count(distinct pid) as n from pg_locks join pg_stat_activity using (pid)
        where not granted and datname = current_database()`.execute(tx)
      return rows[0]?.n
    })

  before(async () => {
    server = await startServer(engine, { TRUSTED_PROXIES: '127.0.0.1' })
    const created_at = server.clock.now().toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('webhooks')
        .values({ id: newId(), name: 'n', url: 'https://example.com/', events: '["*"]', secret: 's', created_at })
        .execute(),
    )
    if (engine === 'postgres') twin = await spawnServer(server.env)
  })
  // Tests move the clock beyond the 30 minutes of an access token, and notes of use wait in the background.
  beforeEach(async () => {
    await server.running.tick()
    await server.later(0)
  })
  after(async () => {
    await twin?.kill('SIGKILL')
    await server.stop()
  })

  return {
    get server() {
      return server
    },
    get twin() {
      return twin
    },
    address,
    send,
    ask,
    statusOf,
    person,
    keepSecret,
    make,
    rotate,
    revoke,
    rowOf,
    listed,
    run,
    holding,
    waiting,
  }
}
