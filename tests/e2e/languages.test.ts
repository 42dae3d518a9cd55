// The console in other languages than English: the browser's, and the one that an account has chosen.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { languages } from '../../contract/languages.ts'
import { inBrowserOf, openConsole, signIn } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { checkReflow } from '../support/reflow.ts'
import { startServer, type TestServer } from '../support/server.ts'

/** What each says where one signs in, and over the list of buckets. */
const words = {
  de: ['Anmelden', 'Buckets', 'Neuer Bucket'],
  es: ['Iniciar sesión', 'Buckets', 'Nuevo bucket'],
  fr: ['Connexion', 'Buckets', 'Nouveau bucket'],
  ja: ['ログイン', 'バケット', '新しいバケット'],
  'zh-CN': ['登录', '存储桶', '新建存储桶'],
} as const
/** What each says of a wrong password. */
const refused = {
  de: /Passwort ist falsch\.$/,
  es: /incorrect[oa]s?\.$/,
  fr: /incorrecte?s?\.$/,
  ja: /。$/,
  'zh-CN': /。$/,
} as const

describe('console: languages', { skip: noBrowser }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
    await server.admin.createBucket({ body: { name: 'photos', quota_gb: 1 } })
    await server.admin.putObjectByQuery({ params: { bucket: 'photos' }, query: { key: 'kyoto.txt' }, body: 'Kyoto' })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { who: null })
  const person = async (name: string) => {
    const who = { email: `${name.toLowerCase()}@example.com`, password: `the password of ${name}` }
    server.secrets.add(who.password)
    const groups = (await server.admin.listGroups()).items.filter((group) => group.name === 'Administrators')
    await server.admin.createUser({
      body: { ...who, display_name: name, group_ids: groups.map(({ id }) => id) },
    })
    return who
  }

  for (const tag of languages.filter((one) => one !== 'en'))
    it(`speaks the browser’s: ${tag}`, () =>
      inBrowser(
        async (browser) => {
          const [enter, title, create] = words[tag]
          const opened = await openConsole(browser, server, '/login', { expect: [401] })
          const { page, check, faults } = opened
          await page.getByRole('heading', { name: enter }).waitFor()
          faults.length = 0
          assert.equal(await page.locator('html').getAttribute('lang'), tag)
          await page.locator('input[name=username]').fill('nobody@example.com')
          await page.locator('input[name=password]').fill('not a password of anybody')
          await page.locator('button[type=submit]').click()
          assert.match((await page.getByRole('alert').textContent()) ?? '', refused[tag])
          faults.length = 0
          await signIn(browser, server)
          await page.goto(`${server.url}/console/buckets`)
          await page.getByRole('heading', { name: title, level: 1 }).waitFor()
          await page.getByRole('button', { name: create }).waitFor()
          await check(`buckets-${tag}`)
          await page.goto(`${server.url}/console/admin/groups`)
          await page.getByRole('table').first().waitFor()
          for (const english of ['May do everything.', 'Everyone, without signing in, at the S3 endpoint.'])
            assert.equal(await page.getByText(english).count(), 0, english)
          await page.goto(`${server.url}/console/admin/settings`)
          await page.getByRole('heading', { level: 2 }).first().waitFor()
          await checkReflow(opened, `settings-${tag}`)
          assert.deepEqual(faults, [])
        },
        { locale: tag },
      ))

  it('shows the first view without waiting for what all the others say', () =>
    inBrowser(
      async (browser) => {
        await signIn(browser, server)
        const { page, faults } = await openConsole(browser, server, '/404')
        let release = () => {}
        const held = new Promise<void>((resolve) => {
          release = resolve
        })
        let holds = 0
        await page.route('**/assets/views-*.js', async (route) => {
          // The page before may still ask for them.
          if (!route.request().frame().url().endsWith('/b/photos')) return route.continue()
          holds++
          await held
          await route.continue()
        })
        await page.goto(`${server.url}/console/b/photos`)
        await page.getByRole('row', { name: /kyoto\.txt/ }).waitFor()
        await page.getByRole('button', { name: 'Hochladen' }).waitFor()
        assert.equal(holds, 1)
        await page.getByRole('navigation').getByRole('link', { name: 'Benutzer' }).click()
        assert.equal(await page.getByRole('heading', { name: 'Benutzer', level: 1 }).count(), 0)
        release()
        await page.getByRole('heading', { name: 'Benutzer', level: 1 }).waitFor()
        assert.deepEqual(faults, [])
      },
      { locale: 'de-DE' },
    ))

  it('can be chosen before signing in, for an account that has chosen none', async () => {
    const nils = await person('Nils')
    await inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, '/login', { expect: [401] })
      await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
      await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
      await check('login-de')
      await page.getByLabel('E-Mail').fill(nils.email)
      await page.getByLabel('Passwort', { exact: true }).fill(nils.password)
      await page.getByRole('button', { name: 'Anmelden' }).click()
      await page
        .getByRole('navigation')
        .getByRole('link', { name: 'Freigabelinks' })
        .or(page.getByText('Papierkorb'))
        .first()
        .waitFor()
    })
  })

  it('speaks the one that the account has chosen, in every browser, from its sign-in on', async () => {
    const mika = await person('Mika')
    await inBrowser(async (browser) => {
      await signIn(browser, server, mika)
      const { page, check } = await openConsole(browser, server, '/account')
      const choice = page.getByRole('combobox', { name: 'Language' })
      await choice.click()
      await check('account-languages')
      await server.records([{ action: 'user_update' }], async () => {
        await page.getByRole('option', { name: '日本語' }).click()
        await page.getByRole('heading', { name: 'アカウント', level: 1 }).waitFor()
      })
      await check('account-ja')
      await page.getByRole('combobox', { name: '言語' }).click()
      await page.getByRole('option', { name: 'English' }).waitFor()
      await page.keyboard.press('Escape')
      // Signed out, the page still speaks it here.
      await server.admin.endUserSessions({
        params: { id: (await server.admin.listUsers({ query: { q: 'mika' } })).items[0]?.id ?? '' },
      })
      await page.goto(`${server.url}/console/login`)
      await page.getByRole('heading', { name: 'ログイン' }).waitFor()
    })
    await inBrowser(async (browser) => {
      const { page } = await openConsole(browser, server, '/login?next=/tokens')
      await page.getByLabel('Email').fill(mika.email)
      await page.getByLabel('Password', { exact: true }).fill(mika.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'アクセストークン', level: 1 }).waitFor()
      assert.equal(await page.locator('html').getAttribute('lang'), 'ja')

      // Back to the browser's.
      await page.goto(`${server.url}/console/account`)
      await page.getByRole('combobox', { name: '言語' }).click()
      await page.getByRole('option').first().click()
      await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    })
  })
})
