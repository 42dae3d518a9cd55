// The first pages of PDFs as thumbnails: what they show, what of a document is fetched, and what hostile ones may cost.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, it } from 'node:test'
import { createDeflate, deflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { type PdfPage, pdfOf } from '../support/pdf.ts'
import { decode, headerOf, seenIn } from '../support/pictures.ts'
import { startServer, type TestServer } from '../support/server.ts'

const B = 'papers'
/** Red and green above blue and yellow, with a word. */
const QUARTERS: PdfPage = {
  contents: [
    ['0.863 0.118 0.118', '0 112'],
    ['0.118 0.784 0.235', '150 112'],
    ['0.157 0.235 0.863', '0 0'],
    ['0.922 0.863 0.157', '150 0'],
  ]
    .map(([colour, corner]) => `${colour} rg ${corner} 150 113 re f\n`)
    .join('')
    .concat('BT /F1 24 Tf 0 g 20 200 Td (Contract) Tj ET\n'),
  box: [300, 225],
}
const AROUND = ['red', 'green', 'blue', 'yellow']
/** Far more than a page may inflate to. */
const BOMB_BYTES = 1024 ** 3
/** Operators that draw nothing: more than can be read in the time that a page has. */
const IDLE = 'q Q '.repeat(15_000_000)

/** Zeros, deflated twice: two kilobytes. */
async function bomb(): Promise<Buffer> {
  const packed = createDeflate({ level: 1 })
  const parts: Buffer[] = []
  packed.on('data', (part: Buffer) => parts.push(part))
  const zeros = Buffer.alloc(16 * 1024 ** 2)
  for (let i = 0; i < BOMB_BYTES / zeros.length; i++) if (!packed.write(zeros)) await once(packed, 'drain')
  packed.end()
  await once(packed, 'end')
  return pdfOf([{ contents: deflateSync(Buffer.concat(parts)), filter: '[/FlateDecode /FlateDecode]' }])
}

/** A page as a scanner writes it, in the code of fax machines (ITU-T T.6): black on the left. */
function scan(): Buffer {
  const [width, height] = [320, 240]
  // In the first line no white, 128 and 32 black, and white as above it; then each line as the one above it.
  const bits = [
    '001',
    '00110101',
    '000011001000',
    '000001101010',
    '1',
    '111'.repeat(height - 1),
    '000000000001'.repeat(2),
  ]
  const octets = bits.join('').match(/.{1,8}/g) ?? []
  const says = [
    `/Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 1`,
    `/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns ${width} /Rows ${height} >>`,
  ].join(' ')
  const image = { says, bytes: Uint8Array.from(octets, (octet) => Number.parseInt(octet.padEnd(8, '0'), 2)) }
  return pdfOf([{ contents: `q ${width} 0 0 ${height} 0 0 cm /I1 Do Q`, box: [width, height], image }])
}

describeConsole('thumbnails of PDFs', (engine) => {
  let server: TestServer
  const put = (key: string, body: Buffer) =>
    server.admin.putObjectByQuery({
      params: { bucket: B },
      query: { key },
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/pdf' },
    })
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: B } })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { realTime: true, whole: true })
  const tile = (page: Page, name: string) =>
    page.getByRole('gridcell').filter({ has: page.getByRole('link', { name, exact: true }) })
  const pictureOf = async (page: Page, name: string) => {
    const url = await tile(page, name)
      .locator('img')
      .evaluate((image) => {
        const canvas = document.createElement('canvas')
        const { naturalWidth, naturalHeight } = image as HTMLImageElement
        Object.assign(canvas, { width: naturalWidth, height: naturalHeight })
        canvas.getContext('2d')?.drawImage(image as HTMLImageElement, 0, 0)
        return canvas.toDataURL()
      })
    return Buffer.from(url.slice(url.indexOf(',')), 'base64')
  }

  it('show the first page, of a large document by a few parts', () =>
    inBrowser(async (browser) => {
      await put('plain.pdf', pdfOf([QUARTERS, { contents: '' }]))
      await put(
        'packed.pdf',
        pdfOf([{ ...QUARTERS, contents: deflateSync(QUARTERS.contents), filter: '/FlateDecode' }]),
      )
      const large = pdfOf([QUARTERS], { before: 20 * 1024 ** 2 })
      await put('large.pdf', large)
      await put('scan.pdf', scan())
      await put('long.pdf', pdfOf([{ contents: '0.863 0.118 0.118 rg 0 2500 50 500 re f\n', box: [100, 3000] }]))
      const ranges: string[] = []
      const threads: string[] = []
      browser.context.on('response', (response) => {
        if (/\/pdf\.(worker|renderer)/.test(response.url()))
          threads.push(response.headers()['content-security-policy'] ?? '')
      })
      browser.context.on('request', (request) => {
        if (request.url().includes('large.pdf')) ranges.push(request.headers().range ?? 'all')
      })
      const { page, check, faults } = await openConsole(browser, server, `/b/${B}?view=grid`)
      for (const name of ['plain.pdf', 'packed.pdf', 'large.pdf']) {
        await tile(page, name).locator('img').waitFor()
        assert.deepEqual(await seenIn(await pictureOf(page, name)), AROUND, name)
      }
      await tile(page, 'scan.pdf').locator('img').waitFor()
      const scanned = await decode(await pictureOf(page, 'scan.pdf'))
      assert.deepEqual([scanned.at(60, 90)[0], scanned.at(200, 90)[0]], [0, 255])
      // Its head.
      await tile(page, 'long.pdf').locator('img').waitFor()
      const long = await headerOf(await pictureOf(page, 'long.pdf'))
      assert.deepEqual([long.width, long.height], [256, 192])
      // The start, and the end with the page.
      assert.equal(ranges.length, 3, ranges.join())
      for (const range of ranges) {
        const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
        assert.ok(Number(to) - Number(from) < 256 * 1024, range)
      }
      // What reads them compiles the reader of the scan, and can ask nobody for anything.
      assert.ok(threads.length >= 2)
      for (const policy of threads)
        assert.match(policy, /^default-src 'none'; script-src 'wasm-unsafe-eval'; base-uri 'none';/)
      await check('tiles-pdf')
      assert.deepEqual(faults, [])
    }))

  it('are icons where nothing can be shown: no PDF, a damaged one, one that shows nothing, those without an end', () =>
    inBrowser(async (browser) => {
      await put('no.pdf', Buffer.from('words'))
      await put('cut.pdf', pdfOf([QUARTERS]).subarray(0, 300))
      await put('blank.pdf', pdfOf([{ contents: '' }]))
      await put('endless.pdf', pdfOf([{ contents: '0 0 20 90000000 re f\n', box: [10, 100_000_000] }]))
      await put('bomb.pdf', await bomb())
      await put('idle.pdf', pdfOf([{ contents: deflateSync(IDLE), filter: '/FlateDecode' }]))
      // In the order in which they are drawn, one after the other: it is drawn in spite of those before it.
      await put('zz.pdf', pdfOf([QUARTERS]))
      let asked = 0
      browser.context.on('request', (request) => {
        if (request.url().includes('idle.pdf')) asked++
      })
      const { page, faults } = await openConsole(browser, server, `/b/${B}?view=grid`)
      await tile(page, 'zz.pdf').locator('img').waitFor()
      for (const name of ['no.pdf', 'cut.pdf', 'blank.pdf', 'endless.pdf', 'bomb.pdf', 'idle.pdf'])
        assert.equal(await tile(page, name).locator('img').count(), 0, name)
      assert.equal(asked, 1)
      // Its threads are gone.
      assert.deepEqual(page.workers(), [])

      // What took too long is not tried again.
      await page.getByRole('button', { name: 'List' }).click()
      await page.getByRole('button', { name: 'Tiles' }).click()
      await tile(page, 'zz.pdf').locator('img').waitFor()
      assert.equal(asked, 1)
      assert.deepEqual(faults, [])
    }))
})
