// Jobs, trash, a bucket's pages and usage in a real browser.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, it } from 'node:test'
import { flat, seedObjects } from '../../bench/seed.ts'
import {
  type Browser,
  type ConsolePage,
  describeConsole,
  inBrowserOf,
  navigate,
  openConsole,
} from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

describeConsole('jobs, trash, bucket pages and usage', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const run = inBrowserOf(() => server, { realTime: true })
  const inBrowser = (
    at: string,
    work: (view: ConsolePage, browser: Browser) => Promise<void>,
    { expect = [], ...options }: Parameters<typeof run>[1] & { expect?: number[] } = {},
  ) => run(async (browser) => work(await openConsole(browser, server, at, { expect }), browser), options)
  const newBucket = async (name: string, keys: readonly string[], quota_gb: number | null = null) => {
    await server.admin.createBucket({ body: { name, quota_gb } })
    for (const key of keys) await server.admin.putObject({ params: { bucket: name, key }, body: `contents of ${key}` })
  }
  const over = async (id: string) => {
    const job = await server.admin.getJob({ params: { id } })
    return job.status !== 'queued' && job.status !== 'running'
  }

  it('empties a bucket in a job, then deletes it after its name is typed', async () => {
    const keys = Array.from({ length: 12 }, (_, i) => `photos/${i}.jpg`)
    await newBucket('doomed', keys, 1)
    await inBrowser('/b/doomed/overview', async ({ page, check, faults }) => {
      await page.getByText('1,073').or(page.getByText('of 1 GB')).first().waitFor()
      await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
      await page.getByRole('cell', { name: 'photos/11.jpg' }).waitFor()
      await check('bucket-overview')
      await page.getByRole('navigation', { name: 'Sections of doomed' }).getByRole('link', { name: 'Settings' }).click()
      await page.getByText('Deletes all 12 objects').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Delete bucket' }).isDisabled())
      await check('bucket-settings')
      await page.getByRole('button', { name: 'Empty bucket' }).click()
      const dialog = page.getByRole('dialog')
      assert.ok(await dialog.getByRole('button', { name: 'Empty bucket' }).isDisabled())
      await dialog.getByLabel('Type doomed to confirm').fill('doomed')
      await check('bucket-empty-confirm')
      await dialog.getByRole('button', { name: 'Empty bucket' }).click()
      // Its progress is seen where it was started, and what it was for is next to it.
      await page.getByText('12 of 12 objects').waitFor()
      await page.getByText('Empty doomed/: 12 objects').waitFor()
      await page.getByText('This bucket is empty.').waitFor()
      await check('bucket-emptied')
      await page.setViewportSize({ width: 390, height: 800 })
      await check('bucket-emptied-narrow')
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.getByRole('link', { name: 'Show job' }).click()
      await page.getByRole('heading', { name: 'Empty doomed/' }).waitFor()
      await check('job-done')
      await page.goBack()
      await page.getByRole('button', { name: 'Delete bucket' }).click()
      await dialog.getByLabel('Type doomed to confirm').fill('doomed')
      await dialog.getByRole('button', { name: 'Delete bucket' }).click()
      await page.waitForURL('**/console/buckets')
      assert.deepEqual(faults, [])
    })
    const { items } = await server.admin.listBuckets()
    assert.ok(!items.some(({ name }) => name === 'doomed'))
  })

  it('changes quota and trash retention, and warns below the current use', async () => {
    await newBucket('limits', ['a'])
    await inBrowser('/b/limits/settings', async ({ page, faults }) => {
      await page.getByLabel('Quota (GB)').fill('0.00000001')
      await page.getByText('new uploads will be rejected').waitFor()
      await page.getByLabel('Quota (GB)').fill('2')
      await page.getByLabel('Trash retention (days)').fill('30')
      await page.getByText('Unsaved changes').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Settings saved').waitFor()
      assert.deepEqual(faults, [])
    })
    const bucket = await server.admin.getBucket({ params: { bucket: 'limits' } })
    assert.deepEqual([bucket.quota_gb, bucket.trash_days], [2, 30])
  })

  it('limits what snapshots keep, and undoes that unless somebody has changed it since', async () => {
    await newBucket('kept', [], 5)
    const params = { bucket: 'kept' }
    const limits = async () => {
      const { quota_gb, history_quota_gb, quota_includes_history } = await server.admin.getBucket({ params })
      return [quota_gb, history_quota_gb, quota_includes_history]
    }
    await inBrowser('/b/kept/settings', async ({ page, check, faults }) => {
      const save = async () => {
        await page.getByLabel('Snapshots keep at most (GB)').fill('3')
        await page.getByRole('switch', { name: 'Snapshots count toward the quota' }).click()
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Settings saved').waitFor()
      }
      await save()
      await check('bucket-limits')
      assert.deepEqual(await limits(), [5, 3, true])
      await server.records([{ action: 'update_bucket', bucket: 'kept' }], async () => {
        await page.getByRole('button', { name: 'Undo' }).click()
        await page.getByText('Change undone').waitFor()
      })
      assert.deepEqual(await limits(), [5, null, false])
      assert.equal(await page.getByLabel('Snapshots keep at most (GB)').inputValue(), '')
      await save()
      await server.admin.updateBucket({ params, body: { quota_gb: 6 } })
      await server.records([], async () => {
        await page.getByRole('button', { name: 'Undo' }).click()
        await page.getByText('Someone changed it after you.').waitFor()
      })
      assert.deepEqual(await limits(), [6, 3, true])
      assert.deepEqual(faults, [])
    })
  })

  it('shows what was left out and why, exports it as CSV, and retries only that', async () => {
    const keys = Array.from({ length: 30 }, (_, i) => `from/${String(i).padStart(2, '0')}.txt`)
    await newBucket('source', keys)
    await newBucket('target', ['to/05.txt', 'to/06.txt'])
    const { id } = await server.admin.createJob({
      body: {
        kind: 'copy',
        source_bucket: 'source',
        prefix: 'from/',
        dest_bucket: 'target',
        dest_prefix: 'to/',
        if_none_match: '*',
      },
    })
    await until(() => over(id))
    await inBrowser('/jobs', async ({ page, check, faults }) => {
      await page.getByRole('link', { name: 'Copy source/from/ to target/to/' }).first().waitFor()
      await check('jobs')
      await page.getByText('Failed', { exact: true }).first().click()
      await page.waitForURL('**/jobs?status=failed')
      await page.getByText('No results for “Failed”').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByRole('link', { name: 'Copy source/from/ to target/to/' }).first().click()
      // That names are in use is what it was to skip, no failure.
      await page.getByText('Succeeded', { exact: true }).first().waitFor()
      await page.getByText('Skipped', { exact: true }).waitFor()
      await page.getByRole('cell', { name: 'from/05.txt' }).waitFor()
      await check('job-failed')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download CSV' }).click(),
      ])
      const csv = fs.readFileSync((await file.path()) ?? '', 'utf8')
      assert.match(csv, /^key,code,detail\r\nfrom\/05\.txt,precondition_failed,/)
      await server.admin.deleteObject({ params: { bucket: 'target', key: 'to/05.txt' } })
      await page.getByRole('button', { name: 'Retry 2 objects' }).click()
      await page.waitForURL((url) => !url.pathname.endsWith(id))
      await page.getByText('2 of 2 objects').waitFor()
      await page.getByRole('cell', { name: 'from/06.txt' }).waitFor()
      assert.equal(await page.getByRole('cell', { name: 'from/05.txt' }).count(), 0)
      assert.deepEqual(faults, [])
    })
    const { items } = await server.admin.listObjects({ params: { bucket: 'target' } })
    assert.equal(items.length, 30)
    const [again] = (await server.admin.listJobs({ query: {} })).items
    assert.deepEqual([again?.total, again?.done, again?.failed, again?.if_none_match], [2, 1, 1, '*'])
  })

  it('counts add up to what was deleted, and the end is announced on any page', async () => {
    await newBucket('many', [])
    const form = new FormData()
    for (let i = 0; i < 1000; i++) form.append('file', new Blob(['x']), `${i}.txt`)
    await server.admin.uploadForm({ params: { bucket: 'many' }, body: form })
    await inBrowser('/b/many/settings', async ({ page, faults }) => {
      await page.getByRole('button', { name: 'Empty bucket' }).click()
      await page.getByRole('dialog').getByLabel('Type many to confirm').fill('many')
      await page.getByRole('dialog').getByRole('button', { name: 'Empty bucket' }).click()
      await page
        .getByText('Succeeded')
        .or(page.getByRole('link', { name: 'Show job' }))
        .first()
        .waitFor()
      await page.getByRole('link', { name: 'Usage' }).click()
      await page.getByText('Empty many/: 1,000 objects').waitFor()
      const [job] = (await server.admin.listJobs({ query: { limit: 1 } })).items
      assert.deepEqual([job?.total, job?.done, job?.failed], [1000, 1000, 0])
      assert.equal((await server.admin.getBucket({ params: { bucket: 'many' } })).object_count, 0)
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('heading', { name: 'Restore many/' }).waitFor()
      await page.getByText('1,000 of 1,000 objects').waitFor()
      assert.deepEqual(faults, [])
    })
    assert.equal((await server.admin.getBucket({ params: { bucket: 'many' } })).object_count, 1000)
  })

  it('restores a deleted folder by Undo and from the job’s page', async () => {
    const name = 'undone'
    await newBucket(name, ['stays.txt'])
    const form = new FormData()
    for (let i = 0; i < 300; i++) form.append('file', new Blob([`${i}`]), `${String(i).padStart(3, '0')}.txt`)
    await server.admin.uploadForm({ params: { bucket: name }, query: { prefix: 'photos/' }, body: form })
    const etags = async () => {
      const { items } = await server.admin.listObjects({ params: { bucket: name }, query: { limit: 1000 } })
      return items.map(({ key, etag }) => `${key} ${etag}`)
    }
    const before = await etags()
    assert.equal(before.length, 301)
    await inBrowser(`/b/${name}`, async ({ page, check, faults }) => {
      const folder = page.getByRole('row', { name: 'photos' })
      const remove = async () => {
        await folder.getByRole('checkbox').click()
        await page.keyboard.press('Delete')
        await page.getByText('Deleted 300 objects').waitFor()
        await folder.waitFor({ state: 'detached' })
      }
      await remove()
      assert.equal(await page.getByRole('dialog').count(), 0, 'what can be undone is not asked about')
      assert.equal((await etags()).length, 1)
      assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 1)
      await check('job-undo')
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Restored 300 objects').waitFor()
      await folder.waitFor()
      assert.deepEqual(await etags(), before)
      // It stands in Jobs as long as there is something to restore.
      await remove()
      const [deleted, restored, first] = (await server.admin.listJobs({ query: { limit: 3 } })).items
      assert.deepEqual([restored?.kind, restored?.of, first?.restorable], ['restore', first?.id, false])
      await page.goto(`${server.url}/console/jobs/${first?.id}`)
      await page.getByRole('button', { name: 'Open trash' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Undo delete' }).count(), 0)
      await page.goto(`${server.url}/console/jobs/${deleted?.id}`)
      await page.getByRole('button', { name: 'Undo delete' }).waitFor()
      await check('job-deleted')
      await page.getByRole('button', { name: 'Undo delete' }).click()
      await page.getByRole('heading', { name: `Restore ${name}/photos/` }).waitFor()
      // It is told for a few seconds only.
      await page.getByText(`Restore ${name}/photos/: 300 objects`).waitFor()
      await page.getByText('300 of 300 objects').waitFor()
      await page.getByRole('link', { name: `Delete ${name}/photos/` }).waitFor()
      await check('job-restored')
      // Where nothing goes to a trash, none is offered.
      await server.admin.updateBucket({ params: { bucket: name }, body: { trash_days: 0 } })
      await page.goto(`${server.url}/console/jobs/${deleted?.id}`)
      await page.getByText('300 of 300 objects').waitFor()
      await page.waitForLoadState('networkidle')
      assert.equal(await page.getByRole('button', { name: 'Open trash' }).count(), 0)
      assert.deepEqual(faults, [])
    })
    assert.deepEqual(await etags(), before)
  })

  it('asks users without “write” before deleting, and offers them no undo', async () => {
    const name = 'oneway'
    await newBucket(name, ['a/1', 'a/2'])
    const grants = [{ bucket_pattern: name, actions: ['list' as const, 'read' as const, 'delete' as const] }]
    const group = await server.admin.createGroup({ body: { name: 'Cleaners', grants } })
    const who = { email: 'cleaner@example.com', password: 'a password of a cleaner' }
    server.secrets.add(who.password)
    await server.admin.createUser({ body: { ...who, display_name: 'Cleaner', group_ids: [group.id] } })
    await inBrowser(
      `/b/${name}`,
      async ({ page, faults }) => {
        await page.getByRole('row', { name: 'a' }).last().getByRole('checkbox').click()
        await page.keyboard.press('Delete')
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('textbox').fill('a')
        await dialog.getByRole('button', { name: 'Delete' }).click()
        await page.getByText('Deleted 2 objects').waitFor()
        assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
        await page.goto(`${server.url}/console/jobs`)
        await page.getByRole('link', { name: `Delete ${name}/a/` }).click()
        await page.getByRole('button', { name: 'Open trash' }).waitFor()
        assert.equal(await page.getByRole('button', { name: 'Undo delete' }).count(), 0)
        assert.deepEqual(faults, [])
      },
      { who },
    )
  })

  it('shows a running job in the top bar with progress, and cancels it', async () => {
    const name = 'endless'
    await newBucket(name, [])
    // Far more than are emptied until the job is cancelled below: 16,000 were, on a fast machine.
    const before = 100_000
    await seedObjects(server.env.DATABASE_URL ?? '', name, flat(before))
    assert.equal((await server.admin.getBucket({ params: { bucket: name } })).object_count, before)
    await inBrowser(`/b/${name}/settings`, async ({ page, shot, faults }) => {
      await page.getByRole('button', { name: 'Empty bucket' }).click()
      await page.getByRole('dialog').getByLabel(`Type ${name} to confirm`).fill(name)
      await page.getByRole('dialog').getByRole('button', { name: 'Empty bucket' }).click()
      await page.getByRole('link', { name: '1 job running' }).waitFor()
      // A page that is loaded in the meantime shows it too, and lets neither be started twice nor the bucket be deleted.
      await page.reload()
      await page.getByText('Emptying the bucket').waitFor()
      await shot('bucket-emptying')
      for (const button of ['Empty bucket', 'Delete bucket'])
        assert.ok(await page.getByRole('button', { name: button }).isDisabled())
      await page.getByRole('link', { name: 'Show job' }).click()
      await page.getByRole('heading', { name: `Empty ${name}/` }).waitFor()
      await shot('job-running')
      await page.getByRole('button', { name: 'Cancel job' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click()
      await page.getByText(/^Empty endless\/ cancelled after [\d,]+ objects/).waitFor()
      await page.getByRole('link', { name: '1 job running' }).waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
    })
    const [job] = (await server.admin.listJobs({ query: { limit: 1 } })).items
    assert.equal(job?.status, 'cancelled')
    const { object_count } = await server.admin.getBucket({ params: { bucket: name } })
    assert.equal((job?.done ?? 0) + (object_count ?? 0), before)
  })

  it('restores a replaced version over the current one, or next to it', async () => {
    const name = 'versions'
    await newBucket(name, [])
    const put = (key: string, body: string) => server.admin.putObject({ params: { bucket: name, key }, body })
    const read = async (key: string) => (await server.admin.getObject({ params: { bucket: name, key } })).text()
    const keys = async () => (await server.admin.listObjects({ params: { bucket: name } })).items.map(({ key }) => key)
    const inTrash = async () =>
      (await server.admin.listTrash({ params: { bucket: name } })).items.map(({ key }) => key).toSorted()
    for (const body of ['old', 'new']) await put('report.pdf', body)
    await inBrowser(
      `/b/${name}/trash`,
      async ({ page, check, faults }) => {
        const dialog = page.getByRole('dialog')
        const restore = (key: string) => page.getByRole('button', { name: `Restore ${key}` }).click()
        const closed = () => dialog.waitFor({ state: 'detached' })
        await page.getByText('Replaced').waitFor()
        await restore('report.pdf')
        await dialog.getByRole('heading', { name: 'An object with this name already exists' }).waitFor()
        await dialog.getByText('The current version goes to the trash.').waitFor()
        await check('trash-restore')
        await dialog.getByRole('button', { name: 'Cancel' }).click()
        await closed()
        assert.equal(await read('report.pdf'), 'new')
        await restore('report.pdf')
        await dialog.getByRole('button', { name: 'Replace' }).click()
        await page.getByText('report.pdf restored').waitFor()
        assert.equal(await read('report.pdf'), 'old')
        assert.deepEqual(await inTrash(), ['report.pdf'], 'what was there is in the trash')

        await restore('report.pdf')
        await dialog.getByRole('button', { name: 'Keep both' }).click()
        await page.getByText('Restored as report (restored).pdf').waitFor()
        assert.deepEqual([await read('report.pdf'), await read('report (restored).pdf')], ['old', 'new'])
        assert.deepEqual(await inTrash(), [])

        // Several, of which one has its name free and one was overwritten twice: one answer for all.
        for (const body of ['1', '2', '3']) await put('a.txt', body)
        for (const body of ['1', '2']) await put('b.txt', body)
        await put('free.txt', 'free')
        await server.admin.deleteObject({ params: { bucket: name, key: 'free.txt' } })
        await page.reload()
        await page.getByLabel('Select all on this page').check()
        await page.getByText('4 items selected').waitFor()
        await page.getByRole('button', { name: 'Restore', exact: true }).click()
        await dialog.getByRole('heading', { name: '2 objects with these names already exist' }).waitFor()
        await dialog.getByText('If there are several versions, the latest is restored.').waitFor()
        await check('trash-restore-several')
        await dialog.getByRole('button', { name: 'Replace' }).click()
        await page.getByText('3 items restored').waitFor()
        assert.deepEqual([await read('a.txt'), await read('b.txt'), await read('free.txt')], ['2', '1', 'free'])
        assert.deepEqual(await inTrash(), ['a.txt', 'a.txt', 'b.txt'])
        await page.getByLabel('Select a.txt').first().check()
        await page.getByLabel('Select a.txt').last().check()
        await page.getByRole('button', { name: 'Restore', exact: true }).click()
        await dialog.getByRole('button', { name: 'Keep both' }).click()
        await page.getByText('2 items restored').waitFor()
        assert.deepEqual(
          (await keys()).filter((key) => key.startsWith('a')),
          ['a (restored 2).txt', 'a (restored).txt', 'a.txt'],
        )

        // Where the bucket keeps no trash, what is there would be lost, and that is said.
        await server.admin.updateBucket({ params: { bucket: name }, body: { trash_days: 0 } })
        await page.reload()
        await restore('b.txt')
        await dialog.getByText('The current version is permanently deleted').waitFor()
        await check('trash-restore-lossy')
        await dialog.getByRole('button', { name: 'Replace' }).click()
        await page.getByText('b.txt restored').waitFor()
        assert.equal(await read('b.txt'), '2')
        assert.deepEqual(await inTrash(), [])
        assert.deepEqual(faults, [])
      },
      { expect: [409] },
    )
  })

  it('restores from the trash, lists name conflicts, and permanently deletes exactly what was confirmed', async () => {
    const keys = ['docs/a.txt', 'docs/b.txt', 'docs/c.txt', 'other/d.txt', 'other/e.txt']
    await newBucket('bin', keys)
    await server.admin.bulkDelete({ params: { bucket: 'bin' }, body: { keys } })
    await server.admin.putObject({ params: { bucket: 'bin', key: 'docs/b.txt' }, body: 'new' })
    await inBrowser(
      '/trash?bucket=bin',
      async ({ page, check, faults }) => {
        await page.getByRole('cell', { name: 'docs/a.txt', exact: true }).waitFor()
        await check('trash')
        await page.getByLabel('Filter by path').fill('docs/')
        await page.waitForURL('**/trash?bucket=bin&prefix=docs%2F')
        await page.getByRole('cell', { name: 'other/d.txt', exact: true }).waitFor({ state: 'detached' })
        await page.getByLabel('Select all on this page').check()
        await page.getByText('3 items selected').waitFor()
        await page.getByRole('button', { name: 'Restore', exact: true }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByText('docs/b.txt').waitFor()
        await check('trash-taken')
        await dialog.getByRole('button', { name: 'Restore only the other 2' }).click()
        await page.getByText('2 items restored').waitFor()
        // Several lead to the folder that all of them are in, one to itself.
        await page.getByRole('button', { name: 'Show', exact: true }).click()
        await page.waitForURL('**/b/bin?prefix=docs%2F')
        await page.getByRole('row').filter({ hasText: 'c.txt' }).waitFor()
        await page.goto(`${server.url}/console/b/bin/trash`)
        await page.getByRole('button', { name: 'Restore docs/b.txt' }).click()
        await dialog.getByRole('button', { name: 'Keep both' }).click()
        await page.getByText('Restored as b (restored).txt').waitFor()
        await check('trash-restored')
        await page.getByRole('button', { name: 'Show', exact: true }).press('Enter')
        await page.getByRole('complementary').getByRole('heading', { name: 'b (restored).txt' }).waitFor()
        await server.admin.deleteObject({ params: { bucket: 'bin', key: 'docs/a.txt' } })
        await page.goto(`${server.url}/console/b/bin/trash`)
        await page.getByLabel('Select other/d.txt').check()
        await page.getByLabel('Select other/e.txt').check()
        await page.getByRole('button', { name: 'Delete permanently', exact: true }).click()
        assert.ok(await dialog.getByRole('button', { name: 'Delete permanently' }).isDisabled())
        await dialog.getByLabel('Type 2 to confirm').fill('2')
        await check('trash-purge')
        await dialog.getByRole('button', { name: 'Delete permanently' }).click()
        await page.getByText('2 items permanently deleted').waitFor()
        await page.getByRole('button', { name: 'Empty trash' }).click()
        await dialog.getByLabel('Type bin to confirm').fill('bin')
        await dialog.getByRole('button', { name: 'Empty trash' }).click()
        await page.getByText('The trash is empty').waitFor()
        assert.deepEqual(faults, [])
      },
      { expect: [409] },
    )
    const { items } = await server.admin.listObjects({ params: { bucket: 'bin' } })
    assert.deepEqual(
      items.map(({ key }) => key),
      ['docs/b (restored).txt', 'docs/b.txt', 'docs/c.txt'],
    )
  })

  it('usage equals the sum of the objects in bars, shares and tables', async () => {
    await newBucket('usage-a', ['one', 'two'], 1)
    await newBucket('usage-b', ['three'])
    const usage = await server.admin.usage()
    await inBrowser('/admin/usage', async ({ page, check, faults }) => {
      const chart = page.getByRole('region', { name: 'Largest buckets' })
      await chart.waitFor()
      await check('usage')
      await chart.getByRole('button', { name: 'View as table' }).click()
      await page.getByRole('table', { name: 'Largest buckets' }).waitFor()
      await check('usage-table')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        chart.getByRole('button', { name: 'CSV' }).click(),
      ])
      const lines = fs
        .readFileSync((await file.path()) ?? '', 'utf8')
        .trim()
        .split('\r\n')
        .slice(1)
      const sum = lines.reduce((total, line) => total + Number(line.split(',')[1]), 0)
      assert.equal(sum, usage.used_bytes)
      assert.deepEqual(faults, [])
    })
    let objects = 0
    for (const { name } of usage.buckets) {
      const { items } = await server.admin.listObjects({ params: { bucket: name }, query: { limit: 1000 } })
      objects += items.length
    }
    assert.ok(objects <= usage.object_count)
  })

  it('offers readers neither settings nor restore, and explains why on a deep link', async () => {
    await newBucket('readonly', ['x'])
    await server.admin.deleteObject({ params: { bucket: 'readonly', key: 'x' } })
    const group = await server.admin.createGroup({
      body: { name: 'Readers', grants: [{ bucket_pattern: 'readonly', actions: ['list', 'read'] }] },
    })
    const who = { email: 'reader@example.com', password: 'a password of a reader' }
    server.secrets.add(who.password)
    await server.admin.createUser({ body: { ...who, display_name: 'Reader', group_ids: [group.id] } })
    await inBrowser(
      '/b/readonly/overview',
      async ({ page, check, shot, faults }) => {
        await page.getByRole('link', { name: 'Overview' }).waitFor()
        assert.equal(await page.getByRole('link', { name: 'Settings' }).count(), 0)
        assert.equal(await page.getByRole('link', { name: 'Unfinished uploads' }).count(), 0)
        await check('bucket-overview-narrow')
        await navigate(page, '/b/readonly/trash')
        await page.getByRole('navigation', { name: 'History' }).getByRole('link', { name: 'Trash' }).waitFor()
        await page.getByRole('cell', { name: /^x/ }).waitFor()
        assert.equal(await page.getByRole('button', { name: 'Restore' }).count(), 0)
        await check('trash-narrow')
        await page.goto(`${server.url}/console/b/readonly/settings`)
        await page.getByText('Requires the “manage” permission').waitFor()
        await page.goto(`${server.url}/console/b/readonly/uploads`)
        await page.getByText('You don’t have permission to view this').waitFor()
        await shot('uploads-forbidden-narrow')
        await page.goto(`${server.url}/console/jobs`)
        await page.getByText('No jobs yet').waitFor()
        await check('jobs-empty-narrow')
        assert.deepEqual(faults, [])
      },
      { width: 390, height: 800, expect: [403], who },
    )
  })
})
