// The first administrator is made in the browser, with a one-time link of the log.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createClient, ProblemError } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { type Running, start } from '../../server/process/start.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { rejectsWith } from '../support/problems.ts'
import { spawnServer } from '../support/process.ts'
import { appCode } from '../support/second-factor.ts'
import { ADMIN, allActions, Clock, describeEngines, dump, serverEnv } from '../support/server.ts'

const ALICE = { email: 'alice@example.com', password: 'wonderland in spring' }
const tokenOf = ({ first }: Running) => first.setupLink?.split('#')[1] ?? assert.fail('no link')

describeEngines('setup by a link', (engine, itOnce) => {
  let folder: string
  let env: Record<string, string>
  let database: Database
  let drop: (() => Promise<void>) | undefined
  let services: Running[] = []
  const tokens = new Set<string>()
  const clock = new Clock()
  let log = ''
  const logTo = new Writable({
    write(chunk, _encoding, done) {
      log += chunk
      done()
    },
  })
  const serve = async (more: Record<string, string> = {}) => {
    const running = await start(readConfig({ ...env, ...more }), { now: clock.now, timers: false, logTo })
    services.push(running)
    if (running.first.setupLink) tokens.add(tokenOf(running))
    return running
  }
  const client = ({ url }: Running, token?: string) => createClient({ baseUrl: url, ...(token ? { token } : {}) })
  const setUp = (running: Running, token: string, more: { display_name?: string; email?: string } = {}) =>
    client(running).setUp({ body: { ...ALICE, token, ...more } })

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-setup-'))
  })
  beforeEach(async () => {
    await stop()
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    drop = postgres?.drop
    const {
      BOOTSTRAP_ADMIN_EMAIL: _email,
      BOOTSTRAP_ADMIN_PASSWORD: _password,
      ...rest
    } = serverEnv(fs.mkdtempSync(path.join(folder, 'x-')), postgres?.url)
    env = { ...rest, LOG_LEVEL: 'debug' }
    database = await openDatabase(env.DATABASE_URL as string)
  })
  after(async () => {
    await stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  async function stop(): Promise<void> {
    if (!database) return
    for (const one of services) await one.stop()
    const kept = (await dump(database, engine)) + log
    services = []
    await database.close()
    await drop?.()
    for (const token of tokens) assert.ok(!kept.includes(token), 'the database or the log holds a token')
  }
  const recorded = async () =>
    (await allActions(database)).map(({ action, actor_type, auth_method, actor_email, actor_ip }) => [
      action,
      actor_type,
      auth_method,
      actor_email,
      actor_ip,
    ])

  it('creates the administrator once, signs them in, and records who did it', async () => {
    const running = await serve()
    assert.equal(running.first.admin, undefined)
    assert.match(running.first.setupLink ?? '', /^http:\/\/127\.0\.0\.1:\d+\/console\/setup#[\w-]{43}$/)
    const { setup_required, first_sign_in } = await client(running).authConfig()
    assert.deepEqual([setup_required, first_sign_in], [true, true])
    const { access_token } = await setUp(running, tokenOf(running))
    const { email, is_admin, display_name } = await client(running, access_token).me()
    assert.deepEqual([email, is_admin, display_name], [ALICE.email, true, 'Administrator'])
    const { setup_required: isOpen, first_sign_in: isFirst } = await client(running).authConfig()
    assert.deepEqual([isOpen, isFirst], [false, false])
    assert.deepEqual(await recorded(), [
      ['group_create', 'system', 'setup', null, '127.0.0.1'],
      ['user_create', 'system', 'setup', null, '127.0.0.1'],
      ['login', 'user', 'local', ALICE.email, '127.0.0.1'],
    ])
    const asked = await client(running, access_token).listAudit({ query: { auth_method: 'setup' } })
    assert.equal(asked.total, 2)
    await client(running).login({ body: { username: ALICE.email, password: ALICE.password } })

    const again = await rejectsWith(setUp(running, tokenOf(running), { email: 'bob@example.com' }), 'gone')
    assert.match(again.problem.detail, /is already set up/)
    assert.equal((await serve()).first.setupLink, undefined, 'no link where there is an administrator')
  })

  it('creates the administrator and has them set up the second factor that the settings ask for', async () => {
    const running = await serve()
    const overrides = JSON.stringify({ auth: { second_factor: 'administrators' } })
    await database.transaction((tx) => tx.updateTable('settings').set({ overrides }).execute())
    const refused = await rejectsWith(setUp(running, tokenOf(running)), 'second_factor_enrollment_required')
    assert.deepEqual(await database.db.selectFrom('sessions').selectAll().execute(), [])
    const challenge = refused.problem.challenge ?? ''
    const { totp } = await client(running).beginLoginEnrollment({ body: { challenge, kind: 'totp' } })
    const otp = appCode(totp?.secret ?? '', clock.now())
    const { access_token } = await client(running).finishLoginEnrollment({ body: { challenge, otp } })
    assert.equal((await client(running, access_token).me()).is_admin, true)
    await rejectsWith(setUp(running, tokenOf(running)), 'gone')
  })

  itOnce('a browser gets the refresh token as a cookie', async () => {
    const running = await serve()
    const answer = await fetch(`${running.url}/api/v1/auth/setup?session=cookie`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin: running.url },
      body: JSON.stringify({ ...ALICE, token: tokenOf(running) }),
    })
    assert.equal(answer.status, 201)
    assert.match(answer.headers.get('set-cookie') ?? '', /^strongroom_refresh=.*HttpOnly.*SameSite=Strict/)
    assert.deepEqual(Object.keys((await answer.json()) as object).sort(), ['access_token', 'expires_in', 'token_type'])
  })

  itOnce('names what is wrong with the password and keeps the link alive', async () => {
    const running = await serve()
    const body = { ...ALICE, token: tokenOf(running), password: 'é'.repeat(37) }
    await rejectsWith(client(running).setUp({ body }), 'invalid_request', 'body.password')
    await setUp(running, tokenOf(running), { display_name: 'Alice' })
  })

  itOnce('guesses are throttled and recorded; the link works all the while', async () => {
    const running = await serve()
    for (let i = 0; i < 5; i++) {
      const { problem } = await rejectsWith(setUp(running, `guess-${i}`), 'gone')
      assert.match(problem.detail, /see its log/)
    }
    const { response } = await rejectsWith(setUp(running, 'guess-5'), 'rate_limited')
    assert.equal(response.headers.get('retry-after'), '2')
    assert.deepEqual(
      (await recorded()).map(([action]) => action),
      Array(5).fill('login_failed'),
    )
    await setUp(running, tokenOf(running))
  })

  it('a restart creates a new link and invalidates the old one', async () => {
    const first = await serve()
    const second = await serve()
    assert.notEqual(tokenOf(first), tokenOf(second))
    await rejectsWith(setUp(second, tokenOf(first)), 'gone')
    // Any replica takes it.
    await setUp(first, tokenOf(second))
    assert.equal((await client(second).authConfig()).setup_required, false)
    await rejectsWith(setUp(second, tokenOf(second)), 'gone')
  })

  it('one of twenty concurrent requests to two replicas wins', async () => {
    const running = [await serve(), await serve()] as const
    const token = tokenOf(running[1])
    const races = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => setUp(running[i % 2] as Running, token, { email: `racer${i}@example.com` })),
    )
    const lost = races.flatMap((one) => (one.status === 'rejected' ? [one.reason as ProblemError] : []))
    assert.equal(lost.length, 19)
    for (const error of lost) assert.equal(error instanceof ProblemError && error.problem.code, 'gone')
    const won = races.find((one) => one.status === 'fulfilled')
    const admin = client(running[0], won?.value.access_token)
    assert.equal((await admin.listUsers()).items.length, 1)
    assert.equal((await admin.listGroups()).items.length, 2)
  })

  it('stops working once there is an administrator', async () => {
    const running = await serve()
    await serve({ BOOTSTRAP_ADMIN_EMAIL: ADMIN.email, BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password })
    assert.equal((await client(running).authConfig()).setup_required, false)
    await rejectsWith(setUp(running, tokenOf(running)), 'gone')
  })

  it('says of a generated password whether it was replaced', async () => {
    const generated = await serve({ SETUP_LINK: 'false' })
    const { email, password } = generated.first.admin ?? assert.fail('no administrator')
    const login = async (username: string, password: string) =>
      client(generated, (await client(generated).login({ body: { username, password } })).access_token)
    const admin = await login(email, password ?? '')
    assert.equal((await admin.me()).password_generated, true)
    const made = await admin.createUser({ body: { ...ALICE, display_name: 'Alice' } })
    assert.equal((await (await login(ALICE.email, ALICE.password)).me()).password_generated, null)
    await admin.updateUser({ params: { id: made.id }, body: { password: 'another wonderland' } })
    assert.equal((await (await login(ALICE.email, 'another wonderland')).me()).password_generated, null)
    await admin.updateMe({ body: { language: 'de' } })
    assert.equal((await admin.me()).password_generated, true)
    await admin.changePassword({ query: {}, body: { current_password: password ?? '', new_password: ALICE.password } })
    assert.equal((await (await login(email, ALICE.password)).me()).password_generated, false)
  })

  itOnce('a generated password is printed instead where it is switched off', async () => {
    const generated = await serve({ SETUP_LINK: 'false' })
    assert.equal(generated.first.setupLink, undefined)
    assert.ok(generated.first.admin?.password)
  })
})

describe('what prints the setup link', () => {
  it('"serve" prints the link', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-setup-'))
    const { BOOTSTRAP_ADMIN_EMAIL: _email, BOOTSTRAP_ADMIN_PASSWORD: _password, ...env } = serverEnv(folder)
    const served = await spawnServer(env)
    try {
      while (!/console\/setup#/.test(served.log())) await once(served.child.stdout ?? served.child, 'data')
      const [, token = ''] = /console\/setup#([\w-]{43})\n/.exec(served.log()) ?? []
      await createClient({ baseUrl: served.url }).setUp({ body: { ...ALICE, token } })
    } finally {
      await served.kill('SIGTERM')
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})
