import type { Page } from 'playwright-core'
import { tabTo } from '../support/keyboard.ts'

/** The address of a folder of the browser. */
export const at = (bucket: string, query: Record<string, string> = {}) => `/b/${bucket}?${new URLSearchParams(query)}`
export const grid = (page: Page) => page.getByRole('grid')
/** The row of a name. */
export const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
/** The row of what a search has found, by its path below the folder that was searched. */
export const found = (page: Page, path: string) =>
  page.getByRole('row').filter({ has: page.getByRole('checkbox', { name: `Select ${path}`, exact: true }) })
/** What a search has found, by these paths. */
export const paths = (page: Page) =>
  page
    .locator('.vgrid-body .cell-check input')
    .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('aria-label')?.slice('Select '.length)))
export const names = (page: Page) => page.locator('.vgrid-body [data-name]').allTextContents()
export const rowsInPage = (page: Page) => page.locator('.vgrid-body .vgrid-row').count()

/** By the Tab key, as somebody without a pointer gets there. */
export const tabToGrid = (page: Page): Promise<void> => tabTo(page, grid(page))
