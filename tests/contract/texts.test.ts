// Which characters the texts of requests may have.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { api } from '../../contract/index.ts'
import { EMAIL, isEmail } from '../../contract/names.ts'
import { pathTemplate, type RouteSpec } from '../../contract/route.ts'
import { type Schema, smallLegal } from '../support/hostile.ts'
import { request } from '../support/http.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'
import { shapesAt, textShapes, textsIn, withText } from '../support/text-places.ts'

const routes = Object.entries<RouteSpec>(api)
const NO_ID = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'

/** All texts of bodies and queries. Headers cannot have line breaks, and paths name what is there. */
const texts = routes.flatMap(([name, { query, body }]) =>
  Object.entries({ query, body }).flatMap(([where, shape]) =>
    textShapes((shape ?? {}) as Schema).map((one) => ({ at: [name, where, ...one.at].join('.'), shape: one.shape })),
  ),
)

/** Keys are bytes of any kind, and passwords are only compared. */
const FREE_FORMATS: readonly unknown[] = ['object-key', 'key-prefix', 'password']
/** Texts of several lines. */
const isMultiline = (at: string): boolean => /\.(message|description|error_description)$/.test(at) && !/sender/.test(at)
const isFree = ({ format, contentMediaType }: Schema): boolean =>
  contentMediaType !== undefined || FREE_FORMATS.includes(format)
const notEmails = [
  'z@b.co>',
  '<z@b.co',
  'a b@example.com',
  '"a"@example.com',
  'a@b@example.com',
  'a,b@example.com',
  'a@[192.0.2.1]',
  'a@example..com',
  'a@.example.com',
  'a@example.com.',
  'a@-example.com',
  '.a@example.com',
  'a..b@example.com',
  'a@exam ple.com',
  'a\u200b@example.com',
  'a\u202e@example.com',
  'a@example.com\r\nBcc: b@example.com',
  'a@ex!ample',
]

it('every text in a request has a form: one line, several, a key, or a form of its own', () => {
  const free = texts.filter(({ shape }) => !shape.pattern && !shape.format && !shape.contentMediaType)
  assert.deepEqual(
    free.map(({ at }) => at),
    [],
  )
})

it('one form says what an email address is', () => {
  const emails = texts.filter(({ at }) => /\.(email|from_address|user)$/.test(at) && !/query|\.by\.user$/.test(at))
  assert.ok(emails.length > 5)
  for (const { at, shape } of emails) assert.equal(shape.pattern, EMAIL, at)
  for (const one of notEmails) assert.equal(isEmail(one), false, one)
  for (const one of ['a@b', 'a.b+c@x-y.example.com', "o'neil@example.ie", 'jörg@bücher.example', 'admin@localhost'])
    assert.ok(isEmail(one), one)
})

describeOnce('texts of requests', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const send = (route: RouteSpec, body: unknown) => {
    const path = pathTemplate(route)
      .replace(/\{(name|bucket)\}/, 'nowhere')
      .replace(/\{(key|token|upload)\}/, 'nothing')
      .replaceAll(/\{\w+\}/g, NO_ID)
    const isForm = route.consumes === 'form'
    const media = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    const text = isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)
    const headers = { 'content-type': media, 'content-length': Buffer.byteLength(text) }
    const token = route.access === 'public' ? {} : { token: server.adminToken }
    return request({ url: server.url, method: route.method, path, headers, body: text, ...token })
  }

  it('with line breaks or other control characters are refused, at their place, and nothing is recorded', async () => {
    let count = 0
    const faults: string[] = []
    await server.records([], async () => {
      for (const [name, route] of routes) {
        if (!route.body || !['json', 'form', undefined].includes(route.consumes)) continue
        const legal = smallLegal(route)
        for (const place of textsIn(legal)) {
          const at = ['body', ...place].join('.')
          const shapes = shapesAt(route.body as Schema, place)
          if (shapes.some(isFree)) continue
          // What is beyond ASCII is no control character in headers, nor in what else S3 takes for text.
          const hasC1 = shapes.some(({ pattern }) => /x7f-\\x9f/.test(pattern ?? ''))
          const others = ['a\x1bb', 'a\x7f', ...(hasC1 ? ['\x85b'] : []), ...(isMultiline(at) ? [] : ['a\r\n'])]
          const other = others[count % others.length] as string
          const wrong = isMultiline(at) ? [other] : ['a\r\nb', other]
          const isEmail = shapes.some(({ pattern }) => pattern === EMAIL)
          for (const text of isEmail ? [...wrong, ...notEmails] : wrong) {
            count++
            const { status, body } = await send(route, withText(legal, place, text))
            const { errors = [] } = JSON.parse(body.toString()) as { errors?: { path: string; message: string }[] }
            // Forms that nobody can read are said in words.
            assert.ok(!errors.some(({ message }) => message.includes('u2028')), body.toString())
            if (status !== 422 || !errors.some(({ path }) => path === at))
              faults.push(`${name} ${at} ${JSON.stringify(text)}: ${status} ${body.toString().slice(0, 200)}`)
          }
        }
      }
    })
    assert.deepEqual(faults, [])
    assert.ok(count > 500, String(count))
  })
})
