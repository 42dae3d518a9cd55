// The addresses of a picture in other sizes, as the details of an object give them.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { headerOf, photo } from '../support/pictures.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { at } from './listing.ts'

describeConsole('resized images', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'pictures' } })
    for (const [key, body, type] of [
      ['a & b.png', await photo(1800, 900).png().toBuffer(), 'image/png'],
      ['broken.png', Buffer.from('no picture'), 'image/png'],
      ['text.txt', Buffer.from('text'), 'text/plain'],
    ] as const)
      await server.admin.putObjectByQuery({
        params: { bucket: 'pictures' },
        query: { key },
        body: new Uint8Array(body),
        headers: { 'content-type': type },
      })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { realTime: true })
  /** Format, width and height of what a URL serves. */
  const served = async (url: string, authorization?: string) => {
    const { pathname, search } = new URL(url)
    const answer = await fetch(
      server.url + pathname + search,
      authorization === undefined ? {} : { headers: { authorization } },
    )
    assert.equal(answer.status, 200, url)
    const { format, width, height } = await headerOf(new Uint8Array(await answer.arrayBuffer()))
    return [format, width, height]
  }

  it('shows the result, and gives its address for the API, presigned and through a link', () =>
    inBrowser(async (browser) => {
      const opened = await openConsole(browser, server, at('pictures', { sel: 'a & b.png' }))
      const { page, check } = opened
      await page.getByRole('tab', { name: 'Links' }).click()
      await page.getByText('640 × 320 · PNG').waitFor()
      await check('resized', { within: '.details' })
      const height = page.getByLabel('Height', { exact: true })
      assert.equal(await page.getByRole('combobox', { name: 'Fit' }).isDisabled(), true)
      await page.getByLabel('Width', { exact: true }).fill('300')
      await height.fill('300')
      await page.getByRole('combobox', { name: 'Fit' }).click()
      await page.getByRole('option', { name: 'Fill and crop' }).click()
      await page.getByRole('combobox', { name: 'Format' }).click()
      await page.getByRole('option', { name: 'WebP' }).click()
      await page.getByText('300 × 300 · WEBP').waitFor()

      const token = await server.login(ADMIN.email, ADMIN.password)
      const direct = await page.getByLabel('API URL (requires authentication)').last().inputValue()
      assert.deepEqual(await served(direct, `Bearer ${token}`), ['webp', 300, 300])
      assert.equal((await fetch(direct)).status, 401)

      await page.getByRole('button', { name: 'Create presigned image URL' }).click()
      const signed = await page.getByLabel('Presigned image URL').inputValue()
      server.secrets.add(signed.split('/').at(-1) ?? '')
      assert.deepEqual(await served(signed), ['webp', 300, 300])

      await page.getByText(/create a share link without a password/).waitFor()
      await page.getByLabel('Width', { exact: true }).fill('301')
      assert.equal(await page.getByLabel('Presigned image URL').count(), 0, 'it would be of another image')
      const link = await server.admin.createShare({ body: { bucket: 'pictures', kind: 'object', key: 'a & b.png' } })
      server.secrets.add(link.token)
      await page.reload()
      await page.getByRole('tab', { name: 'Links' }).click()
      await page.getByLabel('Width', { exact: true }).fill('301')
      await server.records([{ action: 'share_link_read', bucket: 'pictures', key: 'a & b.png' }], async () => {
        await page.getByRole('button', { name: 'Show URL through a share link' }).click()
        await page.getByLabel('Image URL through a share link').waitFor()
      })
      const linked = await page.getByLabel('Image URL through a share link').inputValue()
      assert.deepEqual(await served(linked), ['png', 320, 160], 'rounded up')
      await check('resized-linked', { within: '.details' })
    }))

  it('says why there is none, and offers it for pictures only', () =>
    inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, at('pictures', { sel: 'broken.png' }), {
        expect: [415],
      })
      await page.getByRole('tab', { name: 'Links' }).click()
      await page
        .getByText(/not a supported image/)
        .first()
        .waitFor()
      await check('resized-broken', { within: '.details' })
      await page.getByLabel('Width', { exact: true }).fill('')
      await page.getByText('Enter a width or a height, or choose a format.').waitFor()
      await page.getByRole('button', { name: 'Next object' }).click()
      await page.getByRole('heading', { name: 'text.txt' }).waitFor()
      await page.getByRole('tab', { name: 'Links' }).click()
      await page.getByRole('button', { name: 'Create presigned URL' }).waitFor()
      assert.equal(await page.getByText('Resized image').count(), 0)
    }))
})
