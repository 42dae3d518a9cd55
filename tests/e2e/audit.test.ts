// The audit log in a real browser: filters, records, export, verification.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { checkReflow } from '../support/reflow.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { brokenWords } from '../support/words.ts'

describeConsole('audit log', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'media' } })
    for (let i = 0; i < 120; i++)
      await server.admin.putObjectByQuery({ params: { bucket: 'media' }, query: { key: `many/${i}.txt` }, body: 'x' })
    await server.admin.putObjectByQuery({ params: { bucket: 'media' }, query: { key: '=1+1,"odd".txt' }, body: 'x' })
    const made = await server.admin.createToken({ body: { name: 'robot' } })
    const robot = server.as(made.token)
    await robot.putObjectByQuery({ params: { bucket: 'media' }, query: { key: 'robot/a b.txt' }, body: 'x' })
    const someone = server.as(await server.userWith({ bucket_pattern: 'media', actions: ['read'] }))
    await someone.putObjectByQuery({ params: { bucket: 'media' }, query: { key: 'no.txt' }, body: 'x' }).catch(() => {})
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)
  const total = async (query: object = {}) => (await server.admin.listAudit({ query })).total

  it('shows a long change in parts, and in full on request', () =>
    inBrowser(async (browser) => {
      const grants = Array.from({ length: 60 }, (_, i) => ({
        bucket_pattern: `long-${i}`,
        prefix: 'x'.repeat(200),
        actions: ['read' as const],
      }))
      const group = await server.admin.createGroup({ body: { name: 'Long', grants } })
      const { page, check } = await openConsole(browser, server, '/admin/audit?action=group_create')
      await page.getByText('part 1 of 3').waitFor()
      await page.getByRole('button', { name: 'Record: group_create' }).first().press('Enter')
      const record = page.getByRole('region', { name: 'Record: group_create' })
      await check('audit-part')
      await record.getByRole('button', { name: 'Show the full change' }).press('Enter')
      await record.getByText('"bucket_pattern": "long-0"').waitFor()
      const { details } = JSON.parse((await record.locator('pre').textContent()) ?? '') as { details: object }
      assert.deepEqual(details, { name: 'Long', global: [], grants: group.grants })
      await check('audit-whole')
    }))

  it('lists records, keeps filters and the open record in the address, loads more and follows new ones live', () =>
    inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, '/admin/audit', { expect: [422] })
      const table = page.getByRole('table', { name: 'Audit log' })
      const rows = table.locator('tbody tr:not(.below)')
      await table.getByText('token_create').waitFor()
      await table.getByText('token', { exact: true }).waitFor()
      await table.getByText('Denied').first().waitFor()
      await page.getByText(`${await total()} records`, { exact: true }).waitFor()
      await check('audit')
      assert.deepEqual(await brokenWords(page), [])
      assert.equal(await rows.count(), 100)
      await page.getByRole('button', { name: 'Load more' }).click()
      await table.getByText('create_bucket').waitFor()
      assert.equal(await rows.count(), await total())

      // By the keyboard: the record under its button.
      await table.getByRole('button', { name: 'Record: token_create' }).press('Enter')
      await page.waitForURL(/e=[\w-]{36}/)
      const record = page.getByRole('region', { name: 'Record: token_create' })
      const [whole] = (await server.admin.listAudit({ query: { action: ['token_create'] } })).items
      assert.deepEqual(JSON.parse((await record.locator('pre').textContent()) ?? ''), whole)
      await page.goBack()
      await record.waitFor({ state: 'detached' })
      // By its address, on a page with few others.
      await page.goto(`${server.url}/console/admin/audit?action=token_create&e=${whole?.id}`)
      await record.waitFor()
      await check('audit-record')

      // A link to a record that is not among those that are loaded opens it all the same.
      const [first] = (await server.admin.listAudit({ query: { action: ['create_bucket'], page_size: 1 } })).items
      await page.goto(`${server.url}/console/admin/audit?action=token_create&e=${first?.id}`)
      const linked = page.getByRole('region', { name: 'Linked record' })
      assert.deepEqual(JSON.parse((await linked.locator('pre').textContent()) ?? ''), first)
      await check('audit-linked')
      await linked.getByRole('button', { name: 'Close' }).click()
      await linked.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Clear filters' }).first().click()
      await page.getByText(`${await total()} records`, { exact: true }).waitFor()

      // Each filter is a text of the address, and of the question.
      assert.equal(await page.getByLabel('Bucket', { exact: true }).count(), 0)
      const more = page.getByRole('button', { name: 'More filters' })
      await more.press('Enter')
      await page.getByLabel('Bucket', { exact: true }).fill('media')
      await page.getByLabel('Key starts with').fill('many/1')
      await page.getByLabel('Key starts with').press('Enter')
      await page.waitForURL(/bucket=media&key=many%2F1$/)
      const many = await total({ bucket: 'media', object_key_prefix: 'many/1' })
      await page.getByText(`${many} records`, { exact: true }).waitFor()
      assert.equal(await rows.count(), many)
      const actions = page
        .getByRole('combobox', { name: 'Action' })
        .or(page.getByRole('textbox', { name: 'Action' }))
        .first()
      await actions.click()
      await page.getByRole('option', { name: 'delete', exact: true }).click()
      await page.getByText('No results').waitFor()
      await page.getByRole('heading', { name: 'Audit log' }).click()
      await check('audit-no-match')
      await actions.click()
      await page.getByRole('option', { name: 'upload', exact: true }).click()
      await page.waitForURL(/action=delete%2Cupload/)
      await page.getByText(`${many} records`, { exact: true }).waitFor()
      await page.getByRole('heading', { name: 'Audit log' }).click()
      await check('audit-filtered')
      await page.goBack()
      await page.getByText('No results').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).first().click()
      await page.getByText(`${await total()} records`, { exact: true }).waitFor()
      for (const [search, query] of [
        ['actor=admin@example.com', { email: 'admin@example.com' }],
        [`actor=${whole?.actor.user_id}`, { user_id: whole?.actor.user_id }],
        ['result=denied', { result: 'denied' }],
        ['action=upload,token_create', { action: ['upload', 'token_create'] }],
        ['ip=127.0.0.1&from=2026-01-01T00:00:00.000Z', { ip: '127.0.0.1', from: '2026-01-01T00:00:00.000Z' }],
        [`request=${whole?.request_id}`, { request_id: whole?.request_id }],
      ] as const) {
        await page.goto(`${server.url}/console/admin/audit?${search}`)
        const n = await total(query)
        assert.ok(n > 0, search)
        await page.getByText(n === 1 ? '1 record' : `${n} records`, { exact: true }).waitFor()
      }
      // What has no field on the page is a button that takes it away.
      await page.getByRole('button', { name: `Remove filter Request ID: ${whole?.request_id}` }).waitFor()
      await more.press('Enter')
      assert.equal(await page.getByLabel('Request ID').inputValue(), whole?.request_id)
      assert.equal(await page.getByRole('button', { name: 'Remove filter' }).count(), 0)
      await page.goto(`${server.url}/console/admin/audit?bucket=No`)
      await page.locator('.mantine-InputWrapper-error').waitFor()
      await page.goto(`${server.url}/console/admin/audit?to=2025-01-01T00:00:00.000Z`)
      assert.equal(await page.getByLabel('To', { exact: true }).inputValue(), '2025-01-01T00:00')

      // An actor by a part of the name; what names nobody is not searched for.
      await page.goto(`${server.url}/console/admin/audit`)
      const actor = page.getByRole('combobox', { name: 'Actor', exact: true })
      await actor.click()
      await page.keyboard.type('nobody in partic')
      await page.keyboard.press('Enter')
      await page.getByText('Select a user, or enter a full email address or ID.').waitFor()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('administ')
      await page.getByRole('option', { name: 'admin@example.com' }).waitFor()
      await check('audit-actor')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.searchParams.get('actor') === 'admin@example.com')
      // What was denied is said where it was.
      await page.goto(`${server.url}/console/admin/audit?action=access_denied`)
      const denied = table.getByRole('row').filter({ hasText: 'access_denied' }).first()
      await denied.getByRole('cell').nth(4).getByText(/\w/).waitFor()

      // To where it happened.
      await page.goto(`${server.url}/console/admin/audit?key=robot/&bucket=media&live=1`)
      await table.getByRole('link', { name: 'media/robot/a b.txt' }).waitFor()
      await server.admin.putObjectByQuery({ params: { bucket: 'media' }, query: { key: 'robot/b' }, body: 'x' })
      await page.getByRole('button', { name: '1 new record' }).click()
      await table.getByRole('link', { name: 'media/robot/b' }).waitFor()
      await page.getByRole('button', { name: '1 new record' }).waitFor({ state: 'detached' })
      await check('audit-live')
      await table.getByRole('link', { name: 'media/robot/a b.txt' }).click()
      await page.waitForURL(/\/b\/media\?prefix=robot%2F&sel=robot%2Fa\+b.txt/)
    }))

  it('exports exactly the filtered list as CSV and NDJSON, streamed into a file or collected', () =>
    inBrowser(async (browser) => {
      const opened = await openConsole(browser, server, '/admin/audit?bucket=media&action=upload')
      const { page, check } = opened
      await page.getByRole('table').waitFor()
      const query = { bucket: 'media', action: ['upload'] }
      const { items } = await server.admin.listAudit({ query: { ...query, page_size: 200 } })
      // A real file of this page's own: nobody is there to choose one.
      await page.evaluate(() => {
        Object.assign(window, {
          showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
            (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true }),
        })
      })
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      await page.getByText('written to a file as they arrive').waitFor()
      await check('audit-export')
      await page.getByRole('menuitem', { name: 'NDJSON' }).click()
      await page.getByText('.ndjson saved').waitFor()
      const lines = await page.evaluate(async () => {
        const folder = await navigator.storage.getDirectory()
        const [name] = await Array.fromAsync((folder as unknown as { keys(): AsyncIterable<string> }).keys())
        return (await (await folder.getFileHandle(name ?? '')).getFile()).text()
      })
      assert.deepEqual(
        lines
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).id),
        items.map(({ id }) => id),
      )

      await page.addInitScript(() => void Object.assign(window, { showSaveFilePicker: undefined }))
      await page.reload()
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      await page.getByText('keeps the file in memory').waitFor()
      const saved = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: 'CSV' }).click()
      const file = await saved
      assert.equal(file.suggestedFilename(), 'audit-2026-01-01.csv')
      const [head = '', ...cells] = fs
        .readFileSync(await file.path(), 'utf8')
        .trim()
        .split(/\r?\n/)
      const at = head.split(',').indexOf('id')
      assert.deepEqual(
        cells.map((line) => line.split(',')[at]),
        items.map(({ id }) => id),
      )
      assert.ok(cells.some((line) => line.includes(`"'=1+1,""odd"".txt"`)))
    }))

  const notTampered = engine !== 'sqlite' && 'the test changes the triggers that SQLite has'
  it('verifies the log: says that it is intact, or what was changed', { skip: notTampered }, () =>
    inBrowser(async (browser) => {
      await server.running.tick()
      await server.later(3600_000)
      await server.running.tick()
      const { page, check } = await openConsole(browser, server, '/admin/audit', { expect: [401] })
      await page.getByRole('button', { name: 'Verify', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Log is intact').waitFor()
      await check('audit-whole')
      await page.keyboard.press('Escape')
      // What somebody with the file of the database can do.
      const { db } = server.database
      const { rows } = await sql<{ name: string }>`
        select name from sqlite_schema where type = 'trigger' and name like 'audit%'`.execute(db)
      await server.database.transaction(async (tx) => {
        for (const { name } of rows) await sql`drop trigger ${sql.id(name)}`.execute(tx)
        await sql`update audit_sealed set object_key = 'another' where object_key = 'many/7.txt'`.execute(tx)
      })
      await page.getByRole('button', { name: 'Verify', exact: true }).click()
      await dialog.getByText('Integrity check failed: 1 problem').waitFor()
      await dialog.getByText('Record edited').waitFor()
      await check('audit-changed')
    }),
  )

  it('shows a period that moves with the time, or two fixed times', async () => {
    const old = await total()
    await server.later(3 * 3600_000)
    await server.admin.createBucket({ body: { name: 'later' } })
    await inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, '/admin/audit')
      const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr:not(.below)')
      const count = async (n: number) =>
        page.getByText(n === 1 ? '1 record' : `${n} records`, { exact: true }).waitFor()
      const period = page
        .getByRole('combobox', { name: 'Time' })
        .or(page.getByRole('textbox', { name: 'Time' }))
        .first()
      const choose = async (name: string) => {
        await period.click()
        await page.getByRole('option', { name, exact: true }).click()
      }
      const since = async (hours: number) =>
        total({ from: new Date(server.clock.now().getTime() - hours * 3600_000).toISOString() })
      await count(await total())
      await choose('Last hour')
      await page.waitForURL(/\?time=1h$/)
      const latest = await since(1)
      assert.ok(latest > 0 && latest < old)
      await count(latest)
      assert.equal(await rows.count(), latest)
      await check('audit-period')
      await page.reload()
      await count(latest)
      await choose('Last 7 days')
      await page.waitForURL(/\?time=7d$/)
      await count(await since(24 * 7))
      await page.goBack()
      await count(latest)

      // Two times start from the period.
      await choose('Custom range')
      await page.waitForURL((url) => url.searchParams.has('from') && !url.searchParams.has('time'))
      await count(latest)
      const start = new Date(server.clock.now().getTime() - 3600_000).toISOString().slice(0, 16)
      assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), start)
      await page.getByLabel('From', { exact: true }).fill('2025-12-31T00:00')
      await page.getByLabel('To', { exact: true }).fill('2026-01-01T01:00')
      await page.keyboard.press('Enter')
      await page.waitForURL(/to=2026-01-01T01/)
      await count(await total({ from: '2025-12-31T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z' }))
      await check('audit-custom')
      await choose('Any time')
      await page.waitForURL(/admin\/audit$/)
      assert.equal(await page.getByLabel('From', { exact: true }).count(), 0)
    })
  })

  it('filters by a value of a record', () =>
    inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, '/admin/audit?key=robot/a')
      const table = page.getByRole('table', { name: 'Audit log' })
      // With the mouse in the list, and by keys in the open record.
      await table.getByTitle('Show only upload').click()
      await page.waitForURL(/action=upload/)
      assert.equal(await table.getByTitle('Show only upload').count(), 0)
      await table.getByTitle('Show only admin@example.com').click()
      await page.waitForURL(/actor=admin%40example.com/)
      await table.getByRole('button', { name: 'Record: upload' }).press('Enter')
      const only = page.getByRole('region', { name: 'Show only' })
      await only.getByRole('button', { name: 'Key starts with: robot/a b.txt' }).waitFor()
      assert.equal(await only.getByRole('button', { name: 'Actor' }).count(), 0)
      await check('audit-only')
      await only.getByRole('button', { name: 'Bucket: media' }).press('Enter')
      await page.waitForURL(/bucket=media/)
      await page.getByRole('region', { name: 'Record: upload' }).waitFor()
      const query = { bucket: 'media', object_key_prefix: 'robot/a', action: ['upload'], email: 'admin@example.com' }
      assert.equal(await total(query), 1)
      await page.getByText('1 record', { exact: true }).waitFor()
      // Each goes by itself, and all together.
      await page.getByRole('button', { name: 'Remove filter Key starts with: robot/a' }).press('Enter')
      await page.waitForURL((url) => !url.searchParams.has('key'))
      await page.getByText(`${await total({ ...query, object_key_prefix: '' })} records`, { exact: true }).waitFor()
      await check('audit-chips')
      await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
      await page.waitForURL(/admin\/audit$/)
    }))

  it('works on a phone', () =>
    inBrowser(
      async (browser) => {
        const opened = await openConsole(browser, server, '/admin/audit?action=token_create')
        const { page, check } = opened
        // The records come first; the filters are behind a button that says how many are set.
        const record = page.getByRole('button', { name: 'Record: token_create' })
        const { y = 844 } = (await record.boundingBox()) ?? {}
        assert.ok(y < 500, `the first record is at ${y}`)
        assert.equal(await page.getByLabel('Bucket', { exact: true }).count(), 0)
        await page.getByRole('button', { name: 'Filters (1)' }).click()
        await page.getByLabel('Bucket', { exact: true }).waitFor()
        await check('audit-phone-filters')
        await page.getByRole('button', { name: 'Filters (1)' }).click()
        await page.getByRole('button', { name: 'Remove filter Action: token_create' }).waitFor()
        await record.click()
        await page.getByRole('region', { name: 'Record: token_create' }).waitFor()
        await check('audit-phone')
        await checkReflow(opened, 'audit')
      },
      { width: 390, height: 844 },
    ))
})
