import assert from 'node:assert/strict'
import { after, before, beforeEach, it, test } from 'node:test'
import { type LanguageTag, languages } from '../../contract/languages.ts'
import type { SignInChange } from '../../server/access/mail/languages/en.ts'
import { texts, wordingOf } from '../../server/access/mail/wording.ts'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { request } from '../support/http.ts'
import { decoded, type MailServer, startMailServer } from '../support/mail.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, describeEngines, startServer, type TestServer } from '../support/server.ts'

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
      `Your access token “Nightly “backup”” (${token.token_prefix}…) expires in 7 days, on January 31, 2026 at 00:00 UTC.`,
      '',
      'Programs that use it are refused from then on. If they are still needed, create another access token and let them use that:',
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

  it('an agent that asks for approval, once for each request', async () => {
    const { client, email } = await person()
    const agent = await client.createAgent({
      body: { name: 'Sorter', scope: [{ bucket: BUCKET, actions: ['read', 'write', 'share'] }] },
    })
    for (const secret of [agent.token, agent.secret_access_key]) server.secrets.add(secret)
    const share = () =>
      rejectsWith(
        server.as(agent.token).createShare({ body: { kind: 'object', bucket: BUCKET, key: 'docs/a.txt' } }),
        'approval_required',
      )
    await share()
    await share()
    assert.deepEqual(await mails(), [[email, 'The agent “Sorter” asks for your approval']])
    assert.match(mail.taken[0]?.body ?? '', new RegExp(`/console/agents/${agent.id}\\r\\n`))
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
    assert.match(
      mail.taken[0]?.body ?? '',
      /in the bucket “mailed” was opened for the first time, on \w+ \d+, 20\d\d at \d\d:\d\d UTC\./,
    )
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

  /** Chooses a language, which is recorded. */
  const speak = (client: TestServer['admin'], language: LanguageTag | null) =>
    server.records([{ action: 'user_update' }], () => client.updateMe({ body: { language } }))
  /** The only mail that came. */
  const only = async () => {
    await mails()
    const [one, ...others] = mail.taken
    assert.deepEqual(others, [])
    return one ?? assert.fail('no mail')
  }

  it('is in the language that its recipient has chosen', async () => {
    const { publicBaseUrl } = readConfig(server.env)
    const { client } = await person()
    await speak(client, 'de')
    const share = async () => {
      const params = { bucket: BUCKET, key: 'docs/a.txt' }
      const { token } = await client.shareObject({ params, body: { notify: true } })
      await open(`/public/s/${token}`)
      return only()
    }
    const german = await share()
    assert.equal(decoded(german.headers.subject), 'Ihr Link zu „a.txt“ wurde geöffnet')
    assert.equal(german.headers['content-language'], 'de')
    assert.match(
      german.body,
      /^Ihr Link zu „a\.txt“ im Bucket „mailed“ wurde am \d+\. \p{L}+ 20\d\d um \d\d:\d\d UTC zum ersten Mal geöffnet\.\r\n/u,
    )
    await speak(client, null)
    const none = await share()
    assert.deepEqual(
      [decoded(none.headers.subject), none.headers['content-language']],
      ['Your link to “a.txt” was opened', 'en'],
    )
    const { id } = await client.me()
    await server.database.transaction((tx) =>
      tx
        .updateTable('users')
        .set({ language: 'tlh' as 'en' })
        .where('id', '=', id)
        .execute(),
    )
    assert.equal(decoded((await share()).headers.subject), 'Your link to “a.txt” was opened', 'a language it lacks')

    await speak(client, 'ja')
    const expiring = await client.createToken({ body: { name: '夜間バックアップ', expires_in: '30d' } })
    server.secrets.add(expiring.token)
    await server.later(23 * DAY)
    const at = new Date(server.clock.now().getTime() + 7 * DAY)
    const date = `${at.getUTCFullYear()}年${at.getUTCMonth() + 1}月${at.getUTCDate()}日 ${at.getUTCHours()}:${`${at.getUTCMinutes()}`.padStart(2, '0')} UTC`
    const japanese = await only()
    assert.equal(decoded(japanese.headers.subject), 'アクセストークン「夜間バックアップ」の有効期限が 7 日後に切れます')
    assert.match(japanese.headers.subject ?? '', /^[\x20-\x7e]+$/)
    assert.equal(japanese.headers['content-language'], 'ja')
    assert.ok(japanese.raw.split('\r\n').every((line) => line.length <= 78))
    const lines = [
      `アクセストークン「夜間バックアップ」(${expiring.token_prefix}…) の有効期限が 7 日後の ${date} に切れます。`,
      '',
      '期限が切れると、これを使うプログラムは拒否されます。引き続き必要な場合は、次のページで新しいアクセストークンを作成し、置き換えてください。',
      '',
      `${publicBaseUrl}/console/tokens`,
      '',
      '-- ',
      'Strongroom',
      'このメールは、アクセストークンの所有者に送信しています。',
      '',
    ]
    assert.equal(japanese.body, lines.join('\r\n'))
  })

  it('to several, each in their own; an invitation in that of whoever invites; a test mail in the caller’s', async () => {
    await speak(server.admin, 'de')
    const bucket = 'filling-again'
    await server.admin.createBucket({ body: { name: bucket, quota_gb: 1 / 1024 } })
    await server.admin.putObject({ params: { bucket, key: 'a' }, body: new Uint8Array(0.98 * 1024 ** 2) })
    assert.deepEqual((await mails()).toSorted(), [
      [ADMIN.email, 'Der Bucket „filling-again“ ist zu 95\u00a0% voll'],
      ['second@example.com', 'The bucket “filling-again” is 95% full'],
    ])
    const german = mail.taken.find(({ to }) => to.join() === ADMIN.email)
    assert.match(german?.body ?? '', /hat 95\u00a0% seines Kontingents erreicht: 1 MB von 1 MB, laufende/)

    const email = `eingeladen-${engine}@example.com`
    const { id, invitation } = await server.admin.createUser({ body: { email, display_name: 'Kim', invite: true } })
    server.secrets.add(invitation?.url.split('#')[1] ?? '')
    const invited = await only()
    assert.equal(decoded(invited.headers.subject), `${ADMIN.email} hat ein Konto für Sie erstellt`)
    assert.ok(invited.body.includes(invitation?.url ?? 'none'))
    await server.database.transaction((tx) =>
      tx.updateTable('users').set({ language: 'fr' }).where('id', '=', id).execute(),
    )
    const again = await server.admin.inviteUser({ params: { id } })
    server.secrets.add(again.url.split('#')[1] ?? '')
    assert.equal(decoded((await only()).headers.subject), `${ADMIN.email} a créé un compte pour vous`)

    mail.forget()
    await server.records([], () => server.admin.testMail())
    assert.deepEqual(
      mail.taken.map(({ headers }) => [decoded(headers.subject), headers['content-language']]),
      [['Test-E-Mail von Strongroom', 'de']],
    )
    await speak(server.admin, null)
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

/** Every kind of credential, of change and of who changes something, each at least once. */
const kinds = Object.keys({
  password_set: 1,
  password_changed: 1,
  password_removed: 1,
  app_added: 1,
  app_removed: 1,
  passkey_added: 1,
  passkey_removed: 1,
  factors_removed: 1,
  codes_replaced: 1,
  identity_linked: 1,
  identity_unlinked: 1,
  address_added: 1,
  address_removed: 1,
} satisfies { [C in SignInChange]: 1 }).map((change, i) => ({
  kind: i % 2 === 0 ? ('tokens' as const) : ('access_keys' as const),
  change: change as SignInChange,
  by: (['self', 'reset_link', 'invitation', 'administrator', 'identity_provider'] as const)[i % 5] ?? 'self',
}))

/** What a text says with every value that it takes, each to be seen in it. */
function filled(text: (typeof texts)['en'][keyof (typeof texts)['en']], given: (typeof kinds)[number]): string {
  if (typeof text === 'string') return text
  const { kind } = given
  const values = {
    ...given,
    took: true,
    ...named(['name', 'mark', 'left', 'at', 'bucket', 'percent', 'held', 'quota', 'agent', 'objects', 'size']),
  }
  const first = /^\s*\(?\s*\{/.test(String(text)) ? values : /Hint|Reason/.test(text.name) ? kind : '{0}'
  return (text as (...given: unknown[]) => string)(first, '{1}')
}
const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `{${name}}`]))

for (const tag of languages.filter((one) => one !== 'en'))
  test(`mails in ${tag} have every text, with all that is put into it`, () => {
    assert.deepEqual(Object.keys(texts[tag]), Object.keys(texts.en))
    for (const key of Object.keys(texts.en) as (keyof typeof texts.en)[])
      for (const kind of kinds) {
        const [english, other] = [filled(texts.en[key], kind), filled(texts[tag][key], kind)]
        const placesOf = (text: string) => text.match(/\{\w+\}/g)?.toSorted()
        assert.deepEqual(placesOf(other), placesOf(english), `${tag}: ${key}`)
        assert.doesNotMatch(other, /undefined|\[object/, `${tag}: ${key}`)
        if (key !== 'signature' && key !== 'signInStop') assert.notEqual(other, english, `${tag}: ${key}`)
      }
  })

test('times and numbers are as their language writes them, in UTC', () => {
  const shown = languages.map((tag) => {
    const { moment, left, percent, size } = wordingOf(tag)
    return [moment('2026-03-01T09:30:59.000Z'), left(1), left(7), percent(80), size(870), size(1.5 * 1024 ** 2)].join(
      ' | ',
    )
  })
  assert.deepEqual(
    shown.map((one) => one.replace(/[\u00a0\u202f]/g, ' ')),
    [
      'March 1, 2026 at 09:30 UTC | in 1 day | in 7 days | 80% | 870 bytes | 1.5 MB',
      '1. März 2026 um 09:30 UTC | in 1 Tag | in 7 Tagen | 80 % | 870 Byte | 1,5 MB',
      '1 de marzo de 2026 a las 9:30 UTC | dentro de 1 día | dentro de 7 días | 80 % | 870 bytes | 1,5 MB',
      '1 mars 2026 à 09:30 UTC | dans 1 jour | dans 7 jours | 80 % | 870 octets | 1,5 Mo',
      '2026年3月1日 9:30 UTC | 1 日後 | 7 日後 | 80% | 870 バイト | 1.5 MB',
      '2026年3月1日 09:30 UTC | 1天后 | 7天后 | 80% | 870字节 | 1.5 MB',
    ],
  )
})
