// Whoever's sign-in changes gets a mail about it, whoever changes it.
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { tellOfSignIn } from '../../server/access/users/sign-in-notices.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Both, linkByEmail, person, startBoth } from '../auth/oidc.ts'
import { decoded, type MailServer, startMailServer } from '../support/mail.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom } from '../support/process.ts'
import { addApp, addPasskey, appCode, challengeOf, problemOf, SITE } from '../support/second-factor.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const PASSWORD = 'a password of somebody'
const NEW = 'another password of theirs'
const LATEST = 'the latest password of theirs'
const proof = { current_password: PASSWORD }
const updated = { action: 'user_update' } as const

describeEngines('mail about changes of how one signs in', (engine, itOnce) => {
  let server: TestServer
  let mail: MailServer
  let people = 0
  before(async () => {
    server = await startServer(engine, { ...SITE, MAIL_ALLOWED_CIDRS: '127.0.0.1' })
    mail = await startMailServer()
    await server.admin.updateSettings({ body: { mail: { ...mail.settings, security: 'none' } } })
    for (const secret of [PASSWORD, NEW, LATEST]) server.secrets.add(secret)
  })
  after(async () => {
    await server.stop()
    await mail.stop()
  })
  beforeEach(() => mail.forget())

  async function make(more: object = {}) {
    const email = `signs-in-${++people}@example.com`
    const { id } = await server.admin.createUser({
      body: { email, display_name: 'Robin', password: PASSWORD, ...more },
    })
    return { id, email, params: { id } }
  }
  const enter = async ({ email }: { email: string }, password = PASSWORD) =>
    server.as(await server.login(email, password))
  /** The mails that are sent now, by recipient and subject. */
  const mails = async () => {
    mail.forget()
    await server.records([], () => server.running.tick('mail-dispatcher'))
    return mail.taken.map(({ to, headers }) => [to.join(), decoded(headers.subject)]).toSorted()
  }
  /** The mails that a command in another process queued: its clock is not that of the test. */
  const queuedByCommand = async () => {
    const queued = await server.database.db.selectFrom('mails').selectAll().where('status', '=', 'queued').execute()
    await server.database.transaction((tx) =>
      tx
        .updateTable('mails')
        .set({ next_attempt_at: server.clock.now().toISOString() })
        .where('status', '=', 'queued')
        .execute(),
    )
    assert.equal(queued.length, 1)
    return mails()
  }
  /** The paragraphs of the only mail, which has one link, to a page that admits nobody. */
  const paragraphs = () => {
    const [one, ...others] = mail.taken
    assert.equal(others.length, 0)
    const body = one?.body ?? ''
    assert.deepEqual(body.match(/https?:\S+/g), ['https://storage.example.com/below/console/account'])
    return body.split('\r\n\r\n')
  }
  const by = (who: string) => new RegExp(`^That was on \\w+ \\d+, 20\\d\\d at \\d\\d:\\d\\d UTC, ${who}\\.$`)
  const self = by('by you, or by somebody signed in as you')
  const administrator = by('by an administrator')
  const changedMail = (email: string) => [[email, 'Your password was changed']]

  it('a password that its user changes: when, by whom, and what to do', async () => {
    const who = await make()
    const client = await enter(who)
    const body = { current_password: PASSWORD, new_password: NEW }
    await server.records([updated, { action: 'login' }], () => client.changePassword({ body }))
    assert.deepEqual(await mails(), changedMail(who.email))
    assert.deepEqual(mail.taken[0]?.body.split('\r\n'), [
      'Your password was changed.',
      '',
      'That was on January 1, 2026 at 00:00 UTC, by you, or by somebody signed in as you.',
      '',
      'If it was not you, somebody else may get into your account. Choose a new password at once with “Forgot password?” on the sign-in page, which signs everybody out. Then look through your account, and tell an administrator:',
      '',
      'https://storage.example.com/below/console/account',
      '',
      '-- ',
      'Strongroom. You get this because it is about how you sign in.',
      '',
    ])
    assert.deepEqual(await mails(), [], 'once')
    const wrong = { current_password: PASSWORD, new_password: LATEST }
    await (await enter(who, NEW)).changePassword({ body: wrong }).catch(() => undefined)
    assert.deepEqual(await mails(), [], 'nothing has changed')
    const listed = (await server.admin.listMails({ query: { limit: 1 } })).items[0]
    assert.deepEqual([listed?.kind, listed?.recipient, listed?.status], ['sign_in_changed', who.email, 'sent'])
  })

  it('a password that a link replaces, and one that an invitation sets', async () => {
    const who = await make()
    await server.as().requestPasswordReset({ body: { email: who.email } })
    await server.running.tick('password-resets')
    assert.deepEqual(await mails(), [[who.email, 'Choose a new password']])
    const token = /password-reset#([\w-]{43})/.exec(mail.taken[0]?.body ?? '')?.[1] ?? assert.fail()
    server.secrets.add(token)
    await server.as().resetPassword({ body: { token, password: NEW } })
    assert.deepEqual(await mails(), changedMail(who.email))
    const [, when, todo] = paragraphs()
    assert.match(when ?? '', by('with a link from “Forgot password\\?”, which was sent to this address'))
    assert.match(todo ?? '', /^If it was not you, somebody else may get into your account\./)

    const email = `invited-${engine}@example.com`
    const { invitation } = await server.admin.createUser({ body: { email, display_name: 'Robin', invite: true } })
    const invited = invitation?.url.split('#')[1] ?? ''
    server.secrets.add(invited)
    assert.equal((await mails()).length, 1)
    await server.as().acceptInvitation({ body: { token: invited, password: PASSWORD } })
    assert.deepEqual(await mails(), [[email, 'Your account has got a password']])
    assert.match(paragraphs()[1] ?? '', by('with the link of an invitation'))
  })

  it('a password that an administrator, or somebody at the machine, sets or removes', async () => {
    const who = await make()
    const set = (body: object) => server.records([updated], () => server.admin.updateUser({ params: who.params, body }))
    await set({ password: NEW, must_change_password: true })
    assert.deepEqual(await mails(), changedMail(who.email))
    assert.match(paragraphs()[1] ?? '', administrator)

    const { challenge } = await problemOf(server.as().login({ body: { username: who.email, password: NEW } }))
    await server.as().replaceExpiredPassword({ body: { challenge: challenge ?? '', new_password: LATEST } })
    assert.deepEqual(await mails(), changedMail(who.email))
    assert.match(paragraphs()[1] ?? '', self)

    await set({ password: null })
    assert.deepEqual(await mails(), [[who.email, 'Your password was removed']])
    assert.match(paragraphs()[2] ?? '', /^If it was not you, and you know nothing of it, tell an administrator at once/)
    await set({ password: null })
    assert.deepEqual(await mails(), [], 'there was none any more')
    await set({ password: NEW })
    assert.deepEqual(await mails(), [[who.email, 'Your account has got a password']])

    const reset = await server.records([updated], () => strongroom(['reset-password', who.email], server.env))
    assert.equal(reset.code, 0, reset.err)
    const printed = /password[^\n]*?(\S{20})\s*$/im.exec(reset.out)?.[1]
    if (printed !== undefined) server.secrets.add(printed)
    assert.deepEqual(await queuedByCommand(), changedMail(who.email))
    assert.match(paragraphs()[1] ?? '', administrator)
    await set({ display_name: 'Kim', password: undefined })
    assert.deepEqual(await mails(), [], 'a name is nothing to sign in with')
  })

  it('second factors that are added and removed, and recovery codes that are replaced', async () => {
    const who = await make()
    const client = await enter(who)
    const app = await server.records([{ action: 'second_factor_add' }, { action: 'recovery_codes_create' }], () =>
      addApp(server, client, proof, '  Phone\u202e '),
    )
    assert.deepEqual(await mails(), [[who.email, 'The authenticator app “Phone” was added to your account']])
    assert.match(paragraphs()[1] ?? '', self)
    const key = await server.records([{ action: 'second_factor_add' }], () => addPasskey(server, client, proof))
    assert.deepEqual(await mails(), [[who.email, 'The passkey “Key” was added to your account']])
    await client.renameSecondFactor({ params: { id: key.id }, body: { name: 'Desk' } })
    assert.deepEqual(await mails(), [])
    const { recovery_codes } = await client.createRecoveryCodes({ body: { proof } })
    for (const code of recovery_codes) server.secrets.add(code)
    assert.deepEqual(await mails(), [[who.email, 'Your recovery codes were replaced']])
    for (const code of recovery_codes) assert.ok(!mail.taken[0]?.raw.includes(code))
    await client.removeSecondFactor({ params: { id: key.id }, body: { proof } })
    assert.deepEqual(await mails(), [[who.email, 'The passkey “Desk” was removed from your account']])
    await rejectsWith(client.removeSecondFactor({ params: { id: key.id }, body: { proof } }), 'not_found')
    assert.deepEqual(await mails(), [])

    const cleared = { action: 'second_factor_reset' } as const
    await server.records([cleared], () => server.admin.resetSecondFactors({ params: who.params }))
    assert.deepEqual(await mails(), [[who.email, 'Two-step verification was turned off for your account']])
    assert.match(paragraphs()[1] ?? '', administrator)
    await server.records([], () => server.admin.resetSecondFactors({ params: who.params }))
    assert.deepEqual(await mails(), [], 'there were none any more')

    const again = await addApp(server, client, proof)
    assert.equal((await mails()).length, 1)
    await client.removeSecondFactor({ params: { id: again.id }, body: { proof } })
    assert.deepEqual(await mails(), [
      [who.email, 'The authenticator app “Authenticator app” was removed from your account'],
    ])
    await addPasskey(server, client, proof)
    assert.equal((await mails()).length, 1)
    const reset = await server.records([cleared], () => strongroom(['reset-second-factor', who.email], server.env))
    assert.equal(reset.code, 0, reset.err)
    assert.deepEqual(await queuedByCommand(), [[who.email, 'Two-step verification was turned off for your account']])
    assert.notEqual(app.id, again.id)
  })

  it('the second factor that a login has to set up', async () => {
    const who = await make()
    const { token } = await server.admin.createToken({ body: { name: 'root' } })
    server.secrets.add(token)
    const require = (second_factor: 'everyone' | 'optional') =>
      server.as(token).updateSettings({ body: { auth: { second_factor } } })
    await require('everyone')
    try {
      const { challenge } = await challengeOf(server, { email: who.email, password: PASSWORD })
      const { totp } = await server.as().beginLoginEnrollment({ body: { challenge, kind: 'totp' } })
      const secret = totp?.secret ?? ''
      server.secrets.add(secret)
      assert.deepEqual(await mails(), [], 'nothing is added yet')
      const otp = appCode(secret, server.clock.now())
      const { recovery_codes } = await server.as().finishLoginEnrollment({ body: { challenge, otp } })
      for (const code of recovery_codes) server.secrets.add(code)
      assert.deepEqual(await mails(), [
        [who.email, 'The authenticator app “Authenticator app” was added to your account'],
      ])
    } finally {
      await require('optional')
    }
  })

  it('an address: to the old one and to the new one, with whatever else has changed', async () => {
    const who = await make()
    const change = (body: object) =>
      server.records([updated], () => server.admin.updateUser({ params: who.params, body }))
    const next = `moved-${engine}@example.com`
    await change({ email: next })
    assert.deepEqual(await mails(), [
      [next, 'This is now the email address of your account'],
      [who.email, 'This is no longer the email address of your account'],
    ])
    const told = Object.fromEntries(mail.taken.map(({ to, body }) => [to.join(), body.split('\r\n\r\n')[2]]))
    assert.match(told[next] ?? '', /^If it was not you, somebody else may get into your account\./)
    assert.match(told[who.email] ?? '', /^If it was not you, and you know nothing of it/)
    assert.ok(!mail.taken.some(({ to, raw }) => raw.includes(to.join() === next ? who.email : next)))
    await change({ email: next.toUpperCase() })
    assert.deepEqual(await mails(), [], 'it is the same one')

    await change({ email: who.email, password: NEW, display_name: 'Kim' })
    assert.deepEqual(await mails(), [
      [next.toUpperCase(), 'How you sign in was changed'],
      [who.email, 'How you sign in was changed'],
    ])
    assert.deepEqual(mail.taken.map(({ body }) => body.split('\r\n\r\n').slice(0, 2)).toSorted(), [
      ['Your password was changed.', 'This is no longer the email address of your account.'],
      ['Your password was changed.', 'This is now the email address of your account.'],
    ])
  })

  it('is in the language of the account', async () => {
    const who = await make()
    const client = await enter(who)
    await client.updateMe({ body: { language: 'de' } })
    await client.changePassword({ body: { current_password: PASSWORD, new_password: NEW } })
    assert.deepEqual(await mails(), [[who.email, 'Ihr Passwort wurde geändert']])
    assert.equal(mail.taken[0]?.headers['content-language'], 'de')
    const [said, when, todo] = paragraphs()
    assert.equal(said, 'Ihr Passwort wurde geändert.')
    assert.equal(
      when,
      'Das geschah am 1. Januar 2026 um 00:00 UTC, von Ihnen oder von jemandem, der als Sie angemeldet ist.',
    )
    assert.match(todo ?? '', /^Wenn Sie es nicht waren, .*„Passwort vergessen\?“/)
  })

  it('two who replace a password at once: one succeeds, and one mail', async () => {
    const who = await make()
    const one = await enter(who)
    const body = (new_password: string) => ({ current_password: PASSWORD, new_password })
    const results = await Promise.allSettled([
      one.changePassword({ body: body(NEW) }),
      one.changePassword({ body: body(LATEST) }),
    ])
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.deepEqual(await mails(), changedMail(who.email))
  })

  it('nobody gets one about what was refused, nor who is disabled, nor a service account', async () => {
    const { id } = await server.admin.me()
    await rejectsWith(server.admin.updateUser({ params: { id }, body: { password: null } }), 'last_admin')
    const who = await make()
    await server.admin.updateUser({ params: who.params, body: { is_active: false, password: NEW } })
    await server.admin.updateUser({ params: who.params, body: { email: `disabled-${engine}@example.com` } })
    assert.deepEqual(await mails(), [])
    const row = await server.database.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const program = { ...row, service_account: 1 }
    await server.database.transaction((tx) =>
      tellOfSignIn(
        { tx, config: readConfig(server.env), now: server.clock.now },
        program,
        { ...program, email_key: 'another' },
        { changes: [], by: 'administrator' },
      ),
    )
    assert.deepEqual(await mails(), [])
  })

  itOnce('nothing is queued where mail is off', async () => {
    const who = await make()
    await server.admin.updateSettings({ body: { mail: { host: null } } })
    const client = await enter(who)
    await server.records([updated, { action: 'login' }], () =>
      client.changePassword({ body: { current_password: PASSWORD, new_password: NEW } }),
    )
    await server.admin.updateSettings({ body: { mail: { host: '127.0.0.1' } } })
    assert.deepEqual(await mails(), [])
    await enter(who, NEW)
  })
})

describeEngines('mail about identities', (engine) => {
  let both: Both
  let mail: MailServer
  before(async () => {
    both = await startBoth(engine, { env: { MAIL_ALLOWED_CIDRS: '127.0.0.1' } })
    mail = await startMailServer()
    await both.server.admin.updateSettings({ body: { mail: { ...mail.settings, security: 'none' } } })
    both.server.secrets.add(PASSWORD)
  })
  after(async () => {
    await both.stop()
    await mail.stop()
  })
  const mails = async () => {
    mail.forget()
    await both.server.running.tick('mail-dispatcher')
    return mail.taken.map(({ to, headers }) => [to.join(), decoded(headers.subject)]).toSorted()
  }

  it('that are linked and unlinked by an administrator, or linked by a sign-in; and the address that it brings', async () => {
    const { server } = both
    const account = person({ email_verified: true })
    const email = account.email ?? ''
    const { id } = await server.admin.createUser({ body: { email, display_name: 'Robin', password: PASSWORD } })
    const link = (idp_subject: string | null) =>
      server.records([updated], () => server.admin.updateUser({ params: { id }, body: { idp_subject } }))
    await link(account.sub)
    assert.deepEqual(await mails(), [[email, 'Your account was linked to an identity provider']])
    await link(account.sub)
    assert.deepEqual(await mails(), [], 'it was before')
    await link(null)
    assert.deepEqual(await mails(), [[email, 'Your account is no longer linked to an identity provider']])
    await both.withSettings(linkByEmail, () => both.tokensOf(account))
    assert.deepEqual(await mails(), [[email, 'Your account was linked to an identity provider']])
    assert.match(mail.taken[0]?.body ?? '', /UTC, by a sign-in through the identity provider\./)
    await both.tokensOf(account)
    assert.deepEqual(await mails(), [])

    const next = `adopted-${engine}@example.com`
    const moved = { ...account, email: next }
    await Promise.all([both.tokensOf(moved), both.tokensOf(moved)])
    assert.deepEqual(await mails(), [
      [next, 'This is now the email address of your account'],
      [email, 'This is no longer the email address of your account'],
    ])
  })
})
