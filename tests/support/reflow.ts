import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { ConsolePage } from './browser.ts'

/**
 * Fails if a view needs horizontal scrolling at a width of 320 px, or at 200% zoom of a window of 1280 px (WCAG
 * 1.4.10, 1.4.4). Tables may scroll within their frame.
 */
export async function checkReflow({ page, shot }: ConsolePage, name: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 1440, height: 900 }
  for (const [size, words] of [
    [{ width: 320, height: 640 }, '320'],
    [{ width: 640, height: 400 }, '200-percent'],
  ] as const) {
    await page.setViewportSize(size)
    await shot(`${name}-${words}`)
    let wide = await wideOn(page)
    // An anchored element, such as a menu, moves a moment later.
    for (let i = 0; i < 10 && wide.length > 0; i++) {
      await page.waitForTimeout(100)
      wide = await wideOn(page)
    }
    assert.deepEqual(wide, [], `${name} at ${words}`)
  }
  await page.setViewportSize(before)
}

/** Elements that overflow the window or need horizontal scrolling. */
const wideOn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const describe = (element: Element) => `${element.tagName.toLowerCase()}.${element.className}`
    const frames = '.table-frame, .nav, .visually-hidden, .skip, [class*=VisuallyHidden]'
    const found: string[] = []
    for (const element of document.querySelectorAll('.content, .content *, [role=dialog] *')) {
      const outside = element.parentElement?.closest(frames) || element.matches('.nav, .visually-hidden, .skip')
      const box = element.getBoundingClientRect()
      if (outside || box.width === 0 || box.height === 0) continue
      if (box.right > window.innerWidth + 1 || box.left < -1) found.push(`${describe(element)} is outside`)
      const scrolls = ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
      if (scrolls && !element.matches(frames) && element.scrollWidth > element.clientWidth + 1)
        found.push(`${describe(element)} scrolls`)
    }
    if (document.documentElement.scrollWidth > window.innerWidth) {
      const isWide = (element: Element) => {
        const { left, right, width } = element.getBoundingClientRect()
        return width > 0 && (right > window.innerWidth + 1 || left < -1)
      }
      const [widest] = [...document.querySelectorAll('body *')].filter(isWide)
      found.push(`the page scrolls${widest ? `, with ${describe(widest)}` : ''}`)
    }
    return found.slice(0, 5)
  })
