// Mail in a real browser: setting it up, testing it, and asking for a notice of a link.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, navigate, openConsole, signIn } from '../support/browser.ts'
import { request } from '../support/http.ts'
import { decoded, type MailServer, startMailServer } from '../support/mail.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { checkViews } from '../support/views.ts'

const BUCKET = 'photos'
const LOGIN = { username: 'strongroom', password: 'the password at the mail server' }

describeConsole('mail', (engine) => {
  let server: TestServer
  let mail: MailServer
  before(async () => {
    mail = await startMailServer({ login: LOGIN })
    server = await startServer(engine, { MAIL_ALLOWED_CIDRS: '127.0.0.1' })
    server.secrets.add(LOGIN.password)
    await server.admin.createBucket({ body: { name: BUCKET } })
    await server.admin.putObject({ params: { bucket: BUCKET, key: 'beach.txt' }, body: 'sand' })
  })
  after(async () => {
    await server.stop()
    await mail.stop()
  })
  const inBrowser = inBrowserOf(() => server, { who: null })
  const inAdminBrowser = inBrowserOf(() => server)
  const notice = 'Email me when it is first opened'

  it('is set up and tested in the settings; then links can be reported', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, `/shares?new=${BUCKET}&key=beach.txt`, {
        expect: [409, 422, 502],
      })
      await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).waitFor()
      assert.equal(await page.getByLabel(notice).count(), 0)
      await page.keyboard.press('Escape')

      await navigate(page, '/admin/settings?tab=mail')
      const test = page.getByRole('button', { name: 'Send test mail' })
      await test.click()
      await page.getByText('No mail server is configured.').waitFor()
      await page.getByLabel('Mail server').fill('127.0.0.1')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('is required with a host').waitFor()
      await check('mail-settings-fault')
      await page.getByLabel('Port').fill(`${mail.port}`)
      await page.getByRole('combobox', { name: 'Encryption' }).click()
      await page.getByRole('option', { name: 'None' }).click()
      await page.getByLabel('Sender address').fill('strongroom@example.com')
      await page.getByLabel('User name').fill(LOGIN.username)
      await page.getByRole('group', { name: 'Password' }).getByRole('button', { name: 'Set' }).click()
      await page.getByLabel('New password').fill('a wrong one')
      assert.equal(await test.isDisabled(), true)
      await server.records([{ action: 'settings_update' }], async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Mail settings saved').waitFor()
      })
      await test.click()
      await page.getByText('The mail server refused the user name or the password: 535').waitFor()
      await check('mail-test-refused')
      await page.getByRole('group', { name: 'Password' }).getByRole('button', { name: 'Replace' }).click()
      await page.getByLabel('New password').fill(LOGIN.password)
      await page.getByRole('button', { name: 'Save' }).click()
      await until(() => test.isEnabled())
      await test.click()
      await page.getByText(`The mail server accepted a mail to ${ADMIN.email}.`).waitFor()
      await check('mail-tested')
      assert.ok(!(await page.content()).includes(LOGIN.password))
      assert.deepEqual(
        mail.taken.map(({ to }) => to),
        [[ADMIN.email]],
      )

      await navigate(page, '/admin/users')
      await page.getByRole('button', { name: 'New user' }).click()
      await page.getByRole('radio', { name: 'Send an invitation by email' }).waitFor()
      await check('mail-new-user')
      await page.keyboard.press('Escape')

      await navigate(page, `/shares?new=${BUCKET}&key=beach.txt`)
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(notice).check()
      await check('mail-share')
      await dialog.getByRole('button', { name: 'Create link' }).click()
      const url = await dialog.getByRole('textbox', { name: 'Link' }).inputValue()
      server.secrets.add(url.split('/').at(-1) ?? '')
      const { pathname } = new URL(url)
      assert.equal((await request({ url: server.url, path: `/public${pathname}` })).status, 200)
      await server.running.tick()
      await server.running.tick()
      assert.equal(decoded(mail.taken.at(-1)?.headers.subject), 'Your link to “beach.txt” was opened')
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Actions for the link to beach.txt' }).click()
      await page.getByRole('menuitem', { name: 'Edit…' }).click()
      const box = page.getByRole('dialog').getByLabel(notice)
      assert.equal(await box.isChecked(), true)
      await check('mail-share-edit')
      await box.uncheck()
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByText('Link saved').waitFor()
      await navigate(page, '/admin/settings?tab=mail')
      const sent = page.getByRole('region', { name: 'Recent mail' })
      await sent.getByRole('row').filter({ hasText: 'Link opened' }).getByText('Sent').waitFor()
      await sent.scrollIntoViewIfNeeded()
      await check('mail-recent')
      const [link] = (await server.admin.listShares({ query: {} })).items
      assert.equal(link?.notify, false)
    }))

  it('shows on a phone what was sent and what failed', async () => {
    mail.refuse = (step) => (step === 'recipient' ? 550 : undefined)
    const link = await server.admin.shareObject({
      params: { bucket: BUCKET, key: 'beach.txt' },
      body: { notify: true },
    })
    server.secrets.add(link.token)
    await request({ url: server.url, path: `/public/s/${link.token}` })
    await server.running.tick()
    await server.running.tick()
    await inAdminBrowser(
      async (browser) => {
        const { page, check } = await openConsole(browser, server, '/admin/settings?tab=mail')
        await page.getByText('The mail server refused the recipient: 550').scrollIntoViewIfNeeded()
        await check('mail-failed-phone')
      },
      { width: 390, height: 844 },
    )
    await checkViews({
      inBrowser: inAdminBrowser,
      server,
      views: [['/admin/settings?tab=mail', 'section .list-table .status']],
      words: [
        'beach.txt',
        BUCKET,
        ADMIN.email,
        'The mail server refused the recipient: 550',
        'No recipient today',
        'TLS',
        'STARTTLS',
      ],
      name: 'mail',
    })
  })
})
