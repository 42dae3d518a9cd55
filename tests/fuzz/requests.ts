import fc from 'fast-check'
import { resolved } from '../support/openapi.ts'
import {
  type Existing,
  Fields,
  hostileText,
  type JsonSchema,
  jsonText,
  type Mood,
  plainText,
  valuesOf,
} from './values.ts'
import type { Framing, Wire } from './wire.ts'

/** What the fuzzer reads of `/openapi.json`. */
export interface Document {
  /** What an operation needs that says nothing of its own. */
  security: readonly unknown[]
  components: object
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
}
interface OperationObject {
  operationId: string
  tags: readonly string[]
  security?: readonly unknown[]
  parameters: readonly { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: JsonSchema }[]
  requestBody?: { content: Readonly<Record<string, { schema: JsonSchema }>> }
  responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: JsonSchema }>> }>>
}
export interface Operation extends OperationObject {
  method: string
  path: string
}

export const operationsOf = (document: Document): Operation[] =>
  Object.entries(resolved(document.paths, document)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      security: operation.security ?? document.security,
      method: method.toUpperCase(),
      path,
    })),
  )

const actors = ['admin', 'admin by token', 'person', 'person by token', 'nobody', 'garbage'] as const
export type ActorName = (typeof actors)[number]

/** A request as it was thought up: things that exist are named by their kind still. */
export interface Plan {
  actor: ActorName
  method: string
  path: string
  params: Readonly<Record<string, unknown>>
  query: readonly (readonly [string, unknown])[]
  rawQuery: string
  headers: readonly (readonly [string, unknown])[]
  body: BodyPlan | undefined
  framing: Framing
  /** Scheme and authority before the path (RFC 9112 section 3.2.2). */
  absolute: string
  garbageCredential: string
}
interface BodyPlan {
  media: string
  value: unknown
  /** Replaces the body and its type where set. */
  raw: { media: string; bytes: Buffer } | undefined
}

const hostileHeader = hostileText.map((text) =>
  Buffer.from(text.replaceAll(/[\r\n\0]/g, ' '), 'utf8').toString('latin1'),
)
const commonHeaders: readonly (readonly [string, readonly string[]])[] = [
  [
    'range',
    [
      'bytes=0-0',
      'bytes=-1',
      'bytes=5-',
      'bytes=0-1,3-4',
      'bytes=9-1',
      'bytes=0-99999999999999999999',
      'lines=1',
      'bytes=',
      `bytes=${'0-0,'.repeat(200)}1-1`,
    ],
  ],
  ['if-match', ['*', '"x"', 'W/"x"', 'x', '"a", "b"', '"', ',']],
  ['if-none-match', ['*', '"x"', 'W/"x"', '""']],
  [
    'if-range',
    [
      '"x"',
      '*',
      'W/"x"',
      '"9d4e1e23bd5b727046a9e3b4b7db57bd"',
      'Fri, 31 Dec 9999 23:59:59 GMT',
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'x',
    ],
  ],
  ['if-modified-since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday', '0', 'Fri, 31 Dec 9999 23:59:59 GMT']],
  ['if-unmodified-since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'never']],
  ['accept', ['text/html', 'image/avif,image/webp,*/*;q=0.8', 'x', '*/*;q=2', ',']],
  ['accept-encoding', ['gzip, br', 'identity;q=0', '*']],
  ['content-md5', ['1B2M2Y8AsgTpgAmY7PhCfg==', 'x', '']],
  ['x-meta-a', ['x', 'ä', '']],
  ['x-share-password', ['let me in', 'wrong']],
  ['x-forwarded-for', ['203.0.113.9', '::1', 'x', '1.1.1.1, 2.2.2.2']],
  ['x-forwarded-proto', ['https', 'javascript']],
  ['x-http-method-override', ['DELETE']],
  ['cookie', ['strongroom_refresh=x', 'svc_oidc=%', 'a', '=;=;', '__proto__=x']],
  ['origin', ['https://evil.example', 'null', 'x']],
  ['sec-fetch-site', ['cross-site', 'same-origin']],
  ['user-agent', ['x', '']],
]
const extraHeaders = fc.array(
  fc.oneof(
    fc
      .constantFrom(...commonHeaders)
      .chain(([name, values]) => fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...values), hostileHeader))),
  ),
  { maxLength: 2 },
)

/** Many come from elsewhere, so that limits by address do not stop them all. */
const address: fc.Arbitrary<[string, string][]> = fc.oneof(
  fc.constant<[string, string][]>([]),
  fc.ipV4().map((ip): [string, string][] => [['x-forwarded-for', ip]]),
  fc.ipV6().map((ip): [string, string][] => [['x-forwarded-for', ip]]),
)

const rawBodies: fc.Arbitrary<BodyPlan['raw']> = fc
  .tuple(
    fc.constantFrom(
      ...[
        'application/json',
        'application/json; charset=utf-16',
        'text/plain',
        'application/x-www-form-urlencoded',
        '',
      ],
      ...[
        'multipart/form-data',
        'multipart/form-data; boundary=',
        'multipart/form-data; boundary=B',
        'application/xml',
        'x',
        'a/b; c="',
      ],
    ),
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom('', '{', 'null', '[]', '"x"', '{"a":1}x', '\ufeff{}', '__proto__[x]=1&a[]=1&a[b]=2', '%', '=&=&&')
        .map((text) => Buffer.from(text)),
      fc.constantFrom(10_000, 70_000, 300_000).map((n) => Buffer.alloc(n, ' ')),
      fc
        .constantFrom(
          '--B\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nx\r\n--B--\r\n',
          '--B\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\ncut off',
          '--B\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\nx\r\n--B--\r\n',
          '--B\r\n\r\n--B--',
          '--B--',
          'no boundary at all',
          `${'--B\r\nContent-Disposition: form-data; name="file"; filename=""\r\n\r\n\r\n'.repeat(20)}--B--\r\n`,
        )
        .map((text) => Buffer.from(text)),
    ),
  )
  .map(([media, bytes]) => ({ media, bytes }))

const weighted = (...pairs: [number, ActorName][]) =>
  fc.oneof(...pairs.map(([weight, one]) => ({ weight, arbitrary: fc.constant(one) })))
const actor = weighted(
  [8, 'admin'],
  [2, 'admin by token'],
  [3, 'person'],
  [2, 'person by token'],
  [1, 'nobody'],
  [1, 'garbage'],
)

/** Requests to one operation: half of them as its page says, the others nearly so. */
export const planOf = (operation: Operation): fc.Arbitrary<Plan> =>
  fc.oneof(plan(operation, 'tame'), plan(operation, 'wild'))

function plan(operation: Operation, mood: Mood): fc.Arbitrary<Plan> {
  const [area = ''] = operation.tags
  const of = (place: string) => operation.parameters.filter((one) => one.in === place)
  const present = (required: boolean) =>
    fc.oneof(
      { weight: required ? 24 : 1, arbitrary: fc.constant(true) },
      { weight: required ? Number(mood === 'wild') : 3, arbitrary: fc.constant(false) },
    )
  const named = (place: string) =>
    fc
      .tuple(
        ...of(place).map(({ name, schema, required }) =>
          fc.tuple(fc.constant(name), valuesOf(schema, name, area, mood), present(required)),
        ),
      )
      .map((all) => all.filter(([, , present]) => present).map(([name, value]) => [name, value] as const))
  const params = fc
    .tuple(...of('path').map(({ name, schema }) => fc.tuple(fc.constant(name), valuesOf(schema, name, area, mood))))
    .map((all) => Object.fromEntries(all))
  const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const wild = Number(mood === 'wild')
  const raw = fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: wild, arbitrary: rawBodies })
  const body =
    media === undefined
      ? fc.oneof(
          { weight: 12, arbitrary: fc.constant(undefined) },
          { weight: wild, arbitrary: rawBodies.map((raw) => ({ media: '', value: undefined, raw })) },
        )
      : fc
          .tuple(bodyValue(media, content?.schema, area, mood), raw)
          .map(([value, raw]): BodyPlan => ({ media, value, raw }))
  return fc.record({
    actor,
    method: fc.constant(operation.method),
    path: fc.constant(operation.path),
    params,
    query: named('query'),
    rawQuery: fc.oneof(
      { weight: 20, arbitrary: fc.constant('') },
      {
        weight: wild,
        arbitrary: fc.constantFrom(
          'x=1',
          'limit=1&limit=2',
          '__proto__=1',
          '__proto__[a]=1',
          '%ff=%ff',
          '%',
          'a=%zz',
          '&&&',
          '=',
          'key=%00',
          'key=a&key=b',
          `q=${'x'.repeat(3000)}`,
        ),
      },
    ),
    headers: fc
      .tuple(named('header'), mood === 'tame' ? fc.constant<[string, string][]>([]) : extraHeaders, address)
      .map(([own, extra, from]) => [...own, ...extra, ...from]),
    body: body as fc.Arbitrary<BodyPlan | undefined>,
    framing: fc.oneof(
      { weight: 30, arbitrary: fc.constant<Framing>('length') },
      { weight: 3, arbitrary: fc.constant<Framing>('chunked') },
      { weight: wild, arbitrary: fc.constant<Framing>('short') },
    ),
    absolute: fc.oneof(
      { weight: 20, arbitrary: fc.constant('') },
      {
        weight: wild,
        arbitrary: fc.constantFrom('http://fuzz.invalid', 'https://a:b@other.invalid:1', 'HTTP://x', 'http://'),
      },
    ),
    garbageCredential: fc.oneof(
      fc.constantFrom(
        'Bearer',
        'Bearer x',
        'Basic OmxldCBtZSBpbg==',
        'Bearer eyJhbGciOiJub25lIn0.e30.',
        `Bearer svc_pat_${'a'.repeat(36)}`,
      ),
      hostileHeader,
    ),
  })
}

function bodyValue(media: string, schema: JsonSchema | undefined, area: string, mood: Mood): fc.Arbitrary<unknown> {
  if (media === 'multipart/form-data') {
    const file = fc.tuple(fc.oneof(fc.constant('a.txt'), hostileText), fc.string({ maxLength: 50 }))
    return fc.array(file, { maxLength: 3 })
  }
  if (media === 'application/octet-stream' || schema === undefined)
    return fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(0, 65_536, 200_000).map((n) => Buffer.alloc(n, 'x')),
    )
  return valuesOf(schema, '', area, mood)
}

type Resolve = (one: Existing) => string

/** The request of a plan, with `resolve` naming what exists and `credential` what the actor sends. */
export function wireOf(plan: Plan, resolve: Resolve, credential: string | undefined): Wire {
  const text = (value: unknown) => plainText(value, resolve)
  const path = plan.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => percent(text(plan.params[name])))
  const query = plan.query.flatMap(([name, value]) =>
    (Array.isArray(value) ? value.slice(0, 200) : [value]).map((one) => `${percent(name)}=${percent(text(one))}`),
  )
  if (plan.rawQuery) query.push(plan.rawQuery)
  const headers = plan.headers.map(([name, value]): [string, string] => [name, headerText(text(value))])
  const authorization = plan.actor === 'garbage' ? plan.garbageCredential : credential && `Bearer ${credential}`
  const { media, bytes } = bytesOf(plan.body, resolve)
  if (media && !headers.some(([name]) => name === 'content-type')) headers.push(['content-type', media])
  return {
    method: plan.method,
    target: (plan.absolute + path + (query.length > 0 ? `?${query.join('&')}` : '')).slice(0, 15_000),
    headers: [
      ['host', 'fuzz.invalid'],
      ...(authorization ? [['authorization', authorization] as const] : []),
      ...headers,
    ],
    body: bytes,
    framing: plan.framing,
  }
}

/** Node writes headers as Latin-1 and so do we; what would end the line is another test's matter. */
const headerText = (text: string): string => text.replaceAll(/[\r\n\0]/g, ' ').slice(0, 4000)
const percent = (text: string): string => {
  const encoded = encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E')
  // A lone surrogate as the three bytes that no UTF-8 has.
  return text.isWellFormed() ? encoded : `${encoded}%ED%A0%80`
}

function bytesOf(body: BodyPlan | undefined, resolve: Resolve): { media: string; bytes: Buffer | undefined } {
  if (!body) return { media: '', bytes: undefined }
  if (body.raw) return body.raw
  const { media, value } = body
  if (Buffer.isBuffer(value)) return { media, bytes: value }
  if (media === 'multipart/form-data') {
    const parts = (value as [string, string][]).map(
      ([name, content]) =>
        `--fuzz\r\nContent-Disposition: form-data; name="file"; filename="${name.replaceAll(/["\r\n]/g, '%22')}"\r\n\r\n${content}\r\n`,
    )
    return { media: `${media}; boundary=fuzz`, bytes: Buffer.from(`${parts.join('')}--fuzz--\r\n`) }
  }
  if (media === 'application/x-www-form-urlencoded') {
    const entries = value instanceof Fields ? value.entries : [['x', value] as const]
    const text = entries.map(([name, one]) => `${percent(name)}=${percent(plainText(one, resolve))}`).join('&')
    return { media, bytes: Buffer.from(text) }
  }
  return { media, bytes: Buffer.from(jsonText(value, resolve)) }
}
