import assert from 'node:assert/strict'
import { type inBrowserOf, navigate, openConsole } from './browser.ts'
import { rawTexts } from './languages.ts'
import { checkReflow } from './reflow.ts'
import type { TestServer } from './server.ts'

interface ViewsOptions {
  inBrowser: ReturnType<typeof inBrowserOf>
  server: TestServer
  /** Address of each view, and a selector of what is there once it is complete. */
  views: readonly (readonly [at: string, shown: string])[]
  /** The test's own names, which are in no catalog. */
  words: readonly string[]
  /** Distinguishes the pictures. */
  name: string
}

const PHONE = { width: 390, height: 844 }

/**
 * Looks at views on a phone, in light and dark, then with longer texts from right to left, each also at a width of
 * 320 px and at 200% zoom. Fails on violations, overflow and texts in no catalog. One page goes from view to view, as by
 * links: loading each one costs more than looking at it.
 */
export async function checkViews({ inBrowser, server, views, words, name }: ViewsOptions): Promise<void> {
  for (const lang of ['', 'ar-XB'])
    await inBrowser(async (browser) => {
      const view = await openConsole(browser, server, `/404?lang=${lang}`, { expect: [404] })
      for (const [at, shown] of views) {
        await navigate(view.page, at)
        await view.page.locator(shown).first().waitFor()
        const picture = `${name}${at.replaceAll(/\W+/g, '-')}${lang && `-${lang}`}`
        if (lang === '') await view.check(`${picture}-phone`)
        if (lang === 'ar-XB') {
          assert.deepEqual(await rawTexts(view.page, words), [], at)
          assert.equal(await view.page.evaluate(() => getComputedStyle(document.body).direction), 'rtl')
        }
        await checkReflow(view, picture)
        assert.deepEqual(view.faults, [], at)
      }
    }, PHONE)
}
