import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** Presses Tab until this has the focus, as people without a pointer do. Fails if it is not reached. */
export async function tabTo(page: Page, wanted: Locator, most = 60): Promise<void> {
  for (let i = 0; i < most; i++) {
    if (await wanted.evaluate((one) => one === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`${wanted} is not reached by ${most} tabs`)
}

/** Waits until this has the focus: what opens a dialog moves it there a moment after the dialog is seen, and what is typed before goes nowhere. */
export const focusIn = (wanted: Locator): Promise<void> => wanted.and(wanted.page().locator(':focus')).waitFor()
