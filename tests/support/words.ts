import type { Page } from 'playwright-core'

/**
 * Words of tables that are broken over two lines, in columns that are not meant to be: `group_u|pdate`. Spaces, slashes
 * and hyphens are where a line may end.
 */
export const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const broken: string[] = []
    for (const cell of document.querySelectorAll('.list-table td:not(.breaks, .below td, .visually-hidden)')) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
      for (let node = texts.nextNode(); node; node = texts.nextNode())
        for (const word of (node.textContent ?? '').matchAll(/[^\s/\-–·]+/g)) {
          const range = document.createRange()
          range.setStart(node, word.index)
          range.setEnd(node, word.index + word[0].length)
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
          if (lines.size > 1) broken.push(word[0])
        }
    }
    return broken
  })
