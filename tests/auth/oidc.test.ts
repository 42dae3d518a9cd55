import assert from 'node:assert/strict'
import { createHash, createHmac, createPublicKey } from 'node:crypto'
import { before, describe, it } from 'node:test'
import type { ErrorCode } from '../../contract/errors.ts'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import type { Answer } from '../support/http.ts'
import {
  type Account,
  claimsOf,
  IDP_CLIENT,
  type Idp,
  newKey,
  randomText,
  signIn,
  type TokenAnswer,
} from '../support/idp.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { autoCreate, type Both, countOf, dump, failed, html, MINUTE, pathOf, person, type Tokens } from './oidc.ts'
import { loginWorld } from './oidc-login.ts'

const hashed = (text: string) => createHash('sha256').update(text)

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describeEngines('login through OpenID Connect', (engine, itOnce) => {
  const world = loginWorld(engine)
  let both: Both
  before(() => {
    both = world.both
  })

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

  it('a login started on one replica can be finished on another', { skip: engine === 'sqlite' }, async () => {
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

  itOnce('a failing provider is a 503 with Retry-After', async () => {
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

  itOnce('a code works only in the browser that started the login; in another it fails and is used up', async () => {
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

  it('a code fails for a user who was disabled or unlinked since', async () => {
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

  itOnce('redirects only to its own paths', async () => {
    const { server } = both
    const base = server.env.PUBLIC_BASE_URL ?? ''
    await server.records([], async () => {
      for (const path of [
        '//evil.example',
        '/\\evil.example',
        '\\/evil.example',
        '\\\\evil.example',
        '///evil.example',
        'https://evil.example/',
        'http:evil.example',
        'javascript:alert(1)',
        'data:text/html,x',
        'evil.example',
        '',
        ' /console/',
        '/console/\nx',
        '/console/\r\nSet-Cookie: a=b',
        '/\t/evil.example',
        '/\n/evil.example',
        `${base}/console/`,
        '/a\\b',
        '/ü',
        `/${'x'.repeat(2048)}`,
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
})
