import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { SettingsChange } from '../../contract/settings.ts'
import { readConfig } from '../../server/config/config.ts'
import {
  type Account,
  claimsOf,
  freePort,
  IDP_CLIENT,
  type Idp,
  reachByIssuer,
  signIn,
  startIdp,
} from '../support/idp.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, allActions, describeEngines, SECRET_KEY, startServer } from '../support/server.ts'
import {
  autoCreate,
  type Both,
  browserOf,
  dump,
  linkByEmail,
  MINUTE,
  pathOf,
  person,
  startBoth,
  type Tokens,
} from './oidc.ts'
import { assertSignIn } from './sign-in.ts'

const TENANT = 'abcdef11-2222-3333-4444-555555555555'

describeEngines('an identity provider set up at runtime', (engine, itOnce) => {
  let both: Both
  const provider = () => ({
    issuer_url: both.idp.issuer,
    client_id: IDP_CLIENT.id,
    client_secret: IDP_CLIENT.secret,
  })
  const setUp = (more: SettingsChange['auth'] = {}) =>
    both.server.admin.updateSettings({ body: { idp: provider(), auth: { auto_create_users: true, ...more } } })
  const adminId = async () => (await both.server.admin.me()).id
  const settingsRow = async () => {
    const row = await both.server.database.db.selectFrom('settings').selectAll().executeTakeFirst()
    return JSON.parse(row?.overrides ?? '{}') as { idp?: { client_secret?: string } }
  }
  before(async () => {
    both = await startBoth(engine, { byEnv: false })
  })
  after(() => both.stop())

  it('cannot be used before it is configured or after it is removed', async () => {
    const { server } = both
    await assertSignIn(server)
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

  it('sessions of a removed provider are not refreshed', async () => {
    await setUp()
    const { refresh_token } = await both.tokensOf(person())
    await both.withSettings({ idp: { client_id: null } }, async () => {
      const answer = await both.post('refresh', { refresh_token })
      assert.deepEqual([answer.status, answer.json().code], [403, 'login_disabled'])
    })
  })

  it('stores the client secret encrypted and shows it to no one', async () => {
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
      JSON.stringify(answers),
      await dump(server.database),
      server.logged(),
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

  itOnce('a wrong client secret lets no one in and is not revealed', async () => {
    const { server } = both
    await setUp()
    await server.admin.updateSettings({ body: { idp: { client_secret: 'not the secret' } } })
    await both.refused('idp_rejected', async () => both.finish(await both.returning()))
    assert.equal(server.logged().includes('not the secret'), false)
    assert.equal(server.logged().includes(Buffer.from('strongroom:not+the+secret').toString('base64')), false)
    await setUp()
  })

  itOnce('refuses issuers that are no https URL, or are of many tenants', async () => {
    const { server } = both
    await server.records([], async () => {
      for (const issuer_url of [
        'http://idp.example',
        'https://idp.example/?a=b',
        'https://idp.example/#a',
        'https://user:pw@idp.example',
        'https://login.microsoftonline.com/common/v2.0',
        'https://login.microsoftonline.com/organizations/v2.0/',
        'ftp://idp.example',
        'idp.example',
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

  itOnce('backs off while a provider is down, and uses it at once when it is back', async () => {
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

  itOnce('rejects another issuer’s discovery document', async () => {
    const { server, idp } = both
    await setUp()
    idp.faults.set('openid-configuration', (response) => {
      const evil = 'https://evil.example'
      const document = { issuer: evil, authorization_endpoint: `${evil}/auth`, token_endpoint: `${evil}/token` }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    })
    try {
      const { problem } = await rejectsWith(server.admin.testIdp(), 'idp_unavailable')
      for (const named of ['https://evil.example', idp.issuer]) assert.ok(problem.detail.includes(`"${named}"`))
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
    await assertSignIn(server, { local: false, idp_name: '127.0.0.1' })
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
    const both = await startBoth('sqlite', { env: { PUBLIC_BASE_URL: 'https://files.example.com/strongroom' } })
    try {
      const answer = await both.get('/api/v1/auth/login')
      const [value, ...attributes] = answer.headers['set-cookie']?.[0]?.split('; ') ?? []
      assert.match(value ?? '', /^__Host-svc_oidc=[\w-]{43}$/)
      assert.deepEqual(attributes.sort(), ['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax', 'Secure'])
      const begun = await both.begin()
      const url = await signIn(both.idp, begun.authUrl, person())
      assert.equal(url.origin + url.pathname, 'https://files.example.com/strongroom/api/v1/auth/callback')
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
      await assertSignIn(server, { idp_name: 'Acme' })
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

  it('a provider that hangs times out after ten seconds, while everything else continues', async () => {
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
        assert.throws(() => issuerOf({ IDP_ISSUER_URL: `https://${host}/${tenant}/v2.0` }), /must name a single tenant/)
    assert.throws(() => readConfig({ SECRET_KEY, IDP_TENANT_ID: TENANT }), /IDP_CLIENT_ID is required/)
  })

  it('those of many tenants are refused in every spelling', {}, () => {
    for (const rest of [
      '/common',
      '/common/',
      '//common/v2.0',
      ':443/common/v2.0',
      '/x/../common/v2.0',
      '\\common/v2.0',
      '/organizations',
      '/common/v2.0/.well-known/openid-configuration',
      `/${TENANT}`,
    ])
      assert.throws(() => issuerOf({ IDP_ISSUER_URL: `https://login.microsoftonline.com${rest}` }), Error, rest)
  })

  it('a tenant written in capitals is the same one', {}, () => {
    const { value } = issuerOf({ IDP_TENANT_ID: TENANT.toUpperCase() }) ?? {}
    assert.equal(value, `https://login.microsoftonline.com/${TENANT}/v2.0`)
  })

  it('accepts only the tenant’s users, identified by oid', async () => {
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
        await browser.withSettings(linkByEmail, async () => {
          const mine = person({ oid: 'someone', tid: TENANT, email_verified: true })
          await server.admin.createUser({ body: { email: mine.email ?? '', display_name: 'Not linked' } })
          await browser.refused('email_in_use', async () => browser.finish(await browser.returning(mine)))
        })
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
