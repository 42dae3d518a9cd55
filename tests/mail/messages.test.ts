import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { request } from '../support/http.ts'
import { decoded, type MailServer, startMailServer } from '../support/mail.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const DAY = 86_400_000
const BUCKET = 'mailed'

describeEngines('what users get mail about', (engine, itOnce) => {
  let server: TestServer
  let mail: MailServer
  before(async () => {
    server = await startServer(engine, { MAIL_ALLOWED_CIDRS: '127.0.0.1', MAIL_TIMEOUT_SECONDS: '1' })
    mail = await startMailServer()
    await server.admin.updateSettings({ body: { mail: { ...mail.settings, security: 'none' } } })
    await server.admin.createBucket({ body: { name: BUCKET } })
    for (const key of ['docs/a.txt', 'docs/b.txt'])
      await server.admin.putObject({ params: { bucket: BUCKET, key }, body: 'shared' })
  })
  after(async () => {
    await server.stop()
    await mail.stop()
  })
  beforeEach(() => mail.forget())

  /** Runs all workers; returns the mails that came meanwhile, by recipient and subject. */
  const mails = async () => {
    mail.forget()
    await server.running.tick()
    await server.running.tick()
    return mail.taken.map(({ to, headers }) => [to.join(), decoded(headers.subject)])
  }
  const person = async () => {
    const client = server.as(await server.userWith({ bucket_pattern: BUCKET, actions: ['read', 'share', 'write'] }))
    return { client, ...(await client.me()) }
  }

  it('a token and an access key that expire in seven days and in one day', async () => {
    const { client, email } = await person()
    const token = await client.createToken({ body: { name: 'Nightly “backup”', expires_in: '30d' } })
    const key = await client.createAccessKey({ body: { name: 'sync', expires_in: '30d' } })
    for (const secret of [token.token, key.secret_access_key]) server.secrets.add(secret)
    await client.createToken({ body: { name: 'for a week', expires_in: 7 * 86_400 } })
    await client.createToken({ body: { name: 'forever' } })
    const { id } = await client.createToken({ body: { name: 'revoked', expires_in: '30d' } })
    await client.revokeToken({ params: { id } })
    assert.deepEqual(await mails(), [], 'nobody is told of what was made for so short a time')
    await server.later(23 * DAY - 1)
    assert.deepEqual(
      (await mails()).filter(([, subject]) => !subject?.includes('for a week')),
      [],
    )
    await server.later(1)
    assert.deepEqual((await mails()).toSorted(), [
      [email, 'Your access key “sync” expires in 7 days'],
      [email, 'Your access token “Nightly “backup”” expires in 7 days'],
    ])
    const { publicBaseUrl } = readConfig(server.env)
    const { body } = mail.taken.find(({ headers }) => decoded(headers.subject).includes('backup')) ?? assert.fail()
    const lines = [
      `Your access token “Nightly “backup”” (${token.token_prefix}…) expires on 2026-01-31 00:00 UTC, in 7 days.`,
      '',
      'Programs that use it are refused from then on. If they are still needed, create another one and let them use that:',
      '',
      `${publicBaseUrl}/console/tokens`,
      '',
      '-- ',
      'Strongroom. You get this because the access token is yours.',
      '',
    ]
    assert.equal(body, lines.join('\r\n'))
    await server.later(6 * DAY)
    assert.deepEqual((await mails()).toSorted(), [
      [email, 'Your access key “sync” expires in 1 day'],
      [email, 'Your access token “Nightly “backup”” expires in 1 day'],
    ])
    await server.later(DAY / 2)
    assert.deepEqual(await mails(), [])
  })

  it('all active administrators: a bucket that reaches a level of its quota', async () => {
    const { groups } = await server.admin.me()
    const [, disabled] = await Promise.all(
      ['second@example.com', 'third@example.com'].map((email) =>
        server.admin.createUser({ body: { email, display_name: email, group_ids: groups.map(({ id }) => id) } }),
      ),
    )
    await server.admin.updateUser({ params: { id: disabled?.id ?? '' }, body: { is_active: false } })
    const bucket = 'filling'
    await server.admin.createBucket({ body: { name: bucket, quota_gb: 1 / 1024 } })
    await server.admin.putObject({ params: { bucket, key: 'a' }, body: new Uint8Array(0.85 * 1024 ** 2) })
    assert.deepEqual((await mails()).toSorted(), [
      ['admin@example.com', 'The bucket “filling” is 80% full'],
      ['second@example.com', 'The bucket “filling” is 80% full'],
    ])
    assert.match(mail.taken[0]?.body ?? '', /has reached 80% of its quota: 870 KB of 1 MB, /)
    assert.deepEqual(await mails(), [])
  })

  it('nobody who is disabled', async () => {
    const { client, id } = await person()
    await client.createToken({ body: { name: 'left behind', expires_in: '30d' } })
    await server.admin.updateUser({ params: { id }, body: { is_active: false } })
    await server.later(24 * DAY)
    assert.deepEqual(await mails(), [])
  })

  const open = (path: string, more: Partial<Parameters<typeof request>[0]> = {}) =>
    request({ url: server.url, path, ...more })

  it('a link whose creator asked: when it is opened for the first time, once', async () => {
    const { client, email } = await person()
    const share = (body: object = {}) =>
      client.createShare({
        body: { kind: 'object', bucket: BUCKET, key: 'docs/a.txt', notify: true, ...body } as never,
      })
    const [quiet, told] = [await share({ notify: false }), await share()]
    assert.deepEqual([quiet.notify, told.notify], [false, true])
    const at = (link: { token: string }, query = '') => `/public/s/${link.token}${query}`
    await open(at(quiet))
    await open(at(told), { method: 'HEAD' })
    await open(`/s/${told.token}`)
    assert.deepEqual(await mails(), [], 'not for headers, and not for the page alone, which programs fetch too')
    assert.equal((await open(at(told))).status, 200)
    await open(at(told))
    assert.deepEqual(await mails(), [[email, 'Your link to “a.txt” was opened']])
    assert.match(mail.taken[0]?.body ?? '', /in the bucket “mailed” was opened for the first time, on 20\d\d-/)
    assert.ok(!mail.taken[0]?.raw.includes(told.token))
    await open(at(told))
    assert.deepEqual(await mails(), [])

    const folder = await share({ kind: 'folder', key: undefined, prefix: 'docs/', password: 'open sesame' })
    assert.equal((await open(at(folder))).status, 401)
    assert.equal((await open(at(folder, '?info=1'))).status, 200)
    assert.deepEqual(await mails(), [], 'not without the password')
    await open(at(folder), { headers: { 'x-share-password': 'open sesame' } })
    assert.deepEqual(await mails(), [[email, 'Your link to “docs” was opened']])
    const upload = await share({ kind: 'upload', key: undefined, prefix: 'docs/' })
    await open(at(upload, '/new.txt'), { method: 'PUT', body: 'x' })
    assert.deepEqual(await mails(), [[email, 'Your link to “docs” was opened']])
    const limited = await share({ max_downloads: 1 })
    await open(at(limited))
    assert.equal((await open(at(limited))).status, 410)
    assert.deepEqual((await mails()).length, 1)
  })

  it('a link that many open together, through two services: once', async () => {
    const { client, email } = await person()
    const { token } = await client.shareObject({
      params: { bucket: BUCKET, key: 'docs/b.txt' },
      query: { notify: true },
      body: {},
    })
    const other = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), {
      now: server.clock.now,
      timers: false,
    })
    try {
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          request({ url: i % 2 === 0 ? server.url : other.url, path: `/public/s/${token}` }),
        ),
      )
    } finally {
      await other.stop()
    }
    assert.deepEqual(await mails(), [[email, 'Your link to “b.txt” was opened']])
  })

  it('can be asked for and given up later', async () => {
    const { client } = await person()
    const share = await client.shareObject({ params: { bucket: BUCKET, key: 'docs/a.txt' }, body: {} })
    const params = { id: share.id }
    const update = { action: 'share_update', bucket: BUCKET, key: 'docs/a.txt' } as const
    const asked = await server.records([update], () => client.updateShare({ params, body: { notify: true } }))
    assert.equal(asked.notify, true)
    await client.updateShare({ params, body: { notify: false } })
    await open(`/public/s/${share.token}`)
    assert.deepEqual(await mails(), [])
    await client.updateShare({ params, body: { notify: true } })
    await open(`/public/s/${share.token}`)
    assert.equal((await mails()).length, 1)
  })

  it('an invitation, with the link that admits whoever has it', async () => {
    const { email: by } = await server.admin.me()
    const email = `invited-${engine}@example.com`
    const body = { email, display_name: 'Invited', invite: true }
    const { id, invitation } = await server.records([{ action: 'user_create' }, { action: 'invitation_create' }], () =>
      server.admin.createUser({ body }),
    )
    const [, token = ''] = invitation?.url.split('#') ?? []
    server.secrets.add(token)
    assert.deepEqual(await mails(), [[email, `${by} created an account for you`]])
    assert.ok(mail.taken[0]?.body.includes(invitation?.url ?? 'none'))
    const again = await server.admin.inviteUser({ params: { id } })
    server.secrets.add(again.url.split('#')[1] ?? '')
    assert.equal((await mails()).length, 1)
    assert.ok(mail.taken[0]?.body.includes(again.url))
    await server.records([], () => rejectsWith(server.admin.createUser({ body }), 'already_exists'))
    assert.deepEqual(await mails(), [])
  })

  itOnce('cannot be asked for where mail is off, and such links say nothing', async () => {
    const { client } = await person()
    const told = await client.shareObject({ params: { bucket: BUCKET, key: 'docs/a.txt' }, body: { notify: true } })
    await server.admin.updateSettings({ body: { mail: { host: null } } })
    await server.records([], async () => {
      const body = { notify: true }
      const params = { bucket: BUCKET, key: 'docs/a.txt' }
      await rejectsWith(client.shareObject({ params, body }), 'invalid_request', 'body.notify')
      await rejectsWith(client.updateShare({ params: { id: told.id }, body }), 'invalid_request', 'body.notify')
      await open(`/public/s/${told.token}`)
    })
    assert.deepEqual(await mails(), [])
    await client.updateShare({ params: { id: told.id }, body: { notify: false } })
    await server.admin.updateSettings({ body: { mail: { host: '127.0.0.1' } } })
  })
})
