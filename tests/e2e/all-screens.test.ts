// Every screen of the console: light and dark, with everything that opens on it, with longer texts and right to left.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { accented } from '../../console/src/pseudo-locale.ts'
import { type ConsolePage, inBrowserOf, navigate, openConsole, type Person } from '../support/browser.ts'
import { type Demo, demoWords, seedDemo } from '../support/demo.ts'
import { DIALOG, hasUsefulFocus } from '../support/focus.ts'
import { rawTexts } from '../support/languages.ts'
import { noBrowser, pathOf } from '../support/launch.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { checkReflow } from '../support/reflow.ts'
import { addressOf, type Screen, screens } from '../support/screens.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { brokenWords } from '../support/words.ts'

/** Half a hundred screens are a test. */
const SLOW = { timeout: 400_000 }

describe('console: every screen', { skip: noBrowser }, () => {
  let server: TestServer
  let receiver: Receiver
  let demo: Demo
  before(async () => {
    // The other suites of the console are on SQLite: here every screen shows what PostgreSQL keeps.
    server = await startServer('postgres', { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32', S3_PORT: '0' })
    receiver = await startReceiver()
    demo = await seedDemo(server, receiver)
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })
  const inBrowser = inBrowserOf(() => server)

  /** Those who look at screens, in the order they are signed in; each goes through all of theirs in one page. */
  const lookers: readonly (readonly [Screen['as'], () => Person | null])[] = [
    [undefined, () => ADMIN],
    ['reader', () => demo.reader],
    ['stranger', () => demo.stranger],
    ['nobody', () => null],
  ]
  const walk = async (
    query: string,
    see: (screen: Screen, view: ConsolePage) => Promise<void>,
    which: (screen: Screen) => boolean = () => true,
  ) => {
    const wrong: string[] = []
    for (const [as, who] of lookers)
      await inBrowser(
        async (browser) => {
          const expect = [401, 404, 410]
          const view = await openConsole(browser, server, `/404${query}`, { expect })
          for (const screen of screens.filter((one) => one.as === as && which(one))) {
            try {
              await show(view.page, screen, addressOf(screen, demo))
              await see(screen, view)
              await view.page.keyboard.press('Escape')
            } catch (error) {
              // All of them are told at once; the next one starts afresh.
              wrong.push(`${screen.name}: ${error instanceof Error ? error.message : error}`)
              await view.page.goto(`${server.url}/console/404${query}`)
            }
            wrong.push(...view.faults.splice(0).map((fault) => `${screen.name}: ${fault}`))
          }
        },
        { who: who() },
      )
    assert.deepEqual(wrong, [])
  }

  it('has no axe violations in the light and the dark scheme, with menus, lists and dialogs open', SLOW, () =>
    walk('', async ({ name, dialogs = [] }, view) => {
      await view.check(name)
      assert.deepEqual(await brokenWords(view.page), [], name)
      await eachPopup(view, name)
      for (const dialog of dialogs) {
        await view.page.getByRole('button', { name: dialog, exact: true }).first().click()
        await view.page.getByRole('dialog').getByRole('button').first().waitFor()
        await view.check(`${name}-${dialog}`)
        await eachPopup(view, `${name}-${dialog}`)
        await view.page.keyboard.press('Escape')
        await view.page.getByRole('dialog').waitFor({ state: 'detached' })
      }
    }),
  )

  it('opens every dialog with the focus on a field or its main action, never on × or behind it', SLOW, () =>
    walk(
      '',
      async ({ dialogs = [] }, { page }) => {
        if (await page.locator(DIALOG).count()) await hasUsefulFocus(page)
        for (const dialog of dialogs) {
          await page.getByRole('button', { name: dialog, exact: true }).first().click()
          await page.locator(DIALOG).waitFor()
          await hasUsefulFocus(page)
          await page.keyboard.press('Escape')
          await page.locator(DIALOG).waitFor({ state: 'detached' })
        }
      },
      ({ does, dialogs }) => does !== undefined || dialogs !== undefined,
    ),
  )

  it('takes every text from a catalogue, has room for longer ones, and works from right to left', SLOW, () =>
    walk('?lang=ar-XB', async ({ name }, view) => {
      const raw = await rawTexts(view.page, demoWords)
      assert.equal(await view.page.evaluate(() => getComputedStyle(document.body).direction), 'rtl')
      await checkReflow(view, `${name}, ar-XB`)
      assert.deepEqual(raw, [], 'texts in no catalogue')
    }),
  )

  it('shows empty and loading states without axe violations', async () => {
    const empty = await startServer('sqlite')
    try {
      await inBrowserOf(() => empty)(async (browser) => {
        const { page, check } = await openConsole(browser, empty, '/404')
        let held = true
        // Answers that take long: what is shown meanwhile.
        await page.route('**/api/v1/**', async (route) => {
          while (held && !/\/auth\/|\/me$/.test(route.request().url())) await new Promise((go) => setTimeout(go, 20))
          await route.continue()
        })
        for (const at of lists) {
          held = true
          await page.goto(`${empty.url}/console${at}`)
          await page.locator('.waiting > *, .mantine-Skeleton-root, [aria-busy=true]').first().waitFor()
          await check(`waiting${at.replaceAll('/', '-')}`, { schemes: ['light'] })
          held = false
          await page.locator('.state h2, .list-table').first().waitFor()
          await check(`empty${at.replaceAll('/', '-')}`)
        }
      })
    } finally {
      await empty.stop()
    }
  })
})

const lists = [
  '/buckets',
  '/shares',
  '/policies',
  '/jobs',
  '/trash',
  '/tokens',
  '/admin/users',
  '/admin/groups',
  '/admin/webhooks',
  '/admin/audit',
]

async function show(page: Page, { shows, does, name, as }: Screen, at: string): Promise<void> {
  // Pages for strangers lead to no other.
  if (as === 'nobody') await page.goto(new URL(`${pathOf(at)}${new URL(page.url()).search}`, page.url()).href)
  else await navigate(page, at)
  const look = (text: string | RegExp): Locator => page.getByText(text)
  const words = typeof shows === 'string' ? look(shows).or(look(accented(shows))) : look(shows)
  await words
    .or(page.getByRole('button', { name: shows }))
    .filter({ visible: true })
    .first()
    .waitFor()
    .catch((error) => assert.fail(`${name}: ${error}`))
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  await does?.(page)
  if (does) await page.locator('[role=dialog], [role=menu]').first().waitFor()
}

const seen = new Set<string>()
/** Opens every menu and list of choices on a page that was not open before, and looks at it. */
async function eachPopup({ page, check }: ConsolePage, where: string): Promise<void> {
  const openers = await page
    .locator('[aria-haspopup=menu]:visible:not([aria-hidden=true]), [aria-haspopup=listbox]:visible')
    .all()
  for (const opener of openers) {
    const kind = await opener.evaluate((element) => {
      const label = element.id && document.querySelector(`label[for="${CSS.escape(element.id)}"]`)?.textContent
      const name = label || element.getAttribute('aria-label') || element.textContent || ''
      // A field that suggests may have nothing to suggest besides what is typed.
      const isTyped = element instanceof HTMLInputElement && !element.readOnly && element.value !== ''
      return element.matches(':disabled') || isTyped
        ? undefined
        : `${element.getAttribute('aria-haspopup')} ${name.split(' ')[0]}`
    })
    if (!kind || seen.has(kind)) continue
    seen.add(kind)
    await opener.click()
    const popup = page.locator('[role=menu]:visible, [role=listbox]:visible').first()
    await popup.waitFor()
    await check(`${where}-${kind.replaceAll(' ', '-')}`, { within: '[data-portal]' })
    await page.keyboard.press('Escape')
    await popup.waitFor({ state: 'detached' }).catch(() => popup.waitFor({ state: 'hidden' }))
  }
}
