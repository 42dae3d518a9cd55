// A size reads the same on every page, and 1 GB is what it is in a quota: 1024 × 1024 × 1024 bytes.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inBrowserOf, openConsole } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { checkReflow } from '../support/reflow.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { at, row } from './listing.ts'

const SIZE = 514_126
const SHOWN = '502 KB'

describe('console: sizes', { skip: noBrowser }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
    for (const [name, quota_gb] of [
      ['limited', 1],
      ['free', null],
    ] as const) {
      await server.admin.createBucket({ body: { name, quota_gb } })
      await server.admin.putObject({ params: { bucket: name, key: 'some.bin' }, body: Buffer.alloc(SIZE) })
    }
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { realTime: true })

  it('are formatted alike in lists, quotas, overviews, uploads, the trash and public pages', () =>
    inBrowser(async (browser) => {
      const { page, faults } = await openConsole(browser, server, '/buckets')
      const sees = async (words: string) => {
        await page.getByText(words, { exact: true }).first().waitFor()
        const shown = (await page.locator('main').allInnerTexts()).join('\n').match(/[\d.,]+ [kKMGTP]i?B\b/g) ?? []
        assert.deepEqual(
          shown.filter((size) => !['502 KB', '1 GB', '1,024 MB'].includes(size)),
          [],
          page.url(),
        )
      }
      await sees(`${SHOWN} of 1 GB`)
      await sees(`${SHOWN} used · no limit`)
      await page.getByRole('button', { name: 'New bucket' }).first().click()
      await page.getByRole('dialog').getByText('1 GB is 1,073,741,824 bytes', { exact: false }).waitFor()
      for (const view of ['list', 'grid']) {
        await page.goto(`${server.url}/console/b/limited?view=${view}`)
        await sees(SHOWN)
      }
      await page.goto(`${server.url}/console/b/limited/overview`)
      await sees(`${SHOWN} of 1 GB`)
      await page.goto(`${server.url}/console/b/limited/settings`)
      await page.getByText('1 GB is 1,073,741,824 bytes', { exact: false }).waitFor()
      await page.goto(`${server.url}/console/b/limited`)
      await page.getByRole('button', { name: 'Upload' }).first().click()
      const choosing = page.waitForEvent('filechooser')
      await page.getByRole('dialog').getByRole('button', { name: 'Choose files' }).click()
      await (await choosing).setFiles({ name: 'more.bin', mimeType: 'x/y', buffer: Buffer.alloc(SIZE) })
      await page.getByText(`1 file, ${SHOWN}`).waitFor()

      const { token } = await server.admin.createShare({
        body: { kind: 'object', bucket: 'limited', key: 'some.bin', expires_in: '1h' },
      })
      await page.goto(`${server.url}/s/${token}`)
      await page.getByText(SHOWN).first().waitFor()
      await server.admin.deleteObjectByQuery({ params: { bucket: 'free' }, query: { key: 'some.bin' } })
      await page.goto(`${server.url}/console/b/free/trash`)
      await sees(SHOWN)
      assert.deepEqual(faults, [])
    }))

  it('of folders follow in the list, of large ones as at least so much, and their details count all', () =>
    inBrowser(async (browser) => {
      const bucket = 'folders'
      await server.admin.createBucket({ body: { name: bucket } })
      for (const key of ['small/a.bin', 'small/deep/b.bin', 'top.bin'])
        await server.admin.putObject({ params: { bucket, key }, body: Buffer.alloc(SIZE) })
      await server.database.transaction(async (tx) => {
        const seed = await tx
          .selectFrom('objects')
          .selectAll()
          .where('key', '=', 'small/a.bin')
          .executeTakeFirstOrThrow()
        for (let from = 0; from < 25_000; from += 1000)
          await tx
            .insertInto('objects')
            .values(Array.from({ length: 1000 }, (_, i) => ({ ...seed, size: 1024, key: `large/${from + i}` })))
            .execute()
      })
      const opened = await openConsole(browser, server, at(bucket))
      const { page, check, faults } = opened
      await row(page, 'small').getByText('1 MB', { exact: true }).waitFor()
      await row(page, 'small').getByText('2 objects').waitFor()
      assert.equal(await row(page, 'small').locator('.cell-size').getAttribute('title'), '1,028,252 B')
      await row(page, 'large').getByText('> 19.5 MB').waitFor()
      await row(page, 'large').getByText('19,998+ objects').waitFor()
      await check('folder-sizes')
      await checkReflow(opened, 'folder-sizes')
      await row(page, 'large').click({ button: 'right' })
      await page.getByRole('menuitem', { name: /^Details/ }).click()
      await page.getByRole('dialog').getByText('25,000').waitFor()
      await page.getByRole('dialog').getByText('24.4 MB').waitFor()
      assert.deepEqual(faults, [])
    }))
})
