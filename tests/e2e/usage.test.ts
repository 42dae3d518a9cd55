// Usage over time in a real browser: numbers, charts, tables, CSV.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { type Browser, openConsole, signIn, startBrowser } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { noBrowser } from '../support/launch.ts'
import { checkReflow } from '../support/reflow.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const DAY = 86_400_000
const DAYS = 14
/** Days on which the service did not run. */
const GAP = [6, 7, 8]
const buckets = Array.from({ length: 10 }, (_, i) => `team-${'abcdefghij'[i]}`)
const types = ['image/jpeg', 'application/pdf', 'video/mp4', 'text/csv', 'application/zip']

describe('console: usage', { skip: noBrowser }, () => {
  let server: TestServer
  let uploaded = 0
  let sent = 0

  before(async () => {
    server = await startServer('sqlite')
    for (const name of buckets) await server.admin.createBucket({ body: { name } })
    await server.admin.createBucket({ body: { name: 'still-empty' } })
    server.clock.advance(DAY / 2)
    for (let day = 0; day < DAYS; day++) {
      await server.later(DAY)
      if (GAP.includes(day)) continue
      for (const [i, name] of buckets.entries()) {
        if (i > day) continue
        const body = 'x'.repeat((10 - i) * 20_000 + day * 1000)
        const response = await fetch(`${server.url}/api/v1/buckets/${name}/objects/${day}.bin`, {
          method: 'PUT',
          body,
          headers: { authorization: `Bearer ${server.adminToken}`, 'content-type': types[(i + day) % 5] as string },
        })
        assert.equal(response.status, 201)
        uploaded += body.length
      }
      await server.running.tick()
    }
    const got = await fetch(`${server.url}/api/v1/buckets/team-a/objects/0.bin`, {
      headers: { authorization: `Bearer ${server.adminToken}` },
    })
    sent = (await got.arrayBuffer()).byteLength
    await server.running.tick()
  })
  after(() => server.stop())
  const inBrowser = async (work: (browser: Browser) => Promise<void>, options: object = {}) => {
    const browser = await startBrowser(options)
    try {
      await browser.context.clock.install({ time: server.clock.now() })
      await signIn(browser, server)
      await work(browser)
    } finally {
      await browser.close()
    }
  }
  const size = (bytes: number) =>
    bytes >= 999.5 * 1024
      ? `${(bytes / 1024 ** 2).toFixed(1).replace(/\.0$/, '')} MB`
      : `${(bytes / 1024).toFixed(bytes >= 100 * 1024 ? 0 : 1).replace(/\.0$/, '')} KB`

  it('numbers equal the sum of the objects, in tables and CSV too, with the period in the address', () =>
    inBrowser(async (browser) => {
      let stored = 0
      let objects = 0
      for (const name of buckets)
        for (const one of (await server.admin.listObjects({ params: { bucket: name }, query: { limit: 1000 } }))
          .items) {
          stored += one.size
          objects++
        }
      assert.equal(stored, uploaded)
      const view = await openConsole(browser, server, '/admin/usage')
      const { page, check, shot } = view
      const tile = (name: string) => page.locator('.figure').filter({ hasText: name }).locator('.figure-value')
      await tile('Uploaded').waitFor()
      assert.equal(await tile('Stored').textContent(), size(stored))
      assert.equal(await tile('Objects').textContent(), String(objects))
      assert.equal(await tile('Uploaded').textContent(), size(uploaded))
      assert.equal(await tile('Downloaded').textContent(), size(sent))
      assert.equal(await tile('Failed deliveries').textContent(), '0')
      const exact = await tile('Stored').locator('.number').getAttribute('title')
      assert.equal(exact?.replace(/\D/g, ''), String(stored))
      await page.getByRole('region', { name: 'Stored by content type' }).getByText('As of').waitFor()
      await check('usage')

      // The legend reads out the latest, and what the arrow keys go to.
      const chart = page.getByRole('region', { name: 'Stored over time, by bucket' })
      const slider = chart.getByRole('slider')
      assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^Jan 15, 2026: team-a/)
      assert.ok((await chart.textContent())?.includes(`Total ${size(stored)}`))
      await tabTo(page, slider)
      for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft')
      assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^Jan 10, 2026: No data/)
      assert.equal(await chart.locator('.timeline-legend li').count(), 9)
      await chart.getByText('3 other buckets').waitFor()
      // Gaps are gaps: each band is drawn as two stretches.
      assert.equal(await chart.locator('.timeline-band').count(), 2 * 9)
      await shot('usage-gap')
      const plot = await chart.locator('.timeline-plot').boundingBox()
      assert.ok(plot)
      await page.mouse.move(plot.x + plot.width - 3, plot.y + 50)
      await chart.getByText('Jan 15, 2026').first().waitFor()

      // As a table and as CSV.
      await chart.getByRole('button', { name: 'View as table' }).click()
      const row = chart.getByRole('row').filter({ hasText: '2026-01-15' })
      assert.ok(
        (await row.textContent())?.includes(
          size((await server.admin.getBucket({ params: { bucket: 'team-a' } })).used_bytes ?? 0),
        ),
      )
      await check('usage-table')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        chart.getByRole('button', { name: 'CSV' }).click(),
      ])
      assert.equal(download.suggestedFilename(), 'usage-stored.csv')
      const lines = fs
        .readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n')
      assert.equal(lines.length, 31)
      const last = lines[1]?.split(',') ?? []
      assert.equal(last[0], '2026-01-15')
      assert.equal(
        last.slice(1).reduce((sum, figure) => sum + Number(figure), 0),
        stored,
      )
      assert.equal(
        lines.find((line) => line.startsWith('2026-01-10')),
        `2026-01-10${','.repeat(9)}`,
      )
      await chart.getByRole('button', { name: 'View as chart' }).click()

      await page.getByRole('radiogroup').getByText('7 days').click()
      await page.waitForURL(/period=7$/)
      // The former period is shown until the new one is there.
      await until(async () => /12:00 PM/.test((await slider.getAttribute('aria-valuetext')) ?? ''))
      await shot('usage-7')
      await page.reload()
      await page.getByText('Uploaded').waitFor()
      assert.ok(await page.getByRole('radio', { name: '7 days' }).isChecked())
      await page.goto(`${server.url}/console/admin/usage?period=90`)
      await page.getByRole('slider', { name: 'Requests' }).waitFor()
      await shot('usage-90')
      await page.goto(`${server.url}/console/admin/usage`)
      await page.getByRole('slider', { name: 'Requests' }).waitFor()
      await checkReflow(view, 'usage')
    }))

  it('a bucket shows its own history and types, also on a phone, and says if there is no data', () =>
    inBrowser(
      async (browser) => {
        const { page, check, shot } = await openConsole(browser, server, '/b/team-b/overview?period=90')
        await page.getByRole('slider', { name: 'Stored over time' }).waitFor()
        await page.getByRole('heading', { name: 'Stored by content type' }).waitFor()
        await check('usage-bucket-phone')
        await page.getByRole('heading', { name: 'Stored by content type' }).scrollIntoViewIfNeeded()
        await shot('usage-bucket-phone-types')
        await page.goto(`${server.url}/console/admin/usage`)
        await page.getByRole('slider', { name: 'Requests' }).waitFor()
        await check('usage-phone')
        await page.getByRole('slider', { name: 'Requests' }).scrollIntoViewIfNeeded()
        await shot('usage-phone-end')
      },
      { width: 390, height: 844 },
    ))

  it('says that there is no data yet', async () => {
    const fresh = await startServer('sqlite')
    const browser = await startBrowser()
    try {
      await browser.context.clock.install({ time: fresh.clock.now() })
      await signIn(browser, fresh)
      const { page, check } = await openConsole(browser, fresh, '/admin/usage')
      await page.getByText('No data yet').waitFor()
      await check('usage-none')
      await fresh.admin.createBucket({ body: { name: 'brand-new' } })
      await page.goto(`${fresh.url}/console/b/brand-new/overview`)
      await page.getByText('Usage is recorded hourly').first().waitFor()
      await page.getByText('Types are counted hourly').waitFor()
      await check('usage-bucket-none')
    } finally {
      await browser.close()
      await fresh.stop()
    }
  })
})
