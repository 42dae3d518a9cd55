import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom as run } from '../support/process.ts'
import { addApp } from '../support/second-factor.ts'
import { ADMIN, allActions, describeEngines, dump, startServer, type TestServer } from '../support/server.ts'

describeEngines('commands', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const strongroom = (args: readonly string[], input = '', env: Record<string, string> = {}) =>
    run(args, { ...server.env, LOG_LEVEL: 'error', ...env }, { input })
  const cli = async () =>
    (await allActions(server.database))
      .filter(({ actor_type }) => actor_type === 'cli')
      .map(({ action, auth_method }) => [action, auth_method])

  it('create-admin makes an administrator, with a generated password or a given one', async () => {
    const made = await strongroom(['create-admin', 'ops@example.com', 'Olga', 'Operations'])
    assert.equal(made.code, 0, made.err)
    const [, password = ''] = /Password, shown only now: (\S+)/.exec(made.out) ?? []
    server.secrets.add(password)
    const client = server.as(await server.login('ops@example.com', password))
    const { is_admin, display_name, password_generated } = await client.me()
    assert.deepEqual([is_admin, display_name, password_generated], [true, 'Olga Operations', true])
    server.secrets.add('a password from a pipe')
    const given = await strongroom(['create-admin', 'ops2@example.com', '--password-stdin'], 'a password from a pipe\n')
    assert.deepEqual([given.code, given.out], [0, 'Created administrator ops2@example.com.\n'])
    const other = server.as(await server.login('ops2@example.com', 'a password from a pipe'))
    assert.equal((await other.me()).password_generated, null)
    assert.deepEqual(await cli(), [
      ['user_create', 'cli'],
      ['user_create', 'cli'],
    ])
  })

  itOnce('says what is wrong and changes nothing', async () => {
    await server.records([], async () => {
      for (const [args, message, input] of [
        [['create-admin', 'ops@example.com'], /already exists/],
        [['create-admin'], /user's email address/],
        [['create-admin', 'x@example.com', '--password-stdin'], /8 to 72 bytes/, 'short'],
        [['reset-password', 'nobody@example.com'], /No user/],
        [['users', 'lost'], /users list/],
      ] as const) {
        const { code, err } = await strongroom(args, input)
        assert.equal(code, 1)
        assert.match(err, message)
      }
    })
    const { code, out } = await strongroom(['nonsense'])
    assert.deepEqual([code, out.startsWith('usage: strongroom')], [2, true])
    for (const args of [
      ['verify', '--depth'],
      ['serve', 'now'],
    ]) {
      const { code, err } = await strongroom(args)
      assert.equal(code, 2)
      assert.match(err, /^Un(known option '--depth'|expected argument 'now')[^\n]*\n$/)
    }
    for (const [args, said] of [
      [['backup', '--deep', '--from', 'x', 'f'], `Unknown option '--deep': "backup" takes no options.`],
      [['users', 'list', '--fix'], `Unknown option '--fix': "users" takes no options.`],
      [['audit', 'verify', '--deep'], `Unknown option '--deep': "audit" takes --from, --checkpoints.`],
      [
        ['create-admin', '--checkpoints', 'x'],
        `Unknown option '--checkpoints': "create-admin" takes --password-stdin.`,
      ],
    ] as const)
      assert.deepEqual(await strongroom(args), { out: '', err: `${said}\n`, code: 2 })
    for (const args of [
      ['verify', '--help'],
      ['serve', '-h'],
    ]) {
      const { code, out } = await strongroom(args)
      assert.deepEqual([code, out.startsWith('usage: strongroom')], [0, true])
    }
  })

  itOnce('reset-password enables the user again and ends their sessions', async () => {
    const old = await server.login('ops2@example.com', 'a password from a pipe')
    const { items } = await server.admin.listUsers({ query: { q: 'ops2' } })
    await server.admin.updateUser({ params: { id: items[0]?.id ?? '' }, body: { is_active: false } })
    const { out } = await strongroom(['reset-password', 'OPS2@example.com'])
    const [, password = ''] = /Password, shown only now: (\S+)/.exec(out) ?? []
    server.secrets.add(password)
    await rejectsWith(server.as(old).me(), 'unauthenticated')
    await server.login('ops2@example.com', password)
  })

  itOnce('reset-password says of a generated password that it is one, until another is given', async () => {
    const [email, password] = ['flag@example.com', 'a password to begin with']
    const replaced = async (by: string) => {
      server.secrets.add(by)
      const client = server.as(await server.login(email, by))
      return [(await client.me()).password_generated, client] as const
    }
    const { id } = await server.admin.createUser({ body: { email, display_name: 'F', password } })
    assert.equal((await replaced(password))[0], null)
    const reset = async (args: readonly string[] = [], input = '') => {
      const { code, out, err } = await strongroom(['reset-password', email, ...args], input)
      assert.equal(code, 0, err)
      return /Password, shown only now: (\S+)/.exec(out)?.[1]
    }
    assert.equal((await replaced((await reset()) ?? ''))[0], true)
    assert.equal(await reset(['--password-stdin'], 'given by the operator\n'), undefined)
    assert.equal((await replaced('given by the operator'))[0], false)
    const generated = (await reset()) ?? ''
    const [isGenerated, client] = await replaced(generated)
    assert.equal(isGenerated, true)
    const body = { current_password: generated, new_password: 'chosen by themselves' }
    await client.changePassword({ query: {}, body })
    assert.equal((await replaced('chosen by themselves'))[0], false)
    await server.admin.deleteUser({ params: { id } })
  })

  itOnce('reset-second-factor removes all of a user, with their recovery codes, and leaves the sessions', async () => {
    const [email, password] = ['factors@example.com', 'a password of factors']
    server.secrets.add(password)
    await server.admin.createUser({ body: { email, display_name: 'F', password } })
    const client = server.as(await server.login(email, password))
    await addApp(server, client, { current_password: password })
    await addApp(server, client, { current_password: password })
    await rejectsWith(server.login(email, password), 'second_factor_required')
    const done = await server.records([{ action: 'second_factor_reset' }], () =>
      strongroom(['reset-second-factor', 'Factors@example.com']),
    )
    assert.deepEqual(
      [done.code, done.out],
      [0, '2 second factors of Factors@example.com removed, with their recovery codes.\n'],
    )
    assert.deepEqual((await cli()).at(-1), ['second_factor_reset', 'cli'])
    const again = await server.records([], () => strongroom(['reset-second-factor', email]))
    assert.equal(again.out, `${email} has no second factor.\n`)
    await client.me()
    assert.equal((await client.listSecondFactors()).recovery_codes_left, 0)
    await server.login(email, password)
    const { items } = await server.admin.listUsers({ query: { q: email } })
    await server.admin.deleteUser({ params: { id: items[0]?.id ?? '' } })
    const { code, err } = await strongroom(['reset-second-factor', 'nobody@example.com'])
    assert.deepEqual([code, /No user/.test(err)], [1, true])
  })

  itOnce('enable-local-login lets administrators in again when the provider is gone', async () => {
    const me = await server.admin.me()
    await server.admin.updateSettings({ body: { idp: { issuer_url: 'https://gone.example.com', client_id: 'x' } } })
    await server.admin.updateUser({ params: { id: me.id }, body: { idp_subject: 'me-there' } })
    const token = await server.login('ops@example.com', [...server.secrets][2] ?? '')
    await server.as(token).updateSettings({ body: { auth: { enable_local: false } } })
    await rejectsWith(server.login(ADMIN.email, ADMIN.password), 'login_disabled')
    const { out } = await strongroom(['enable-local-login'])
    assert.equal(out, 'Login with email and password is on.\n')
    await server.later(0)
    await server.admin.updateSettings({ body: { idp: { issuer_url: null, client_id: null } } })
  })

  itOnce('users list names everyone', async () => {
    const body = { email: 'invited@example.com', display_name: 'Invited', invite: true }
    const { id, invitation } = await server.admin.createUser({ body })
    server.secrets.add(invitation?.url.split('#')[1] ?? '')
    const { out } = await strongroom(['users', 'list'])
    const lines = out
      .trim()
      .split('\n')
      .map((line) => line.split('\t'))
    assert.deepEqual(
      lines.map(([email]) => email),
      ['admin@example.com', body.email, 'ops2@example.com', 'ops@example.com'],
    )
    assert.deepEqual([lines[0]?.[1], lines[1]?.[1]], ['active,admin,password,idp', 'active,invited'])
    await server.admin.deleteUser({ params: { id } })
  })

  it('rotate-secrets encrypts stored secrets with the new key, so that the old one can go', async () => {
    const secret = 'client secret to be sealed'
    server.secrets.add(secret)
    await server.admin.updateSettings({ body: { idp: { client_secret: secret } } })
    const next = {
      SECRET_KEY: 'another secret key of the tests, long enough'.replace(',', ''),
      SECRET_KEY_PREVIOUS: server.env.SECRET_KEY ?? '',
    }
    const sealed = async () => /v1\.([0-9a-f]{8})\./.exec(await dump(server.database, engine))?.[1]
    const before = await sealed()
    // Services that know the former key alone could not read what is encrypted with the new one.
    const early = await strongroom(['rotate-secrets'], '', next)
    assert.equal(early.code, 1)
    assert.match(early.err, /^No service has been started with this SECRET_KEY yet[^\n]*\n$/)
    const started = async (env: Record<string, string>) => {
      const config = readConfig({ ...server.env, ...env, LOG_LEVEL: 'silent' })
      await (await start(config, { now: server.clock.now, timers: false })).stop()
    }
    await started(next)
    assert.equal((await strongroom(['rotate-secrets'], '', next)).out, '2 secret(s) re-encrypted.\n')
    assert.notEqual(await sealed(), before)
    assert.equal((await strongroom(['rotate-secrets'], '', next)).out, '0 secret(s) re-encrypted.\n')
    const back = { SECRET_KEY: next.SECRET_KEY_PREVIOUS, SECRET_KEY_PREVIOUS: next.SECRET_KEY }
    await started(back)
    assert.equal((await strongroom(['rotate-secrets'], '', back)).out, '2 secret(s) re-encrypted.\n')
    assert.equal(await sealed(), before)
    assert.equal((await server.admin.getSettings()).idp.client_secret_set, true)
  })
})
