import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import { type MailServer, makeCertificate, startMailServer } from '../support/mail.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, describeEngines, startServer, type TestServer } from '../support/server.ts'

const LOGIN = { username: 'strongroom', password: 'the password at the mail server' }

describeEngines('settings of mail', (engine, itOnce) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-mail-'))
  const made = makeCertificate(folder)
  const stops: (() => unknown)[] = [() => fs.rmSync(folder, { recursive: true, force: true })]
  let server: TestServer
  before(async () => {
    server = await startServer(engine, {
      MAIL_ALLOWED_CIDRS: '127.0.0.1',
      MAIL_TIMEOUT_SECONDS: '1',
      ...(made ? { MAIL_CA_FILE: made.caFile } : {}),
    })
    server.secrets.add(LOGIN.password)
  })
  after(async () => {
    await server.stop()
    for (const stop of stops.reverse()) await stop()
  })

  const change = (mail: object) => server.admin.updateSettings({ body: { mail } })
  const mailServer = async (options?: SMTPServerOptions & { login?: typeof LOGIN }): Promise<MailServer> => {
    const one = await startMailServer(options)
    stops.push(one.stop)
    return one
  }
  /** A port at which something else listens. */
  const listen = async (serve: (socket: net.Socket) => void) => {
    const other = net.createServer(serve).listen(0, '127.0.0.1')
    await once(other, 'listening')
    stops.push(() => other.close())
    return (other.address() as AddressInfo).port
  }
  /** Why a test mail is not sent. */
  const fault = async () => (await rejectsWith(server.admin.testMail(), 'mail_not_sent')).problem.detail
  const nothing = <T>(work: () => Promise<T>) => server.records([], work)

  it('are off at first: nothing is sent, and no row is written', async () => {
    const { mail } = await server.admin.getSettings()
    assert.deepEqual(mail, {
      host: null,
      port: 587,
      security: 'starttls',
      username: null,
      password_set: false,
      from_address: null,
      from_name: null,
    })
    assert.equal((await server.admin.me()).mail, false)
    await nothing(() => rejectsWith(server.admin.testMail(), 'conflict'))
    const { id } = await server.admin.createToken({ body: { name: 'short', expires_in: '30d' } })
    await server.later(24 * 86_400_000)
    await server.records([{ action: 'token_expiring' }], () => server.running.tick())
    assert.deepEqual(await server.database.db.selectFrom('mails').selectAll().execute(), [])
    await server.admin.revokeToken({ params: { id } })
  })

  it('a test mail goes to the administrator who asks, and to nobody else', async () => {
    const to = await mailServer({ login: LOGIN })
    const saved = await server.records([{ action: 'settings_update' }], () =>
      change({ ...to.settings, security: 'none', ...LOGIN, from_name: 'Büro' }),
    )
    assert.equal(saved.mail.password_set, true)
    assert.ok(!JSON.stringify(saved).includes(LOGIN.password))
    assert.equal((await server.admin.me()).mail, true)
    assert.deepEqual(await nothing(() => server.admin.testMail()), { recipient: ADMIN.email })
    const [{ to: recipients, from, user, headers } = assert.fail(), ...others] = to.taken
    assert.deepEqual(
      [recipients, from, user, headers.subject, others],
      [[ADMIN.email], 'strongroom@example.com', LOGIN.username, 'A test mail of Strongroom', []],
    )
    assert.deepEqual(await server.database.db.selectFrom('mails').selectAll().execute(), [])
    const person = server.as(await server.userWith())
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(person.testMail(), 'forbidden'),
    )
    await change({ host: null, username: null, password: null, from_name: null, security: 'starttls' })
  })

  itOnce('mail comes from the site by its name', async () => {
    const to = await mailServer()
    await server.admin.updateSettings({ body: { branding: { name: 'Acme Files' } } })
    await change({ ...to.settings, security: 'none' })
    await server.admin.testMail()
    await change({ from_name: 'Somebody' })
    await server.admin.testMail()
    const [{ headers, body } = assert.fail(), second] = to.taken
    assert.deepEqual(
      [headers.from, headers.subject, second?.headers.from],
      ['Acme Files <strongroom@example.com>', 'A test mail of Acme Files', 'Somebody <strongroom@example.com>'],
    )
    assert.match(body, /-- \r\nAcme Files\. You get this because you asked for it\.\r\n$/)
    await server.admin.updateSettings({ body: { branding: { name: null } } })
    await change({ host: null, from_name: null })
  })

  itOnce('says in a sentence what is wrong', async () => {
    const to = await mailServer({ login: LOGIN })
    await change({ ...to.settings, security: 'none', ...LOGIN, password: 'a wrong one' })
    await nothing(async () => {
      assert.equal(
        await fault(),
        'The mail server refused the user name or the password: 535 Wrong user name or password.',
      )
    })
    await change({ username: null, password: null })
    assert.match((await fault()) ?? '', /^The mail server requires a login: 530 .+\.$/)
    await change({ port: 1 })
    assert.match((await fault()) ?? '', /^The mail server cannot be reached: connect: ECONNREFUSED.+\.$/)
    await change({ host: 'no-such-host.invalid' })
    assert.match((await fault()) ?? '', /^The mail server cannot be reached: the name no-such-host\.invalid .+\.$/)
    const open = await mailServer()
    await change(open.settings)
    for (const [step, text] of [
      ['sender', 'sender'],
      ['recipient', 'recipient'],
      ['message', 'message'],
    ] as const) {
      open.refuse = (at) => (at === step ? 554 : undefined)
      assert.equal(await fault(), `The mail server refused the ${text}: 554 No ${step} today.`)
    }
    open.refuse = () => undefined
    await change(LOGIN)
    assert.equal(await fault(), 'The mail server does not offer a login, so leave out the user name.')
    await change({ host: null, username: null, password: null })
    assert.equal(open.taken.length, 0)
  })

  itOnce('waits for no server longer than it may', async () => {
    const silent = await listen(() => undefined)
    await change({
      host: '127.0.0.1',
      port: silent,
      from_address: 'a@example.com',
      security: 'none',
    })
    const began = performance.now()
    assert.equal(await fault(), 'The mail server did not answer in time.')
    assert.ok(performance.now() - began < 5000)
    await change({ port: await listen((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')) })
    assert.match((await fault()) ?? '', /^The (connection to the )?mail server (failed|refused the connection): /)
    await change({ host: null })
  })

  itOnce('goes only where the operator allows', async () => {
    const to = await startMailServer()
    stops.push(to.stop)
    const closed = await startServer(engine, { MAIL_TIMEOUT_SECONDS: '1' })
    stops.push(closed.stop)
    const set = (mail: object) => closed.admin.updateSettings({ body: { mail } })
    for (const host of ['127.0.0.1', 'localhost', '169.254.169.254', '10.0.0.1', '::1', '0.0.0.0']) {
      await set({ ...to.settings, host, security: 'none' })
      const { problem } = await rejectsWith(closed.admin.testMail(), 'mail_not_sent')
      assert.equal(problem.detail, 'The mail server is at an address that is not allowed.', host)
    }
    assert.equal(to.connections, 0)
    const named = await startServer(engine, {
      MAIL_HOST: 'localhost',
      MAIL_PORT: `${to.port}`,
      MAIL_SECURITY: 'none',
      MAIL_FROM: 'box@example.com',
      MAIL_TIMEOUT_SECONDS: '1',
    })
    stops.push(named.stop)
    const { mail, fixed } = await named.admin.getSettings()
    assert.deepEqual([mail.host, mail.from_address, fixed['mail.host']], ['localhost', 'box@example.com', 'MAIL_HOST'])
    await rejectsWith(
      named.admin.updateSettings({ body: { mail: { host: '127.0.0.1' } } }),
      'conflict',
      'body.mail.host',
    )
    await named.admin.testMail()
    assert.deepEqual(
      to.taken.map(({ from }) => from),
      ['box@example.com'],
    )
  })

  itOnce('encrypts as the settings say, or sends nothing', { skip: !made }, async () => {
    if (!made) return
    const { key, cert } = made
    const [plain, upgradable, encrypted] = [
      await mailServer({ login: LOGIN }),
      await mailServer({ key, cert, login: LOGIN }),
      await mailServer({ key, cert, secure: true, login: LOGIN }),
    ]
    const takes = async (to: MailServer, security: string) => {
      await change({ ...to.settings, security, ...LOGIN })
      return server.admin.testMail()
    }
    await takes(upgradable, 'starttls')
    await takes(encrypted, 'tls')
    assert.deepEqual(
      [upgradable, encrypted].map(({ taken }) => taken.map(({ secure, user }) => [secure, user])),
      [[[true, LOGIN.username]], [[true, LOGIN.username]]],
    )
    // One that strips STARTTLS gets neither the password nor the mail.
    await change({ ...plain.settings, security: 'starttls', ...LOGIN })
    assert.match((await fault()) ?? '', /^The mail server does not offer STARTTLS: 5\d\d .+\.$/)
    await change({ ...plain.settings, security: 'tls' })
    assert.match((await fault()) ?? '', /^TLS with the mail server failed: .+\.$/)
    await change({ host: 'localhost', port: upgradable.port, security: 'starttls' })
    assert.match((await fault()) ?? '', /^TLS with the mail server failed: .+ altnames.+\.$/)
    assert.deepEqual([plain.arrived, plain.taken.length, upgradable.taken.length], [0, 0, 1])
    const stranger = await startServer(engine, { MAIL_ALLOWED_CIDRS: '127.0.0.1', MAIL_TIMEOUT_SECONDS: '1' })
    stops.push(stranger.stop)
    await stranger.admin.updateSettings({ body: { mail: { ...upgradable.settings, security: 'starttls' } } })
    const { problem } = await rejectsWith(stranger.admin.testMail(), 'mail_not_sent')
    assert.match(problem.detail ?? '', /^TLS with the mail server failed: .*certificate.*\.$/)
    assert.equal(upgradable.taken.length, 1)
    await change({ host: null, username: null, password: null })
  })

  itOnce('refuses what cannot work', async () => {
    await change({ host: null, from_address: null })
    await nothing(async () => {
      const bad: [object, string][] = [
        [{ host: 'mail.example.com' }, 'body.mail.from_address'],
        [{ host: 'mail.example.com:25', from_address: 'a@example.com' }, 'body.mail.host'],
        [{ host: 'https://mail.example.com', from_address: 'a@example.com' }, 'body.mail.host'],
        [{ host: 'a\r\nb', from_address: 'a@example.com' }, 'body.mail.host'],
        [{ from_address: 'a' }, 'body.mail.from_address'],
        [{ from_address: 'a@example.com\r\nBcc: b@example.com' }, 'body.mail.from_address'],
        [{ port: 0 }, 'body.mail.port'],
        [{ port: 65_536 }, 'body.mail.port'],
        [{ security: 'maybe' }, 'body.mail.security'],
        [
          { host: 'mail.example.com', from_address: 'a@example.com', security: 'none', username: 'a' },
          'body.mail.security',
        ],
      ]
      for (const [mail, at] of bad) await rejectsWith(change(mail), 'invalid_request', at)
    })
    await change({ host: 'mail.example.com', from_address: 'a@example.com' })
    await nothing(() => rejectsWith(change({ from_address: null }), 'invalid_request', 'body.mail.from_address'))
    const configuration = { settings: { mail: { from_address: null } } }
    await nothing(() => rejectsWith(server.admin.apply({ body: { configuration } as never }), 'invalid_request'))
    await change({ host: null })
  })
})
