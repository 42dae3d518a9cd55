// The console in Firefox: what another browser engine could do differently.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, ElementHandle, HTTPResponse, Page } from 'puppeteer-core'
import { landscape } from '../support/demo-pictures.ts'
import { noFirefox, startFirefox } from '../support/firefox.ts'
import { pdf } from '../support/pdf.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'

describe('console: Firefox', { skip: noFirefox }, () => {
  let server: TestServer
  let folder: string
  let browser: Browser
  let page: Page
  const faults: string[] = []
  /** Statuses that answers may have: the first renewal finds nobody signed in. */
  const expected = [401, 410]

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-firefox-'))
    server = await startServer('sqlite')
    // The browser's own time is the machine's.
    await server.later(Date.now() - server.clock.now().getTime())
    await server.admin.createBucket({ body: { name: 'photos' } })
    for (const [key, body, type] of [
      ['2026/lisbon/harbour.jpg', await landscape(1), 'image/jpeg'],
      ['2026/lisbon/notes.txt', 'light from the left', 'text/plain'],
      ['2026/lisbon/paper.pdf', pdf('A paper'), 'application/pdf'],
      ['2026/日本 & #1/é.txt', 'odd', 'text/plain'],
    ] as const)
      await server.admin.putObjectByQuery({
        params: { bucket: 'photos' },
        query: { key },
        body: body as BodyInit,
        headers: { 'content-type': type },
      })
    browser = await startFirefox(folder)
    page = await open()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    if (folder) fs.rmSync(folder, { recursive: true, force: true })
  })

  const open = async (): Promise<Page> => {
    const opened = await browser.newPage()
    // Longer than any wait on a busy machine: it only ends what hangs.
    opened.setDefaultTimeout(60_000)
    opened.on('pageerror', (error) => faults.push(`error ${error}`))
    opened.on('console', (message) => {
      if (message.type() === 'error' || /Content-Security-Policy/.test(message.text()))
        faults.push(`console ${message.text()}`)
    })
    opened.on('response', (response: HTTPResponse) => {
      if (response.status() >= 400 && !expected.includes(response.status()))
        faults.push(`${response.status()} ${response.url()}`)
    })
    return opened
  }
  const go = (at: string) => page.goto(`${server.url}/console${at}`)
  /** The first that is seen of those with this text or name. */
  const seen = async (text: string, kind = 'text'): Promise<ElementHandle> =>
    (await page.waitForSelector(`::-p-${kind}(${text})`, { visible: true })) as ElementHandle
  const named = (name: string, role: string) => seen(`[name="${name}"][role="${role}"]`, 'aria')
  const clean = () => assert.deepEqual(faults.splice(0), [])

  it('signs in, and rejects a wrong password', async () => {
    await go('/b/photos')
    const type = async (label: string, text: string) => {
      const field = await named(label, 'textbox')
      await field.click({ count: 3 })
      await page.keyboard.type(text)
    }
    await type('Email', ADMIN.email)
    const password = (await page.waitForSelector('input[type=password]')) as ElementHandle
    await password.type('not this one')
    await (await named('Sign in', 'button')).click()
    await page.waitForSelector('[role=alert]')
    await password.click({ count: 3 })
    await page.keyboard.type(ADMIN.password)
    await (await named('Sign in', 'button')).click()
    await seen('1 folder')
    assert.equal(new URL(page.url()).pathname, '/console/b/photos')
    clean()
  })

  it('folders have addresses; Back, Forward and reload return there', async () => {
    await (await named('2026', 'link')).click()
    await (await named('lisbon', 'link')).click()
    await seen('harbour.jpg')
    assert.equal(new URL(page.url()).searchParams.get('prefix'), '2026/lisbon/')
    await page.goBack()
    await seen('日本 & #1')
    await page.goForward()
    await seen('harbour.jpg')
    await page.reload()
    await seen('harbour.jpg')
    await go(`/b/photos?${new URLSearchParams({ prefix: '2026/日本 & #1/' })}`)
    await seen('é.txt')
    clean()
  })

  it('previews an image, a text and a PDF', async () => {
    const look = (key: string) => go(`/b/photos?${new URLSearchParams({ prefix: '2026/lisbon/', sel: key })}`)
    await look('2026/lisbon/harbour.jpg')
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('aside img')].some(({ naturalWidth }) => naturalWidth > 100),
    )
    await look('2026/lisbon/notes.txt')
    await seen('light from the left')
    await look('2026/lisbon/paper.pdf')
    const frame = (await page.waitForSelector('aside iframe')) as ElementHandle<HTMLIFrameElement>
    await page.waitForFunction((one) => (one?.clientHeight ?? 0) > 100, {}, frame)
    clean()
  })

  it('draws a picture, the lines of a text and the first page of a PDF as tiles', async () => {
    await go(`/b/photos?${new URLSearchParams({ prefix: '2026/lisbon/', view: 'grid' })}`)
    await page.waitForFunction(() => document.querySelectorAll('.tile img').length === 3)
    clean()
  })

  it('uploads files, one of them in parts', async () => {
    const files = [
      ['small.txt', Buffer.from('small')],
      ['empty.txt', Buffer.alloc(0)],
      ['large.bin', randomBytes(20 * 1024 ** 2)],
    ] as const
    for (const [name, bytes] of files) fs.writeFileSync(path.join(folder, name), bytes)
    await go('/b/photos/uploads')
    await (await named('Upload', 'button')).click()
    await seen('Choose files')
    const input = (await page.waitForSelector('[role=dialog] input[type=file]')) as ElementHandle<HTMLInputElement>
    await input.uploadFile(...files.map(([name]) => path.join(folder, name)))
    await (await named('Upload 3 files', 'button')).click()
    await seen('3 files uploaded')
    for (const [name, bytes] of files) {
      const answer = await server.admin.getObjectByQuery({ params: { bucket: 'photos' }, query: { key: name } })
      assert.ok(bytes.equals(Buffer.from(await answer.arrayBuffer())), name)
    }
    clean()
  })

  it('creates a link that opens without an account and stops working once revoked', async () => {
    await go(`/shares?${new URLSearchParams({ new: 'photos', key: '2026/lisbon/harbour.jpg' })}`)
    await (await named('Create link', 'button')).click()
    const field = (await page.waitForSelector(
      '[role=dialog] input[readonly][value*="/s/"]',
    )) as ElementHandle<HTMLInputElement>
    const url = await field.evaluate(({ value }) => value)
    const token = url.split('/').at(-1) ?? ''
    server.secrets.add(token)
    const context = await browser.createBrowserContext()
    const stranger = await context.newPage()
    await stranger.goto(`${server.url}/s/${token}`)
    await stranger.waitForSelector('::-p-text(harbour.jpg)')
    const [made] = (await server.admin.listShares()).items
    await server.admin.revokeShare({ params: { id: made?.id ?? '' } })
    await stranger.reload()
    await stranger.waitForSelector('::-p-text(This link is no longer available)')
    await context.close()
    clean()
  })
})
