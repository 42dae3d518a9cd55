import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { decodeJwt, SignJWT } from 'jose'
import { newId } from '../../server/base/id.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, SECRET_KEY, startServer, type TestServer } from '../support/server.ts'

const MINUTE = 60_000

describeEngines('sessions', (engine, itOnce) => {
  let server: TestServer
  let secure: TestServer
  let people = 0
  before(async () => {
    server = await startServer(engine)
    secure = await startServer(engine, { PUBLIC_BASE_URL: 'https://storage.example.com/below' })
  })
  after(async () => {
    await server.stop()
    await secure.stop()
  })

  const person = async () => {
    const email = `sessions${++people}@example.com`
    const password = `secret of person ${people}`
    server.secrets.add(password)
    const { id } = await server.admin.createUser({ body: { email, display_name: 'P', password } })
    return { id, email, password }
  }
  const login = (at: TestServer, { email, password }: { email: string; password: string }, headers = {}) =>
    request({
      url: at.url,
      path: '/api/v1/auth/token?session=cookie',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ username: email, password }).toString(),
    })
  const refresh = (cookie: string | undefined, headers = {}, query = '?session=cookie') =>
    request({
      url: server.url,
      path: `/api/v1/auth/refresh${query}`,
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...(cookie ? { cookie } : {}), ...headers },
    })
  const cookieOf = (answer: { headers: { 'set-cookie'?: string[] } }) =>
    answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''

  it('sets the refresh token as a cookie that no script and no other site can use', async () => {
    const kim = await person()
    const answer = await server.records([{ action: 'login' }], () => login(server, kim))
    assert.deepEqual(Object.keys(answer.json()).sort(), ['access_token', 'expires_in', 'token_type'])
    const [set = ''] = answer.headers['set-cookie'] ?? []
    const [pair = '', ...attributes] = set.split('; ')
    assert.match(pair, /^strongroom_refresh=eyJ/)
    assert.deepEqual(attributes.sort(), ['HttpOnly', 'Max-Age=604800', 'Path=/api/v1/auth', 'SameSite=Strict'])
    const next = await server.records([], () => refresh(pair))
    assert.equal(next.status, 200)
    assert.deepEqual(Object.keys(next.json()).sort(), ['access_token', 'expires_in', 'token_type'])
    assert.notEqual(cookieOf(next), pair)
    assert.equal((await server.as(next.json<{ access_token: string }>().access_token).me()).email, kim.email)
    server.clock.advance(31_000)
    await server.records([{ action: 'refresh_reuse', result: 'denied' }], async () =>
      assert.equal((await refresh(pair)).status, 401),
    )
    assert.equal((await refresh(cookieOf(next))).status, 401, 'the whole session has ended')
  })

  itOnce('keeps the cookie to https where the service is reached by it', async () => {
    const { email, password } = { email: 'admin@example.com', password: 'correct horse battery' }
    const [set = ''] = (await login(secure, { email, password })).headers['set-cookie'] ?? []
    const [pair = '', ...attributes] = set.split('; ')
    assert.match(pair, /^__Host-strongroom_refresh=/)
    assert.deepEqual(attributes.sort(), ['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Strict', 'Secure'])
  })

  itOnce(
    'takes a cookie that a sibling subdomain can set only from releases that called it so, and renames it',
    async () => {
      const given = await login(secure, { email: 'admin@example.com', password: 'correct horse battery' })
      const token = cookieOf(given).split('=')[1] ?? ''
      const { host: _host, jti, ...claims } = decodeJwt<{ host?: true }>(token)
      // As the release before signed them: without saying that they come in a cookie of the host alone.
      const sign = (more: object) =>
        new SignJWT({ ...claims, jti: String(jti), ...more })
          .setProtectedHeader({ alg: 'HS256', typ: 'rt+jwt' })
          .sign(new TextEncoder().encode(SECRET_KEY))
      const send = (cookie: string) =>
        request({
          url: secure.url,
          path: '/api/v1/auth/refresh?session=cookie',
          method: 'POST',
          body: '{}',
          headers: { 'content-type': 'application/json', cookie },
        })
      for (const tossed of [token, await sign({ host: true }), 'x'])
        assert.equal((await send(`__Secure-strongroom_refresh=${tossed}`)).status, 401)
      const former = `__Secure-strongroom_refresh=${await sign({})}`
      const renamed = await send(former)
      assert.equal(renamed.status, 200)
      const [set = '', cleared = ''] = renamed.headers['set-cookie'] ?? []
      assert.match(set, /^__Host-strongroom_refresh=eyJ/)
      assert.match(cleared, /^__Secure-strongroom_refresh=; Max-Age=0; Path=\/below\/api\/v1\/auth; .*Secure/)
      const next = await send(`${former}; ${set.split(';')[0]}`)
      assert.equal(next.status, 200, 'the new one comes first')
      assert.equal((await send(`__Secure-strongroom_refresh=${set.split(';')[0]?.split('=')[1]}`)).status, 401)
    },
  )

  itOnce('accepts the cookie only from pages of its own origin', async () => {
    const cookie = cookieOf(await login(server, await person()))
    const { host } = new URL(server.url)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: `http://${host}.evil.example` },
      { origin: 'null' },
    ])
      await server.records([], async () => assert.equal((await refresh(cookie, headers)).status, 403))
    const form = await request({
      url: server.url,
      path: '/api/v1/auth/refresh?session=cookie',
      method: 'POST',
      body: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    })
    assert.equal(form.status, 415, 'no form of another page can send it')
    assert.equal((await refresh(undefined)).status, 401)
    assert.equal((await refresh(cookie, {}, '')).status, 422, 'the cookie counts only where it is asked for')
    const own = await refresh(cookie, { 'sec-fetch-site': 'same-origin', origin: `http://${host}` })
    assert.equal(own.status, 200)
    const me = await request({ url: server.url, path: '/api/v1/auth/me', headers: { cookie: cookieOf(own) } })
    assert.equal(me.status, 401, 'it is no credential anywhere else')
  })

  it('does nothing for a page of another origin that asks for the cookie', async () => {
    const kim = await person()
    const session = server.as(await server.login(kim.email, kim.password))
    const headers = { origin: 'https://evil.example' }
    await server.records([], async () => assert.equal((await login(server, kim, headers)).status, 403))
    assert.equal((await session.listSessions()).items.length, 1)
    const body = { current_password: kim.password, new_password: 'another secret of theirs' }
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(session.changePassword({ query: { session: 'cookie' }, body, headers }), 'forbidden'),
    )
    await session.me()
    assert.equal((await login(server, kim)).status, 200)
  })

  it('lists where someone is signed in, and ends one session or this one', async () => {
    const kim = await person()
    const first = await server.login(kim.email, kim.password)
    server.clock.advance(1000)
    const second = await server.login(kim.email, kim.password)
    const client = server.as(second)
    const { items } = await client.listSessions()
    assert.deepEqual(
      items.map(({ current, auth_method }) => [current, auth_method]),
      [
        [true, 'local'],
        [false, 'local'],
      ],
    )
    const page = await client.listSessions({ query: { limit: 1 } })
    const rest = await client.listSessions({ query: { limit: 1, cursor: page.next_cursor ?? '' } })
    assert.deepEqual([...page.items, ...rest.items], items)
    const other = items[1]?.id ?? ''
    await server.records([{ action: 'logout' }], () => client.endSession({ params: { id: other } }))
    await rejectsWith(server.as(first).me(), 'unauthenticated')
    await server.records([], async () => {
      await rejectsWith(client.endSession({ params: { id: other } }), 'not_found')
      await rejectsWith(client.endSession({ params: { id: newId() } }), 'not_found')
      const lee = await server.admin.listSessions()
      await rejectsWith(client.endSession({ params: { id: lee.items[0]?.id ?? '' } }), 'not_found')
    })
    await server.records([{ action: 'logout' }], () => client.logout())
    await rejectsWith(client.me(), 'unauthenticated')
    server.clock.advance(8 * 24 * 60 * MINUTE)
    const later = server.as(await server.login(kim.email, kim.password))
    assert.equal((await later.listSessions()).items.length, 1, 'sessions nobody can refresh are not listed')
    await server.later(0)
  })

  itOnce('clears the cookie at logout', async () => {
    const answer = await login(server, await person())
    const out = await request({
      url: server.url,
      path: '/api/v1/auth/logout',
      method: 'POST',
      token: answer.json<{ access_token: string }>().access_token,
      headers: { cookie: cookieOf(answer) },
    })
    assert.equal(out.status, 204)
    assert.match(out.headers['set-cookie']?.[0] ?? '', /^strongroom_refresh=; Max-Age=0;/)
    assert.equal((await refresh(cookieOf(answer))).status, 401)
  })

  it('changing the password requires the current one and ends every session but a new one', async () => {
    const kim = await person()
    const old = await server.login(kim.email, kim.password)
    const other = await server.login(kim.email, kim.password)
    const pat = await server.as(old).createToken({ body: { name: 'stays' } })
    const change = (current_password: string, new_password: string, token = old) =>
      server.as(token).changePassword({ body: { current_password, new_password } })
    await server.records([], async () => {
      await rejectsWith(change(kim.password, 'short'), 'invalid_request', 'body.new_password')
      await rejectsWith(
        server.as().changePassword({ body: { current_password: 'x', new_password: 'y' } }),
        'unauthenticated',
      )
    })
    await server.records([{ action: 'login_failed', result: 'failure' }], () =>
      rejectsWith(change('not the password', 'the next password'), 'invalid_request', 'body.current_password'),
    )
    server.secrets.add('the next password')
    const { access_token, refresh_token = '' } = await server.records(
      [{ action: 'user_update' }, { action: 'login' }],
      () => change(kim.password, 'the next password'),
    )
    for (const token of [old, other]) await rejectsWith(server.as(token).me(), 'unauthenticated')
    assert.equal((await server.as(access_token).me()).id, kim.id)
    assert.equal((await server.as(pat.token).me()).id, kim.id, 'personal access tokens stay')
    await server.as().refresh({ body: { refresh_token } })
    await rejectsWith(server.login(kim.email, kim.password), 'invalid_grant')
    await server.login(kim.email, 'the next password')
    for (let i = 0; i < 5; i++)
      await rejectsWith(change('a guess at it', 'whatever it is', access_token), 'invalid_request')
    await rejectsWith(change('the next password', 'whatever it is', access_token), 'rate_limited')
  })

  itOnce('with the rotation off, the first refresh token works for its seven days', async () => {
    await server.admin.updateSettings({ body: { auth: { refresh_rotation: false } } })
    const kim = await person()
    const { refresh_token = '' } = await server.as().login({ body: { username: kim.email, password: kim.password } })
    for (let day = 0; day < 6; day++) {
      server.clock.advance(24 * 60 * MINUTE)
      const next = await server.as().refresh({ body: { refresh_token } })
      assert.equal(next.refresh_token, refresh_token)
      await server.as(next.access_token).me()
    }
    await server.later(24 * 60 * MINUTE)
    await rejectsWith(server.as().refresh({ body: { refresh_token } }), 'unauthenticated')
    await server.admin.updateSettings({ body: { auth: { refresh_rotation: true } } })
  })
})
