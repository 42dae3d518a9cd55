import assert from 'node:assert/strict'
import { createHash, createHmac, createPublicKey } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { Kysely } from 'kysely'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import type { SettingsChange } from '../../contract/settings.ts'
import { readConfig } from '../../server/config.ts'
import type { Database } from '../../server/db/open.ts'
import type { Schema } from '../../server/db/schema.ts'
import { start } from '../../server/start.ts'
import { type Answer, request } from '../support/http.ts'
import {
  type Account,
  claimsOf,
  freePort,
  IDP_CLIENT,
  type Idp,
  newKey,
  randomText,
  reachByIssuer,
  signIn,
  startIdp,
  type TokenAnswer,
} from '../support/idp.ts'
import { rejectsWith } from '../support/problems.ts'
import {
  ADMIN,
  allActions,
  describeEngines,
  type Engine,
  SECRET_KEY,
  startServer,
  type TestServer,
} from '../support/server.ts'

const MINUTE = 60_000
const TENANT = 'abcdef11-2222-3333-4444-555555555555'

interface Tokens {
  access_token: string
  refresh_token: string
}
const html = { accept: 'text/html,application/xhtml+xml' }
const failed = [{ action: 'login_failed', result: 'failure' }] as const
const hashed = (text: string) => createHash('sha256').update(text)
const pathOf = (url: URL) => url.pathname + url.search
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

let people = 0
/** Someone new at the provider. */
const person = (claims: Partial<Account> = {}): Account => {
  const n = ++people
  return { sub: `subject-${n}`, email: `idp${n}@example.com`, name: `Person ${n}`, ...claims }
}

/** Every value of every table, as one text. */
async function dump({ db }: Database): Promise<string> {
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
const countOf = async ({ db }: Database, table: 'users' | 'sessions' | 'idp_logins' | 'handoffs') =>
  (await db.selectFrom(table).selectAll().execute()).length

/** A service with a provider, or one that can be given it, and what a browser does with the two. */
async function startBoth(engine: Engine, options: { env?: Record<string, string>; byEnv?: boolean } = {}) {
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
function browserOf(server: TestServer, idp: Idp) {
  const get = (path: string, headers: OutgoingHttpHeaders = {}, url = server.url) => request({ url, path, headers })
  const begin = async (query = '') => {
    const answer = await get(`/api/v1/auth/login${query}`)
    assert.equal(answer.status, 200, answer.body.toString())
    const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
    return { authUrl: answer.json<{ auth_url: string }>().auth_url, cookie }
  }
  /** Begins a login and goes through the provider's pages. */
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
      ...{ url: server.url, path: `/api/v1/auth/${path}`, method: 'POST', body: JSON.stringify(body) },
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
type Both = Awaited<ReturnType<typeof startBoth>>

const autoCreate = { auth: { auto_create_users: true } }

describeEngines('login through OpenID Connect', (engine, itOnce) => {
  let both: Both
  before(async () => {
    both = await startBoth(engine)
  })
  after(() => both.stop())

  itOnce('asks for a code with PKCE, state and nonce, to come back to the configured address', async () => {
    const { server, idp } = both
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const seen = new Set<string>()
    for (let i = 0; i < 2; i++) {
      const answer = await server.records([], () => both.get('/api/v1/auth/login', headers))
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.deepEqual(Object.keys(answer.json()), ['auth_url'])
      const url = new URL(answer.json<{ auth_url: string }>().auth_url)
      assert.equal(url.origin + url.pathname, `${idp.issuer}/auth`)
      const { state = '', nonce = '', code_challenge = '', ...rest } = Object.fromEntries(url.searchParams)
      assert.deepEqual(rest, {
        response_type: 'code',
        client_id: IDP_CLIENT.id,
        scope: 'openid profile email',
        code_challenge_method: 'S256',
        redirect_uri: `${server.env.PUBLIC_BASE_URL}/api/v1/auth/callback`,
      })
      for (const one of [state, nonce, code_challenge]) {
        assert.match(one, /^[\w-]{43}$/)
        seen.add(one)
      }
    }
    assert.equal(seen.size, 6)
  })

  it('a state works once', async () => {
    const account = person()
    await both.withSettings(autoCreate, async () => {
      const back = await both.returning(account)
      assert.equal((await both.finish(back)).status, 200)
      await both.refused('invalid_state', () => both.finish(back))
      const race = await both.returning(account)
      const answers = await Promise.all([both.finish(race), both.finish(race), both.finish(race)])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400])
    })
  })

  itOnce('a state works for ten minutes', async () => {
    const { server } = both
    const account = person()
    await both.withSettings(autoCreate, async () => {
      const [inTime, late] = [await both.returning(account), await both.returning(account)]
      server.clock.advance(10 * MINUTE - 1)
      assert.equal((await both.finish(inTime)).status, 200)
      server.clock.advance(1)
      await both.refused('invalid_state', () => both.finish(late))
    })
    await both.begin()
    server.clock.advance(10 * MINUTE + 1)
    await server.running.tick()
    assert.equal(await countOf(server.database, 'idp_logins'), 0)
    await server.later(0)
  })

  it('keeps the state hashed, the cookie hashed and the code verifier encrypted', async () => {
    const { server } = both
    const { authUrl, cookie } = await both.begin()
    const { state = '', code_challenge } = Object.fromEntries(new URL(authUrl).searchParams)
    const text = await dump(server.database)
    assert.ok(text.includes(hashed(state).digest('hex')))
    assert.equal(text.includes(state), false)
    assert.equal(text.includes(cookie.split('=')[1] ?? ''), false)
    const verifiers = text.match(/[\w.~-]{43,}/g)?.flatMap((one) => [one, ...one.split('.')]) ?? []
    assert.ok(verifiers.length > 0)
    for (const one of verifiers) assert.notEqual(hashed(one).digest('base64url'), code_challenge)
  })

  it('a login begun on one replica is finished on another', { skip: engine === 'sqlite' }, async () => {
    const { server } = both
    const config = readConfig({ ...server.env, PORT: '0', LOG_LEVEL: 'silent' })
    const replica = await start(config, { now: server.clock.now, timers: false })
    const account = person()
    try {
      await both.withSettings(autoCreate, async () => {
        const { url, cookie } = await both.returning(account)
        const answer = await both.get(pathOf(url), { cookie }, replica.url)
        assert.equal(answer.status, 200)
        assert.equal(await both.me(answer.json<Tokens & object>().access_token), 200)
        await both.refused('invalid_state', () => both.finish({ url, cookie }))
        const browser = await both.returning(account, '?return_to=/console/')
        const there = await both.get(pathOf(browser.url), { cookie: browser.cookie, ...html }, replica.url)
        const [, code = ''] = String(there.headers.location).split('#code=')
        assert.equal((await both.redeem({ code, cookie: browser.cookie })).status, 200)
      })
    } finally {
      await replica.stop()
    }
  })

  itOnce('ties the login to the browser with a cookie', async () => {
    const { server } = both
    const answer = await both.get('/api/v1/auth/login')
    const lines = answer.headers['set-cookie'] ?? []
    assert.equal(lines.length, 1)
    const [value, ...attributes] = (lines[0] ?? '').split('; ')
    assert.match(value ?? '', /^svc_oidc=[\w-]{43}$/)
    assert.deepEqual(attributes.sort(), ['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax'])

    const account = person()
    await both.withSettings(autoCreate, async () => {
      const { url } = await both.returning(account)
      await both.refused('invalid_state', () => both.finish({ url }))
      const [mine, other] = [await both.returning(account), await both.begin()]
      await both.refused('invalid_state', () => both.finish({ url: mine.url, cookie: other.cookie }))
      for (const cookie of ['svc_oidc=', 'svc_oidc=x', `__Host-${mine.cookie}`])
        await both.refused('invalid_state', async () => both.finish({ ...(await both.returning(account)), cookie }))

      const done = await both.finish(await both.returning(account))
      assert.equal(done.status, 200)
      assert.match(done.headers['set-cookie']?.[0] ?? '', /^svc_oidc=; Max-Age=0; /)
    })
    await both.withSettings({ auth: { auto_create_users: true, idp_require_browser_cookie: false } }, async () => {
      const { url } = await both.returning(account)
      await server.records([{ action: 'login' }], async () => assert.equal((await both.finish({ url })).status, 200))
      const foreign = { ...(await both.returning(account)), cookie: (await both.begin()).cookie }
      assert.equal((await both.finish(foreign)).status, 200)
    })
  })

  describe('refuses', () => {
    const fromProvider = async (change: (url: URL) => void) => {
      const back = await both.returning()
      change(back.url)
      return both.finish(back)
    }
    const attacks: Record<string, [ErrorCode, () => Promise<Answer>]> = {
      'an unknown state': [
        'invalid_state',
        () => fromProvider(({ searchParams }) => searchParams.set('state', randomText())),
      ],
      'no state': ['invalid_state', () => fromProvider(({ searchParams }) => searchParams.delete('state'))],
      'an empty state': ['invalid_state', () => fromProvider(({ searchParams }) => searchParams.set('state', ''))],
      'the state of another login of this browser': [
        'invalid_state',
        async () => {
          const [one, other] = [await both.returning(), await both.returning()]
          one.url.searchParams.set('state', other.url.searchParams.get('state') ?? '')
          return both.finish(one)
        },
      ],
      'the code of another login, whose verifier is another one': [
        'idp_rejected',
        async () => {
          const [one, other] = [await both.returning(), await both.returning()]
          one.url.searchParams.set('code', other.url.searchParams.get('code') ?? '')
          return both.finish(one)
        },
      ],
      'an id_token with a foreign nonce': [
        'idp_rejected',
        async () => {
          const { authUrl, cookie } = await both.begin()
          const altered = new URL(authUrl)
          altered.searchParams.set('nonce', randomText())
          return both.finish({ url: await signIn(both.idp, altered.href, person()), cookie })
        },
      ],
      'another iss': [
        'idp_rejected',
        () => fromProvider(({ searchParams }) => searchParams.set('iss', 'https://evil.example')),
      ],
      'no iss, where the provider says it gives it': [
        'idp_rejected',
        () => fromProvider(({ searchParams }) => searchParams.delete('iss')),
      ],
      'a code that was never given': [
        'idp_rejected',
        () => fromProvider(({ searchParams }) => searchParams.set('code', randomText())),
      ],
      'no code': ['idp_rejected', () => fromProvider(({ searchParams }) => searchParams.delete('code'))],
      'what the provider refused': [
        'idp_rejected',
        async () => {
          const back = await both.returning(null)
          assert.equal(back.url.searchParams.get('error'), 'access_denied')
          const answer = await both.finish(back)
          assert.match(String(answer.json().detail), /"access_denied"/)
          assert.doesNotMatch(answer.body.toString(), /script/)
          return answer
        },
      ],
    }
    for (const [what, [code, attack]] of Object.entries(attacks))
      it(what, async () => {
        await both.withSettings(autoCreate, () => both.refused(code, attack))
      })

    itOnce('a code that was used', () =>
      both.withSettings(autoCreate, async () => {
        const { server } = both
        const back = await both.returning()
        const logins = await server.database.db.selectFrom('idp_logins').selectAll().execute()
        assert.equal((await both.finish(back)).status, 200)
        const taken = logins.filter(
          ({ state_hash }) => state_hash === hashed(back.url.searchParams.get('state') ?? '').digest('hex'),
        )
        assert.equal(taken.length, 1)
        await server.database.transaction((tx) => tx.insertInto('idp_logins').values(taken).execute())
        await both.refused('idp_rejected', () => both.finish(back))
      }),
    )

    /** The id_token with other claims, signed by the provider itself. */
    const resigned = (change: (claims: Record<string, unknown>) => object) => async (answer: TokenAnswer) => ({
      ...answer,
      id_token: await both.idp.sign(change(claimsOf(answer.id_token))),
    })
    const past = () => Math.floor(Date.now() / 1000) - 3600
    const hs256 = (claims: object, kid: string, key: string) => {
      const signed = `${encoded({ alg: 'HS256', typ: 'JWT', kid })}.${encoded(claims)}`
      return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
    }
    const publicPem = () => createPublicKey(both.idp.key.privateKey).export({ type: 'spki', format: 'pem' }).toString()
    const other = { sub: 'somebody else' }
    const tampered: Record<string, NonNullable<Idp['tamper']>> = {
      'other claims with the old signature': (answer) => {
        const [header, , signature] = answer.id_token.split('.')
        const claims = encoded({ ...claimsOf(answer.id_token), ...other })
        return { ...answer, id_token: `${header}.${claims}.${signature}` }
      },
      'no signature': (answer) => ({ ...answer, id_token: answer.id_token.replace(/[^.]+$/, '') }),
      'the algorithm "none"': (answer) => ({
        ...answer,
        id_token: `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded({ ...claimsOf(answer.id_token), ...other })}.`,
      }),
      'a foreign key that calls itself like the provider’s': async (answer) => ({
        ...answer,
        id_token: await both.idp.sign(claimsOf(answer.id_token), newKey(both.idp.key.kid)),
      }),
      'a foreign key': async (answer) => ({
        ...answer,
        id_token: await both.idp.sign(claimsOf(answer.id_token), newKey()),
      }),
      'HS256 with the client secret': (answer) => ({
        ...answer,
        id_token: hs256(claimsOf(answer.id_token), both.idp.key.kid, IDP_CLIENT.secret),
      }),
      'HS256 with the public key': (answer) => ({
        ...answer,
        id_token: hs256(claimsOf(answer.id_token), both.idp.key.kid, publicPem()),
      }),
      'another audience': resigned((claims) => ({ ...claims, aud: 'another client' })),
      'several audiences, and another one’s azp': resigned((claims) => ({
        ...claims,
        aud: [IDP_CLIENT.id, 'another client'],
        azp: 'another client',
      })),
      'another issuer': resigned((claims) => ({ ...claims, iss: 'https://evil.example' })),
      'another nonce': resigned((claims) => ({ ...claims, nonce: randomText() })),
      'no nonce': resigned(({ nonce: _nonce, ...claims }) => claims),
      'an expiry that is past': resigned((claims) => ({ ...claims, iat: past() - 60, exp: past() })),
      'no expiry': resigned(({ exp: _exp, ...claims }) => claims),
      'a time before which it is not valid': resigned((claims) => ({ ...claims, nbf: Number(claims.exp) })),
      'no subject': resigned(({ sub: _sub, ...claims }) => claims),
      'an empty subject': resigned((claims) => ({ ...claims, sub: '' })),
      'a subject that is no text': resigned((claims) => ({ ...claims, sub: 12 })),
      'a subject too long to keep': resigned((claims) => ({ ...claims, sub: 'x'.repeat(256) })),
      'no id_token at all': ({ id_token: _token, ...answer }) => answer,
      'an id_token that is none': (answer) => ({ ...answer, id_token: 'garbage' }),
    }
    for (const [what, tamper] of Object.entries(tampered))
      itOnce(`an id_token with ${what}`, () =>
        both.withSettings(autoCreate, async () => {
          const back = await both.returning()
          const answer = await both.refused('idp_rejected', () => both.tampering(tamper, () => both.finish(back)))
          assert.equal(answer.headers['www-authenticate'], 'Bearer')
          await both.refused('invalid_state', () => both.finish(back))
        }),
      )
  })

  itOnce('a provider that fails is our 503, to be tried again', async () => {
    // No more than sixty failures a minute are recorded.
    await both.server.later(60_000)
    const { idp } = both
    const faults: Record<string, Parameters<Idp['faults']['set']>> = {
      'an error of the token endpoint': ['token', (response) => void response.writeHead(500).end('{}')],
      'a lost connection': ['token', (response) => void response.destroy()],
      'an error where the keys are': ['jwks', (response) => void response.writeHead(502).end()],
    }
    for (const [what, fault] of Object.entries(faults)) {
      const back = await both.returning()
      idp.faults.set(...fault)
      try {
        const answer = await both.refused('idp_unavailable', () => both.finish(back))
        assert.match(answer.headers['retry-after'] ?? '', /^\d+$/, what)
      } finally {
        idp.faults.clear()
      }
    }
  })

  itOnce('answers tokens to clients, in no URL and no cache', async () => {
    const { server, idp } = both
    const account = person()
    await both.withSettings(autoCreate, async () => {
      for (const query of ['', '?return_to=/console/']) {
        const back = await both.returning(account, query)
        const answer = await both.finish(back, { accept: 'application/json' })
        assert.equal(answer.status, 200)
        assert.deepEqual([answer.headers['cache-control'], answer.headers.pragma], ['no-store', 'no-cache'])
        const body = answer.json()
        assert.deepEqual([body.token_type, body.expires_in], ['bearer', 1800])
        assert.deepEqual(Object.keys(body).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type'])
        const session = (await server.as(String(body.access_token)).listSessions()).items.find(({ current }) => current)
        assert.equal(session?.auth_method, 'idp')
        for (const secret of idp.secrets) assert.equal(answer.body.includes(secret), false)
      }
      const answer = await both.login(account, html)
      assert.equal(answer.status, 200, 'a browser that did not say where to return to')
    })
  })

  it('sends a browser back with a code that fetches the tokens once, within a minute', async () => {
    const { server } = both
    const account = person()
    await both.withSettings(autoCreate, async () => {
      const arrive = (path?: string) => both.handedOver(account, path)
      const arrived = await server.records([{ action: 'user_create' }, { action: 'login' }], () => arrive())
      const { headers, body } = arrived.answer
      assert.equal(headers['cache-control'], 'no-store')
      assert.doesNotMatch(JSON.stringify(headers) + body, /eyJ|access_token/)
      assert.equal(arrived.path, '/console/?tab=1')
      assert.equal((await dump(server.database)).includes(arrived.code), false)
      const answer = await server.records([], () => both.redeem(arrived))
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.deepEqual(answer.headers['set-cookie'], ['svc_oidc=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
      const tokens = answer.json<Tokens & Record<string, unknown>>()
      assert.equal(await both.me(tokens.access_token), 200)
      assert.equal((await both.post('refresh', { refresh_token: tokens.refresh_token })).status, 200)
      await both.refused('invalid_state', () => both.redeem(arrived))
      await both.refused('invalid_state', () => both.redeem({ ...arrived, code: randomText() }))

      assert.equal((await arrive('/console/#/buckets')).path, '/console/', 'the fragment is ours')
      const race = await arrive()
      const statuses = await Promise.all([1, 2, 3].map(async () => (await both.redeem(race)).status))
      assert.deepEqual(statuses.sort(), [200, 400, 400])

      const inTime = await arrive()
      server.clock.advance(MINUTE - 1)
      assert.equal((await both.redeem(inTime)).status, 200)
      const late = await arrive()
      server.clock.advance(MINUTE)
      assert.equal((await both.redeem(late)).status, 400)

      await arrive()
      const sessions = await countOf(server.database, 'sessions')
      server.clock.advance(MINUTE + 1)
      await server.running.tick()
      assert.equal(await countOf(server.database, 'handoffs'), 0)
      assert.equal(await countOf(server.database, 'sessions'), sessions - 2, 'what nobody fetched is forgotten')
    })
    await server.later(0)
  })

  itOnce('a code is of the browser that began the login: in another one it fetches nothing, and is spent', async () => {
    const { server } = both
    const account = person()
    await both.withSettings(autoCreate, async () => {
      await both.tokensOf(account)
      const other = await both.begin()
      for (const cookie of [undefined, other.cookie, 'svc_oidc=', 'svc_oidc=x', 'svc_oidc=ü']) {
        const arrived = await both.handedOver(account)
        const given = { code: arrived.code, ...(cookie === undefined ? {} : { cookie }) }
        const known = (await allActions(server.database)).length
        const denied = await both.refused('invalid_state', () => both.redeem(given, '?session=cookie'))
        assert.equal(denied.headers['set-cookie'], undefined)
        const unknown = await both.refused('invalid_state', () => both.redeem({ code: randomText() }))
        const { request_id: _one, ...problem } = denied.json()
        const { request_id: _other, ...same } = unknown.json()
        assert.deepEqual(problem, same, 'it tells nothing of the code')
        const record = (await allActions(server.database))[known]
        assert.deepEqual(JSON.parse(record?.details ?? ''), { email: account.email, reason: 'invalid_state' })
        assert.equal((await both.redeem(arrived)).status, 400, 'also for who began it')
        const { id = '' } = (await both.userOf(account)) ?? {}
        const left = await server.database.db
          .selectFrom('sessions')
          .select(['id', 'revoked_at'])
          .where('user_id', '=', id)
          .orderBy('id', 'desc')
          .execute()
        assert.notEqual(left[0]?.revoked_at, null, 'the session that nobody may have has ended')
      }
    })
    await both.withSettings({ auth: { auto_create_users: true, idp_require_browser_cookie: false } }, async () => {
      const arrived = await both.handedOver(account)
      await both.refused('invalid_state', () => both.redeem({ code: arrived.code }))
    })
  })

  it('a code fetches nothing for someone disabled or untied since', async () => {
    const { server } = both
    await both.withSettings(autoCreate, async () => {
      for (const body of [{ is_active: false }, { idp_subject: null }]) {
        const account = person()
        const arrived = await both.handedOver(account, '/')
        const id = (await both.userOf(account))?.id ?? ''
        await server.admin.updateUser({ params: { id }, body })
        const fetched = await both.redeem(arrived)
        assert.deepEqual([fetched.status, fetched.json().code], [400, 'invalid_state'], JSON.stringify(body))
      }
    })
  })

  itOnce('tells a browser that it failed at the place it came from', async () => {
    const { server } = both
    const cases: [Account | null, string][] = [
      [null, 'idp_rejected'],
      [person(), 'user_not_provisioned'],
    ]
    for (const [account, code] of cases) {
      const back = await both.returning(account, '?return_to=/console/')
      const answer = await server.records([...failed], () => both.finish(back, html))
      assert.deepEqual([answer.status, answer.headers.location], [303, `/console/#error=${code}`])
      both.assertSilent(answer)
      const other = await server.records([...failed], () => both.finish(back, html))
      assert.deepEqual([other.status, other.json().code], [400, 'invalid_state'])
    }
  })

  itOnce('returns to paths of its own and to nothing else', async () => {
    const { server } = both
    const base = server.env.PUBLIC_BASE_URL ?? ''
    await server.records([], async () => {
      for (const path of [
        ...['//evil.example', '/\\evil.example', '\\/evil.example', '\\\\evil.example', '///evil.example'],
        ...['https://evil.example/', 'http:evil.example', 'javascript:alert(1)', 'data:text/html,x', 'evil.example'],
        ...['', ' /console/', '/console/\nx', '/console/\r\nSet-Cookie: a=b', '/\t/evil.example', '/\n/evil.example'],
        ...[`${base}/console/`, '/a\\b', '/ü', `/${'x'.repeat(2048)}`],
      ]) {
        const answer = await both.get(`/api/v1/auth/login?return_to=${encodeURIComponent(path)}`)
        assert.deepEqual([answer.status, answer.json().code], [422, 'invalid_request'], path)
        assert.equal(answer.json<{ errors: { path: string }[] }>().errors[0]?.path, 'query.return_to')
        assert.equal(answer.headers['set-cookie'], undefined)
      }
    })
    const account = person()
    await both.withSettings(autoCreate, async () => {
      for (const path of [
        '/%5cevil.example',
        '/%2f%2fevil.example',
        '/..//evil.example',
        '/@evil.example',
        '/%0d%0aa:b',
      ]) {
        const answer = await both.login(account, html, `?return_to=${encodeURIComponent(path)}`)
        assert.equal(answer.status, 303, path)
        assert.equal(new URL(answer.headers.location ?? '', `${base}/api/v1/auth/callback`).origin, base, path)
        assert.equal(answer.headers.location?.split('#')[0], path)
      }
    })
  })

  it('never links by e-mail; an administrator does', async () => {
    const { server } = both
    const local = await server.admin.createUser({
      body: { email: 'Shared@Example.com', display_name: 'Local', password: 'a password of mine' },
    })
    const account = person({ email: 'shared@example.com', email_verified: true })
    await both.withSettings(autoCreate, async () => {
      await both.refused('email_in_use', async () => both.finish(await both.returning(account)))
      const record = (await allActions(server.database)).at(-1)
      assert.deepEqual(JSON.parse(record?.details ?? ''), { email: account.email, reason: 'email_in_use' })
    })
    await both.refused('user_not_provisioned', async () => both.finish(await both.returning(account)))
    assert.equal((await server.admin.getUser({ params: { id: local.id } })).idp_subject, null)

    await server.records([{ action: 'user_update' }], () =>
      server.admin.updateUser({ params: { id: local.id }, body: { idp_subject: account.sub } }),
    )
    await server.records([{ action: 'login' }], async () => {
      const { access_token } = await both.tokensOf(account)
      assert.equal((await server.as(access_token).me()).id, local.id)
    })
    await server.login('shared@example.com', 'a password of mine')
    const second = await server.admin.createUser({ body: { email: 'second@example.com', display_name: 'Second' } })
    await rejectsWith(
      server.admin.updateUser({ params: { id: second.id }, body: { idp_subject: account.sub } }),
      'already_exists',
    )
    const manager = await server.admin.createGroup({ body: { name: 'Managers', global: ['users.manage'] } })
    await server.admin.createUser({
      body: { email: 'man@example.com', display_name: 'M', password: 'a password of mine', group_ids: [manager.id] },
    })
    const token = await server.login('man@example.com', 'a password of mine')
    await rejectsWith(
      server.as(token).updateUser({ params: { id: second.id }, body: { idp_subject: 'mine' } }),
      'forbidden',
    )
  })

  itOnce('the same subject of another issuer is another person', async () => {
    const { server } = both
    const account = person()
    await both.withSettings(autoCreate, () => both.tokensOf(account))
    const { id = '' } = (await both.userOf(account)) ?? {}
    await server.database.transaction((tx) =>
      tx.updateTable('users').set({ idp_issuer: 'https://another.example' }).where('id', '=', id).execute(),
    )
    await both.refused('user_not_provisioned', async () => both.finish(await both.returning(account)))
  })

  it('makes accounts only where that is allowed, without any rights', async () => {
    const { server } = both
    const account = person({ groups: ['admins'], name: '  Kim ' })
    await both.refused('user_not_provisioned', async () => both.finish(await both.returning(account)))
    await server.admin.createBucket({ body: { name: 'private' } })
    const { access_token } = await both.withSettings(autoCreate, () =>
      server.records([{ action: 'user_create' }, { action: 'login' }], () => both.tokensOf(account)),
    )
    const user = await both.userOf(account)
    assert.deepEqual(
      [user?.email, user?.display_name, user?.groups, user?.is_admin, user?.has_password],
      [account.email, 'Kim', [], false, false],
    )
    const kim = server.as(access_token)
    assert.deepEqual((await kim.listBuckets()).items, [])
    await rejectsWith(kim.browse({ params: { name: 'private' } }), 'forbidden')
    await rejectsWith(kim.createBucket({ body: { name: 'mine' } }), 'forbidden')
    await rejectsWith(kim.listUsers(), 'forbidden')
    await server.records([{ action: 'login' }], () => both.tokensOf(account))
    await rejectsWith(
      server.as().login({ body: { username: account.email ?? '', password: 'anything' } }),
      'invalid_grant',
    )
  })

  it('each login brings the name and, if it is free, the address up to date, but no groups', async () => {
    const { server } = both
    const account = person({ groups: ['anything'] })
    await both.withSettings(autoCreate, () => both.tokensOf(account))
    const { id = '' } = (await both.userOf(account)) ?? {}
    const group = await server.admin.createGroup({ body: { name: 'Kept' } })
    await server.admin.updateUser({ params: { id }, body: { group_ids: [group.id] } })
    const get = () => server.admin.getUser({ params: { id } })

    await both.tokensOf({ ...account, name: 'New Name', email: 'new.address@example.com', groups: [] })
    const after = await get()
    assert.deepEqual(
      [after.display_name, after.email, after.groups.map(({ name }) => name)],
      ['New Name', 'new.address@example.com', ['Kept']],
    )
    assert.equal(after.last_login_at, server.clock.now().toISOString())
    assert.deepEqual(
      (await server.admin.listUsers({ query: { q: 'new.address' } })).items.map((one) => one.id),
      [id],
      'searches find it',
    )
    await both.tokensOf({ ...account, name: 'Newer Name', email: ADMIN.email.toUpperCase() })
    assert.deepEqual([(await get()).display_name, (await get()).email], ['Newer Name', 'new.address@example.com'])
    const { email: _email, name: _name, ...bare } = account
    await both.tokensOf(bare)
    assert.deepEqual([(await get()).display_name, (await get()).email], ['Newer Name', 'new.address@example.com'])
  })

  itOnce('refuses the disabled', async () => {
    const { server } = both
    const account = person()
    const { access_token } = await both.withSettings(autoCreate, () => both.tokensOf(account))
    const { id = '' } = (await both.userOf(account)) ?? {}
    await server.admin.updateUser({ params: { id }, body: { is_active: false } })
    assert.equal(await both.me(access_token), 401)
    await both.refused('forbidden', async () => both.finish(await both.returning(account)))
    const record = (await allActions(server.database)).at(-1)
    assert.deepEqual([record?.resource_id, JSON.parse(record?.details ?? '').email], [id, account.email])
    await server.admin.updateUser({ params: { id }, body: { is_active: true } })
    assert.equal(await both.me((await both.tokensOf(account)).access_token), 200)
  })

  itOnce('without an e-mail the user name serves where it is an address', async () => {
    await both.withSettings(autoCreate, async () => {
      const { email: _email, name: _name, ...bare } = person()
      await both.refused('user_not_provisioned', async () => both.finish(await both.returning(bare)))
      const named = { ...bare, preferred_username: 'not-an-address' }
      await both.refused('user_not_provisioned', async () => both.finish(await both.returning(named)))
      const account = { ...bare, preferred_username: `${bare.sub}@corp.example.com` }
      await both.tokensOf(account)
      const user = await both.userOf(account)
      assert.deepEqual([user?.email, user?.display_name], [account.preferred_username, account.preferred_username])
    })
  })

  it('two first logins of one person at once make one account', async () => {
    const { server } = both
    await both.withSettings(autoCreate, async () => {
      for (let round = 0; round < 5; round++) {
        const account = person()
        const users = await countOf(server.database, 'users')
        const flows = [await both.returning(account), await both.returning(account), await both.returning(account)]
        const answers = await Promise.all(flows.map((flow) => both.finish(flow)))
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200],
        )
        assert.equal(await countOf(server.database, 'users'), users + 1)
      }
    })
  })

  it('names and addresses that no database keeps break nothing', async () => {
    await both.withSettings(autoCreate, async () => {
      const account = person({ name: `${'x'.repeat(199)}😀 and more` })
      await both.tokensOf(account)
      assert.ok((await both.userOf(account))?.display_name.isWellFormed())
    })
  })

  it('a NUL in a claim is no error of ours', async () => {
    await both.withSettings(autoCreate, async () => {
      for (const claims of [{ name: 'a\0b' }, { email: 'a\0b@example.com' }, { sub: 'a\0b' }]) {
        const answer = await both.login(person(claims))
        assert.notEqual(answer.status, 500, JSON.stringify(claims))
      }
    })
  })

  it('tokens name the subject, and end when it is no longer the user’s', async () => {
    const { server } = both
    const account = person()
    const first = await both.withSettings(autoCreate, () => both.tokensOf(account))
    assert.equal(claimsOf(first.access_token).oid, account.sub)
    const refreshed = (await both.post('refresh', { refresh_token: first.refresh_token })).json<Tokens & object>()
    assert.equal(claimsOf(refreshed.access_token).oid, account.sub)
    assert.equal(await both.me(refreshed.access_token), 200)
    const { id = '' } = (await both.userOf(account)) ?? {}
    // By hand, so that the subject alone is what differs.
    for (const idp_subject of ['somebody else', null]) {
      const tokens = await both.tokensOf(account)
      const set = (subject: string | null) =>
        server.database.transaction((tx) =>
          tx.updateTable('users').set({ idp_subject: subject }).where('id', '=', id).execute(),
        )
      await set(idp_subject)
      assert.equal(await both.me(tokens.access_token), 401)
      assert.equal((await both.post('refresh', { refresh_token: tokens.refresh_token })).status, 401)
      await set(account.sub)
    }
    for (const idp_subject of ['somebody else', null]) {
      const tokens = await both.tokensOf(account)
      await server.records([{ action: 'user_update' }], () =>
        server.admin.updateUser({ params: { id }, body: { idp_subject } }),
      )
      assert.equal(await both.me(tokens.access_token), 401)
      assert.equal((await both.post('refresh', { refresh_token: tokens.refresh_token })).status, 401)
      await both.refused('user_not_provisioned', async () => both.finish(await both.returning(account)))
      await server.admin.updateUser({ params: { id }, body: { idp_subject: account.sub } })
      assert.equal(await both.me(tokens.access_token), 401, 'a new tie does not bring old sessions back')
    }
  })

  itOnce('a key that the provider changes is known at the next login', async () => {
    const { idp } = both
    const account = person()
    await both.withSettings(autoCreate, () => both.tokensOf(account))
    for (let round = 0; round < 2; round++) {
      const begun = await both.returning(account)
      const old = idp.key
      idp.rotateKeys()
      assert.equal((await both.finish(begun)).status, 200, 'the key changed between the two halves')
      await both.tokensOf(account)
      const late = await both.returning(account)
      await both.refused('idp_rejected', () =>
        both.tampering(
          async (answer) => ({ ...answer, id_token: await idp.sign(claimsOf(answer.id_token), old) }),
          () => both.finish(late),
        ),
      )
    }
  })

  it('switched off, nothing begins, finishes or is refreshed, and what is out runs down', async () => {
    const { server } = both
    const account = person()
    const tokens = await both.withSettings(autoCreate, () => both.tokensOf(account))
    const pat = (await server.as(tokens.access_token).createToken({ body: { name: 'mine' } })).token
    const begun = await both.returning(account)
    await both.withSettings({ auth: { enable_idp: false } }, async () => {
      assert.deepEqual(await server.as().authConfig(), {
        local: true,
        idp: false,
        idp_name: null,
        setup_required: false,
      })
      await server.records([], () => rejectsWith(server.as().idpLogin(), 'login_disabled'))
      await both.refused('login_disabled', () => both.finish(begun))
      const refreshed = await both.post('refresh', { refresh_token: tokens.refresh_token })
      assert.deepEqual([refreshed.status, refreshed.json().code], [403, 'login_disabled'])
      for (const token of [tokens.access_token, pat]) assert.equal(await both.me(token), 200)
      await server.later(30 * MINUTE)
      assert.deepEqual([await both.me(tokens.access_token), await both.me(pat)], [401, 200])
    })
    assert.equal((await both.post('refresh', { refresh_token: tokens.refresh_token })).status, 200)
    await both.tokensOf(account)
  })

  itOnce('logging out ends the session', async () => {
    const { server } = both
    const tokens = await both.withSettings(autoCreate, () => both.tokensOf(person()))
    await server.records([{ action: 'logout' }], () => server.as(tokens.access_token).logout())
    assert.equal(await both.me(tokens.access_token), 401)
    assert.equal((await both.post('refresh', { refresh_token: tokens.refresh_token })).status, 401)
  })

  itOnce('takes the answer as a form, from a browser by way of the GET form', async () => {
    const { server } = both
    const account = person()
    const send = (url: URL, headers: OutgoingHttpHeaders) =>
      request({
        ...{ url: server.url, path: url.pathname, method: 'POST', body: url.searchParams.toString() },
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.example', ...headers },
      })
    await both.withSettings(autoCreate, async () => {
      await server.records([{ action: 'user_create' }, { action: 'login' }], async () => {
        const { url, cookie } = await both.returning(account)
        assert.equal((await send(url, { cookie })).status, 200)
      })
      const { url, cookie } = await both.returning(account, '?return_to=/console/')
      url.searchParams.set('session_state', 'a&b=c%d')
      const sent = await server.records([], () => send(url, html))
      assert.equal(sent.status, 303)
      const location = new URL(sent.headers.location ?? '')
      assert.equal(location.origin + location.pathname, `${server.env.PUBLIC_BASE_URL}/api/v1/auth/callback`)
      assert.deepEqual(Object.fromEntries(location.searchParams), Object.fromEntries(url.searchParams))
      const arrived = await both.finish({ url: location, cookie }, html)
      assert.match(arrived.headers.location ?? '', /^\/console\/#code=/)
      await both.refused('invalid_state', async () => send((await both.returning(account)).url, {}))
      const denied = await both.returning(null)
      await both.refused('idp_rejected', () => send(denied.url, { cookie: denied.cookie }))
    })
  })

  it('maps groups of the provider to ours at each login and leaves others alone', async () => {
    const { server } = both
    const [eng, ops, manual] = await Promise.all(
      ['Engineering', 'Operations', 'By hand'].map((name) => server.admin.createGroup({ body: { name } })),
    )
    assert.ok(eng && ops && manual)
    const account = person()
    const { id = '' } = await both.withSettings(autoCreate, async (): Promise<{ id?: string | undefined }> => {
      await both.tokensOf(account)
      return (await both.userOf(account)) ?? { id: undefined }
    })
    await server.admin.updateUser({ params: { id }, body: { group_ids: [manual.id, ops.id] } })
    const group_mapping = [
      { value: 'eng', group_id: eng.id },
      { value: 'engineers', group_id: eng.id },
      { value: 'ops', group_id: ops.id },
    ]
    const after = async (groups: unknown, changes: number) => {
      const updates = Array.from({ length: changes }, () => ({ action: 'group_update' as const }))
      await server.records([...updates, { action: 'login' }], () => both.tokensOf({ ...account, groups }))
      return (await server.admin.getUser({ params: { id } })).groups.map(({ name }) => name).sort()
    }
    await rejectsWith(
      server.admin.updateSettings({ body: { idp: { group_mapping: [{ value: 'x', group_id: id }] } } }),
      'invalid_request',
      'body.idp.group_mapping.0.group_id',
    )
    await both.withSettings({ idp: { group_mapping } }, async () => {
      assert.deepEqual(await after(['eng'], 0), ['By hand', 'Operations'], 'no claim is named')
    })
    await both.withSettings({ idp: { groups_claim: 'groups', group_mapping } }, async () => {
      assert.deepEqual(await after(['eng', 'unknown'], 2), ['By hand', 'Engineering'])
      assert.deepEqual(await after(['engineers', 'eng'], 0), ['By hand', 'Engineering'])
      assert.deepEqual(await after(['engineers', 'ops'], 1), ['By hand', 'Engineering', 'Operations'])
      assert.deepEqual(await after('ops', 1), ['By hand', 'Operations'], 'one as a text')
      assert.deepEqual(await after([], 1), ['By hand'])
      assert.deepEqual(await after(['OPS', 7, null, { ops: 1 }], 0), ['By hand'])
      assert.deepEqual(await after(['ops'], 1), ['By hand', 'Operations'])
      assert.deepEqual(await after(undefined, 1), ['By hand'], 'no claim is no group')

      const fresh = person({ groups: ['eng'] })
      await both.withSettings(autoCreate, async () => {
        await server.records([{ action: 'user_create' }, { action: 'group_update' }, { action: 'login' }], () =>
          both.tokensOf(fresh),
        )
        const record = (await allActions(server.database)).at(-2)
        assert.deepEqual(
          [record?.action, record?.actor_email, record?.auth_method],
          ['group_update', fresh.email, 'idp'],
        )
      })
      assert.deepEqual((await both.userOf(fresh))?.groups, [{ id: eng.id, name: 'Engineering' }])

      await server.admin.deleteGroup({ params: { id: eng.id }, query: { force: true } })
      assert.deepEqual(
        (await server.admin.getSettings()).idp.group_mapping.map(({ value }) => value),
        ['ops'],
      )
      assert.deepEqual(await after(['eng', 'ops'], 1), ['By hand', 'Operations'])
    })
  })

  itOnce('tells which ways to sign in there are, and what the provider says of itself', async () => {
    const { server, idp } = both
    assert.deepEqual(await server.as().authConfig(), {
      local: true,
      idp: true,
      idp_name: '127.0.0.1',
      setup_required: false,
    })
    await both.withSettings({ idp: { name: 'Acme SSO' } }, async () =>
      assert.equal((await server.as().authConfig()).idp_name, 'Acme SSO'),
    )
    const told = await server.records([], () => server.admin.testIdp())
    assert.deepEqual(told, {
      issuer: idp.issuer,
      authorization_endpoint: `${idp.issuer}/auth`,
      redirect_uri: `${server.env.PUBLIC_BASE_URL}/api/v1/auth/callback`,
    })
    const { fixed } = await server.admin.getSettings()
    assert.deepEqual(fixed, {
      'idp.issuer_url': 'IDP_ISSUER_URL',
      'idp.client_id': 'IDP_CLIENT_ID',
      'idp.client_secret': 'IDP_CLIENT_SECRET',
    })
    await rejectsWith(
      server.admin.updateSettings({ body: { idp: { issuer_url: 'https://evil.example' } } }),
      'conflict',
      'body.idp.issuer_url',
    )
  })

  it('keeps every code, token and secret out of the database, the audit log and the log', async () => {
    const { server, idp } = both
    assert.ok(idp.secrets.length > 100)
    const text = (await dump(server.database)) + JSON.stringify(await allActions(server.database)) + server.logged()
    for (const secret of [...idp.secrets, IDP_CLIENT.secret, JSON.stringify(IDP_CLIENT.secret).slice(1, -1)]) {
      const at = text.indexOf(secret)
      assert.equal(at, -1, text.slice(Math.max(0, at - 500), at + 200))
    }
    assert.doesNotMatch(text, /svc_oidc=|code_verifier=|client_secret=/)
  })
})

describeEngines('an identity provider set up at runtime', (engine, itOnce) => {
  let both: Both
  const provider = () => ({
    ...{ issuer_url: both.idp.issuer, client_id: IDP_CLIENT.id, client_secret: IDP_CLIENT.secret },
  })
  const setUp = (more: SettingsChange['auth'] = {}) =>
    both.server.admin.updateSettings({ body: { idp: provider(), auth: { auto_create_users: true, ...more } } })
  const adminId = async () => (await both.server.admin.me()).id
  const settingsRow = async () => {
    const row = await both.server.database.db.selectFrom('settings').selectAll().executeTakeFirst()
    return JSON.parse(row?.changed ?? '{}') as { idp?: { client_secret?: string } }
  }
  before(async () => {
    both = await startBoth(engine, { byEnv: false })
  })
  after(() => both.stop())

  it('there is no way in before it is set up, and none after it is taken away', async () => {
    const { server } = both
    assert.deepEqual(await server.as().authConfig(), { local: true, idp: false, idp_name: null, setup_required: false })
    await server.records([], async () => {
      await rejectsWith(server.as().idpLogin(), 'login_disabled')
      await rejectsWith(server.admin.testIdp(), 'conflict')
    })
    const { id } = await server.admin.createUser({ body: { email: 'tie@example.com', display_name: 'Tie' } })
    await rejectsWith(server.admin.updateUser({ params: { id }, body: { idp_subject: 'x' } }), 'conflict')

    await server.records([{ action: 'settings_update' }], () => setUp())
    assert.equal((await server.as().authConfig()).idp, true)
    const tokens = await both.tokensOf(person())
    assert.equal(await both.me(tokens.access_token), 200)
    await both.withSettings({ idp: { client_id: null } }, async () => {
      assert.equal((await server.as().authConfig()).idp, false)
      await rejectsWith(server.as().idpLogin(), 'login_disabled')
    })
  })

  it('sessions of a provider that was taken away are not refreshed', async () => {
    await setUp()
    const { refresh_token } = await both.tokensOf(person())
    await both.withSettings({ idp: { client_id: null } }, async () => {
      const answer = await both.post('refresh', { refresh_token })
      assert.deepEqual([answer.status, answer.json().code], [403, 'login_disabled'])
    })
  })

  it('keeps the client secret sealed and shows it to nobody', async () => {
    const { server } = both
    const answers = [await setUp(), await server.admin.getSettings()]
    await server.admin.updateSettings({ body: { idp: { client_secret: `${IDP_CLIENT.secret} of old` } } })
    await setUp()
    await both.tokensOf(person())
    for (const answer of answers) {
      assert.equal(answer.idp.client_secret_set, true)
      assert.equal('client_secret' in answer.idp, false)
    }
    const sealed = (await settingsRow()).idp?.client_secret ?? ''
    assert.match(sealed, /^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/)
    assert.equal(Buffer.from(sealed.split('.')[3] ?? '', 'base64url').includes(IDP_CLIENT.secret), false)
    const everything = [
      ...[JSON.stringify(answers), await dump(server.database), server.logged()],
      JSON.stringify((await server.admin.listAudit({ query: { page_size: 200 } })).items),
    ].join()
    for (const secret of [IDP_CLIENT.secret, JSON.stringify(IDP_CLIENT.secret).slice(1, -1), 's3cr&t'])
      assert.equal(everything.includes(secret), false)
    const update = (await allActions(server.database)).findLast(({ action }) => action === 'settings_update')
    assert.deepEqual(JSON.parse(update?.details ?? ''), {
      before: { idp: { client_secret: '***' } },
      after: { idp: { client_secret: '***' } },
    })
    await server.admin.updateSettings({ body: { idp: { client_secret: null } } })
    assert.equal((await server.admin.getSettings()).idp.client_secret_set, false)
    await setUp()
  })

  itOnce('a wrong client secret lets nobody in and is not told', async () => {
    const { server } = both
    await setUp()
    await server.admin.updateSettings({ body: { idp: { client_secret: 'not the secret' } } })
    await both.refused('idp_rejected', async () => both.finish(await both.returning()))
    assert.equal(server.logged().includes('not the secret'), false)
    assert.equal(server.logged().includes(Buffer.from('stowage:not+the+secret').toString('base64')), false)
    await setUp()
  })

  itOnce('refuses issuers that are no https URL, or are of many tenants', async () => {
    const { server } = both
    await server.records([], async () => {
      for (const issuer_url of [
        ...['http://idp.example', 'https://idp.example/?a=b', 'https://idp.example/#a', 'https://user:pw@idp.example'],
        ...['https://login.microsoftonline.com/common/v2.0', 'https://login.microsoftonline.com/organizations/v2.0/'],
        ...['ftp://idp.example', 'idp.example'],
      ])
        await rejectsWith(
          server.admin.updateSettings({ body: { idp: { issuer_url } } }),
          'invalid_request',
          'body.idp.issuer_url',
        )
    })
  })

  itOnce('while the provider is down people log in with passwords, and it is found again', async () => {
    const { server, idp } = both
    await setUp()
    const account = person()
    await both.tokensOf(account)
    const begun = await both.returning(account)
    await idp.stop()
    try {
      await both.refused('idp_unavailable', () => both.finish(begun))
      await server.later(61 * MINUTE)
      const logins = Array.from({ length: 5 }, () => both.get('/api/v1/auth/login'))
      for (const answer of await server.records([], () => Promise.all(logins))) {
        assert.deepEqual([answer.status, answer.json().code], [503, 'idp_unavailable'])
        assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d?$/)
        assert.equal(answer.headers['set-cookie'], undefined)
      }
      await server.records([], () => rejectsWith(server.admin.testIdp(), 'idp_unavailable'))
      assert.equal((await server.as().authConfig()).idp, true)
      await server.login(ADMIN.email, ADMIN.password)
    } finally {
      await idp.restart()
    }
    assert.equal((await server.admin.testIdp()).issuer, idp.issuer)
    await both.tokensOf(account)
  })

  itOnce('asks a provider that is down less and less often, and one that is back at once', async () => {
    const { server, idp } = both
    await setUp()
    await both.tokensOf(person())
    const asked = () => idp.requests.filter((path) => path.endsWith('/openid-configuration')).length
    await server.later(61 * MINUTE)
    const before = asked()
    await Promise.all(Array.from({ length: 5 }, () => both.begin()))
    await both.begin()
    assert.equal(asked(), before + 1, 'asked once for all, and then not for an hour')

    await server.later(61 * MINUTE)
    idp.faults.set('openid-configuration', (response) => void response.writeHead(500).end())
    const pauses: number[] = []
    for (let failures = 0; failures < 8; failures++) {
      const count = asked()
      const failing = await both.get('/api/v1/auth/login')
      assert.deepEqual([failing.status, asked()], [503, count + 1])
      const soon = await both.get('/api/v1/auth/login')
      assert.deepEqual([soon.status, asked()], [503, count + 1])
      const pause = Number(soon.headers['retry-after'])
      pauses.push(pause)
      server.clock.advance(pause * 1000)
    }
    idp.faults.clear()
    await server.later(MINUTE)
    await both.begin()
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 30, 30, 30])
  })

  itOnce('takes no discovery document of another issuer', async () => {
    const { server, idp } = both
    await setUp()
    idp.faults.set('openid-configuration', (response) => {
      const evil = 'https://evil.example'
      const document = { issuer: evil, authorization_endpoint: `${evil}/auth`, token_endpoint: `${evil}/token` }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    })
    try {
      await rejectsWith(server.admin.testIdp(), 'idp_unavailable')
    } finally {
      idp.faults.clear()
    }
    assert.equal((await server.admin.testIdp()).issuer, idp.issuer)
  })

  it('never locks the last administrator out', async () => {
    const { server } = both
    await setUp()
    const change = (body: SettingsChange) => server.admin.updateSettings({ body })
    await server.records([], () => rejectsWith(change({ auth: { enable_local: false } }), 'last_admin'))
    assert.equal((await server.as().authConfig()).local, true)

    const id = await adminId()
    const boss = person({ email: ADMIN.email })
    await server.admin.updateUser({ params: { id }, body: { idp_subject: boss.sub } })
    await server.later(0)
    const { access_token } = await both.tokensOf(boss)
    await change({ auth: { enable_local: false } })
    assert.deepEqual(await server.as().authConfig(), {
      local: false,
      idp: true,
      idp_name: '127.0.0.1',
      setup_required: false,
    })
    await server.records([], async () => {
      await rejectsWith(
        server.as().login({ body: { username: ADMIN.email, password: ADMIN.password } }),
        'login_disabled',
      )
      for (const body of [
        { auth: { enable_idp: false } },
        { idp: { issuer_url: null } },
        { idp: { client_id: null } },
        { idp: { issuer_url: 'https://another.example' } },
      ])
        await rejectsWith(change(body), 'last_admin')
      for (const body of [{ idp_subject: null }, { is_active: false }])
        await rejectsWith(server.as(access_token).updateUser({ params: { id }, body }), 'last_admin')
    })
    await server.as(access_token).updateSettings({ body: { auth: { enable_local: true } } })
    await server.later(0)
    await server.admin.updateUser({ params: { id }, body: { idp_subject: null } })
    await server.later(0)
  })

  it('the group mapping never takes the last administrator away', async () => {
    const { server } = both
    await setUp()
    const administrators = (await server.admin.listGroups()).items.find(({ builtin }) => builtin)?.id ?? ''
    const id = await adminId()
    const [boss, second] = [person({ groups: [] }), person({ groups: ['admins'] })]
    await server.admin.updateUser({ params: { id }, body: { idp_subject: boss.sub } })
    await server.later(0)
    const group_mapping = [{ value: 'admins', group_id: administrators }]
    await server.admin.updateSettings({ body: { idp: { groups_claim: 'groups', group_mapping } } })
    const isAdmin = async (account: Account) =>
      (await server.as((await both.tokensOf(account)).access_token).me()).is_admin
    const stays = async (account: Account) => {
      const before = server.logged().length
      assert.equal(await server.records([{ action: 'login' }], () => isAdmin(account)), true)
      assert.match(server.logged().slice(before), /the last administrator stays one/)
    }
    await stays(boss)
    await server.records([{ action: 'user_create' }, { action: 'group_update' }, { action: 'login' }], async () =>
      assert.equal(await isAdmin(second), true),
    )
    await server.records([{ action: 'group_update' }, { action: 'login' }], async () =>
      assert.equal(await isAdmin(boss), false),
    )
    await stays({ ...second, groups: [] })

    // Two of them log in at once, each of whom the provider takes the right from: one stays.
    for (let round = 0; round < (engine === 'postgres' ? 10 : 2); round++) {
      for (const account of [boss, second]) await both.tokensOf({ ...account, groups: ['admins'] })
      const flows = [await both.returning({ ...boss, groups: [] }), await both.returning({ ...second, groups: [] })]
      const tokens = await Promise.all(
        flows.map(async (flow) => (await both.finish(flow)).json<Tokens & Record<string, unknown>>().access_token),
      )
      const admins = await Promise.all(tokens.map(async (token) => (await server.as(token).me()).is_admin))
      assert.deepEqual(admins.sort(), [false, true])
    }
  })
})

describe('login through OpenID Connect, whatever the database', () => {
  it('on https the cookie is Secure and has the prefix __Host-', async () => {
    const both = await startBoth('sqlite', { env: { PUBLIC_BASE_URL: 'https://files.example.com/stowage' } })
    try {
      const answer = await both.get('/api/v1/auth/login')
      const [value, ...attributes] = answer.headers['set-cookie']?.[0]?.split('; ') ?? []
      assert.match(value ?? '', /^__Host-svc_oidc=[\w-]{43}$/)
      assert.deepEqual(attributes.sort(), ['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax', 'Secure'])
      const begun = await both.begin()
      const url = await signIn(both.idp, begun.authUrl, person())
      assert.equal(url.origin + url.pathname, 'https://files.example.com/stowage/api/v1/auth/callback')
      // The reverse proxy takes its prefix away.
      url.pathname = '/api/v1/auth/callback'
      await both.withSettings(autoCreate, async () => {
        const plain = begun.cookie.replace('__Host-', '')
        const denied = await both.get(pathOf(url), { cookie: plain })
        assert.equal(denied.json().code, 'invalid_state')
        const again = await both.begin()
        const back = await signIn(both.idp, again.authUrl, person())
        back.pathname = url.pathname
        const done = await both.finish({ url: back, cookie: again.cookie })
        assert.equal(done.status, 200)
        assert.match(done.headers['set-cookie']?.[0] ?? '', /^__Host-svc_oidc=; Max-Age=0; Path=\/; .*Secure/)
      })
    } finally {
      await both.stop()
    }
  })

  it('the service starts without its provider and finds it later', async () => {
    const port = await freePort()
    const PUBLIC_BASE_URL = `http://127.0.0.1:${port}`
    const idp = await startIdp([`${PUBLIC_BASE_URL}/api/v1/auth/callback`])
    await idp.stop()
    const server = await startServer('sqlite', { PORT: String(port), PUBLIC_BASE_URL, ...idp.env, IDP_NAME: 'Acme' })
    try {
      const browser = browserOf(server, idp)
      assert.deepEqual(await server.as().authConfig(), {
        local: true,
        idp: true,
        idp_name: 'Acme',
        setup_required: false,
      })
      const { response } = await rejectsWith(server.as().idpLogin(), 'idp_unavailable')
      await rejectsWith(server.admin.testIdp(), 'idp_unavailable')
      await idp.restart()
      server.clock.advance(Number(response.headers.get('retry-after')) * 1000)
      await browser.withSettings(autoCreate, () => browser.tokensOf(person()))
    } finally {
      await idp.stop()
      await server.stop()
    }
  })

  it('gives a provider that hangs ten seconds, while everything else goes on', async () => {
    const both = await startBoth('sqlite')
    const { server, idp } = both
    try {
      const flows = [await both.returning(), await both.returning()]
      const began = performance.now()
      const hang = () => undefined
      idp.faults.set('token', hang).set('jwks', hang)
      const finishing = flows.map((flow) => both.finish(flow))
      while (idp.requests.filter((path) => path === '/token').length < 2) await new Promise(setImmediate)
      await server.later(61 * MINUTE)
      idp.faults.set('openid-configuration', hang)
      const beginning = both.get('/api/v1/auth/login')
      await server.login(ADMIN.email, ADMIN.password)
      assert.ok(performance.now() - began < 5000)
      for (const answer of await Promise.all([...finishing, beginning]))
        assert.deepEqual([answer.status, answer.json().code], [503, 'idp_unavailable'])
      const seconds = (performance.now() - began) / 1000
      assert.ok(seconds > 9 && seconds < 15, `${seconds} s`)
    } finally {
      idp.faults.clear()
      await both.stop()
    }
  })

  it('an answer that breaks off, or is no JSON, is the provider’s fault', async () => {
    const both = await startBoth('sqlite')
    const { idp } = both
    try {
      const faults: Parameters<Idp['faults']['set']>[1][] = [
        (response) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 }).write('{"id_token":')
          setTimeout(() => response.destroy(), 50)
        },
        (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Maintenance</h1>'),
        (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"id_'),
      ]
      for (const endpoint of ['token', 'jwks'])
        for (const fault of faults) {
          const back = await both.returning()
          idp.faults.set(endpoint, fault)
          try {
            await both.refused('idp_unavailable', () => both.finish(back))
          } finally {
            idp.faults.clear()
          }
        }
    } finally {
      await both.stop()
    }
  })
})

describe('Microsoft Entra', () => {
  const secrets = { SECRET_KEY, IDP_CLIENT_ID: 'client' }
  const issuerOf = (env: Record<string, string>) => readConfig({ ...secrets, ...env }).fixedSettings['idp.issuer_url']

  it('a tenant gives its issuer; those of many tenants are refused', () => {
    const issuer = `https://login.microsoftonline.com/${TENANT}/v2.0`
    assert.deepEqual(issuerOf({ IDP_TENANT_ID: TENANT }), { variable: 'IDP_TENANT_ID', value: issuer })
    const other = 'https://idp.example.com/realms/a'
    assert.equal(issuerOf({ IDP_TENANT_ID: other })?.value, other)
    assert.deepEqual(issuerOf({ IDP_TENANT_ID: TENANT, IDP_ISSUER_URL: other }), {
      variable: 'IDP_ISSUER_URL',
      value: other,
    })
    for (const tenant of [
      'common',
      'organizations',
      'consumers',
      'contoso.onmicrosoft.com',
      `${TENANT}/`,
      'http://a.b',
    ])
      assert.throws(() => issuerOf({ IDP_TENANT_ID: tenant }), /IDP_TENANT_ID must/, tenant)
    for (const tenant of ['common', 'organizations', 'consumers', 'contoso.com'])
      for (const host of ['login.microsoftonline.com', 'LOGIN.MicrosoftOnline.us', 'login.partner.microsoftonline.cn'])
        assert.throws(() => issuerOf({ IDP_ISSUER_URL: `https://${host}/${tenant}/v2.0` }), /must name one tenant/)
    assert.throws(() => readConfig({ SECRET_KEY, IDP_TENANT_ID: TENANT }), /IDP_CLIENT_ID is required/)
  })

  it('those of many tenants are refused in every spelling', {}, () => {
    for (const rest of [
      ...['/common', '/common/', '//common/v2.0', ':443/common/v2.0', '/x/../common/v2.0', '\\common/v2.0'],
      ...['/organizations', '/common/v2.0/.well-known/openid-configuration', `/${TENANT}`],
    ])
      assert.throws(() => issuerOf({ IDP_ISSUER_URL: `https://login.microsoftonline.com${rest}` }), Error, rest)
  })

  it('a tenant written in capitals is the same one', {}, () => {
    const { value } = issuerOf({ IDP_TENANT_ID: TENANT.toUpperCase() }) ?? {}
    assert.equal(value, `https://login.microsoftonline.com/${TENANT}/v2.0`)
  })

  it('takes the tenant’s users alone, and knows them by oid', async () => {
    const port = await freePort()
    const PUBLIC_BASE_URL = `http://127.0.0.1:${port}`
    const issuer = `https://login.microsoftonline.com/${TENANT}/v2.0`
    const idp = await startIdp([`${PUBLIC_BASE_URL}/api/v1/auth/callback`], issuer)
    const { IDP_ISSUER_URL: _issuer, ...client } = idp.env
    const env = { PORT: String(port), PUBLIC_BASE_URL, ...client, IDP_TENANT_ID: TENANT }
    const server = await startServer('sqlite', env)
    const unreachable = reachByIssuer()
    const browser = browserOf(server, idp)
    try {
      assert.ok((await browser.begin()).authUrl.startsWith('https://login.microsoftonline.com/'))
      await browser.withSettings(autoCreate, async () => {
        const oid = '99999999-8888-7777-6666-555555555555'
        const account = person({ oid, tid: TENANT })
        const { access_token } = await browser.tokensOf(account)
        assert.equal(claimsOf(access_token).oid, oid)
        assert.equal(await browser.me(access_token), 200)
        assert.equal((await browser.userOf({ sub: oid }))?.email, account.email)
        await browser.tokensOf({ ...account, sub: 'another sub of the same person' })
        for (const claims of [
          { oid, tid: TENANT.replace('a', 'b') },
          { oid },
          { tid: TENANT },
          { oid: '', tid: TENANT },
        ])
          await browser.refused('idp_rejected', async () => browser.finish(await browser.returning(person(claims))))
      })
    } finally {
      unreachable()
      await idp.stop()
      await server.stop()
    }
  })
})
