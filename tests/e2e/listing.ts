import type { Page } from 'playwright-core'
import { tabTo } from '../support/keyboard.ts'

/** The address of a folder of the browser. */
export const at = (bucket: string, query: Record<string, string> = {}) => `/b/${bucket}?${new URLSearchParams(query)}`
export const grid = (page: Page) => page.getByRole('grid')
/** The row of a name. */
export const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
export const names = (page: Page) => page.locator('.vgrid-body [data-name]').allTextContents()
export const rowsInPage = (page: Page) => page.locator('.vgrid-body .vgrid-row').count()

/** By the Tab key, as somebody without a pointer gets there. */
export const tabToGrid = (page: Page): Promise<void> => tabTo(page, grid(page))
