// Where people start, how they get anywhere, and how they share from the list of links.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole, signIn } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { checkViews } from '../support/views.ts'

describeConsole('home and search', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { realTime: true, whole: true })
  const put = (bucket: string, key: string, bytes = 10) =>
    server.admin.putObjectByQuery({ params: { bucket }, query: { key }, body: Buffer.alloc(bytes) })

  it('names first steps until they are done or hidden, and what needs attention', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/login')
      await page.waitForURL('**/console/')
      const steps = page.getByRole('region', { name: 'Finish setting up' })
      await steps.getByText('0 of 4 done').waitFor()
      await check('home-empty')
      await steps.getByRole('link', { name: 'Create a bucket' }).click()
      await page.getByRole('dialog', { name: 'New bucket' }).getByLabel('Name').fill('photos')
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
      await page.waitForURL('**/b/photos')

      await server.admin.createUser({
        body: { email: 'kim@example.com', display_name: 'Kim Lee', password: 'the password of kim' },
      })
      await server.admin.updateBucket({ params: { bucket: 'photos' }, body: { quota_gb: 0.0001 } })
      await put('photos', 'folder/summer.txt', 100_000)
      await server.admin.createToken({ body: { name: 'nightly', expires_in: 3 * 86_400 } })
      await page.goto(`${server.url}/console/`)
      await steps.getByText('2 of 4 done').waitFor()
      const attention = page.getByRole('region', { name: 'Needs attention' })
      await attention.getByText('photos is 93% full.').waitFor()
      await attention.getByText(/The access token nightly expires soon:/).waitFor()
      await check('home')
      await steps.getByRole('button', { name: 'Hide' }).click()
      await steps.waitFor({ state: 'detached' })
      await page.reload()
      await attention.waitFor()
      assert.equal(await steps.count(), 0)
      await attention.getByRole('link', { name: 'photos is 93% full.' }).click()
      await page.waitForURL('**/b/photos/overview')
      assert.deepEqual(faults, [])
    }))

  it('asks five times for all that it shows, and loads menus once somebody is there', () =>
    inBrowser(async (browser) => {
      const asked: string[] = []
      browser.context.on('request', (request) => asked.push(request.url().slice(server.url.length)))
      const { page, faults } = await openConsole(browser, server, '/')
      await page.getByRole('region', { name: 'Largest buckets' }).getByRole('link', { name: 'photos' }).waitFor()
      await page.getByText(/The access token nightly expires soon:/).waitFor()
      // What is loaded once the first view is there, and what administrators are told above every view.
      await page.waitForTimeout(2500)
      assert.deepEqual(asked.filter((path) => path.startsWith('/api/')).toSorted(), [
        '/api/v1/attention',
        '/api/v1/auth/me',
        '/api/v1/auth/refresh?session=cookie',
        '/api/v1/buckets?limit=1000',
        '/api/v1/jobs?limit=20',
      ])
      assert.ok(asked.length <= 14, asked.join('\n'))
      assert.deepEqual(
        asked.filter((path) => path.includes('menus-')),
        [],
      )
      const loaded = page.waitForRequest(/\/assets\/menus-/)
      await page.mouse.move(200, 200)
      await loaded
      assert.deepEqual(faults, [])
    }))

  it('shows others no administration: neither steps nor webhooks, people or objects of other buckets', () =>
    inBrowser(async (browser) => {
      await server.admin.createBucket({ body: { name: 'secret' } })
      await put('secret', 'plans.txt')
      const token = await server.userWith({ bucket_pattern: 'photos', prefix: '', actions: ['list', 'read'] })
      const { email } = await server.as(token).me()
      await signIn(browser, server, { email, password: `password of ${/\d+/.exec(email)?.[0]}` })
      const { page, faults } = await openConsole(browser, server, '/')
      await page.getByRole('region', { name: 'Largest buckets' }).getByRole('link', { name: 'photos' }).waitFor()
      assert.equal(await page.getByText('Finish setting up').count(), 0)
      assert.equal(await page.getByText('secret').count(), 0)
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog')
      for (const words of ['plans', 'kim', 'secret', 'new']) {
        await palette.getByRole('combobox').fill(words)
        await palette.getByText('No results').waitFor()
      }
      assert.deepEqual(faults, [])
    }))

  it('leads users of one folder there with a click, and shows no totals of the bucket around it', () =>
    inBrowser(async (browser) => {
      await server.admin.createBucket({ body: { name: 'projects', quota_gb: 5 } })
      await put('projects', 'customers/acme/offer.txt', 5000)
      await put('projects', 'customers/other/plan.txt', 70_000)
      const token = await server.userWith(
        { bucket_pattern: 'projects', prefix: 'customers/acme/', actions: ['list', 'read'] },
        { bucket_pattern: 'projects', prefix: 'inbox/acme', actions: ['write'] },
      )
      const { email } = await server.as(token).me()
      await signIn(browser, server, { email, password: `password of ${/\d+/.exec(email)?.[0]}` })
      const { page, check, faults } = await openConsole(browser, server, '/')
      const inFolder = async () => {
        await page.getByRole('gridcell', { name: 'offer.txt' }).or(page.getByText('offer.txt')).first().waitFor()
        assert.equal(new URL(page.url()).searchParams.get('prefix'), 'customers/acme/')
      }
      const folder = (scope = page.locator('main')) => scope.getByRole('link', { name: 'customers/acme/' })
      const home = page.getByRole('region', { name: 'Your folders' })
      await folder(home).waitFor()
      assert.equal(await page.getByText('Largest buckets').count(), 0)
      await check('home-own-folders')
      await folder(home).click()
      await inFolder()

      await page.goto(`${server.url}/console/buckets`)
      const row = page.getByRole('row').filter({ hasText: 'projects' })
      await row.getByRole('link', { name: 'inbox/acme…' }).waitFor()
      assert.doesNotMatch((await row.textContent()) ?? '', /KB|kB|GB/)
      await check('buckets-own-folders')
      await folder(row).click()
      await inFolder()

      await page.goto(`${server.url}/console/b/projects`)
      await page.getByText('Your folders:').waitFor()
      await check('browse-own-folders')
      await folder().click()
      await inFolder()

      await page.goto(`${server.url}/console/b/projects/overview`)
      const facts = page.getByRole('region', { name: 'About this bucket' })
      await facts.getByText('Your permissions').waitFor()
      assert.deepEqual(await facts.locator('dd').last().locator('> div').allTextContents(), [
        'customers/acme/listread',
        'inbox/acme…write',
      ])
      assert.equal(await page.getByText('Stored').count(), 0)
      await check('overview-own-folders')
      assert.deepEqual(faults, [])
    }))

  it('the palette finds pages, buckets, objects, people, groups and actions, and remembers what was opened', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/b/photos')
      await page.getByRole('link', { name: 'folder' }).waitFor()
      await page.getByRole('button', { name: 'Search or jump to…' }).click()
      const palette = page.getByRole('dialog', { name: 'Search or jump to…' })
      const field = palette.getByRole('combobox')
      await palette.getByRole('option', { name: 'Upload to this folder' }).waitFor()
      await field.fill('summer')
      await palette.getByRole('group', { name: 'Objects in photos' }).getByRole('option').waitFor()
      await check('palette-objects')
      await page.keyboard.press('Enter')
      await page.getByRole('complementary').getByRole('heading', { name: 'summer.txt' }).waitFor()
      assert.equal(new URL(page.url()).searchParams.get('prefix'), 'folder/')

      await page.keyboard.press('Control+k')
      await field.fill('kim')
      await palette.getByRole('group', { name: 'Users' }).getByRole('option', { name: 'Kim Lee' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Kim Lee' }).waitFor()
      await page.keyboard.press('Control+k')
      await field.fill('administrators')
      await palette.getByRole('group', { name: 'Groups' }).getByRole('option').waitFor()
      await field.fill('')
      assert.deepEqual(await palette.getByRole('group', { name: 'Recent' }).getByRole('option').allTextContents(), [
        'Kim Lee',
        'summer.txt',
      ])
      await check('palette-recent')
      await field.fill('new cleanup')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/policies/new')

      assert.deepEqual(faults, [])

      // What was opened is forgotten with the session. The sign-in page asks whether there is one.
      await page.keyboard.press('Control+k')
      await field.fill('sign out')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/console/login')
      assert.equal(await page.evaluate(() => localStorage.getItem('strongroom-recent')), null)
      assert.deepEqual(
        faults.filter((fault) => !/^401 POST \S+\/auth\/refresh\?|status of 401/.test(fault)),
        [],
      )
    }))

  it('links are created from their list: for a file, a folder, or to request files', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/shares')
      const dialog = page.getByRole('dialog')
      const create = async () => {
        await dialog.getByRole('button', { name: 'Create link' }).click()
        await dialog.getByText('Link created').waitFor()
        await dialog.getByRole('button', { name: 'Done' }).click()
        await dialog.waitFor({ state: 'detached' })
      }
      await page.getByRole('button', { name: 'New link' }).first().click()
      await dialog.getByRole('button', { name: 'folder' }).click()
      await dialog.getByRole('button', { name: 'summer.txt' }).waitFor()
      await check('share-pick')
      await dialog.getByRole('button', { name: 'summer.txt' }).click()
      await page.getByRole('dialog', { name: 'Share summer.txt' }).waitFor()
      await create()
      await page.getByRole('button', { name: 'New link' }).click()
      await dialog.getByRole('button', { name: 'folder', exact: true }).click()
      await dialog.getByRole('button', { name: 'Share photos/folder/' }).click()
      await create()
      await page.getByRole('button', { name: 'Request files' }).click()
      await dialog.getByRole('button', { name: 'Request files for photos/' }).click()
      await dialog.getByLabel('Maximum number of files').waitFor()
      await create()
      const { items } = await server.admin.listShares({ query: {} })
      assert.deepEqual(
        items.map(({ kind, bucket, object_key, prefix }) => [kind, bucket, object_key, prefix]),
        [
          ['upload', 'photos', null, ''],
          ['folder', 'photos', null, 'folder/'],
          ['object', 'photos', 'folder/summer.txt', null],
        ],
      )
      assert.deepEqual(faults, [])
    }))

  it('home and the picker fit a phone, longer words and right-to-left', () =>
    checkViews({
      inBrowser: inBrowserOf(() => server, { realTime: true }),
      server,
      name: 'home',
      views: [
        ['/', '.home-columns'],
        ['/shares?pick=take', '.browse-folders-list'],
      ],
      words: ['photos', 'projects', 'secret', 'folder', 'nightly', 'summer.txt', 'user', 'example.com'],
    }))
})
