// A phone is used by fingers: what is pressed on it is 44 px high, or what is around it is pressed for it.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'

/** Half of a finger's 44 px, less what frames take. */
const REACH = 20

const views = [
  '/',
  '/buckets',
  '/b/photos',
  '/b/photos?view=grid',
  '/b/photos?q=txt',
  '/b/photos/history',
  '/b/photos/protection',
  '/b/photos/settings',
  '/trash',
  '/shares',
  '/jobs',
  '/tokens',
  '/admin/users',
  '/admin/groups',
  '/admin/audit',
  '/admin/storages',
  '/admin/webhooks',
  '/search?q=txt',
  '/account',
]

describeConsole('fingers', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'photos' } })
    for (const key of ['a.txt', 'folder/b.txt', 'gone.txt'])
      await server.admin.putObject({ params: { bucket: 'photos', key }, body: key })
    await server.admin.deleteObject({ params: { bucket: 'photos', key: 'gone.txt' } })
    await server.admin.createUser({
      body: { email: 'kim@example.com', display_name: 'Kim', password: 'the password of kim' },
    })
    await server.admin.createToken({ body: { name: 'nightly' } })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { phone: true })

  for (const view of views)
    it(`find what they press in ${view}`, () =>
      inBrowser(async (browser) => {
        const { page } = await openConsole(browser, server, view)
        await page.locator('h1').first().waitFor()
        await page.waitForLoadState('networkidle')
        const missed = await page.evaluate((reach) => {
          // Links within a sentence are as high as its lines (WCAG 2.2, 2.5.8).
          const pressed =
            'button, [role=button], [role=tab], input:not([type=hidden]), select, summary, a[href]:not(p a, li a, dd a, label a)'
          const missed: string[] = []
          for (const one of document.querySelectorAll<HTMLElement>(pressed)) {
            one.scrollIntoView({ block: 'center', inline: 'center' })
            const { left, width } = one.getBoundingClientRect()
            // A name is opened by its whole row or tile.
            const whole = one.matches('[data-name]') ? one.closest('[data-index]') : one
            const { top, height } = (whole ?? one).getBoundingClientRect()
            const [x, y] = [left + width / 2, top + height / 2]
            const isHit = (at: number) => {
              const found = document.elementFromPoint(x, at)
              const label = one.closest('label') ?? document.querySelector(`label[for="${CSS.escape(one.id || ' ')}"]`)
              return (
                found &&
                (one.contains(found) ||
                  label?.contains(found) ||
                  found.contains(one.closest('[data-check]')) ||
                  (whole !== one && whole?.contains(found)))
              )
            }
            // Not to be seen, or below something else.
            if (width < 2 || height < 2 || !isHit(y)) continue
            if (!isHit(y - reach) || !isHit(y + reach))
              missed.push(`${one.ariaLabel || one.textContent || one.id || one.className} ${Math.round(height)}`)
          }
          return missed
        }, REACH)
        assert.deepEqual(missed, [])
      }))

  it('open an object by a tap anywhere on its row', () =>
    inBrowser(async (browser) => {
      const { page } = await openConsole(browser, server, '/b/photos')
      for (const view of ['/b/photos', '/search?q=txt']) {
        await page.goto(`${server.url}/console${view}`)
        const { width = 0, height = 0 } = (await page.getByRole('row', { name: 'a.txt' }).boundingBox()) ?? {}
        await page.getByRole('row', { name: 'a.txt' }).tap({ position: { x: width / 2, y: height - 6 } })
        await page.getByRole('heading', { name: 'a.txt' }).waitFor()
      }
    }))

  it('have all that can be done with a selection in sight', () =>
    inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, '/b/photos')
      await page.getByRole('row', { name: 'a.txt' }).locator('[data-check]').click()
      const bar = page.locator('.browse-selected')
      await bar.getByText('1 selected').waitFor()
      await check('selected-on-a-phone')
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 700 })
        const buttons = await bar.getByRole('button').all()
        assert.equal(buttons.length, 7)
        for (const one of buttons) {
          const { x = -1, width: wide = 0 } = (await one.boundingBox()) ?? {}
          assert.ok(x >= 0 && x + wide <= width, `${await one.textContent()} at ${x} of ${width}`)
        }
      }
    }))
})
