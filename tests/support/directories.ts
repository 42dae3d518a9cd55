// User directories in this process that enforce the rules of the real ones.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { DirectoryKind, DirectorySettings } from '../../server/access/directory/directory.ts'

/** A user in any of the directories; each shows the fields that it supports. */
export interface Person {
  id: string
  username: string
  first: string
  last: string
  /** first and last without it. */
  displayName?: string
  /** Null for none. */
  email?: string | null
  /** SCIM only: addresses listed before `email`, which is the primary one. */
  otherEmails?: string[]
  enabled?: boolean
  externalId?: string
}

/** A response instead of the usual one, or the usual one with a delay. */
export type Fault = (response: ServerResponse, usual: () => void) => void

export interface FakeDirectory {
  readonly settings: DirectorySettings
  /** Tokens issued so far. */
  issued: number
  /** User requests so far, the newest last. */
  readonly requests: { url: URL; headers: IncomingMessage['headers'] }[]
  /** Queues: responses for the next user requests, and for the next token requests. */
  readonly faults: Fault[]
  readonly tokenFaults: Fault[]
  /** Lifetime of new tokens, in seconds. */
  lifetime: number
  /** Revokes all tokens issued so far. */
  revoke(): void
  /** msgraph: this many pages are empty before the first that is not. */
  emptyPages: number
  /** msgraph: where links to next pages lead. */
  linkBase: string
  /** scim2: operators that are rejected as invalidFilter, and the maximum page size. */
  unknownOperators: string[]
  mostRows: number
}

export const CLIENT_SECRET = 's3cr&t=ü%+ "quoted"'

export const answer =
  (status: number, headers: Record<string, string> = {}, body = '{}'): Fault =>
  (response) => {
    response.writeHead(status, headers).end(body)
  }
export const hang: Fault = () => undefined
/** Sends headers and the start of a body, then nothing. */
export const hangInside: Fault = (response) => {
  response.writeHead(200).write('{"value":[')
}
/** The usual response, but only after `release`. */
export function hold(): { fault: Fault; held: Promise<void>; release(): void } {
  const { promise: held, resolve: hasArrived } = Promise.withResolvers<void>()
  let answerNow = () => {}
  const fault: Fault = (_response, usual) => {
    answerNow = usual
    hasArrived()
  }
  return { fault, held, release: () => answerNow() }
}
/** Sends endlessly. */
export const flood: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
  }
  response.on('drain', more)
  more()
}

/** An error response. */
class Refusal extends Error {
  readonly status: number
  readonly body: object
  constructor(status: number, body: object | string) {
    super(String(status))
    this.status = status
    this.body = typeof body === 'string' ? { error: { code: body, message: body } } : body
  }
}

/** Starts one on 127.0.0.1; it stops after the test, suite or file that started it. */
export async function startDirectory(
  kind: DirectoryKind,
  people: readonly Person[],
  now: () => Date = () => new Date(),
): Promise<FakeDirectory> {
  const tokens = new Map<string, number>()
  const server = createServer((request, response) => {
    const [faults, handle] = request.url?.startsWith('/token') ? [fake.tokenFaults, issue] : [fake.faults, list]
    const fault = faults.shift()
    const url = new URL(request.url ?? '', fake.settings.url)
    if (handle === list) fake.requests.push({ url, headers: request.headers })
    const type = kind === 'scim2' ? 'application/scim+json' : 'application/json'
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
    const usual = () =>
      handle(request, url).then(
        (body) => send(200, body),
        (error) => (error instanceof Refusal ? send(error.status, error.body) : send(500, { bug: String(error) })),
      )
    if (fault) fault(response, usual)
    else usual()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeDirectory = {
    settings: {
      kind,
      url: kind === 'scim2' ? `${url}/scim/v2` : url,
      tokenUrl: `${url}/token`,
      clientId: 'strongroom & co',
      clientSecret: CLIENT_SECRET,
      scope: kind === 'msgraph' ? `${url}/.default` : null,
      realm: kind === 'keycloak' ? 'my realm' : null,
      bearerToken: null,
      subjectAttribute: 'id',
    },
    issued: 0,
    requests: [],
    faults: [],
    tokenFaults: [],
    lifetime: 3600,
    revoke: () => tokens.clear(),
    emptyPages: 0,
    linkBase: url,
    unknownOperators: [],
    mostRows: 100,
  }

  async function issue(request: IncomingMessage): Promise<object> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const { clientId, clientSecret, scope } = fake.settings
    if (request.method !== 'POST' || !request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      throw new Refusal(400, { error: 'invalid_request' })
    if (form.get('grant_type') !== 'client_credentials') throw new Refusal(400, { error: 'unsupported_grant_type' })
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret)
      throw new Refusal(401, { error: 'invalid_client' })
    if (form.get('scope') !== scope) throw new Refusal(400, { error: 'invalid_scope' })
    const token = `token-${randomUUID()}`
    tokens.set(token, now().getTime() + fake.lifetime * 1000)
    fake.issued++
    return { access_token: token, token_type: 'Bearer', expires_in: fake.lifetime }
  }

  const answers = { msgraph: graph, keycloak, scim2: scim }[kind]
  async function list(request: IncomingMessage, url: URL): Promise<object> {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const fixed = fake.settings.bearerToken
    if (fixed !== null ? token !== fixed : (tokens.get(token) ?? 0) <= now().getTime())
      throw new Refusal(401, 'InvalidAuthenticationToken')
    return answers({ fake, people, url, request })
  }
  return fake
}

interface Asked {
  fake: FakeDirectory
  people: readonly Person[]
  url: URL
  request: IncomingMessage
}

const nameOf = (person: Person) => person.displayName ?? `${person.first} ${person.last}`.trim()
const idIn = (url: URL, list: string) =>
  url.pathname.startsWith(`${list}/`) ? decodeURIComponent(url.pathname.slice(list.length + 1)) : null
const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{So}]+/u)
    .filter(Boolean)

/** Clauses of a Graph `$search`: quoted, joined by AND or OR, with only \" and \\ escaped. */
export function parseGraphSearch(search: string): { property: string; text: string }[] {
  const clause = /"(\w+):((?:[^"\\]|\\["\\])*)"(?: (?:AND|OR) (?=")|$)/y
  const clauses: { property: string; text: string }[] = []
  while (clause.lastIndex < search.length) {
    const found = clause.exec(search)
    if (!found) throw new Refusal(400, 'Syntax error in $search')
    clauses.push({ property: found[1] ?? '', text: (found[2] ?? '').replace(/\\(["\\])/g, '$1') })
  }
  return clauses
}

const graphLinks = new Map<string, { offset: number; empty: number }>()

const graphRow = (person: Person) => ({
  id: person.id,
  displayName: nameOf(person),
  accountEnabled: person.enabled ?? true,
  mail: person.email === undefined ? `${person.username}@example.com` : person.email,
  userPrincipalName: `${person.username}@corp.example.com`,
})

function graph({ fake, people, url, request }: Asked): object {
  const names = (url.searchParams.get('$select') ?? 'id').split(',')
  const selected = (person: Person) =>
    Object.fromEntries(Object.entries(graphRow(person)).filter(([name]) => names.includes(name)))
  const id = idIn(url, '/v1.0/users')
  if (id !== null) {
    const person = people.find((one) => one.id === id || `${one.username}@corp.example.com` === id)
    if (!person) throw new Refusal(404, 'Request_ResourceNotFound')
    return selected(person)
  }
  if (url.pathname !== '/v1.0/users') throw new Refusal(404, 'UnknownPath')
  const known = ['$search', '$select', '$top', '$count', '$skiptoken']
  for (const name of url.searchParams.keys())
    if (!known.includes(name)) throw new Refusal(400, `Query option ${name} is not supported`)
  if (request.headers.consistencylevel !== 'eventual') throw new Refusal(400, 'Request_UnsupportedQuery')
  // The known issue with values that the gateway decodes twice.
  if (/%(25|26|23)/.test(url.search)) throw new Refusal(400, 'Syntax error: unclosed quote')

  const clauses = parseGraphSearch(url.searchParams.get('$search') ?? '')
  const matching = people.filter((person) =>
    clauses.some(({ property, text }) => {
      if (property === 'mail' || property === 'userPrincipalName')
        return graphRow(person)[property]?.toLowerCase().startsWith(text.toLowerCase())
      if (property !== 'displayName') throw new Refusal(400, `${property} cannot be searched`)
      return wordsOf(text).every((word) => wordsOf(nameOf(person)).some((name) => name.startsWith(word)))
    }),
  )
  const given = url.searchParams.get('$skiptoken')
  const at = given === null ? { offset: 0, empty: fake.emptyPages } : graphLinks.get(given)
  if (!at) throw new Refusal(400, 'Directory_ExpiredPageToken')
  const size = at.empty > 0 ? 0 : Number(url.searchParams.get('$top') ?? 100)
  const next = { offset: at.offset + size, empty: at.empty - 1 }
  const value = matching.slice(at.offset, next.offset).map(selected)
  const link = new URL(fake.linkBase + url.pathname + url.search)
  const token = randomUUID()
  graphLinks.set(token, next)
  link.searchParams.set('$skiptoken', token)
  return {
    ...(given === null && { '@odata.count': matching.length }),
    ...(next.offset < matching.length && { '@odata.nextLink': link.href }),
    value,
  }
}

/** As JpaUserProvider and UsersResource of Keycloak 26 do it. */
function keycloak({ people, url }: Asked): object {
  const represent = (person: Person) => ({
    id: person.id,
    username: person.username,
    firstName: person.first,
    lastName: person.last,
    email: person.email === undefined ? `${person.username}@example.com` : (person.email ?? undefined),
    enabled: person.enabled ?? true,
  })
  const users = '/admin/realms/my%20realm/users'
  const id = idIn(url, users)
  if (id !== null) {
    const person = people.find((one) => one.id === id)
    if (!person) throw new Refusal(404, { error: 'User not found' })
    return represent(person)
  }
  if (url.pathname !== users) throw new Refusal(404, { error: 'Realm not found.' })
  const { search = '', first = '0', max = '100' } = Object.fromEntries(url.searchParams)
  if (search.startsWith('id:')) {
    const ids = search.slice(3).trim().split(/\s+/)
    return people.filter((one) => ids.includes(one.id)).map(represent)
  }
  const matches = (word: string) => {
    if (/^".*"$/s.test(word)) return (text: string) => text.toLowerCase() === word.slice(1, -1).toLowerCase()
    const pattern = `${word}*`.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
    return (text: string) => new RegExp(`^${pattern}$`, 'isu').test(text)
  }
  const words = search.trim().split(/[ \t\n\v\f\r]+/)
  const matching = people.map(represent).filter((row) => {
    const texts = [row.username, row.email ?? '', row.firstName, row.lastName]
    return words.every((word) => texts.some(matches(word)))
  })
  return matching.slice(Number(first), Number(first) + Number(max))
}

export type ScimFilter =
  | { operator: 'and' | 'or'; of: [ScimFilter, ScimFilter] }
  | { operator: string; attribute: string; value?: unknown }

/** A filter of RFC 7644 section 3.4.2.2, without groups of attributes ([]). */
export function parseScimFilter(filter: string): ScimFilter {
  const invalid = () => new Refusal(400, { status: '400', scimType: 'invalidFilter' })
  const token = /\s*("(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*"|[()]|[\w.:$-]+)/iuy
  const tokens: string[] = []
  while (token.lastIndex < filter.trimEnd().length) {
    const found = token.exec(filter)
    if (!found?.[1]) throw invalid()
    tokens.push(found[1])
  }
  const take = () => {
    const next = tokens.shift()
    if (next === undefined) throw invalid()
    return next
  }
  function one(): ScimFilter {
    const attribute = take()
    if (attribute === '(') {
      const inner = joined(['or', 'and'])
      if (take() !== ')') throw invalid()
      return inner
    }
    const operator = take().toLowerCase()
    if (!/^[a-z][\w.:-]*$/i.test(attribute)) throw invalid()
    if (operator === 'pr') return { operator, attribute }
    const value = take()
    if (!/^(eq|ne|co|sw|ew|gt|lt|ge|le)$/.test(operator) || !/^("|true$|false$|null$|-?\d)/.test(value)) throw invalid()
    return { operator, attribute, value: JSON.parse(value) }
  }
  // `and` binds more tightly than `or`.
  function joined([outer, ...inner]: ('or' | 'and')[]): ScimFilter {
    if (outer === undefined) return one()
    let left = joined(inner)
    while (tokens[0]?.toLowerCase() === outer) {
      tokens.shift()
      left = { operator: outer, of: [left, joined(inner)] }
    }
    return left
  }
  const parsed = joined(['or', 'and'])
  if (tokens.length > 0) throw invalid()
  return parsed
}

function scim({ fake, people, url }: Asked): object {
  const represent = (person: Person) => {
    const email = person.email === undefined ? `${person.username}@example.com` : person.email
    const emails = (person.otherEmails ?? []).map((value): object => ({ value }))
    if (email !== null) emails.push({ value: email, primary: true })
    return {
      id: person.id,
      externalId: person.externalId,
      userName: person.username,
      emails,
      displayName: nameOf(person),
      name: { givenName: person.first, familyName: person.last },
      active: person.enabled,
    }
  }
  const id = idIn(url, '/scim/v2/Users')
  if (id !== null) {
    const person = people.find((one) => one.id === id)
    if (!person) throw new Refusal(404, { status: '404' })
    return represent(person)
  }
  if (url.pathname !== '/scim/v2/Users') throw new Refusal(404, { status: '404' })

  const holds = (filter: ScimFilter, row: ReturnType<typeof represent>): boolean => {
    if ('of' in filter) {
      const [left, right] = filter.of.map((side) => holds(side, row))
      return Boolean(filter.operator === 'or' ? left || right : left && right)
    }
    const { attribute, operator } = filter
    if (fake.unknownOperators.includes(operator)) throw new Refusal(400, { status: '400', scimType: 'invalidFilter' })
    const texts = attribute === 'emails.value' ? row.emails.map((email) => Reflect.get(email, 'value')) : []
    if (texts.length === 0) texts.push(Reflect.get(row, attribute))
    const value = String(filter.value).toLowerCase()
    return texts.some((one: unknown) => {
      const text = typeof one === 'string' ? one.toLowerCase() : null
      if (operator === 'pr') return text !== null
      if (text === null) return false
      return { co: text.includes(value), sw: text.startsWith(value), eq: text === value }[operator] === true
    })
  }
  const filter = parseScimFilter(url.searchParams.get('filter') ?? '')
  const matching = people.map(represent).filter((row) => holds(filter, row))
  const start = Math.max(1, Number(url.searchParams.get('startIndex') ?? 1))
  const count = Math.min(fake.mostRows, Number(url.searchParams.get('count') ?? 100))
  const rows = matching.slice(start - 1, start - 1 + count)
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: matching.length,
    startIndex: start,
    itemsPerPage: rows.length,
    ...(rows.length > 0 && { Resources: rows }),
  }
}
