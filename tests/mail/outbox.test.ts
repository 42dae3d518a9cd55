import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { after, before, beforeEach, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sealBody } from '../../server/access/mail/body.ts'
import { enqueueMail, type NewMail } from '../../server/access/mail/enqueue.ts'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { request } from '../support/http.ts'
import { decoded, type MailServer, type Refusal, startMailServer } from '../support/mail.ts'
import { parseMetrics } from '../support/metrics.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom } from '../support/process.ts'
import { allActions, describeEngines, onS3, startServer, type TestServer } from '../support/server.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const FAILED = { action: 'mail_failed', result: 'failure' } as const

describeEngines('the outbox of mail', (engine, itOnce) => {
  let server: TestServer
  let mail: MailServer
  before(async () => {
    server = await startServer(engine, { MAIL_ALLOWED_CIDRS: '127.0.0.1', MAIL_TIMEOUT_SECONDS: '1' })
    mail = await startMailServer()
    await server.admin.updateSettings({ body: { mail: { ...mail.settings, security: 'none' } } })
  })
  after(async () => {
    await server.stop()
    await mail.stop()
  })
  beforeEach(() => {
    mail.refuse = () => undefined
    mail.forget()
  })

  const config = () => readConfig(server.env)
  const message =
    (subject = 'Hello', line = 'Something happened.') =>
    () => ({
      subject,
      lines: [line],
      path: '/shares',
      reason: 'You are in a test.',
    })
  const newMail = (more: Partial<NewMail> = {}): NewMail => ({
    kind: 'share_opened',
    about: newId(),
    to: { address: 'kim@example.com' },
    message: message(),
    ...more,
  })
  const enqueue = (one: NewMail, then: () => void = () => undefined) =>
    server.database.transaction(async (tx) => {
      const count = await enqueueMail({ tx, config: config(), now: server.clock.now }, one)
      then()
      return count
    })
  const rows = () => server.database.db.selectFrom('mails').selectAll().orderBy('id').execute()
  const latest = async () => (await rows()).at(-1)
  const dispatch = () => server.running.tick('mail-dispatcher')
  const refusing = (step: string, refusal: Refusal) => (at: string) => (at === step ? refusal : undefined)

  it('sends what was committed, once, and nothing of what was rolled back', async () => {
    const count = (await rows()).length
    await assert.rejects(
      enqueue(newMail(), () => {
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    assert.equal((await rows()).length, count)
    const one = newMail()
    assert.equal(await enqueue(one), 1)
    assert.equal(await enqueue(one), 0, 'the same again')
    assert.equal(await enqueue({ ...one, to: { address: 'lee@example.com' } }), 1)
    await server.records([], async () => {
      await dispatch()
      await dispatch()
    })
    assert.deepEqual(
      mail.taken.map(({ from, to }) => [from, to]),
      [
        ['strongroom@example.com', ['kim@example.com']],
        ['strongroom@example.com', ['lee@example.com']],
      ],
    )
    const sent = await latest()
    assert.deepEqual(
      { ...sent, id: '', dedupe_key: '', created_at: '', sent_at: sent?.sent_at === null },
      {
        id: '',
        dedupe_key: '',
        kind: 'share_opened',
        recipient: 'lee@example.com',
        subject: 'Hello',
        sealed_body: null,
        status: 'sent',
        attempts: 1,
        last_error: null,
        created_at: '',
        sent_at: false,
        next_attempt_at: null,
        lease_token: null,
        lease_until: null,
      },
    )
  })

  it('is listed for administrators, latest first, without texts', async () => {
    for (const address of ['a@example.com', 'b@example.com', 'c@example.com'])
      await enqueue(newMail({ to: { address }, message: message('Listed', 'The text.') }))
    mail.refuse = (step, address) => (step === 'recipient' && address !== 'a@example.com' ? 550 : undefined)
    await server.records([FAILED, FAILED], dispatch)
    const { items, next_cursor } = await server.admin.listMails({ query: { limit: 2 } })
    const cursor = next_cursor ?? assert.fail()
    const { items: more } = await server.admin.listMails({ query: { limit: 1, cursor } })
    const all = [...items, ...more]
    assert.deepEqual(
      all.map(({ recipient, status, subject, attempts }) => [recipient, status, subject, attempts]),
      [
        ['c@example.com', 'failed', 'Listed', 1],
        ['b@example.com', 'failed', 'Listed', 1],
        ['a@example.com', 'sent', 'Listed', 1],
      ],
    )
    assert.equal(all[0]?.last_error, 'The mail server refused the recipient: 550 No recipient today.')
    assert.ok(!JSON.stringify(all).includes('The text.'))
    const person = server.as(await server.userWith())
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(person.listMails({ query: {} }), 'forbidden'),
    )
  })

  itOnce('has the headers and the text that a mail should have', async () => {
    await enqueue(newMail({ message: message('Grüße von “Kim” 🗝', 'Zeile mit Umlauten: äöü.') }))
    await dispatch()
    const [{ headers, body, raw } = assert.fail()] = mail.taken
    assert.equal(headers.from, 'Strongroom <strongroom@example.com>')
    assert.equal(headers.to, 'kim@example.com')
    assert.equal(decoded(headers.subject), 'Grüße von “Kim” 🗝')
    assert.match(headers.subject ?? '', /^[\x20-\x7e]+$/)
    assert.equal(headers['auto-submitted'], 'auto-generated')
    assert.equal(headers['content-language'], 'en')
    assert.match(headers['message-id'] ?? '', /^<[0-9a-f-]{36}@127\.0\.0\.1>$|^<[0-9a-f-]{36}@localhost>$/)
    assert.equal(headers.date, server.clock.now().toUTCString().replace('GMT', '+0000'))
    assert.match(headers['content-type'] ?? '', /^text\/plain; charset=utf-8/)
    const { publicBaseUrl } = config()
    assert.equal(
      body,
      `Zeile mit Umlauten: äöü.\r\n\r\n${publicBaseUrl}/console/shares\r\n\r\n-- \r\nStrongroom. You are in a test.\r\n`,
    )
    assert.equal([...body.matchAll(/https?:/g)].length, 1)
    assert.ok(raw.split('\r\n').every((line) => line.length <= 78))
  })

  itOnce('is sent without a language where it was queued before mails had one', async () => {
    await enqueue(newMail())
    const { id } = (await latest()) ?? assert.fail()
    const sealed_body = sealBody(config(), id, { text: 'An earlier text: it stays.\n', language: undefined })
    await server.database.transaction((tx) =>
      tx.updateTable('mails').set({ sealed_body }).where('id', '=', id).execute(),
    )
    await dispatch()
    const [{ headers, body } = assert.fail()] = mail.taken
    assert.deepEqual([headers['content-language'], body], [undefined, 'An earlier text: it stays.\r\n'])
  })

  it('is counted by kind and outcome, and shows how many wait and for how long', async () => {
    const scrape = async () => {
      server.clock.advance(10_000)
      const { body } = await request({ url: server.url, path: '/metrics', token: server.adminToken })
      return parseMetrics(body.toString())
    }
    const before = await scrape()
    assert.equal(before.get('strongroom_mail_outcomes_total{kind="quota_warning",outcome="unknown"}'), 0)
    for (let i = 0; i < 2; i++) await enqueue(newMail())
    await enqueue(newMail({ kind: 'invitation' }))
    await enqueue(newMail({ to: { address: 'gone@example.com' } }))
    await enqueue(newMail({ to: { address: 'later@example.com' } }))
    const waiting = await scrape()
    assert.equal(waiting.get('strongroom_mails{state="queued"}'), 5)
    assert.equal(waiting.get('strongroom_mails{state="sending"}'), 0)
    assert.equal(waiting.get('strongroom_mail_oldest_ready_seconds'), 10)
    mail.refuse = (step, address) =>
      step !== 'recipient' ? undefined : { 'gone@example.com': 550, 'later@example.com': 451 }[address]
    await server.records([FAILED], dispatch)
    const after = await scrape()
    const grown = (kind: string, outcome: string) => {
      const name = `strongroom_mail_outcomes_total{kind="${kind}",outcome="${outcome}"}`
      return (after.get(name) ?? 0) - (before.get(name) ?? 0)
    }
    assert.deepEqual(
      [grown('share_opened', 'sent'), grown('invitation', 'sent'), grown('share_opened', 'failed')],
      [2, 1, 1],
    )
    assert.equal(after.get('strongroom_mails{state="queued"}'), 1, 'the one that is tried again')
    assert.equal(after.get('strongroom_mail_oldest_ready_seconds'), 0, 'it is not due yet')
    mail.refuse = () => undefined
    await server.later(MINUTE)
    await dispatch()
    assert.equal((await scrape()).get('strongroom_mails{state="queued"}'), 0)
  })

  itOnce('nobody adds headers or recipients by names and addresses', async () => {
    const naming = (from_name: string) => server.admin.updateSettings({ body: { mail: { from_name } } })
    await server.records([], () =>
      rejectsWith(naming('Box\r\nBcc: eve@example.com'), 'invalid_request', 'body.mail.from_name'),
    )
    await naming('Box, Bcc: eve@example.com, "x" <eve@example.com>')
    const evil = 'Hi\r\nBcc: eve@example.com\r\n\r\nBody\u2028X-Evil: 1\u202e'
    await enqueue(newMail({ message: message(evil, '.\r\n.\r\nMAIL FROM:<eve@example.com>') }))
    for (const address of ['kim@example.com,eve@example.com', 'Kim<eve@example.com>', '"a\\"b"@example.com'])
      await enqueue(newMail({ to: { address } }))
    await server.records([FAILED, FAILED], dispatch)
    assert.deepEqual(
      mail.taken.map(({ to }) => to),
      [['kim@example.com'], ['"a\\"b"@example.com']],
    )
    const [{ headers, body } = assert.fail()] = mail.taken
    assert.equal(headers.bcc, undefined)
    assert.equal(headers['x-evil'], undefined)
    assert.equal(decoded(headers.subject), 'Hi Bcc: eve@example.com Body X-Evil: 1')
    assert.match(body, /^\.\r\n\.\r\nMAIL FROM:<eve@example\.com>\r\n/)
    assert.match(decoded(headers.from), /<strongroom@example\.com>$/)
    await server.admin.updateSettings({ body: { mail: { from_name: null } } })
  })

  it('tries again after a temporary refusal, with pauses, and then sends it once', async () => {
    mail.refuse = refusing('message', 451)
    await enqueue(newMail())
    await server.records([], dispatch)
    let row = await latest()
    assert.deepEqual([row?.status, row?.attempts, mail.arrived], ['queued', 1, 1])
    assert.match(row?.last_error ?? '', /^The mail server refused the message: 451 No message today\.$/)
    await dispatch()
    assert.equal(mail.arrived, 1, 'not before its time')
    await server.later(MINUTE)
    mail.refuse = refusing('recipient', 450)
    await dispatch()
    row = await latest()
    assert.deepEqual([row?.attempts, row?.status, mail.arrived], [2, 'queued', 1])
    mail.refuse = () => undefined
    await server.later(5 * MINUTE)
    await server.records([], dispatch)
    row = await latest()
    assert.deepEqual([row?.status, row?.attempts, mail.taken.length], ['sent', 3, 1])
  })

  it('stops at a permanent refusal, and records it', async () => {
    for (const [step, text] of [
      ['recipient', 'recipient'],
      ['message', 'message'],
    ] as const) {
      mail.refuse = refusing(step, 550)
      await enqueue(newMail({ to: { address: 'gone@example.com' } }))
      await server.records([FAILED], dispatch)
      const row = await latest()
      assert.deepEqual([row?.status, row?.attempts, row?.sealed_body, row?.next_attempt_at], ['failed', 1, null, null])
      const record = (await allActions(server.database)).at(-1)
      assert.deepEqual(
        [record?.resource_id, JSON.parse(record?.details ?? '')],
        [
          row?.id,
          {
            mail_id: row?.id,
            kind: 'share_opened',
            recipient: 'gone@example.com',
            outcome: 'failed',
            error: `The mail server refused the ${text}: 550 No ${step} today.`,
          },
        ],
      )
    }
    mail.refuse = () => undefined
    await server.later(3 * DAY)
    await server.records([], dispatch)
    assert.equal(mail.taken.length, 0)
  })

  it('notes what a server says, whatever it says', async () => {
    const rude = net.createServer((socket) => {
      socket.on('error', () => undefined)
      socket.end(Buffer.from(`554 \0\x1b[31mno\u202e ${'\ud83d\ude00'.repeat(200)}\r\n`))
    })
    rude.listen(0, '127.0.0.1')
    await once(rude, 'listening')
    await server.admin.updateSettings({ body: { mail: { port: (rude.address() as AddressInfo).port } } })
    await enqueue(newMail())
    await server.records([], dispatch)
    const row = await latest()
    assert.match(row?.last_error ?? '', /^The mail server refused the connection: 554 \[31mno/)
    assert.ok((row?.last_error?.length ?? 0) < 400)
    await server.admin.updateSettings({ body: { mail: { port: mail.port } } })
    await server.later(MINUTE)
    await dispatch()
    assert.equal((await latest())?.status, 'sent')
    rude.close()
  })

  it('gives up after seven attempts', async () => {
    mail.refuse = refusing('recipient', 451)
    await enqueue(newMail())
    for (const pause of [1, 5, 30, 120, 360, 720]) {
      await server.records([], dispatch)
      await server.later(pause * MINUTE)
    }
    await server.records([FAILED], dispatch)
    assert.deepEqual([(await latest())?.status, (await latest())?.attempts], ['failed', 7])
    await server.later(DAY)
    await server.records([], dispatch)
  })

  it('a refused sender or an unreachable server is not the fault of the mails, which wait', async () => {
    mail.refuse = refusing('sender', 553)
    await enqueue(newMail())
    await enqueue(newMail())
    const before = mail.connections
    await server.records([], dispatch)
    assert.equal(mail.connections - before, onS3 ? 2 : 1, 'the second one waits')
    mail.refuse = () => undefined
    await server.admin.updateSettings({ body: { mail: { port: 1 } } })
    await server.records([], dispatch)
    assert.match(JSON.stringify(await rows()), /The mail server cannot be reached: connect: ECONNREFUSED/)
    await server.admin.updateSettings({ body: { mail: { port: mail.port } } })
    await server.later(10 * MINUTE)
    await dispatch()
    assert.equal(mail.taken.length, 2)
  })

  it('what was sent without an answer is unknown and never sent again', async () => {
    for (const refusal of ['drop', 'hang'] as const) {
      mail.arrived = 0
      mail.refuse = refusing('message', refusal)
      await enqueue(newMail())
      await server.records([FAILED], dispatch)
      const row = await latest()
      assert.deepEqual([row?.status, mail.arrived], ['unknown', 1])
      assert.match(row?.last_error ?? '', /before the mail server answered/)
      assert.equal(JSON.parse((await allActions(server.database)).at(-1)?.details ?? '').outcome, 'unknown')
      mail.refuse = () => undefined
      await server.later(DAY)
      await server.records([], dispatch)
      assert.equal(mail.arrived, 1)
    }
  })

  it('what hangs or breaks before the contents is sent later', async () => {
    for (const refusal of ['drop', 'hang'] as const) {
      mail.refuse = refusing('recipient', refusal)
      await enqueue(newMail())
      await server.records([], dispatch)
      assert.equal((await latest())?.status, 'queued')
      mail.refuse = () => undefined
      await server.later(MINUTE)
      await dispatch()
      assert.equal((await latest())?.status, 'sent')
    }
    assert.equal(mail.taken.length, 2)
  })

  it('two services that dispatch together send each mail once', async () => {
    for (let i = 0; i < 30; i++) await enqueue(newMail())
    const other = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), {
      now: server.clock.now,
      timers: false,
    })
    try {
      const both = () => Promise.all([dispatch(), other.tick('mail-dispatcher')])
      await both()
      await both()
    } finally {
      await other.stop()
    }
    const sent = mail.taken.map(({ headers }) => headers['message-id'])
    assert.deepEqual([sent.length, new Set(sent).size], [30, 30])
  })

  it('a mail that its process left half sent is unknown, one that it only claimed is sent', async () => {
    const [halfSent, claimed] = [newMail(), newMail({ to: { address: 'lee@example.com' } })]
    for (const one of [halfSent, claimed]) await enqueue(one)
    const until = new Date(server.clock.now().getTime() + MINUTE).toISOString()
    await server.database.transaction(async (tx) => {
      const lease = { lease_token: newId(), lease_until: until }
      await tx.updateTable('mails').set(lease).where('dedupe_key', 'like', `%${claimed.about}%`).execute()
      await tx
        .updateTable('mails')
        .set({ ...lease, status: 'sending' })
        .where('dedupe_key', 'like', `%${halfSent.about}%`)
        .execute()
    })
    await server.records([], dispatch)
    assert.equal(mail.taken.length, 0, 'both are claimed')
    await server.later(MINUTE)
    await server.records([FAILED], dispatch)
    assert.deepEqual(
      mail.taken.map(({ to }) => to),
      [['lee@example.com']],
    )
    const states = (await rows()).slice(-2).map(({ status }) => status)
    assert.deepEqual(states, ['unknown', 'sent'])
  })

  it('gives no contents to the server once another process has claimed the mail', async () => {
    await enqueue(newMail())
    const stolen = Promise.withResolvers<void>()
    mail.refuse = (step) => {
      if (step !== 'recipient') return undefined
      void server.database
        .transaction((tx) =>
          tx
            .updateTable('mails')
            .set({ lease_token: 'another', lease_until: '2099-01-01T00:00:00.000Z' })
            .where('status', '=', 'queued')
            .execute(),
        )
        .then(() => stolen.resolve())
      return 'hang'
    }
    const dispatching = dispatch()
    await stolen.promise
    // The server's answer comes after the claim was lost.
    await pause(50)
    mail.release()
    await server.records([], () => dispatching)
    assert.deepEqual([mail.arrived, mail.taken.length, (await latest())?.status], [0, 0, 'queued'])
    await server.database.transaction((tx) => tx.deleteFrom('mails').where('lease_token', '=', 'another').execute())
  })

  it('is off without a host: nothing is queued, what waits is not sent, and after two days it is given up', async () => {
    await enqueue(newMail())
    await server.admin.updateSettings({ body: { mail: { host: null } } })
    const count = (await rows()).length
    assert.equal(await enqueue(newMail()), 0)
    await server.records([], dispatch)
    assert.deepEqual([(await rows()).length, mail.connections > 0, mail.taken.length], [count, true, 0])
    await server.later(2 * DAY)
    await server.records([FAILED], dispatch)
    const row = await latest()
    assert.deepEqual([row?.status, row?.attempts, row?.last_error], ['failed', 0, 'Mail was off for too long.'])
    await server.admin.updateSettings({ body: { mail: { host: '127.0.0.1' } } })
    await server.records([], dispatch)
    assert.equal(mail.taken.length, 0)
  })

  it('texts are stored encrypted, and again under a new key; finished mails are forgotten after a month', async () => {
    const secret = 'an-invitation-that-admits-whoever-has-it'
    server.secrets.add(secret)
    await enqueue(newMail({ message: message('Secret', secret) }))
    const before = await latest()
    assert.match(before?.sealed_body ?? '', /^v1\./)
    const env = {
      ...server.env,
      SECRET_KEY: 'another secret key that is long enough',
      SECRET_KEY_PREVIOUS: server.env.SECRET_KEY ?? '',
    }
    const rotating = await start(readConfig({ ...env, LOG_LEVEL: 'silent' }), { timers: false })
    await rotating.stop()
    const rotated = await strongroom(['rotate-secrets'], env)
    assert.equal(rotated.code, 0, rotated.err)
    assert.notEqual((await latest())?.sealed_body, before?.sealed_body)
    const next = await start(readConfig({ ...env, SECRET_KEY_PREVIOUS: '', LOG_LEVEL: 'silent' }), {
      now: server.clock.now,
      timers: false,
    })
    await next.tick('mail-dispatcher')
    assert.match(mail.taken[0]?.body ?? '', new RegExp(secret))
    server.clock.advance(31 * DAY)
    await next.tick('mail-expiry')
    await next.stop()
    assert.deepEqual(await rows(), [])
  })
})
