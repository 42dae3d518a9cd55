// Agents in a real browser: made, approved, undone and revoked.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AGENT_TOKEN_PATTERN } from '../../contract/agents.ts'
import { connectHttp } from '../agents/mcp-client.ts'
import { inBrowserOf, openConsole } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { rejectsWith } from '../support/problems.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('console: agents', { skip: noBrowser }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
    await server.admin.createBucket({ body: { name: 'inbox' } })
    for (const key of ['a/1', 'a/2', 'a/3'])
      await server.admin.putObject({ params: { bucket: 'inbox', key }, body: key })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)

  it('makes one, decides what it asks for, takes back what it did, and ends it', () =>
    inBrowser(async (browser) => {
      const { page, check, shot } = await openConsole(browser, server, '/agents')
      await page.getByText('No agents yet').waitFor()
      await check('agents-empty')
      await page.getByRole('button', { name: 'New agent' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Sorter')
      await dialog.getByRole('combobox', { name: 'Bucket, Row 1' }).fill('inbox')
      await page.keyboard.press('Tab')
      await dialog.getByLabel('More objects per request than').fill('1')
      await check('agent-new')
      await dialog.getByRole('button', { name: 'Create agent' }).click()
      const token = await dialog.getByLabel('Token', { exact: true }).inputValue()
      assert.match(token, new RegExp(`^${AGENT_TOKEN_PATTERN}$`))
      server.secrets.add(token)
      assert.match((await dialog.locator('pre').textContent()) ?? '', /"url": "http:[^"]+\/mcp"/)
      await shot('agent-reveal')
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      await page.getByRole('link', { name: 'Sorter' }).waitFor()

      const { call } = await connectHttp(server.url, token)
      const remove = () => call('delete', { bucket: 'inbox', keys: ['a/1', 'a/2'] })
      assert.equal((await remove()).error?.code, 'approval_required')
      await page.reload()
      const asked = page.getByRole('region', { name: /^Sorter asks to change 2 objects/ })
      await asked.getByRole('cell', { name: 'inbox/a/2' }).waitFor()
      await check('agents-waiting')
      await server.records([{ action: 'approval_approve' }], async () => {
        await asked.getByRole('button', { name: 'Approve' }).click()
        await asked.waitFor({ state: 'detached' })
      })
      assert.deepEqual((await remove()).data.deleted, ['a/1', 'a/2'])

      await page.getByRole('link', { name: 'Sorter' }).click()
      await page.getByText('2 of 100').waitFor()
      await page.getByRole('cell', { name: 'inbox/a/1' }).waitFor()
      await check('agent')
      await page.getByRole('button', { name: 'Revoke…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke agent' }).click()
      await page.getByText('Sorter revoked').waitFor()
      await rejectsWith(server.as(token).getOwnAgent(), 'unauthenticated')
    }))

  it('says how many links of one would be revoked, and revokes them, also where it did nothing else', () =>
    inBrowser(async (browser) => {
      const bucket = 'inbox'
      const agent = await server.admin.createAgent({
        body: { name: 'Sharer', scope: [{ bucket, actions: ['read', 'share'] }], approval: { actions: [] } },
      })
      server.secrets.add(agent.token).add(agent.secret_access_key)
      const link = await server.as(agent.token).createShare({ body: { kind: 'object', bucket, key: 'a/3' } })
      server.secrets.add(link.token)
      const { page, check } = await openConsole(browser, server, `/agents/${agent.id}`)
      await server.records([], async () => {
        await page.getByRole('button', { name: 'Undo what it did…' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Show what would happen' }).click()
        await page.getByText('Revoked immediately: 1 share link.').waitFor()
      })
      await check('agent-links-back')
      const revoked = { action: 'share_revoke' as const, bucket, key: 'a/3' }
      await server.records([revoked], async () => {
        await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click()
        await page.getByText('Went back: 0 objects').waitFor()
      })
    }))
})
