// A forgotten password, replaced with a link by mail.
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { decoded, type MailServer, startMailServer } from '../support/mail.ts'
import { rejectsWith } from '../support/problems.ts'
import { addApp, addPasskey, problemOf, SITE } from '../support/second-factor.ts'
import { allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'
import { withTwin } from '../support/twin.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const PASSWORD = 'a password of somebody'
const NEW = 'another password of theirs'
const asked = { action: 'password_reset_request' } as const
const inVain = { action: 'password_reset_request', result: 'failure' } as const
const failed = { action: 'login_failed', result: 'failure' } as const

describeEngines('a forgotten password', (engine, itOnce) => {
  let server: TestServer
  let mail: MailServer
  let people = 0
  before(async () => {
    server = await startServer(engine, { ...SITE, MAIL_ALLOWED_CIDRS: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' })
    mail = await startMailServer()
    await server.admin.updateSettings({ body: { mail: { ...mail.settings, security: 'none' } } })
    for (const secret of [PASSWORD, NEW]) server.secrets.add(secret)
  })
  after(async () => {
    await server.stop()
    await mail.stop()
  })
  beforeEach(async () => {
    mail.forget()
    await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())
  })

  async function make() {
    const email = `forgetful${++people}@example.com`
    const { id } = await server.admin.createUser({ body: { email, display_name: email, password: PASSWORD } })
    return { id, email, params: { id } }
  }
  const ask = (email: string, { ip = '192.0.2.5', ...more }: { ip?: string; language?: 'de' | 'fr' } = {}) =>
    server
      .as()
      .requestPasswordReset({ body: { email, ...more }, headers: { 'x-forwarded-for': ip, 'user-agent': 'a browser' } })
  /** Sends the links that were asked for, after what earlier changes have queued. */
  const send = async () => {
    await server.running.tick('mail-dispatcher')
    mail.forget()
    await server.running.tick('password-resets')
    await server.running.tick('mail-dispatcher')
  }
  const tokenIn = (body: string) => {
    const found = /^https:\/\/storage\.example\.com\/below\/console\/password-reset#([\w-]{43})$/m.exec(body)?.[1]
    assert.ok(found, body)
    server.secrets.add(found)
    return found
  }
  /** The token of the link that a user gets. */
  async function linkFor({ email }: { email: string }, more: { ip?: string } = {}): Promise<string> {
    mail.forget()
    await server.records([asked], async () => {
      await ask(email, more)
      await send()
    })
    assert.deepEqual(
      mail.taken.map(({ to }) => to.join()),
      [email],
    )
    return tokenIn(mail.taken[0]?.body ?? '')
  }
  const read = (token: string) => server.as().readPasswordReset({ body: { token } })
  const replace = (token: string, password = NEW, client: Client = server.as()) =>
    client.resetPassword({ body: { token, password } })
  const assertOver = async (token: string) => {
    await server.records([failed], () => rejectsWith(read(token), 'gone'))
    await server.records([failed], () => rejectsWith(replace(token), 'gone'))
  }
  const last = async (action: string) => {
    const found = (await allActions(server.database)).filter((one) => one.action === action).at(-1)
    return { ...found, details: JSON.parse(found?.details ?? '{}') as Record<string, unknown> }
  }
  const pending = () => server.database.db.selectFrom('password_resets').selectAll().execute()

  it('is replaced with a link by mail, which ends the sessions and works once', async () => {
    const who = await make()
    const old = await server.login(who.email, PASSWORD)
    const { token: pat } = await server.as(old).createToken({ body: { name: 'mine' } })
    server.secrets.add(pat)
    assert.equal((await server.as().authConfig()).password_reset, true)
    const answer = await server.records([], () => ask(who.email.toUpperCase()))
    assert.deepEqual(answer, { expires_in: 3600 })
    const sent = await server.records([asked], send)
    assert.equal(sent, undefined)
    const request = await last('password_reset_request')
    assert.deepEqual(
      [request.details, request.resource_id, request.actor_type, request.actor_ip, request.user_agent, request.route],
      [
        { email: who.email.toUpperCase() },
        who.id,
        'public',
        '192.0.2.5',
        'a browser',
        '/api/v1/auth/password-reset/request',
      ],
    )
    const [one] = mail.taken
    assert.deepEqual([one?.to, decoded(one?.headers.subject)], [[who.email], 'Choose a new password'])
    const token = tokenIn(one?.body ?? '')
    const [row] = await pending()
    assert.match(row?.token_hash ?? '', /^[0-9a-f]{64}$/)
    assert.ok(!JSON.stringify(row).includes(token))

    const expires_at = new Date(server.clock.now().getTime() + HOUR).toISOString()
    assert.deepEqual(await server.records([], () => read(token)), { email: who.email, expires_at })
    await server.as(old).me()
    for (const password of ['short', 'x'.repeat(73)])
      await server.records([], () => rejectsWith(replace(token, password), 'invalid_request', 'body.password'))
    const tokens = await server.records([{ action: 'password_reset' }, { action: 'login' }], () => replace(token))
    const done = await last('password_reset')
    assert.deepEqual(
      [done.details, done.actor_user_id, done.resource_id, done.auth_method],
      [{ email: who.email }, who.id, who.id, 'local'],
    )
    await rejectsWith(server.as(old).me(), 'unauthenticated')
    await server.as(pat).me()
    const client = server.as(tokens.access_token)
    const { items } = await client.listSessions()
    assert.deepEqual(
      items.map(({ signed_in_with, second_factor }) => [signed_in_with, second_factor]),
      [['link', false]],
    )
    await server.login(who.email, NEW)
    await rejectsWith(server.login(who.email, PASSWORD), 'invalid_grant')
    await assertOver(token)
    assert.deepEqual(await pending(), [])
  })

  it('says nothing about whether there is an account, and sends nothing to those who do not sign in with a password', async () => {
    const [who, disabled, sso] = [await make(), await make(), await make()]
    const update = (one: { params: { id: string } }, body: object) => server.admin.updateUser({ ...one, body })
    await update(disabled, { is_active: false })
    await update(sso, { password: null })
    const account = await server.admin.createUser({
      body: { email: 'invited-only@example.com', display_name: 'Invited', invite: true },
    })
    server.secrets.add(/#(.+)$/.exec(account.invitation?.url ?? '')?.[1] ?? assert.fail('no invitation'))
    await server.running.tick('mail-dispatcher')
    mail.forget()
    const addresses = [who.email, 'nobody@example.com', disabled.email, sso.email, account.email]
    const before = (await allActions(server.database)).length
    for (const email of addresses) {
      const answer = await ask(email)
      assert.deepEqual(answer, { expires_in: 3600 })
      assert.equal((await pending()).length, 0, 'nothing is looked up before the answer')
    }
    assert.equal((await allActions(server.database)).length, before)
    const stored = await server.database.db.selectFrom('password_reset_requests').select('email').execute()
    assert.equal(stored.length, addresses.length)
    await server.records([asked, inVain, inVain, inVain, inVain], send)
    const records = (await allActions(server.database)).slice(before)
    assert.deepEqual(
      records.map(({ details, resource_id }) => [JSON.parse(details), resource_id]),
      [
        [{ email: who.email }, who.id],
        [{ email: 'nobody@example.com', reason: 'unknown' }, null],
        [{ email: disabled.email, reason: 'disabled' }, disabled.id],
        [{ email: sso.email, reason: 'no_password' }, sso.id],
        [{ email: account.email, reason: 'no_password' }, account.id],
      ],
    )
    assert.deepEqual(
      mail.taken.map(({ to }) => to.join()),
      [who.email],
    )
    await replace(tokenIn(mail.taken[0]?.body ?? ''))
  })

  it('ends after an hour, and with whatever changes who can log in', async () => {
    const late = await make()
    const expiring = await linkFor(late)
    await server.later(HOUR - 1)
    await read(expiring)
    await server.later(1)
    await assertOver(expiring)
    await server.running.tick('auth-expiry')
    assert.deepEqual(await pending(), [])

    const update = (id: string, body: object) => server.admin.updateUser({ params: { id }, body })
    for (const change of [
      (id: string) => update(id, { email: `moved${id}@example.com` }),
      (id: string) => update(id, { password: `${PASSWORD} given` }),
      (id: string) => update(id, { password: null }),
      (id: string) => update(id, { is_active: false }),
      (id: string) => server.admin.endUserSessions({ params: { id } }),
      (id: string) => server.admin.deleteUser({ params: { id } }),
    ]) {
      const who = await make()
      const token = await linkFor(who, { ip: `192.0.${people}.7` })
      await change(who.id)
      await assertOver(token)
      await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())
    }
    server.secrets.add(`${PASSWORD} given`)
  })

  it('never leads around a second factor', async () => {
    const who = await make()
    const client = server.as(await server.login(who.email, PASSWORD))
    const app = await addApp(server, client, { current_password: PASSWORD })
    const { key } = await addPasskey(server, client, { otp: app.next() })
    const token = await linkFor(who)
    const refused = await server.records([{ action: 'password_reset' }], () => problemOf(replace(token)))
    assert.deepEqual([refused.code, refused.methods], ['second_factor_required', ['totp', 'passkey', 'recovery_code']])
    await rejectsWith(client.me(), 'unauthenticated')
    const sessions = await server.database.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', who.id)
      .where('revoked_at', 'is', null)
      .execute()
    assert.deepEqual(sessions, [])
    const { challenge = '', passkey } = refused as typeof refused & { passkey?: Parameters<typeof key.get>[0] }
    await rejectsWith(server.as().verifyLogin({ body: { challenge, otp: '000000' } }), 'invalid_second_factor')
    const signature = key.get(passkey ?? assert.fail('no options'))
    await server.records([{ action: 'login' }], () =>
      server.as().verifyLogin({ body: { challenge, passkey: signature } }),
    )

    const { token: pat } = await server.admin.createToken({ body: { name: 'root' } })
    server.secrets.add(pat)
    const root = server.as(pat)
    const plain = await make()
    await root.updateSettings({ body: { auth: { second_factor: 'everyone' } } })
    try {
      const link = await linkFor(plain)
      const needed = await server.records([{ action: 'password_reset' }], () => problemOf(replace(link)))
      assert.equal(needed.code, 'second_factor_enrollment_required')
    } finally {
      await root.updateSettings({ body: { auth: { second_factor: 'optional' } } })
    }
  })

  it('goes to an address three times an hour; who asks for more is told the same', async () => {
    const who = await make()
    for (const email of [who.email, 'nobody-either@example.com']) {
      const answers = []
      for (let i = 0; i < 5; i++) answers.push(await ask(email, { ip: `198.51.${i}.1` }))
      for (const answer of answers) assert.deepEqual(answer, { expires_in: 3600 })
    }
    await server.records([asked, asked, asked, inVain, inVain, inVain], send)
    assert.equal(mail.taken.length, 3)
    // Asking again ends no link that was sent: nobody can take it from its user. Using one ends the others.
    const tokens = mail.taken.map(({ body }) => tokenIn(body))
    for (const token of tokens) await read(token)
    await replace(tokens[0] ?? '')
    for (const token of tokens) await assertOver(token)
    server.clock.advance(HOUR)
    await linkFor(who)
    await server.later(0)
  })

  it('is asked for twenty times an hour from a network', async () => {
    for (let i = 0; i < 20; i++) await ask(`someone${i}@example.com`, { ip: `203.0.113.${i}` })
    const problem = await rejectsWith(ask('someone@example.com', { ip: '203.0.113.99' }), 'rate_limited')
    assert.equal(problem.response.headers.get('retry-after'), '3600')
    await ask('someone@example.com', { ip: '203.0.114.1' })
    server.clock.advance(HOUR)
    await ask('someone@example.com', { ip: '203.0.113.99' })
    await server.running.tick('password-resets')
    await server.later(0)
  })

  it('is replaced by one of those who try at the same time', async () => {
    const { twin } = await withTwin(server, engine)
    const clients = [server.as(), ...(twin ? [createClient({ baseUrl: twin.url })] : [])]
    try {
      for (let round = 0; round < 3; round++) {
        const who = await make()
        const token = await linkFor(who)
        const tries = [...clients, ...clients].map((client, i) => replace(token, `${NEW} ${i}`, client))
        const outcomes = await Promise.allSettled(tries)
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
        await server.login(who.email, `${NEW} ${outcomes.findIndex(({ status }) => status === 'fulfilled')}`)
      }
    } finally {
      await twin?.stop()
    }
  })

  itOnce('is in the language of the account, or else of the page', async () => {
    const who = await make()
    const subject = async (language?: 'de' | 'fr') => {
      mail.forget()
      await ask(who.email, language === undefined ? {} : { language })
      await send()
      const [one] = mail.taken
      tokenIn(one?.body ?? '')
      return [decoded(one?.headers.subject), one?.headers['content-language']]
    }
    assert.deepEqual(await subject('fr'), ['Choisissez un nouveau mot de passe', 'fr'])
    await server.as(await server.login(who.email, PASSWORD)).updateMe({ body: { language: 'de' } })
    assert.deepEqual(await subject('fr'), ['Neues Passwort festlegen', 'de'])
  })

  itOnce('guesses at links are limited, and the right one works nevertheless', async () => {
    const token = await linkFor(await make())
    let refused = 0
    for (let i = 0; i < 60 && refused === 0; i++)
      refused += Number((await problemOf(read(`guess-${i}-of-many`))).code === 'rate_limited')
    assert.equal(refused, 1)
    await read(token)
    await replace(token)
  })

  itOnce(
    'waits for no longer than an hour, and is not offered where no mail is sent or no password is asked for',
    async () => {
      const who = await make()
      await ask(who.email)
      await server.later(HOUR + 1)
      await server.records([inVain], send)
      assert.deepEqual((await last('password_reset_request')).details, { email: who.email, reason: 'late' })

      await ask(who.email)
      await server.admin.updateSettings({ body: { mail: { host: null } } })
      await server.records([inVain], () => server.running.tick('password-resets'))
      assert.deepEqual((await last('password_reset_request')).details, { email: who.email, reason: 'mail_off' })
      assert.deepEqual(
        (await pending()).filter(({ user_id }) => user_id === who.id),
        [],
      )
      await server.records([], () => rejectsWith(ask(who.email), 'conflict'))
      assert.equal((await server.as().authConfig()).password_reset, false)
      await server.admin.updateSettings({ body: { mail: { ...mail.settings, security: 'none' } } })

      const token = await linkFor(who)
      await ask(who.email)
      const { id } = await server.admin.me()
      const { token: pat } = await server.admin.createToken({ body: { name: 'root too' } })
      server.secrets.add(pat)
      const root = server.as(pat)
      await root.updateSettings({
        body: { idp: { issuer_url: 'https://idp.example.com', client_id: 'x' }, auth: { enable_idp: true } },
      })
      await root.updateUser({ params: { id }, body: { idp_subject: 'admin-there' } })
      await root.updateSettings({ body: { auth: { enable_local: false } } })
      await server.records([], async () => {
        await rejectsWith(ask(who.email), 'login_disabled')
        await rejectsWith(read(token), 'login_disabled')
        await rejectsWith(replace(token), 'login_disabled')
      })
      await server.records([inVain], send)
      assert.deepEqual((await last('password_reset_request')).details, { email: who.email, reason: 'login_disabled' })
      await root.updateSettings({ body: { auth: { enable_local: true } } })
    },
  )
})
