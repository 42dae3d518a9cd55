// Clients that connect to the MCP server by its URL alone.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { newId } from '../../server/base/id.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, onS3, type TestServer } from '../support/server.ts'
import {
  codeForm,
  follow,
  type NewAgent,
  oauthSteps,
  REDIRECT,
  refreshForm,
  startOauth,
  TestProvider,
} from './oauth-client.ts'

const MINUTE = 60_000

describeEngines('MCP by OAuth', (engine, itOnce) => {
  // Its address has to be known before it starts, so there is one service only.
  if (onS3) return
  let server: TestServer
  let steps: ReturnType<typeof oauthSteps>
  before(async () => {
    server = await startOauth(engine)
    steps = oauthSteps(server)
    await server.admin.createBucket({ body: { name: 'photos' } })
    await server.admin.putObject({ params: { bucket: 'photos', key: 'a/1' }, body: 'x' })
  })
  after(() => server.stop())

  const agent: NewAgent = { name: 'Reader', scope: [{ bucket: 'photos', actions: ['list', 'read'] }] }
  const agentOf = async (name: string) => (await server.admin.listAgents()).items.find((one) => one.name === name)
  const named = (): NewAgent => ({ ...agent, name: newId() })
  const nothing = <T>(work: () => Promise<T>) => server.records([], work)
  /** A client that has its tokens. */
  async function connected(made: NewAgent = named()) {
    const { client_id, code, form } = await steps.connect(made)
    const { json } = await steps.token(form)
    return { client_id, code, form, name: made.name, access: String(json.access_token), refresh: json.refresh_token }
  }
  const errorOf = ({ status, json }: Awaited<ReturnType<typeof steps.token>>) => [status, json.error]

  it('gives a client of the SDK the tools, renews its access, and stops it once its agent is revoked', async () => {
    const provider = new TestProvider(REDIRECT)
    const serverUrl = `${server.url}/mcp`
    await server.records([{ action: 'client_register' }], async () =>
      assert.equal(await auth(provider, { serverUrl }), 'REDIRECT'),
    )
    const asked = provider.asked as URL
    assert.equal(asked.searchParams.get('resource'), serverUrl)
    const page = await nothing(() => follow(asked))
    assert.equal(`${page.origin}${page.pathname}`, `${server.url}/console/connect`)
    const request = String(page.searchParams.get('request'))
    const described = await nothing(() => server.admin.readAuthorization({ body: { request } }))
    assert.deepEqual(
      { ...described, refuse_url: '', expires_at: '' },
      {
        client_name: 'Test client',
        client_host: null,
        redirect_host: '127.0.0.1:1234',
        on_this_machine: true,
        refuse_url: '',
        expires_at: '',
      },
    )
    const refused = new URL(described.refuse_url)
    assert.deepEqual(Object.fromEntries(refused.searchParams), {
      error: 'access_denied',
      state: 'state of the client',
      iss: server.url,
    })
    const { answer } = await server.records([{ action: 'agent_create' }], () => steps.agree(request, agent))
    assert.equal(`${answer.origin}${answer.pathname}`, REDIRECT)
    assert.equal(answer.searchParams.get('state'), 'state of the client')
    await server.records([{ action: 'agent_connect' }], async () =>
      assert.equal(
        await auth(provider, {
          serverUrl,
          authorizationCode: answer.searchParams.get('code') ?? '',
          iss: answer.searchParams.get('iss') ?? '',
        }),
        'AUTHORIZED',
      ),
    )
    const first = provider.stored?.access_token
    for (const one of [first, provider.stored?.refresh_token]) server.secrets.add(String(one))
    const client = new Client({ name: 'tests', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider }))
    const browse = async () => {
      const { content } = await client.callTool({ name: 'browse', arguments: { bucket: 'photos', prefix: 'a/' } })
      return JSON.stringify(content)
    }
    assert.match(await browse(), /a\/1/)
    const write = await client.callTool({ name: 'write', arguments: { bucket: 'photos', key: 'a/2', text: 'x' } })
    assert.equal(write.isError, true, 'reading was all that the user gave it')
    await server.later(31 * MINUTE)
    assert.match(await browse(), /a\/1/)
    assert.notEqual(provider.stored?.access_token, first)
    for (const one of [provider.stored?.access_token, provider.stored?.refresh_token]) server.secrets.add(String(one))
    const made = await agentOf('Reader')
    const { items } = await server.admin.listAudit({ query: { action: ['agent_connect'] } })
    assert.deepEqual([items[0]?.actor.type, items[0]?.resource_id], ['public', made?.id])
    assert.deepEqual(items[0]?.details, {
      name: 'Reader',
      user_id: made?.user_id,
      client: {
        client_id: provider.information?.client_id,
        client_name: 'Test client',
        redirect_uri: REDIRECT,
      },
    })
    await server.records([{ action: 'agent_revoke' }], () =>
      server.admin.revokeAgent({ params: { id: made?.id ?? '' } }),
    )
    assert.equal((await steps.list(String(provider.stored?.access_token))).status, 401)
    await assert.rejects(browse())
    assert.ok(provider.invalidated.includes('tokens'))
  })

  itOnce('says where to sign in, and how', async () => {
    const call = (headers: Record<string, string>) =>
      request({
        url: server.url,
        path: '/mcp',
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      })
    const where = `resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp", scope="mcp"`
    assert.equal((await call({})).headers['www-authenticate'], `Bearer ${where}`)
    for (const authorization of ['Bearer svc_mcp_x', 'Bearer x', 'Basic x', 'Bearer svc_agent_x']) {
      const { status, headers } = await call({ authorization })
      assert.deepEqual([status, headers['www-authenticate']], [401, `Bearer error="invalid_token", ${where}`])
    }
    for (const path of ['/mcp', '']) {
      const { json } = await request({ url: server.url, path: `/.well-known/oauth-protected-resource${path}` })
      const { resource, authorization_servers } = json<Record<string, unknown>>()
      assert.deepEqual([resource, authorization_servers], [`${server.url}/mcp`, [server.url]])
    }
    const metadata = await server.as().getAuthorizationServer()
    assert.equal(metadata.issuer, server.url)
    assert.deepEqual(metadata.code_challenge_methods_supported, ['S256'])
    assert.deepEqual(metadata.token_endpoint_auth_methods_supported, ['none'])
    for (const [name, url] of Object.entries(metadata))
      if (name.endsWith('_endpoint')) assert.ok(String(url).startsWith(`${server.url}/oauth/`), name)
  })

  itOnce('an access token is for the MCP server alone, and ends with its time', async () => {
    const { access } = await connected()
    assert.equal((await steps.list(access)).status, 200)
    await rejectsWith(server.as(access).listBuckets(), 'unauthenticated')
    await rejectsWith(server.as(access).me(), 'unauthenticated')
    await server.later(30 * MINUTE)
    assert.equal((await steps.list(access)).status, 401)
  })

  it('refuses a code to whoever is not who asked for it, and takes it once', async () => {
    const { client_id, code, form } = await steps.connect(named())
    const other = String((await steps.register()).json.client_id)
    const wrong: [string, Record<string, string>][] = [
      ['invalid_grant', { code_verifier: 'A'.repeat(43) }],
      ['invalid_grant', { code_verifier: '' }],
      ['invalid_grant', { redirect_uri: 'http://127.0.0.1:1235/callback' }],
      ['invalid_grant', { client_id: other }],
      ['invalid_grant', { code: `${code}x` }],
      ['invalid_target', { resource: `${server.url}/api/v1` }],
      ['unsupported_grant_type', { grant_type: 'password' }],
      ['invalid_request', { grant_type: '' }],
      ['invalid_request', { client_id: '' }],
      ['invalid_request', { code: '' }],
    ]
    for (const [error, change] of wrong)
      assert.deepEqual(
        errorOf(await nothing(() => steps.token({ ...form, ...change }))),
        [400, error],
        JSON.stringify(change),
      )
    const { status, headers, json } = await server.records([{ action: 'agent_connect' }], () =>
      steps.token({ ...form, resource: `${server.url}/mcp` }),
    )
    assert.deepEqual(
      [status, headers.get('cache-control'), json.token_type, json.expires_in, json.scope],
      [200, 'no-store', 'Bearer', 1800, 'mcp'],
    )
    // Somebody who has seen the code, and has no verifier, cannot end it.
    assert.deepEqual(
      errorOf(await nothing(() => steps.token({ ...codeForm(client_id, code), code_verifier: 'A'.repeat(43) }))),
      [400, 'invalid_grant'],
    )
    assert.equal((await steps.list(String(json.access_token))).status, 200)
    const again = await server.records([{ action: 'agent_revoke' }], () => steps.token(form))
    assert.deepEqual(errorOf(again), [400, 'invalid_grant'])
    assert.equal((await steps.list(String(json.access_token))).status, 401)
    assert.deepEqual(errorOf(await nothing(() => steps.token(refreshForm(client_id, json.refresh_token)))), [
      400,
      'invalid_grant',
    ])
    assert.deepEqual(errorOf(await nothing(() => steps.token(form))), [400, 'invalid_grant'])
  })

  it('a code expires within a minute; an agent whose code nobody exchanged is revoked', async () => {
    const made = named()
    const { form } = await steps.connect(made)
    await server.later(MINUTE)
    assert.deepEqual(errorOf(await nothing(() => steps.token(form))), [400, 'invalid_grant'])
    await nothing(() => server.running.tick('oauth-expiry'))
    await server.later(61 * MINUTE)
    await server.records([{ action: 'agent_revoke' }], () => server.running.tick('oauth-expiry'))
    const over = await agentOf(made.name)
    assert.equal(over?.status, 'revoked')
    const { items } = await server.admin.listAudit({ query: { action: ['agent_revoke'] } })
    assert.equal(items[0]?.details.reason, 'not_connected')
  })

  it('replaces refresh tokens; one that is used again ends the agent', async () => {
    const { client_id, refresh, access } = await connected()
    const other = String((await steps.register()).json.client_id)
    assert.deepEqual(errorOf(await nothing(() => steps.token(refreshForm(other, refresh)))), [400, 'invalid_grant'])
    assert.deepEqual(errorOf(await nothing(() => steps.token(refreshForm(client_id, `${refresh}x`)))), [
      400,
      'invalid_grant',
    ])
    assert.deepEqual(
      errorOf(
        await nothing(() => steps.token({ ...refreshForm(client_id, refresh), resource: 'https://example.com/' })),
      ),
      [400, 'invalid_target'],
    )
    const second = await nothing(() => steps.token(refreshForm(client_id, refresh)))
    assert.equal(second.status, 200)
    assert.notEqual(second.json.refresh_token, refresh)
    assert.equal((await steps.list(access)).status, 401, 'the access token is replaced as well')
    // The answer was lost.
    const repeated = await nothing(() => steps.token(refreshForm(client_id, refresh)))
    assert.equal(repeated.json.refresh_token, second.json.refresh_token)
    const third = await steps.token(refreshForm(client_id, second.json.refresh_token))
    assert.equal((await steps.list(String(third.json.access_token))).status, 200)
    // Its successor was used by now.
    const reused = await server.records([{ action: 'agent_revoke' }], () =>
      steps.token(refreshForm(client_id, refresh)),
    )
    assert.deepEqual(errorOf(reused), [400, 'invalid_grant'])
    const { items } = await server.admin.listAudit({ query: { action: ['agent_revoke'] } })
    assert.equal(items[0]?.details.reason, 'refresh_reuse')
    assert.equal((await steps.list(String(third.json.access_token))).status, 401)
    assert.deepEqual(errorOf(await nothing(() => steps.token(refreshForm(client_id, third.json.refresh_token)))), [
      400,
      'invalid_grant',
    ])
  })

  it('a replaced refresh token ends the agent after 30 seconds, and an unused one after 30 days', async () => {
    const one = await connected()
    await steps.token(refreshForm(one.client_id, one.refresh))
    await server.later(31_000)
    await server.records([{ action: 'agent_revoke' }], async () =>
      assert.equal((await steps.token(refreshForm(one.client_id, one.refresh))).status, 400),
    )
    const other = await connected({
      ...named(),
      expires_at: new Date(server.clock.now().getTime() + 10 * MINUTE).toISOString(),
    })
    const idle = await connected()
    await server.later(10 * MINUTE)
    assert.equal((await steps.list(other.access)).status, 401, 'with the agent')
    assert.equal((await steps.token(refreshForm(other.client_id, other.refresh))).status, 400)
    await server.later(30 * 24 * 60 * MINUTE)
    assert.deepEqual(errorOf(await nothing(() => steps.token(refreshForm(idle.client_id, idle.refresh)))), [
      400,
      'invalid_grant',
    ])
  })

  it('gives nothing for a user who is disabled, until they are enabled again', async () => {
    const token = await server.userWith({ bucket_pattern: 'photos', actions: ['list', 'read'] })
    const user = server.as(token)
    const { id } = await user.me()
    const setActive = (is_active: boolean) => server.admin.updateUser({ params: { id }, body: { is_active } })
    const connectAs = (agent: NewAgent) => steps.connect(agent, user)
    const { client_id, form } = await connectAs(named())
    const { json } = await steps.token(form)
    const other = await connectAs(named())
    await setActive(false)
    const renew = () => steps.token(refreshForm(client_id, json.refresh_token))
    assert.deepEqual(errorOf(await nothing(renew)), [400, 'invalid_grant'])
    assert.deepEqual(errorOf(await nothing(() => steps.token(other.form))), [400, 'invalid_grant'])
    assert.equal((await steps.list(String(json.access_token))).status, 401)
    await setActive(true)
    assert.equal((await steps.list(String(json.access_token))).status, 200)
    assert.equal((await nothing(renew)).status, 200)
  })

  it('takes a refresh token that several use at once for one', async () => {
    const { client_id, refresh } = await connected()
    const all = await Promise.all(Array.from({ length: 5 }, () => steps.token(refreshForm(client_id, refresh))))
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(all.map(({ json }) => json.refresh_token)).size, 1)
  })

  it('a client ends its agent with either token', async () => {
    const revoke = (form: Record<string, string>) => steps.post('/oauth/revoke', new URLSearchParams(form))
    for (const kind of ['access', 'refresh'] as const) {
      const { client_id, name, ...tokens } = await connected()
      const token = String(tokens[kind])
      assert.deepEqual(errorOf(await nothing(() => revoke({ token }))), [400, 'invalid_request'])
      const other = String((await steps.register()).json.client_id)
      for (const form of [
        { token, client_id: other },
        { token: 'x', client_id },
        { token: `${token}x`, client_id },
      ])
        assert.equal((await nothing(() => revoke(form))).status, 200)
      assert.equal((await steps.list(tokens.access)).status, 200)
      const { status } = await server.records([{ action: 'agent_revoke' }], () => revoke({ token, client_id }))
      assert.equal(status, 200)
      assert.equal((await steps.list(tokens.access)).status, 401)
      assert.equal((await agentOf(name))?.status, 'revoked')
      assert.equal((await nothing(() => revoke({ token, client_id }))).status, 200)
    }
  })

  itOnce('sends answers to what was registered alone, but to any port of this machine', async () => {
    const bad = [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:https://example.com/x',
      'http://example.com/',
      'http://127.0.0.1.example.com/',
      'http://localhost@example.com/',
      'http://user@localhost/',
      'http://127.0.0.2/',
      'http://[::2]/',
      'https://example.com/#fragment',
      'https://example.com\\@evil.example/',
      // Shown as on this machine, where only the start is read.
      'HTTPS://evil.example/',
      'https:evil.example/',
      'https:/evil.example/',
      'https://user:password@example.com/',
      'ms-msdt:/id',
      '//example.com/',
      '/callback',
      'x',
    ]
    for (const uri of bad) {
      const { status, json } = await nothing(() => steps.register([REDIRECT, uri]))
      assert.deepEqual([status, json.error], [400, 'invalid_redirect_uri'], uri)
    }
    const { json } = await steps.register([
      'http://127.0.0.1/callback',
      'http://[::1]:1/',
      'https://example.com/a?b=c',
      'com.example.app:/callback',
    ])
    const id = String(json.client_id)
    const asks = async (redirect_uri: string) => (await steps.ask(id, { redirect_uri })).get('problem')
    for (const uri of [
      'http://127.0.0.1/callback',
      'http://127.0.0.1:50000/callback',
      'http://[::1]:2/',
      'https://example.com/a?b=c',
      'com.example.app:/callback',
    ])
      assert.equal(await asks(uri), null, uri)
    for (const uri of [
      'http://127.0.0.1:50000/callback/',
      'http://127.0.0.1:50000/other',
      'http://127.0.0.1:50000@example.com/callback',
      'http://localhost:50000/callback',
      'https://127.0.0.1/callback',
      'https://example.com/a',
      'https://example.com/a?b=c&d',
      'https://example.com:444/a?b=c',
      'https://example.com.evil.example/a?b=c',
      'https://EXAMPLE.com/a?b=c',
      'https://evil.example/',
      'com.example.app:/other',
    ])
      assert.equal(await asks(uri), 'invalid_redirect_uri', uri)
    const withQuery = await steps.ask(id, { redirect_uri: 'https://example.com/a?b=c', state: 'ä&=#' })
    const { answer } = await steps.agree(String(withQuery.get('request')), named())
    assert.equal(answer.href.startsWith('https://example.com/a?b=c&code='), true)
    assert.equal(answer.searchParams.get('state'), 'ä&=#')
  })

  itOnce('shows what is wrong with a request here, and redirects nowhere else', async () => {
    const id = String((await steps.register(['https://evil.example/'])).json.client_id)
    const wrong: [string, Record<string, string | undefined>][] = [
      ['invalid_client', { client_id: 'x' }],
      ['invalid_request', { client_id: undefined }],
      ['invalid_client', { client_id: 'https://127.0.0.1/client.json' }],
      ['invalid_client', { client_id: 'https://example.com' }],
      ['invalid_client', { client_id: 'https://example.com/a/../b' }],
      ['invalid_redirect_uri', { redirect_uri: `${server.url}.evil.example/` }],
      ['unsupported_response_type', { response_type: 'token' }],
      ['unsupported_response_type', { response_type: undefined }],
      ['invalid_request', { code_challenge_method: 'plain' }],
      ['invalid_request', { code_challenge_method: undefined }],
      ['invalid_request', { code_challenge: undefined }],
      ['invalid_request', { code_challenge: 'short' }],
      ['invalid_target', { resource: 'https://example.com/mcp' }],
    ]
    for (const [problem, change] of wrong) {
      const page = await nothing(() => follow(steps.link(id, { redirect_uri: 'https://evil.example/', ...change })))
      assert.equal(page.href, `${server.url}/console/connect?problem=${problem}`, JSON.stringify(change))
      const program = await fetch(steps.link(id, { redirect_uri: 'https://evil.example/', ...change }), {
        redirect: 'manual',
      })
      assert.equal(program.status, 400)
      assert.equal(((await program.json()) as { error: string }).error, problem)
    }
    // With one URI and without a state, a client may leave both out.
    assert.equal(
      (await steps.ask(id, { redirect_uri: undefined, state: undefined, resource: undefined })).get('problem'),
      null,
    )
    const long = await steps.ask(id, { redirect_uri: 'https://evil.example/', state: 'ä'.repeat(800) })
    assert.equal(long.get('problem'), 'invalid_request')
  })

  itOnce(
    'nobody agrees but a user who is signed in, to what was asked, in a page that no other can frame',
    async () => {
      const { json } = await steps.register()
      const request = String((await steps.ask(String(json.client_id))).get('request'))
      const body = { request, ...named() }
      const { token } = await server.admin.createToken({ body: { name: 'all' } })
      const by = await server.admin.createAgent({ body: agent })
      for (const secret of [token, by.token, by.secret_access_key]) server.secrets.add(secret)
      await server.records([{ action: 'access_denied', result: 'denied' }], () =>
        rejectsWith(server.as(token).approveAuthorization({ body }), 'forbidden'),
      )
      await server.records([{ action: 'access_denied', result: 'denied' }], () =>
        rejectsWith(server.as(by.token).approveAuthorization({ body }), 'forbidden'),
      )
      // A page of others can only have the browser send cookies, and those do not count.
      const login = await steps.post(
        '/api/v1/auth/token?session=cookie',
        new URLSearchParams({ username: 'admin@example.com', password: 'correct horse battery' }),
      )
      const cookie = login.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ')
      assert.match(cookie, /=/)
      const forged = await nothing(() =>
        steps.post('/api/v1/oauth/authorization/approve', body, { cookie, origin: 'https://evil.example' }),
      )
      assert.equal(forged.status, 401)
      for (const altered of [`${request}x`, request.slice(1), `${request.slice(0, -3)}abc`])
        await nothing(() =>
          rejectsWith(server.admin.approveAuthorization({ body: { ...body, request: altered } }), 'gone'),
        )
      const { headers } = await fetch(`${server.url}/console/connect?request=${request}`)
      assert.match(String(headers.get('content-security-policy')), /frame-ancestors 'none'/)
      assert.equal(headers.get('x-frame-options'), 'DENY')
      await server.later(31 * MINUTE)
      await nothing(() => rejectsWith(server.admin.approveAuthorization({ body }), 'gone'))
      await nothing(() => rejectsWith(server.admin.readAuthorization({ body: { request } }), 'gone'))
    },
  )

  it('an agent of a client has no more than its maker, and can work on a fork', async () => {
    const user = server.as(await server.userWith({ bucket_pattern: 'photos', actions: ['list', 'read'] }))
    const scope: NewAgent['scope'] = [{ bucket: '*', actions: ['list', 'read', 'write', 'delete'] }]
    const { form } = await steps.connect({ name: newId(), scope }, user)
    const { json } = await steps.token(form)
    const client = new Client({ name: 'tests', version: '1' })
    const headers = { authorization: `Bearer ${json.access_token}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }))
    const call = async (name: string, args: object) =>
      JSON.stringify(await client.callTool({ name, arguments: { ...args } }))
    assert.match(await call('browse', { bucket: 'photos', prefix: 'a/' }), /a\/1/)
    assert.match(
      await server.records([{ action: 'access_denied', result: 'denied' }], () =>
        call('delete', { bucket: 'photos', keys: ['a/1'] }),
      ),
      /forbidden/,
    )
    const onFork: NewAgent = { ...named(), fork: { bucket: 'photos' } }
    await steps.connect(onFork)
    const { items } = await server.admin.listAudit({ query: { action: ['create_bucket', 'agent_create'] } })
    const { fork, client: madeFor } = (await agentOf(onFork.name)) ?? {}
    assert.match(String(fork), /^photos-agent-/)
    const { host, protocol } = new URL(REDIRECT)
    assert.deepEqual([madeFor?.redirect_host, madeFor?.on_this_machine], [host, protocol === 'http:'])
    assert.equal(typeof madeFor?.name, 'string')
    assert.deepEqual([items[0]?.details.fork, items[0]?.details.name], [fork, onFork.name])
    assert.equal(items[1]?.bucket, fork)
  })

  itOnce('bounds who can register: by address, in number, and in time', async () => {
    const register = (ip: string) =>
      steps.post('/oauth/register', { redirect_uris: [REDIRECT] }, { 'x-forwarded-for': ip })
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await register('203.0.113.1')).status)
    assert.deepEqual(statuses, [...Array(10).fill(201), 429, 429])
    for (const body of [
      {},
      { redirect_uris: [] },
      { redirect_uris: Array.from({ length: 11 }, (_, i) => `https://example.com/${i}`) },
      { redirect_uris: [`https://example.com/${'x'.repeat(512)}`] },
      { redirect_uris: [REDIRECT], client_name: 'x'.repeat(101) },
      { redirect_uris: [REDIRECT], client_name: 'a\nb' },
      { redirect_uris: [REDIRECT], client_name: 'Trusted \u202eeno rehtona' },
      { redirect_uris: [REDIRECT], client_name: 'Tru\u200bsted' },
    ])
      assert.equal((await nothing(() => steps.post('/oauth/register', body))).status, 422)
    for (const more of [{ grant_types: ['client_credentials'] }, { response_types: ['token'] }])
      assert.deepEqual(errorOf(await nothing(() => steps.register([REDIRECT], more))), [400, 'invalid_client_metadata'])
  })

  itOnce('nobody without a credential causes requests to receivers of webhooks', async () => {
    const body = { name: 'all', url: 'https://example.com/hook', events: ['*' as const] }
    const { id, secret } = await server.admin.createWebhook({ body })
    server.secrets.add(secret)
    const queued = async () => (await server.admin.listDeliveries({ params: { id } })).items.map(({ event }) => event)
    const before = await queued()
    await server.records([{ action: 'client_register' }], () => steps.register())
    assert.deepEqual(await queued(), before)
    await steps.connect(named())
    assert.deepEqual(await queued(), ['agent_create', ...before])
    await server.admin.deleteWebhook({ params: { id } })
  })

  it('forgets registrations that nobody made an agent for, and those whose agents are over', async () => {
    const waiting = String((await steps.register()).json.client_id)
    const used = await connected()
    const problemOf = async (id: string) => (await steps.ask(id)).get('problem')
    await server.later(25 * 60 * MINUTE)
    assert.deepEqual([await problemOf(waiting), await problemOf(used.client_id)], ['invalid_client', null])
    await server.running.tick('oauth-expiry')
    const rows = () =>
      server.database.db.selectFrom('oauth_clients').select('id').where('id', 'in', [waiting, used.client_id]).execute()
    assert.deepEqual(await rows(), [{ id: used.client_id }])
    await steps.post('/oauth/revoke', new URLSearchParams({ token: String(used.refresh), client_id: used.client_id }))
    await server.running.tick('oauth-expiry')
    assert.deepEqual(await rows(), [])
  })

  it('keeps a thousand registrations that wait, and lets the oldest go', async () => {
    const at = (i: number) => new Date(server.clock.now().getTime() - 1000 + i).toISOString()
    const expires_at = new Date(server.clock.now().getTime() + 60 * MINUTE).toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('oauth_clients')
        .values(
          Array.from({ length: 1000 }, (_, i) => ({
            id: `flood-${i}`,
            name: 'x',
            redirect_uris: '[]',
            created_at: at(i),
            expires_at,
          })),
        )
        .execute(),
    )
    const id = String((await steps.register()).json.client_id)
    const rows = await server.database.db
      .selectFrom('oauth_clients')
      .select('id')
      .where('expires_at', 'is not', null)
      .execute()
    assert.equal(rows.length, 1000)
    const left = new Set(rows.map((one) => one.id))
    assert.deepEqual([left.has(id), left.has('flood-0'), left.has('flood-1')], [true, false, true])
  })
})
