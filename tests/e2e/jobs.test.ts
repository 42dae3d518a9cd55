// Jobs, trash, a bucket's pages and usage in a real browser (console cases 6, 10 and 33).
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { type Browser, type ConsolePage, noBrowser, openConsole, signIn, startBrowser } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

describe('console: jobs, trash, bucket pages and usage', { skip: noBrowser }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
  })
  after(() => server.stop())

  const inBrowser = async (
    at: string,
    work: (view: ConsolePage, browser: Browser) => Promise<void>,
    options: { width?: number; height?: number; expect?: number[]; who?: { email: string; password: string } } = {},
  ) => {
    const { expect = [], who, ...size } = options
    const browser = await startBrowser(size)
    try {
      await signIn(browser, server, who)
      await work(await openConsole(browser, server, at, { expect }), browser)
    } finally {
      await browser.close()
    }
  }
  const newBucket = async (name: string, keys: readonly string[], quota_gb: number | null = null) => {
    await server.admin.createBucket({ body: { name, quota_gb } })
    for (const key of keys) await server.admin.putObject({ params: { name, key }, body: `contents of ${key}` })
  }
  const over = async (id: string) => {
    const job = await server.admin.getJob({ params: { id } })
    return job.status !== 'queued' && job.status !== 'running'
  }

  it('6: a bucket that is not empty is emptied as a job, then deleted by typing its name', async () => {
    const keys = Array.from({ length: 12 }, (_, i) => `photos/${i}.jpg`)
    await newBucket('doomed', keys, 1)
    await inBrowser('/b/doomed/overview', async ({ page, check, faults }) => {
      await page.getByText('1,073').or(page.getByText('of 1 GB')).first().waitFor()
      await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
      await page.getByRole('cell', { name: 'photos/11.jpg' }).waitFor()
      await check('bucket-overview')
      await page.getByRole('navigation', { name: 'Pages of doomed' }).getByRole('link', { name: 'Settings' }).click()
      await page.getByText('Deletes all 12 objects').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Delete the bucket' }).isDisabled())
      await check('bucket-settings')
      await page.getByRole('button', { name: 'Empty the bucket' }).click()
      const dialog = page.getByRole('dialog')
      assert.ok(await dialog.getByRole('button', { name: 'Empty the bucket' }).isDisabled())
      await dialog.getByLabel('Type doomed to confirm').fill('doomed')
      await check('bucket-empty-confirm')
      await dialog.getByRole('button', { name: 'Empty the bucket' }).click()
      await page.getByRole('heading', { name: 'Empty doomed/' }).waitFor()
      await page.getByText('12 of 12 objects').waitFor()
      await page.getByText('Empty doomed/: 12 objects, done').waitFor()
      await check('job-done')
      await page.goto(`${server.url}/console/b/doomed/settings`)
      await page.getByText('There is nothing in it.').waitFor()
      await page.getByRole('button', { name: 'Delete the bucket' }).click()
      await dialog.getByLabel('Type doomed to confirm').fill('doomed')
      await dialog.getByRole('button', { name: 'Delete the bucket' }).click()
      await page.waitForURL('**/console/buckets')
      assert.deepEqual(faults, [])
    })
    const { items } = await server.admin.listBuckets()
    assert.ok(!items.some(({ name }) => name === 'doomed'))
  })

  it('6: quota and trash days of a bucket are changed; what is below the use says so', async () => {
    await newBucket('limits', ['a'])
    await inBrowser('/b/limits/settings', async ({ page, faults }) => {
      await page.getByLabel('Quota (GB)').fill('0.00000001')
      await page.getByText('nothing more is taken').waitFor()
      await page.getByLabel('Quota (GB)').fill('2')
      await page.getByLabel('Days in the trash').fill('30')
      await page.getByText('Not saved yet').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The settings are saved').waitFor()
      assert.deepEqual(faults, [])
    })
    const bucket = await server.admin.getBucket({ params: { name: 'limits' } })
    assert.deepEqual([bucket.quota_gb, bucket.trash_days], [2, 30])
  })

  it('10: a job shows what failed and why, gives it as CSV, and tries only that again', async () => {
    const keys = Array.from({ length: 30 }, (_, i) => `from/${String(i).padStart(2, '0')}.txt`)
    await newBucket('source', keys)
    await newBucket('target', ['to/05.txt', 'to/06.txt'])
    const { id } = await server.admin.createJob({
      body: {
        ...{ kind: 'copy', source_bucket: 'source', prefix: 'from/', dest_bucket: 'target', dest_prefix: 'to/' },
        if_none_match: '*',
      },
    })
    await until(() => over(id))
    await inBrowser('/jobs', async ({ page, check, faults }) => {
      await page.getByRole('link', { name: 'Copy source/from/ to target/to/' }).first().waitFor()
      await check('jobs')
      await page.getByText('Failed', { exact: true }).first().click()
      await page.waitForURL('**/jobs?status=failed')
      await page.getByText('No match for “Failed”').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByRole('link', { name: 'Copy source/from/ to target/to/' }).first().click()
      await page.getByText('Done, some failed').waitFor()
      await page.getByRole('cell', { name: 'from/05.txt' }).waitFor()
      await check('job-failed')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download as CSV' }).click(),
      ])
      const csv = fs.readFileSync((await file.path()) ?? '', 'utf8')
      assert.match(csv, /^key,code,detail\r\nfrom\/05\.txt,precondition_failed,/)
      await server.admin.deleteObject({ params: { name: 'target', key: 'to/05.txt' } })
      await page.getByRole('button', { name: 'Try 2 objects again' }).click()
      await page.waitForURL((url) => !url.pathname.endsWith(id))
      await page.getByText('2 of 2 objects').waitFor()
      await page.getByRole('cell', { name: 'from/06.txt' }).waitFor()
      assert.equal(await page.getByRole('cell', { name: 'from/05.txt' }).count(), 0)
      assert.deepEqual(faults, [])
    })
    const { items } = await server.admin.listObjects({ params: { name: 'target' } })
    assert.equal(items.length, 30)
    const [again] = (await server.admin.listJobs({ query: {} })).items
    assert.deepEqual([again?.total, again?.done, again?.failed, again?.if_none_match], [2, 1, 1, '*'])
  })

  it('10: the counts of a job add up to what is gone, and its end is told wherever one is', async () => {
    await newBucket('many', [])
    const form = new FormData()
    for (let i = 0; i < 500; i++) form.append('file', new Blob(['x']), `${i}.txt`)
    for (let i = 0; i < 4; i++)
      await server.admin.uploadForm({ params: { name: 'many' }, query: { prefix: `p${i}/` }, body: form })
    await inBrowser('/b/many/settings', async ({ page, faults }) => {
      await page.getByRole('button', { name: 'Empty the bucket' }).click()
      await page.getByRole('dialog').getByLabel('Type many to confirm').fill('many')
      await page.getByRole('dialog').getByRole('button', { name: 'Empty the bucket' }).click()
      await page.waitForURL('**/console/jobs/*')
      await page.getByRole('link', { name: 'Usage' }).click()
      await page.getByText('Empty many/: 2,000 objects, done').waitFor()
      assert.deepEqual(faults, [])
    })
    const [job] = (await server.admin.listJobs({ query: { limit: 1 } })).items
    assert.deepEqual([job?.total, job?.done, job?.failed], [2000, 2000, 0])
    assert.equal((await server.admin.getBucket({ params: { name: 'many' } })).object_count, 0)
  })

  it('10: a running job is shown in the top bar, counted up, and cancelled', async () => {
    const name = 'endless'
    await newBucket(name, [])
    const form = new FormData()
    for (let i = 0; i < 1000; i++) form.append('file', new Blob(['x']), `${i}.txt`)
    await server.admin.uploadForm({ params: { name }, query: { prefix: 'a/' }, body: form })
    const before = 64_000
    // Each copy doubles what is under `a/`.
    for (let n = 1000; n < before; n *= 2) {
      const body = { kind: 'copy', source_bucket: name, prefix: 'a/', dest_prefix: `a/${n}/` } as const
      const { id } = await server.admin.createJob({ body })
      await until(() => over(id))
    }
    assert.equal((await server.admin.getBucket({ params: { name } })).object_count, before)
    await inBrowser(`/b/${name}/settings`, async ({ page, shot, faults }) => {
      await page.getByRole('button', { name: 'Empty the bucket' }).click()
      await page.getByRole('dialog').getByLabel(`Type ${name} to confirm`).fill(name)
      await page.getByRole('dialog').getByRole('button', { name: 'Empty the bucket' }).click()
      await page.getByRole('link', { name: '1 job running' }).waitFor()
      await shot('job-running')
      await page.getByRole('button', { name: 'Cancel the job' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click()
      await page.getByText(/^Empty endless\/: cancelled after [\d,]+ objects/).waitFor()
      await page.getByRole('link', { name: '1 job running' }).waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
    })
    const [job] = (await server.admin.listJobs({ query: { limit: 1 } })).items
    assert.equal(job?.status, 'cancelled')
    assert.equal((job?.done ?? 0) + (await server.admin.getBucket({ params: { name } })).object_count, before)
  })

  it('restores from the trash, names what stands in the way, and destroys what was counted', async () => {
    const keys = ['docs/a.txt', 'docs/b.txt', 'docs/c.txt', 'other/d.txt', 'other/e.txt']
    await newBucket('bin', keys)
    await server.admin.bulkDelete({ params: { name: 'bin' }, body: { keys } })
    await server.admin.putObject({ params: { name: 'bin', key: 'docs/b.txt' }, body: 'new' })
    await inBrowser(
      '/trash?bucket=bin',
      async ({ page, check, faults }) => {
        await page.getByRole('cell', { name: 'docs/a.txt', exact: true }).waitFor()
        await check('trash')
        await page.getByLabel('Filter by folder').fill('docs/')
        await page.waitForURL('**/trash?bucket=bin&prefix=docs%2F')
        await page.getByRole('cell', { name: 'other/d.txt', exact: true }).waitFor({ state: 'detached' })
        await page.getByLabel('Select all that are shown').check()
        await page.getByText('3 items selected').waitFor()
        await page.getByRole('button', { name: 'Restore', exact: true }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByText('docs/b.txt').waitFor()
        await check('trash-taken')
        await dialog.getByRole('button', { name: 'Restore the other 2' }).click()
        await page.getByText('2 items restored').waitFor()
        await page.goto(`${server.url}/console/b/bin/trash`)
        await page.getByLabel('Select other/d.txt').check()
        await page.getByLabel('Select other/e.txt').check()
        await page.getByRole('button', { name: 'Delete for good', exact: true }).click()
        assert.ok(await dialog.getByRole('button', { name: 'Delete for good' }).isDisabled())
        await dialog.getByLabel('Type 2 to confirm').fill('2')
        await check('trash-purge')
        await dialog.getByRole('button', { name: 'Delete for good' }).click()
        await page.getByText('2 items deleted for good').waitFor()
        await page.getByRole('button', { name: 'Empty the trash' }).click()
        await dialog.getByLabel('Type bin to confirm').fill('bin')
        await dialog.getByRole('button', { name: 'Empty the trash' }).click()
        await page.getByText('The trash is empty').waitFor()
        assert.deepEqual(faults, [])
      },
      { expect: [409] },
    )
    const { items } = await server.admin.listObjects({ params: { name: 'bin' } })
    assert.deepEqual(
      items.map(({ key }) => key),
      ['docs/a.txt', 'docs/b.txt', 'docs/c.txt'],
    )
  })

  it('33: usage is the sum of the objects, as bars, shares and tables', async () => {
    await newBucket('usage-a', ['one', 'two'], 1)
    await newBucket('usage-b', ['three'])
    const usage = await server.admin.usage()
    await inBrowser('/admin/usage', async ({ page, check, faults }) => {
      await page.getByRole('heading', { name: 'Stored by bucket' }).waitFor()
      await check('usage')
      await page.getByRole('button', { name: 'View as table' }).first().click()
      await page.getByRole('table', { name: 'Stored by bucket' }).waitFor()
      await check('usage-table')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).first().click(),
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
      const { items } = await server.admin.listObjects({ params: { name }, query: { limit: 1000 } })
      objects += items.length
    }
    assert.ok(objects <= usage.object_count)
  })

  it('29: who may only read is offered neither settings nor restoring, and a deep link says why', async () => {
    await newBucket('readonly', ['x'])
    await server.admin.deleteObject({ params: { name: 'readonly', key: 'x' } })
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
        assert.equal(await page.getByRole('link', { name: 'Uploads' }).count(), 0)
        await check('bucket-overview-narrow')
        await page.getByRole('link', { name: 'Trash' }).last().click()
        await page.getByRole('cell', { name: 'x', exact: true }).waitFor()
        assert.equal(await page.getByRole('button', { name: 'Restore' }).count(), 0)
        await check('trash-narrow')
        await page.goto(`${server.url}/console/b/readonly/settings`)
        await page.getByText('Only who has the right “manage”').waitFor()
        await page.goto(`${server.url}/console/b/readonly/uploads`)
        await page.getByText('You lack a right for this').waitFor()
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
