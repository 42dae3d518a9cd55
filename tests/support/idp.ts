// A real OpenID Connect provider (oidc-provider) in this process, which signs in any user that a test names.
import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider'

/** A user at the provider; every claim that is set is in the id_token. */
export interface Account {
  sub: string
  oid?: string
  tid?: string
  email?: string
  name?: string
  preferred_username?: string
  groups?: unknown
  [claim: string]: unknown
}
/** The response of `/token`. */
export interface TokenAnswer {
  id_token: string
  access_token: string
  [field: string]: unknown
}
export interface SigningKey {
  kid: string
  privateKey: KeyObject
}

export interface Idp {
  readonly issuer: string
  /** The environment variables that configure it. */
  readonly env: Record<string, string>
  /** All users, by `sub`. */
  readonly accounts: Map<string, Account>
  /** Codes and tokens that it has issued, which must never be logged. */
  readonly secrets: string[]
  /** Requested paths. */
  readonly requests: string[]
  /** Replaces the response of `/token`. */
  tamper: ((answer: TokenAnswer) => object | Promise<object>) | undefined
  /** Replacement responses by the last part of the path: `openid-configuration`, `jwks`, `token`. */
  readonly faults: Map<string, (response: ServerResponse) => void>
  /** A JWT with these claims, signed with the provider's key or with another one. */
  sign(claims: object, key?: SigningKey): Promise<string>
  /** The key in use now. */
  readonly key: SigningKey
  /** Switches to another signing key and publishes only that one. */
  rotateKeys(): void
  /** Stops it; nothing listens there until `restart`. */
  stop(): Promise<void>
  restart(): Promise<void>
}

export const IDP_CLIENT = { id: 'strongroom', secret: 's3cr&t=%+ "quoted" of the client' }

export const newKey = (kid: string = randomUUID()): SigningKey => ({
  kid,
  privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
})

/** The claims of a JWT, unchecked. */
export const claimsOf = (jwt: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** oidc-provider's storage. */
function adapterFactory() {
  const rows = new Map<string, AdapterPayload>()
  return (model: string): Adapter => {
    const find = async (id: string) => rows.get(`${model} ${id}`)
    const findBy = (field: 'uid' | 'userCode') => async (value: string) =>
      [...rows].find(([name, row]) => name.startsWith(`${model} `) && row[field] === value)?.[1]
    return {
      find,
      findByUid: findBy('uid'),
      findByUserCode: findBy('userCode'),
      upsert: async (id, payload) => void rows.set(`${model} ${id}`, payload),
      consume: async (id) => {
        const row = await find(id)
        if (row) row.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id) => void rows.delete(`${model} ${id}`),
      revokeByGrantId: async (grantId) => {
        for (const [name, row] of rows) if (row.grantId === grantId) rows.delete(name)
      },
    }
  }
}

/**
 * Starts one on 127.0.0.1 for a client with these redirect URIs; stop it with `stop`. It does not keep the process alive.
 * With `issuer` it uses that name, and `reachByIssuer` makes it reachable there.
 */
export async function startIdp(redirectUris: readonly string[], issuer?: string): Promise<Idp> {
  const server = http.createServer((request, response) => void serve(request, response))
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = () => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
    server.closeAllConnections()
    return closed
  }
  server.unref()
  await listen(0)
  const { port } = server.address() as AddressInfo
  const own = `http://127.0.0.1:${port}`
  if (issuer !== undefined) places.set(new URL(issuer).origin, own)
  const prefix = new URL(issuer ?? own).pathname.replace(/\/$/, '')

  let key = newKey()
  const adapter = adapterFactory()
  const accounts = new Map<string, Account>()
  const configuration = (): Configuration => ({
    adapter,
    clients: [{ client_id: IDP_CLIENT.id, client_secret: IDP_CLIENT.secret, redirect_uris: [...redirectUris] }],
    cookies: { keys: ['a key of the provider’s cookies'] },
    claims: {
      openid: ['sub', 'oid', 'tid', 'groups'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username'],
    },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => accounts.get(sub) ?? { sub } }),
    interactions: { url: (_ctx, { uid }) => `${prefix}/interaction/${uid}` },
    jwks: { keys: [{ ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, alg: 'RS256', use: 'sig' }] },
    // All users have consented to everything, so there is no consent page.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        ...(oidc.client ? { clientId: oidc.client.clientId } : {}),
        ...(oidc.session?.accountId === undefined ? {} : { accountId: oidc.session.accountId }),
      })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    renderError(ctx, out) {
      ctx.body = out
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  })
  const makeProvider = () => {
    const provider = new Provider(issuer ?? own, configuration())
    provider.proxy = issuer !== undefined
    return { provider, handle: provider.callback() }
  }
  let current: ReturnType<typeof makeProvider>

  const idp: Idp = {
    issuer: issuer ?? own,
    env: { IDP_ISSUER_URL: issuer ?? own, IDP_CLIENT_ID: IDP_CLIENT.id, IDP_CLIENT_SECRET: IDP_CLIENT.secret },
    accounts,
    secrets: [],
    requests: [],
    tamper: undefined,
    faults: new Map(),
    sign: (claims, { kid, privateKey } = key) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid }).sign(privateKey),
    get key() {
      return key
    },
    rotateKeys() {
      key = newKey()
      current = makeProvider()
    },
    stop,
    restart: () => listen(port),
  }
  current = makeProvider()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0] ?? ''
    idp.requests.push(path)
    const fault = idp.faults.get(path.split('/').at(-1) ?? '')
    if (fault) return fault(response)
    const forwarded = issuer === undefined ? null : new URL(issuer)
    if (forwarded) {
      request.headers['x-forwarded-proto'] = 'https'
      request.headers['x-forwarded-host'] = forwarded.host
    }
    if (prefix !== '') Object.assign(request, { originalUrl: request.url, url: request.url?.slice(prefix.length) })
    if (path.includes('/interaction/')) return answerInteraction(request, response)
    if (path.endsWith('/token')) rewriteEnd(response)
    current.handle(request, response)
  }

  /** What a user would do on the provider's pages. */
  async function answerInteraction(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const accountId = request.headers['x-account']
    await current.provider.interactionFinished(
      request,
      response,
      typeof accountId === 'string'
        ? { login: { accountId: decodeURIComponent(accountId), remember: false } }
        : { error: 'access_denied', error_description: '<script>They said no</script>' },
    )
  }

  function rewriteEnd(response: ServerResponse): void {
    const end = response.end.bind(response)
    response.end = ((chunk?: unknown) => {
      if (response.statusCode !== 200) return end(chunk)
      const answer = JSON.parse(String(chunk)) as TokenAnswer
      idp.secrets.push(answer.id_token, answer.access_token)
      Promise.resolve(idp.tamper?.(answer) ?? answer).then((told) => {
        const body = JSON.stringify(told)
        response.setHeader('content-length', Buffer.byteLength(body))
        end(body)
      })
      return response
    }) as ServerResponse['end']
  }
  return idp
}

/** The test's host that serves an origin. */
const places = new Map<string, string>()
const placeOf = (url: string): string => {
  const { origin } = new URL(url)
  return (places.get(origin) ?? origin) + url.slice(origin.length)
}

/** Replaces DNS: `fetch` finds providers by their issuer. Returns a function that undoes it. */
export function reachByIssuer(): () => void {
  const usual = globalThis.fetch
  globalThis.fetch = (input, init) => usual(typeof input === 'string' ? placeOf(input) : input, init)
  return () => {
    globalThis.fetch = usual
  }
}

/**
 * Goes through the provider's pages like a separate browser, as this user, or declines if there is none. Returns our URL
 * that the provider redirects the browser to.
 */
export async function signIn(idp: Idp, authUrl: string, account: Account | null): Promise<URL> {
  if (account) idp.accounts.set(account.sub, account)
  const jar = new Map<string, string>()
  const callback = new URL(authUrl).searchParams.get('redirect_uri') ?? ''
  let url = new URL(authUrl)
  for (let hops = 0; hops < 10; hops++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, ...(account ? { 'x-account': encodeURIComponent(account.sub) } : {}) }
    const response = await fetch(placeOf(url.href), { headers, redirect: 'manual' })
    const location = response.headers.get('location')
    if (location === null) throw new Error(`The provider answered ${response.status}: ${await response.text()}`)
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    url = new URL(location, url)
    if (url.href.split('?', 1)[0] === callback) {
      idp.secrets.push(...[url.searchParams.get('code')].filter((code) => code !== null))
      return url
    }
  }
  throw new Error(`The provider did not send the browser back; the last page was ${url}`)
}

export const randomText = (): string => randomBytes(32).toString('base64url')
