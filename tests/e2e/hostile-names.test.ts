// A name that is not what it looks like, on every page: nowhere do its characters take effect.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { View } from '../../console/src/routes.ts'
import { describeConsole, inBrowserOf, navigate, openConsole } from '../support/browser.ts'
import { startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const { views } = (await import(String(new URL('../../console/src/features/views.ts', import.meta.url)))) as {
  views: readonly View[]
}

const BUCKET = 'mail'
const FOLDER = ' in\u202e\u200bbox\n\t '
/** It looks like `atxt.png`. */
const NAME = ' a\u202egnp\u200b\n\tz.txt '
const SPELLED = '␣a⟨U+202E⟩gnp⟨U+200B⟩⟨U+000A⟩⟨U+0009⟩z.txt␣'
const KEY = `${FOLDER}/${NAME}`
/** Links take names on one line only. */
const ON_A_LINE = ' a\u202egnp\u200bz.txt '

describeConsole('names that are not what they look like', (engine) => {
  let server: TestServer
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let folder: string
  /** What stands for the parameters of a view's path, where a name can be: the view's path with its parameters. */
  let pages: ReadonlyMap<string, readonly string[]>
  let links: readonly string[]
  before(async () => {
    server = await startServer(engine, { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32', S3_PORT: '0' })
    receiver = await startReceiver()
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-names-'))
    for (const name of [NAME, ON_A_LINE]) fs.writeFileSync(path.join(folder, name), 'here')
    ;({ pages, links } = await seed())
  })
  after(async () => {
    fs.rmSync(folder, { recursive: true })
    await receiver.stop()
    await server.stop()
  })
  const inBrowser = inBrowserOf(() => server)

  /** The name in everything that has names. */
  async function seed() {
    const { admin } = server
    const params = { bucket: BUCKET }
    await admin.createBucket({ body: { name: BUCKET, versioning: 'enabled' } })
    await admin.createBucket({ body: { name: 'other' } })
    const put = (bucket: string, key: string, body = 'text') =>
      admin.putObjectByQuery({ params: { bucket }, query: { key }, body, headers: { 'content-type': 'text/plain' } })
    const webhook = await admin.createWebhook({
      body: { name: 'Hook', url: receiver.url, events: ['upload'], bucket: BUCKET, prefix: FOLDER },
    })
    server.secrets.add(webhook.secret)
    await put(BUCKET, KEY)
    await put(BUCKET, `${FOLDER}/${FOLDER}/${NAME}`)
    await put(BUCKET, NAME)
    await put('other', NAME)
    await put('other', `gone${NAME}`)
    await admin.bulkDelete({ params: { bucket: 'other' }, body: { keys: [`gone${NAME}`] } })
    await put('other', KEY)
    await put(BUCKET, `gone${NAME}`)
    await admin.bulkDelete({ params, body: { keys: [`gone${NAME}`] } })
    await admin.initUpload({ params, body: { key: `big${NAME}`, file_size: 4_000_000_000 } })
    const group = await admin.createGroup({
      body: { name: 'Readers', grants: [{ bucket_pattern: BUCKET, prefix: `${FOLDER}/`, preset: 'viewer' }] },
    })
    const user = await admin.createUser({
      body: { email: 'ada@example.com', display_name: 'Ada', password: 'a password of Ada', group_ids: [group.id] },
    })
    const job = await admin.createJob({
      body: {
        kind: 'copy',
        source_bucket: BUCKET,
        prefix: `${FOLDER}/`,
        if_none_match: '*',
        dest_bucket: 'other',
        dest_prefix: `${FOLDER}/`,
      },
    })
    await until(async () => !['queued', 'running'].includes((await admin.getJob({ params: { id: job.id } })).status))
    const policy = await admin.createPolicy({
      body: { name: 'Old', bucket_patterns: [BUCKET], prefix: FOLDER, older_than_days: 0, enabled: false },
    })
    const run = await admin.runPolicy({ params: { id: policy.id }, body: { dry_run: true } })
    await until(async () => {
      const { status } = await admin.getPolicyRun({ params: { id: policy.id, run_id: run.id } })
      return status !== 'queued' && status !== 'running'
    })
    await until(async () => {
      await server.running.tick()
      return receiver.received.length > 0
    })
    const delivery = (await admin.listDeliveries({ params: { id: webhook.id } })).items[0]
    const link = async (body: Omit<Parameters<typeof admin.createShare>[0]['body'], 'bucket'>) => {
      const made = await admin.createShare({ body: { ...body, bucket: BUCKET } })
      server.secrets.add(made.token)
      return { ...made, page: `/s/${made.token}` }
    }
    const file = await link({ kind: 'object', key: KEY })
    const shared = await link({ kind: 'folder', prefix: `${FOLDER}/` })
    const inbox = await link({ kind: 'upload', prefix: `${FOLDER}/` })
    const at = (given: Record<string, string>) => `?${new URLSearchParams(given)}`
    const here = { prefix: `${FOLDER}/` }
    const sel = { ...here, sel: KEY }
    const record = (await admin.listAudit({ query: { bucket: BUCKET } })).items.find((one) => one.object_key === KEY)
    return {
      pages: new Map<string, readonly string[]>([
        [`/b/${BUCKET}`, [at({}), at(here), at(sel), at({ ...here, view: 'grid' }), at({ q: 'txt', recursive: '1' })]],
        ['/search', [at({ q: 'txt' })]],
        ['/shares', [at({ d: file.id }), at({ link: file.id }), at({ edit: file.id }), at({ new: BUCKET, key: KEY })]],
        ['/trash', [at({ bucket: 'other' }), at({ bucket: BUCKET })]],
        ['/admin/audit', [at({ bucket: BUCKET }), at({ key: KEY }), ...(record ? [at({ e: record.id })] : [])]],
        [`/b/${BUCKET}/history`, [at({ from: new Date(server.clock.now().getTime() - 1000).toISOString() })]],
        [`/b/${BUCKET}/access`, [at(here)]],
        ['/policies/:id', [`/policies/${policy.id}`, `/policies/${policy.id}${at({ tab: 'runs', run: run.id })}`]],
        ['/jobs/:id', [`/jobs/${job.id}`]],
        [
          '/admin/webhooks/:id',
          [`/admin/webhooks/${webhook.id}`, `/admin/webhooks/${webhook.id}${at({ d: delivery?.id ?? '' })}`],
        ],
        [
          '/admin/users/:id',
          ['overview', 'groups', 'permissions', 'activity'].map((tab) => `/admin/users/${user.id}${at({ tab })}`),
        ],
        [
          '/admin/groups/:id',
          ['members', 'permissions', 'simulate'].map((tab) => `/admin/groups/${group.id}${at({ tab })}`),
        ],
      ]),
      links: [file.page, `${file.page}#/${encodeURIComponent(NAME)}`, shared.page, inbox.page],
    }
  }

  it('are spelled out on every page of the console', { timeout: 300_000 }, () =>
    inBrowser(async (browser) => {
      const { page } = await openConsole(browser, server, '/404', { expect: [401, 403, 404, 409, 410] })
      const wrong: string[] = []
      let spelled = 0
      for (const view of views.filter(({ open }) => !open)) {
        const address = view.path.replace(':bucket', BUCKET)
        const given = pages.get(view.path) ?? ['', ...(pages.get(address) ?? [])]
        for (const one of given) {
          const at = one.startsWith('/') ? one : `${address.replaceAll(/:\w+/g, 'none')}${one}`
          await navigate(page, at)
          await settled(page)
          wrong.push(...(await rawNames(page)).map((found) => `${at}: ${found}`))
          if (await page.getByText('⟨U+202E⟩').count()) spelled++
        }
      }
      assert.deepEqual(wrong, [])
      assert.ok(spelled >= 20, `it was on ${spelled} pages`)
    }),
  )

  it('are spelled out on the pages of links, where strangers decide what to open', () =>
    inBrowser(
      async (browser) => {
        for (const [i, at] of links.entries()) {
          const { page, faults } = await openConsole(browser, server, at)
          await page.getByText('⟨U+202E⟩').first().waitFor()
          assert.match(await page.title(), /⟨U\+202E⟩/)
          assert.deepEqual(await rawNames(page), [], at)
          if (i === 2) {
            for (const kind of ['Gallery', 'List']) {
              await page.getByRole('button', { name: kind }).click()
              assert.deepEqual(await rawNames(page), [], kind)
              const shown = page.locator('bdi.name', { hasText: SPELLED })
              assert.equal(await shown.count(), 1)
            }
            await page.getByRole('link', { name: SPELLED }).first().click()
            await page.getByRole('dialog').getByRole('heading', { name: SPELLED }).waitFor()
            assert.deepEqual(await rawNames(page), [], 'viewer')
            await page.keyboard.press('Escape')
            await page.getByRole('link', { name: '␣in⟨U+202E⟩' }).first().click()
            await page.getByRole('navigation', { name: 'Path' }).waitFor()
            assert.deepEqual(await rawNames(page), [], 'folder')
          }
          if (i === 3) {
            await page.locator('input[type=file]').setInputFiles(path.join(folder, ON_A_LINE))
            await page.getByText('1 file sent').waitFor()
            assert.deepEqual(await rawNames(page), [], 'sent')
          }
          assert.deepEqual(faults, [], at)
          await page.close()
        }
      },
      { who: null },
    ))

  it('are spelled out in what is uploaded, deleted and restored', () =>
    inBrowser(async (browser) => {
      const { page } = await openConsole(browser, server, `/b/other?${new URLSearchParams({ prefix: `${FOLDER}/` })}`)
      const look = async (what: string) => assert.deepEqual(await rawNames(page), [], what)
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      const dialog = page.getByRole('dialog')
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        dialog.getByRole('button', { name: 'Choose files' }).click(),
      ])
      await chooser.setFiles(path.join(folder, NAME))
      await dialog.getByText('1 file, ').waitFor()
      await look('dialog of uploads')
      await dialog.getByRole('button', { name: 'Upload 1 file' }).click()
      const dock = page.getByRole('region', { name: 'Uploads' })
      await dock.getByText(SPELLED).waitFor()
      await look('dock')
      await dock.getByRole('button', { name: 'Review…' }).first().click()
      await dialog.getByRole('cell', { name: SPELLED }).first().waitFor()
      await look('conflicts')
      await dialog.getByRole('button', { name: /^Replace: / }).click()
      await dialog.waitFor({ state: 'detached' })
      await look('replaced')

      await navigate(page, '/trash?bucket=other')
      await page.getByRole('button', { name: `Restore gone${SPELLED.replace('␣', ' ')}` }).waitFor()
      await page.getByRole('button', { name: `Restore gone${SPELLED.replace('␣', ' ')}` }).click()
      await page
        .getByText(/ restored/)
        .first()
        .waitFor()
      await look('restored')
    }))
})

/** Until a view shows what it has: nothing of it waits. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
}

/** Texts of a page with characters that take effect instead of being seen; what can be edited and code stay as they are. */
const rawNames = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const raw = /[\u202e\u200b\n\t]/
    const found: string[] = []
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      if (!parent || parent.closest('script, style, textarea, pre') || !raw.test(node.nodeValue ?? '')) continue
      if (/\S/.test(node.nodeValue ?? '')) found.push(`${parent.tagName} ${JSON.stringify(node.nodeValue)}`)
    }
    for (const element of document.querySelectorAll('[title], [aria-label], [alt], [placeholder]'))
      for (const name of ['title', 'aria-label', 'alt', 'placeholder']) {
        const value = element.getAttribute(name) ?? ''
        if (raw.test(value)) found.push(`${element.tagName} ${name} ${JSON.stringify(value)}`)
      }
    return found
  })
