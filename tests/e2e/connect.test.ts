// A client of the MCP server in a real browser: through sign-in and consent, and back to where the client waits.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { auth } from '@modelcontextprotocol/client'
import { follow, oauthSteps, startOauth, TestProvider } from '../agents/oauth-client.ts'
import { inBrowserOf, openConsole } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { ADMIN, type TestServer } from '../support/server.ts'

/** A client on this machine, which waits for the answer at a port. */
async function startWaiting() {
  const answers: URLSearchParams[] = []
  const waiting = http.createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (pathname === '/callback') answers.push(searchParams)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Done</title><h1>Connected</h1>')
  })
  waiting.listen(0, '127.0.0.1')
  await once(waiting, 'listening')
  const { port } = waiting.address() as AddressInfo
  return { answers, redirect: `http://127.0.0.1:${port}/callback`, stop: () => waiting.close() }
}

describe('console: a client of the MCP server', { skip: noBrowser }, () => {
  let server: TestServer
  let client: Awaited<ReturnType<typeof startWaiting>>
  before(async () => {
    server = await startOauth('sqlite')
    client = await startWaiting()
    await server.admin.createBucket({ body: { name: 'inbox' } })
    await server.admin.putObject({ params: { bucket: 'inbox', key: 'a/1' }, body: 'x' })
  })
  after(async () => {
    client.stop()
    await server.stop()
  })
  const inBrowser = inBrowserOf(() => server)
  const serverUrl = () => `${server.url}/mcp`
  /** Where the client's browser arrives. */
  async function asked(provider: TestProvider): Promise<string> {
    assert.equal(await auth(provider, { serverUrl: serverUrl() }), 'REDIRECT')
    const page = await follow(provider.asked as URL)
    return `${page.pathname.replace(/^\/console/, '')}${page.search}`
  }

  it('signs in, gives it an agent, and sends it back to its port', () =>
    inBrowser(
      async (browser) => {
        const provider = new TestProvider(client.redirect)
        const { page, check } = await openConsole(browser, server, await asked(provider), { expect: [401] })
        await page.getByLabel('Email').fill(ADMIN.email)
        await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByText('Test client wants to work with your objects.').waitFor()
        await page.getByText(/nothing confirms it/).waitFor()
        await page.getByText(`${new URL(client.redirect).host}, on this device`).waitFor()
        assert.equal(await page.getByLabel('Name').inputValue(), 'Test client')
        assert.equal(
          await page.getByRole('button', { name: 'Connect', exact: true }).isDisabled(),
          true,
          'of no bucket',
        )
        await check('connect')
        await page.getByRole('combobox', { name: 'Bucket, Row 1' }).fill('inbox')
        await page.keyboard.press('Tab')
        await check('connect-filled')
        await server.records([{ action: 'agent_create' }], async () => {
          await page.getByRole('button', { name: 'Connect', exact: true }).click()
          await page.getByRole('heading', { name: 'Connected' }).waitFor()
        })
        const [answer] = client.answers.splice(0)
        const { code = '', iss = '', state } = Object.fromEntries(answer ?? [])
        assert.equal(state, 'state of the client')
        server.secrets.add(code)
        assert.equal(await auth(provider, { serverUrl: serverUrl(), authorizationCode: code, iss }), 'AUTHORIZED')
        const { access_token, refresh_token } = provider.stored ?? {}
        for (const one of [access_token, refresh_token]) server.secrets.add(String(one))
        assert.equal((await oauthSteps(server).list(String(access_token))).status, 200)
        const [agent] = (await server.admin.listAgents()).items
        assert.deepEqual(
          [agent?.name, agent?.scope],
          ['Test client', [{ bucket: 'inbox', prefix: '', actions: ['list', 'read'] }]],
        )
        assert.deepEqual(agent?.approval.actions, ['share'])
        const { host } = new URL(client.redirect)
        assert.deepEqual(agent?.client, { name: 'Test client', redirect_host: host, on_this_machine: true })
        const agents = await openConsole(browser, server, '/agents')
        const said = agents.page.getByText(`Test client (${host}, on this device)`, { exact: true })
        await said.waitFor()
        await agents.check('agents-of-client')
        await agents.page.getByRole('link', { name: 'Test client' }).click()
        await said.waitFor()
        await agents.check('agent-of-client')
      },
      { who: null },
    ))

  it('asks in German, on a phone', () =>
    inBrowser(
      async (browser) => {
        const at = await asked(new TestProvider(client.redirect))
        const { page, check } = await openConsole(browser, server, at)
        await page.getByText('Test client möchte mit Ihren Objekten arbeiten.').waitFor()
        await check('connect-phone')
      },
      { phone: true, locale: 'de-DE' },
    ))

  it('sends it away, and says what is wrong with others', () =>
    inBrowser(async (browser) => {
      const provider = new TestProvider(client.redirect)
      const { page, check, faults } = await openConsole(browser, server, await asked(provider), { expect: [410] })
      await page.getByText('Test client wants to work with your objects.').waitFor()
      await server.records([], async () => {
        await page.getByRole('button', { name: 'Don’t connect' }).click()
        await page.getByRole('heading', { name: 'Connected' }).waitFor()
      })
      const [left, ...more] = faults.splice(0)
      assert.deepEqual(more, [])
      assert.match(String(left), /^foreign http:..127\.0\.0\.1:\d+.callback\?error=access_denied/)
      const [answer] = client.answers.splice(0)
      assert.deepEqual(Object.fromEntries(answer ?? []), {
        error: 'access_denied',
        state: 'state of the client',
        iss: server.url,
      })
      await page.goto(`${server.url}/oauth/authorize?client_id=unknown`)
      await page.getByText('This client can’t be connected').waitFor()
      await check('connect-refused')
      await page.goto(`${server.url}/console/connect?request=x`)
      await page.getByText('This request of a client is over. Connect again from the client.').waitFor()
    }))
})
