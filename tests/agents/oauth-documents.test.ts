// Clients whose id is the URL of a document that says what they are.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { auth } from '@modelcontextprotocol/client'
import { type DnsServer, startDns } from '../support/dns.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { describeOnce, onS3, type TestServer } from '../support/server.ts'
import { follow, type NewAgent, oauthSteps, REDIRECT, startOauth, TestProvider } from './oauth-client.ts'

const agent: NewAgent = { name: 'Reader', scope: [{ bucket: 'photos', actions: ['list', 'read'] }] }

describeOnce('MCP by OAuth, with documents of clients', (engine) => {
  if (onS3) return
  let folder: string
  let server: TestServer
  let steps: ReturnType<typeof oauthSteps>
  let dns: DnsServer
  let site: Receiver
  /** What is answered at each path. */
  const documents = new Map<string, { status?: number; headers?: Record<string, string>; body: string }>()
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-documents-'))
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Own CA', '-days', '30')
    openssl('req', ...key, '-keyout', 'site.key', '-out', 'site.csr', '-subj', '/CN=client.test')
    fs.writeFileSync(path.join(folder, 'ext'), 'subjectAltName=DNS:client.test')
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '30', '-extfile', 'ext']
    openssl('x509', '-req', '-in', 'site.csr', '-out', 'site.pem', ...signing)
    const read = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8')
    // The name of another answers with an address that is not allowed.
    dns = await startDns((name) => (name === 'client.test' ? ['127.0.0.2'] : ['127.0.0.3']))
    site = await startReceiver(
      (request, response) => {
        const { status = 200, headers = {}, body } = documents.get(request.path) ?? { status: 404, body: '' }
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
      },
      { host: '127.0.0.2', tls: { key: read('site.key'), cert: read('site.pem') } },
    )
    server = await startOauth(engine, {
      WEBHOOK_CA_FILE: path.join(folder, 'ca.pem'),
      WEBHOOK_DNS_SERVERS: dns.address,
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.2/32',
    })
    steps = oauthSteps(server)
    await server.admin.createBucket({ body: { name: 'photos' } })
  })
  after(async () => {
    await server?.stop()
    await site?.stop()
    await dns?.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const idOf = (name: string) => `https://client.test:${site.port}/${name}`
  function publish(name: string, more: object = {}): string {
    const document = {
      client_id: idOf(name),
      client_name: 'Known client',
      redirect_uris: ['http://127.0.0.1/callback'],
      ...more,
    }
    documents.set(`/${name}`, { body: JSON.stringify(document) })
    return idOf(name)
  }
  let addresses = 0
  /** What is wrong with a client, asked from an address of its own. */
  const problemOf = async (clientId: string) => {
    const answer = await fetch(steps.link(clientId), {
      redirect: 'manual',
      headers: { accept: 'text/html', 'x-forwarded-for': `10.8.0.${++addresses}` },
    })
    return new URL(String(answer.headers.get('location'))).searchParams.get('problem')
  }

  it('connects a client of the SDK without a registration', async () => {
    const id = publish('client.json')
    const provider = new TestProvider(REDIRECT, id)
    const serverUrl = `${server.url}/mcp`
    const page = await server.records([], async () => {
      assert.equal(await auth(provider, { serverUrl }), 'REDIRECT')
      return follow(provider.asked as URL)
    })
    assert.equal(provider.information?.client_id, id)
    const request = String(page.searchParams.get('request'))
    const described = await server.admin.readAuthorization({ body: { request } })
    assert.deepEqual([described.client_name, described.client_host], ['Known client', `client.test:${site.port}`])
    const { answer } = await steps.agree(request, agent)
    const { code, iss } = Object.fromEntries(answer.searchParams)
    assert.equal(await auth(provider, { serverUrl, authorizationCode: String(code), iss: String(iss) }), 'AUTHORIZED')
    for (const one of [provider.stored?.access_token, provider.stored?.refresh_token]) server.secrets.add(String(one))
    assert.equal((await steps.list(String(provider.stored?.access_token))).status, 200)
    assert.deepEqual(await server.database.db.selectFrom('oauth_clients').selectAll().execute(), [])
  })

  it('refuses documents of others, incomplete and large ones, redirects, and addresses that may not be reached', async () => {
    assert.equal(await problemOf(publish('fine')), null)
    const bad: [string, string][] = [
      [publish('other', { client_id: idOf('fine') }), 'invalid_client'],
      [publish('nameless', { client_name: undefined }), 'invalid_client'],
      [publish('lines', { client_name: 'a\nb' }), 'invalid_client'],
      [publish('turned', { client_name: 'a\u202eb' }), 'invalid_client'],
      [publish('nowhere', { redirect_uris: [] }), 'invalid_client'],
      [publish('secret', { token_endpoint_auth_method: 'client_secret_post' }), 'invalid_client'],
      [publish('large', { more: 'x'.repeat(11_000) }), 'invalid_client'],
      [publish('script', { redirect_uris: ['javascript:alert(1)'] }), 'invalid_redirect_uri'],
      [publish('spelling', { redirect_uris: ['HTTPS://example.com/'] }), 'invalid_redirect_uri'],
      [publish('elsewhere', { redirect_uris: ['https://example.com/'] }), 'invalid_redirect_uri'],
      [idOf('none'), 'invalid_client'],
      [`https://other.test:${site.port}/fine`, 'invalid_client'],
      [`https://127.0.0.1:${site.port}/fine`, 'invalid_client'],
      ['https://169.254.169.254/latest/meta-data', 'invalid_client'],
      [`${idOf('fine')}#x`, 'invalid_client'],
      [`https://user@client.test:${site.port}/fine`, 'invalid_client'],
      [`https://client.test:${site.port}`, 'invalid_client'],
      [`http://client.test:${site.port}/fine`, 'invalid_client'],
    ]
    documents.set('/moved', { status: 302, headers: { location: idOf('fine') }, body: '' })
    documents.set('/text', { body: 'no JSON' })
    for (const [id, problem] of [...bad, [idOf('moved'), 'invalid_client'], [idOf('text'), 'invalid_client']] as const)
      assert.equal(await problemOf(id), problem, id)
  })

  it('reads no more than 30 documents a minute for one address', async () => {
    const id = publish('asked')
    const before = site.received.length
    const ask = async () =>
      (await fetch(steps.link(id), { redirect: 'manual', headers: { 'x-forwarded-for': '203.0.113.9' } })).status
    const statuses: number[] = []
    for (let i = 0; i < 32; i++) statuses.push(await ask())
    assert.deepEqual(statuses, [...Array(30).fill(303), 429, 429])
    assert.equal(site.received.length - before, 30)
  })
})
