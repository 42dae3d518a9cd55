import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** A dialog that everything else waits for. */
export const DIALOG = '[role=dialog][aria-modal=true]'

/** What has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200) ?? 'nothing')

/** The focus is in the open dialog, where keys do something, and not on what closes it. */
export async function hasUsefulFocus(page: Page): Promise<void> {
  await page
    .waitForFunction(
      (dialog) => {
        const active = document.activeElement
        const open = [...document.querySelectorAll(dialog)].at(-1)
        const isClose = active?.matches('.mantine-Modal-close, .mantine-Drawer-close')
        // One in which there is nothing to press but × has it itself.
        const inside = open?.querySelector('.mantine-Modal-body, .mantine-Drawer-body')
        const isEmpty = inside?.querySelector('input, textarea, button:enabled, a[href]') === null
        return open !== undefined && (open !== active || isEmpty) && open.contains(active) && !isClose
      },
      DIALOG,
      { timeout: 5000 },
    )
    .catch(async () => assert.fail(`the focus is on ${await focused(page)}`))
}
