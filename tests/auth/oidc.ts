import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Kysely } from 'kysely'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import type { SettingsChange } from '../../contract/settings.ts'
import type { Database } from '../../server/db/open.ts'
import type { Schema } from '../../server/db/schema.ts'
import { type Answer, request } from '../support/http.ts'
import { type Account, freePort, IDP_CLIENT, type Idp, signIn, startIdp } from '../support/idp.ts'
import { allActions, type Engine, SECRET_KEY, startServer, type TestServer } from '../support/server.ts'

export const MINUTE = 60_000

export interface Tokens {
  access_token: string
  refresh_token: string
}

export const html = { accept: 'text/html,application/xhtml+xml' }

export const failed = [{ action: 'login_failed', result: 'failure' }] as const

export const pathOf = (url: URL) => url.pathname + url.search

export let people = 0

/** Someone new at the provider. */
export const person = (claims: Partial<Account> = {}): Account => {
  const n = ++people
  return { sub: `subject-${n}`, email: `idp${n}@example.com`, name: `Person ${n}`, ...claims }
}

/** Every value of every table, as one text. */
export async function dump({ db }: Database): Promise<string> {
  const tables = await (db as unknown as Kysely<Schema>).introspection.getTables()
  const rows = await Promise.all(
    tables.map(({ name }) =>
      db
        .selectFrom(name as 'users')
        .selectAll()
        .execute(),
    ),
  )
  return JSON.stringify(rows)
}

export const countOf = async ({ db }: Database, table: 'users' | 'sessions' | 'idp_logins' | 'handoffs') =>
  (await db.selectFrom(table).selectAll().execute()).length

/** A service with a provider, or one that can be given it, and what a browser does with the two. */
export async function startBoth(engine: Engine, options: { env?: Record<string, string>; byEnv?: boolean } = {}) {
  const port = await freePort()
  const PUBLIC_BASE_URL = `http://127.0.0.1:${port}`
  const idp = await startIdp([`${options.env?.PUBLIC_BASE_URL ?? PUBLIC_BASE_URL}/api/v1/auth/callback`])
  const fixed = (options.byEnv ?? true) ? idp.env : {}
  const server = await startServer(engine, { PORT: String(port), PUBLIC_BASE_URL, ...fixed, ...options.env })
  const stop = async () => {
    await idp.stop()
    await server.stop()
  }
  return { server, idp, stop, ...browserOf(server, idp) }
}

/** What a browser, or a script, does to log in. */
export function browserOf(server: TestServer, idp: Idp) {
  const get = (path: string, headers: OutgoingHttpHeaders = {}, url = server.url) => request({ url, path, headers })
  const begin = async (query = '') => {
    const answer = await get(`/api/v1/auth/login${query}`)
    assert.equal(answer.status, 200, answer.body.toString())
    const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
    return { authUrl: answer.json<{ auth_url: string }>().auth_url, cookie }
  }
  /** Starts a login and goes through the provider's pages. */
  const returning = async (account: Account | null = person(), query = '') => {
    const begun = await begin(query)
    return { ...begun, url: await signIn(idp, begun.authUrl, account) }
  }
  const finish = ({ url, cookie }: { url: URL; cookie?: string }, headers: OutgoingHttpHeaders = {}) =>
    get(pathOf(url), { ...(cookie === undefined ? {} : { cookie }), ...headers })
  const login = async (account: Account, headers: OutgoingHttpHeaders = {}, query = '') =>
    finish(await returning(account, query), headers)
  const tokensOf = async (account: Account): Promise<Tokens> => {
    const answer = await login(account)
    assert.equal(answer.status, 200, answer.body.toString())
    return answer.json<Tokens & Record<string, unknown>>()
  }
  const me = async (token: string) => (await request({ url: server.url, path: '/api/v1/auth/me', token })).status
  const post = (path: string, body: object, headers: OutgoingHttpHeaders = {}) =>
    request({
      url: server.url,
      path: `/api/v1/auth/${path}`,
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  /** A browser's login until it is sent back with a code. */
  const handedOver = async (account: Account, path = '/console/?tab=1') => {
    const back = await returning(account, `?return_to=${encodeURIComponent(path)}`)
    const answer = await finish(back, html)
    assert.equal(answer.status, 303)
    const found = /^(.*)#code=([\w-]{43})$/.exec(answer.headers.location ?? '')
    return { answer, path: found?.[1], code: found?.[2] ?? '', cookie: back.cookie }
  }
  const redeem = ({ code, cookie }: { code: string; cookie?: string }, query = '') =>
    post(`handoff${query}`, { code }, cookie === undefined ? {} : { cookie })
  const userOf = async ({ sub }: Account) =>
    (await server.admin.listUsers({ query: { limit: 200 } })).items.find(({ idp_subject }) => idp_subject === sub)
  /** The settings while `work` runs. */
  const withSettings = async <T>(change: SettingsChange, work: () => Promise<T>): Promise<T> => {
    const before = await server.admin.getSettings()
    const back = Object.fromEntries(
      Object.entries(change).map(([section, fields]) => [
        section,
        Object.fromEntries(
          Object.keys(fields).map((field) => [field, Reflect.get(Reflect.get(before, section), field)]),
        ),
      ]),
    )
    await server.admin.updateSettings({ body: change })
    try {
      return await work()
    } finally {
      await server.admin.updateSettings({ body: back })
    }
  }
  /** What `/token` answers is altered while `work` runs. */
  const tampering = async <T>(tamper: NonNullable<Idp['tamper']>, work: () => Promise<T>): Promise<T> => {
    idp.tamper = tamper
    try {
      return await work()
    } finally {
      idp.tamper = undefined
    }
  }
  const assertSilent = (answer: Answer) => {
    const text = JSON.stringify(answer.headers) + answer.body.toString()
    for (const secret of [...idp.secrets, IDP_CLIENT.secret, SECRET_KEY, 'access_token', 'node_modules', '\\n    at '])
      assert.equal(text.includes(secret), false, `${secret} in ${text}`)
  }
  /** Asserts that a login is refused with this code, recorded as just that, and leaves nothing behind. */
  const refused = async (code: ErrorCode, work: () => Promise<Answer>): Promise<Answer> => {
    const before = [await countOf(server.database, 'users'), await countOf(server.database, 'sessions')]
    const answer = await server.records([...failed], work)
    assert.deepEqual([answer.status, answer.json().code], [errors[code].status, code], answer.body.toString())
    assert.match(answer.headers['content-type'] ?? '', /^application\/problem\+json/)
    assert.equal(answer.headers['cache-control'], 'no-store')
    assertSilent(answer)
    assert.deepEqual(
      [await countOf(server.database, 'users'), await countOf(server.database, 'sessions')],
      before,
      'nothing was made',
    )
    const record = (await allActions(server.database)).at(-1)
    assert.deepEqual([record?.error_code, record?.status_code], [code, errors[code].status])
    return answer
  }
  return {
    get,
    begin,
    returning,
    finish,
    login,
    tokensOf,
    me,
    post,
    handedOver,
    redeem,
    userOf,
    withSettings,
    tampering,
    refused,
    assertSilent,
  }
}

export type Both = Awaited<ReturnType<typeof startBoth>>

export const autoCreate = { auth: { auto_create_users: true } }
export const linkByEmail = { idp: { link_verified_email: true } }
