import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { Client } from '../../client/derived.ts'
import { freePort } from '../support/idp.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'

export type NewAgent = Parameters<Client['createAgent']>[0]['body']

/** Tests say from which address they come. */
const PROXIES = { TRUSTED_PROXIES: '127.0.0.1' }

/** A service whose clients can sign in: they need to know its address. */
export async function startOauth(engine: Engine, env: Record<string, string> = {}): Promise<TestServer> {
  const PORT = String(await freePort())
  return startServer(engine, {
    PORT,
    HOST: '127.0.0.1',
    PUBLIC_BASE_URL: `http://127.0.0.1:${PORT}`,
    ...PROXIES,
    ...env,
  })
}

/** The storage of a client of the SDK, which is sent to the browser with `asked`. */
export class TestProvider implements OAuthClientProvider {
  redirectUrl: string
  asked: URL | undefined
  verifier = ''
  information: StoredOAuthClientInformation | undefined
  stored: StoredOAuthTokens | undefined
  discovered: OAuthDiscoveryState | undefined
  /** Which of them the SDK gave up. */
  invalidated: string[] = []
  clientMetadataUrl?: string
  constructor(redirectUrl: string, clientMetadataUrl?: string) {
    this.redirectUrl = redirectUrl
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }
  get clientMetadata(): OAuthClientMetadata {
    return { client_name: 'Test client', redirect_uris: [this.redirectUrl] }
  }
  state = () => 'state of the client'
  clientInformation = () => this.information
  saveClientInformation(information: StoredOAuthClientInformation) {
    this.information = information
  }
  tokens = () => this.stored
  saveTokens(tokens: StoredOAuthTokens) {
    this.stored = tokens
  }
  redirectToAuthorization(url: URL) {
    this.asked = url
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
  discoveryState = () => this.discovered
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.discovered = state
  }
  invalidateCredentials(scope: string) {
    this.invalidated.push(scope)
    if (scope === 'tokens') this.stored = undefined
    if (scope === 'client') this.information = undefined
  }
}

export const REDIRECT = 'http://127.0.0.1:1234/callback'
export const VERIFIER = randomBytes(32).toString('base64url')
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** Where a browser that follows a link of a client is sent. */
export async function follow(url: URL | string): Promise<URL> {
  const answer = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } })
  assert.equal(answer.status, 303, await answer.text())
  return new URL(String(answer.headers.get('location')))
}

/** What clients do, step by step, so that tests can do it wrongly. */
export function oauthSteps(server: TestServer) {
  const { url } = server
  const post = async (path: string, body: URLSearchParams | object, headers: Record<string, string> = {}) => {
    const isForm = body instanceof URLSearchParams
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...(isForm ? {} : { 'content-type': 'application/json' }), ...headers },
      body: isForm ? body : JSON.stringify(body),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      json: (text.startsWith('{') ? JSON.parse(text) : {}) as Answer,
    }
  }
  let addresses = 0
  /** Each comes from an address of its own. */
  const register = (redirect_uris: string[] = [REDIRECT], more: object = {}) => {
    const address = { 'x-forwarded-for': `10.9.${++addresses >> 8}.${addresses & 255}` }
    return post('/oauth/register', { redirect_uris, client_name: 'Test client', ...more }, address)
  }
  const link = (clientId: string, more: Record<string, string | undefined> = {}) => {
    const all = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      state: 's',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      resource: `${url}/mcp`,
      ...more,
    }
    const given = Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined)
    return `${url}/oauth/authorize?${new URLSearchParams(given)}`
  }
  /** What the console is opened with. */
  const ask = async (clientId: string, more?: Record<string, string | undefined>) =>
    (await follow(link(clientId, more))).searchParams
  /** A user agrees. Returns the code. */
  const agree = async (request: string, agent: NewAgent, user: Client = server.admin) => {
    const { redirect_to } = await user.approveAuthorization({ body: { request, ...agent } })
    const answer = new URL(redirect_to)
    const code = String(answer.searchParams.get('code'))
    server.secrets.add(code)
    return { code, answer }
  }
  const token = async (form: Record<string, string>) => {
    const answer = await post('/oauth/token', new URLSearchParams(form))
    for (const name of ['access_token', 'refresh_token'])
      if (answer.json[name]) server.secrets.add(String(answer.json[name]))
    return answer
  }
  /** From the registration to the code. */
  const connect = async (agent: NewAgent, user?: Client) => {
    const client_id = String((await register()).json.client_id)
    const request = String((await ask(client_id)).get('request'))
    const { code } = await agree(request, agent, user)
    return { client_id, code, form: codeForm(client_id, code) }
  }
  /** A call of the MCP server with a token. */
  const list = (accessToken: string) =>
    post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { authorization: `Bearer ${accessToken}`, accept: 'application/json, text/event-stream' },
    )
  return { post, register, link, ask, agree, token, connect, list }
}
interface Answer {
  [field: string]: unknown
}

export const codeForm = (client_id: string, code: string) => ({
  grant_type: 'authorization_code',
  client_id,
  code,
  code_verifier: VERIFIER,
  redirect_uri: REDIRECT,
})
export const refreshForm = (client_id: string, refresh_token: unknown) => ({
  grant_type: 'refresh_token',
  client_id,
  refresh_token: String(refresh_token),
})
