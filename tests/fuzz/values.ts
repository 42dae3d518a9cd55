import fc from 'fast-check'

/** The part of JSON Schema that the contract uses. */
export interface JsonSchema {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly JsonSchema[]
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  additionalProperties?: boolean | JsonSchema
  patternProperties?: Readonly<Record<string, JsonSchema>>
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  pattern?: string
  format?: string
  examples?: readonly unknown[]
}

/** Something that exists in the service, named by its kind; which one is decided when the request is sent. */
export class Existing {
  readonly kind: string
  readonly n: number
  constructor(kind: string, n: number) {
    this.kind = kind
    this.n = n
  }
}
/** JSON that no JavaScript value stands for. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const existing = (kind: string): fc.Arbitrary<unknown> => fc.nat(40).map((n) => new Existing(kind, n))

/** Texts that broke something, somewhere, once. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\0',
      'a\0b',
      '\ud800',
      'x\udfff',
      '\u202egpj.exe',
      'a\r\nX-Injected: 1',
      '\n',
      '\t',
      '\x7f',
      '\u0085',
    ],
    ...[
      '..',
      '../../etc/passwd',
      '..\\..\\boot.ini',
      '..%2f..%2f',
      '%00',
      '%',
      '%zz',
      '/',
      '//',
      '.',
      '/etc/passwd',
      '~',
    ],
    ...[
      "' or 1=1 --",
      '"; drop table users; --',
      "\\'",
      '%_',
      '*',
      '**/*',
      '[',
      '(a+)+$',
      '?',
      '#',
      '&',
      ';',
      '|',
      '`id`',
    ],
    ...[
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      '{{7*7}}',
      `\${jndi:ldap://x}`,
      'javascript:alert(1)',
    ],
    ...[
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      'null',
      'undefined',
      'true',
      '[object Object]',
    ],
    ...[
      '0',
      '-0',
      '-1',
      '1e3',
      '1e999',
      '0x10',
      '1.5',
      'NaN',
      'Infinity',
      '9007199254740993',
      '99999999999999999999',
      ' 1',
    ],
    ...['é', 'e\u0301', 'ß', 'İ', 'ﬀ', '漢字', '😀', '👩‍👩‍👧‍👧', '\ufeff', '\u200b', '\u2028', 'ａ', 'ÿ'],
    ...[
      '2026-02-30T00:00:00Z',
      '0000-01-01T00:00:00Z',
      '+275760-09-13T00:00:00Z',
      '2026-01-01T00:00:00+24:00',
      '1d',
      '0s',
      '999999999w',
    ],
    ...[
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      'svc_pat_x',
      'eyJhbGciOiJub25lIn0.e30.',
    ],
    ...[
      'http://x.invalid',
      'http://127.0.0.1',
      'https://x.invalid:99999',
      'file:///etc/passwd',
      'https://[::1',
      'a@b',
      'A@B.C',
    ],
  ),
  fc.constantFrom(
    'x'.repeat(255),
    'x'.repeat(1024),
    'x'.repeat(1025),
    'é'.repeat(512),
    '漢'.repeat(342),
    '/'.repeat(1024),
  ),
  fc.constantFrom('x'.repeat(5000), '😀'.repeat(3000), 'a/'.repeat(2000), '"\\'.repeat(1500)),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
)

/** JSON values of every kind, and texts that are hardly JSON. */
const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      ...[null, true, false, 0, -1, 0.1, 1e-320, 1e308, -1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 2 ** 64],
      ...[[], {}, [[]], [null], [{}], { a: 1 }, ['a', 'a'], [0, 'x', null], { constructor: { prototype: { x: 1 } } }],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      new RawJson('NaN'),
      new RawJson('1e999'),
      new RawJson('-0'),
      new RawJson('"\\ud800"'),
      new RawJson('"\\u0000"'),
      new RawJson('{"__proto__":{"is_admin":true}}'),
      new RawJson('{"a":1,"a":2}'),
      new RawJson(`${'['.repeat(5000)}${']'.repeat(5000)}`),
      new RawJson(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`),
      new RawJson(`[${'0,'.repeat(99_999)}0]`),
      new RawJson(`[${'"a",'.repeat(999)}"a"]`),
    ),
  },
)

/** How far values stray from what a schema allows. */
export type Mood = 'tame' | 'wild'

/** `good` mostly; else, in a wild mood, what is hostile. */
const mostly = (good: fc.Arbitrary<unknown>, mood: Mood): fc.Arbitrary<unknown> =>
  mood === 'tame' ? good : fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: hostileJson })

/** Existing things by the names that fields and parameters have. */
const kinds: Readonly<Record<string, string>> = {
  bucket: 'bucket',
  source_bucket: 'bucket',
  dest_bucket: 'bucket',
  key: 'key',
  source_key: 'key',
  dest_key: 'key',
  keys: 'key',
  prefix: 'prefix',
  dest_prefix: 'prefix',
  source_prefix: 'prefix',
  bucket_pattern: 'bucket',
  bucket_patterns: 'bucket',
  object_key_prefix: 'prefix',
  user_id: 'users',
  user_ids: 'users',
  group_id: 'groups',
  group_ids: 'groups',
  upload_id: 'upload',
  run_id: 'run',
  delivery_id: 'delivery',
  refresh_token: 'refresh',
  cursor: 'cursor',
  etag: 'etag',
  ticket: 'ticket',
  challenge: 'challenge',
  cron: 'cron',
  timezone: 'timezone',
  username: 'email',
  email: 'email',
  password: 'password',
  url: 'outside',
  issuer_url: 'outside',
  token_url: 'outside',
  events: 'event',
}

/** What is known to exist for a name, by the area (tag) where the bare `id`, `ids` and `name` belong. */
export function kindOf(name: string, area: string): string | undefined {
  if (name === 'id' || name === 'ids') return area
  if (name === 'name' && area === 'buckets') return 'bucket'
  if (name === 'token') return area === 'public' ? 'share token' : 'signed token'
  return kinds[name]
}

function numberOf(schema: JsonSchema, integer: boolean, mood: Mood): fc.Arbitrary<unknown> {
  const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + 0.5)
  const most = schema.maximum ?? Number.MAX_SAFE_INTEGER
  const low = Math.ceil(least)
  const within = fc.oneof(
    fc.integer({ min: low, max: Math.max(low, Math.min(most, low + 100)) }),
    fc.constantFrom(low, most),
  )
  if (mood === 'tame') return within
  const outside = fc.constantFrom<number>(least - 1, most + 1, -1, 1e21, 5e-324)
  return fc.oneof(
    { weight: 6, arbitrary: within },
    { weight: 2, arbitrary: outside },
    { weight: 1, arbitrary: integer ? fc.constant(1.5) : fc.double() },
  )
}

/** Cursors as ours are packed, with what no list of ours would put in. */
const hostileCursor: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom<unknown>(
        ...['', 'a', '0', '-1', '12', '1e400', '1.5', '0x10', '9007199254740993', '999999999999999', '\0', '\ud800'],
        ...[
          '2026-01-01T00:00:00.000Z',
          '0000-01-01T00:00:00.000Z',
          '+275760-09-13T00:00:00.000Z',
          '2026-02-30',
          'today',
        ],
        ...['01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10', 'docs/', 'docs/\uffff', 0, null, [], {}],
      ),
      hostileText,
    ),
    { maxLength: 3 },
  )
  .map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url'))

function textOf(schema: JsonSchema, kind: string | undefined, mood: Mood): fc.Arbitrary<unknown> {
  const { minLength = 0, maxLength = 100, pattern, format } = schema
  const right: { weight: number; arbitrary: fc.Arbitrary<unknown> }[] = []
  if (kind !== undefined) right.push({ weight: 10, arbitrary: existing(kind) })
  if (kind === 'bucket') right.push({ weight: 1, arbitrary: fc.nat(10_000).map((n) => `fuzz-n${n}`) })
  for (const one of schema.examples ?? []) right.push({ weight: 3, arbitrary: fc.constant(one) })
  if (format === 'date-time') {
    const dates = { noInvalidDate: true, min: new Date('1001'), max: new Date('9998') }
    right.push({ weight: 3, arbitrary: fc.date(dates).map((date) => date.toISOString()) })
  } else if (pattern === undefined) {
    const short = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 30)) }
    right.push({ weight: 2, arbitrary: fc.string(short) })
    if (mood === 'tame')
      right.push({ weight: 1, arbitrary: fc.constantFrom(minLength, maxLength).map((n) => 'm'.repeat(n)) })
  } else if (right.length === 0) right.push({ weight: 4, arbitrary: matching(pattern) })
  if (mood === 'tame') return fc.oneof(...right)
  if (kind === 'cursor') right.push({ weight: 8, arbitrary: hostileCursor })
  const edges = fc.constantFrom(minLength, maxLength, maxLength + 1).map((n) => 'm'.repeat(n))
  return fc.oneof(...right, { weight: 1, arbitrary: edges }, { weight: 3, arbitrary: hostileText })
}

function matching(pattern: string): fc.Arbitrary<unknown> {
  try {
    return fc.stringMatching(new RegExp(pattern))
  } catch {
    return hostileText
  }
}

/** Values a schema allows and, in a wild mood, some that it does not. `name` tells what may exist already. */
export function valuesOf(schema: JsonSchema, name: string, area: string, mood: Mood): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return mostly(fc.constant(schema.const), mood)
  if (schema.enum) return mostly(fc.constantFrom(...schema.enum), mood)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valuesOf(one, name, area, mood)))
  switch (schema.type) {
    case 'object':
      return objectOf(schema, area, mood)
    case 'array': {
      const item = schema.items ? valuesOf(schema.items, name, area, mood) : hostileJson
      const few = fc.array(item, { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 4, 4) })
      if (mood === 'tame') return few
      const many = fc.oneof(
        fc.constantFrom(0, (schema.maxItems ?? 1000) + 1, 100_000).map((n) => new Array(n).fill('a')),
        // As invalid as it is long: each element could be reported as an error.
        fc
          .tuple(fc.constantFrom('1', '""', '{}', '[]', 'null', '"__proto__"'), fc.constantFrom(2000, 30_000, 400_000))
          .map(([item, n]) => new RawJson(`[${`${item},`.repeat(n)}${item}]`)),
      )
      return fc.oneof(
        { weight: 12, arbitrary: few },
        { weight: 1, arbitrary: many },
        { weight: 1, arbitrary: hostileJson },
      )
    }
    case 'string':
      return mostly(textOf(schema, kindOf(name, area), mood), mood)
    case 'integer':
    case 'number':
      return mostly(numberOf(schema, schema.type === 'integer', mood), mood)
    case 'boolean':
      return mostly(fc.boolean(), mood)
    case 'null':
      return mostly(fc.constant(null), mood)
    default:
      return hostileJson
  }
}

/** Fields nobody declares: what an attacker would add. */
const intruders = [
  'id',
  'is_admin',
  'created_by',
  'used_bytes',
  'secret',
  'token',
  'user_id',
  '__proto__',
  'constructor',
  'ä',
  '',
]

type Entries = [string, unknown][]
function objectOf(schema: JsonSchema, area: string, mood: Mood): fc.Arbitrary<unknown> {
  const none = fc.constant<Entries>([])
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]): fc.Arbitrary<Entries> => {
    const required = schema.required?.includes(name) ?? false
    const value = valuesOf(one, name, area, mood).map((value): Entries => [[name, value]])
    if (required && mood === 'tame') return value
    return fc.oneof({ weight: required ? 24 : 2, arbitrary: value }, { weight: required ? 1 : 3, arbitrary: none })
  })
  const [pattern, free] = Object.entries(schema.patternProperties ?? {})[0] ?? []
  if (pattern !== undefined && free !== undefined) {
    const right = matching(pattern) as fc.Arbitrary<string>
    const name =
      mood === 'tame' ? right : fc.oneof({ weight: 5, arbitrary: right }, { weight: 1, arbitrary: hostileText })
    fields.push(fc.array(fc.tuple(name, valuesOf(free, '', area, mood)), { maxLength: 4 }))
  }
  const extra = fc.tuple(fc.constantFrom(...intruders), hostileJson).map((one): Entries => [one])
  if (mood === 'wild') fields.push(fc.oneof({ weight: 12, arbitrary: none }, { weight: 1, arbitrary: extra }))
  return fc.tuple(...fields).map((groups) => new Fields(groups.flat()))
}

/** The fields of a JSON object in their order; names may repeat and may be `__proto__`. */
export class Fields {
  readonly entries: readonly (readonly [string, unknown])[]
  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries
  }
}

/** A generated value as JSON text. */
export function jsonText(value: unknown, resolve: (one: Existing) => string): string {
  if (value instanceof RawJson) return value.text
  if (value instanceof Existing) return JSON.stringify(resolve(value))
  if (value instanceof Fields)
    return `{${value.entries.map(([name, one]) => `${JSON.stringify(name)}:${jsonText(one, resolve)}`).join(',')}}`
  if (Array.isArray(value)) return `[${value.map((one) => jsonText(one, resolve)).join(',')}]`
  return JSON.stringify(value) ?? 'null'
}

/** A generated value as the text of a URL or a form. */
export function plainText(value: unknown, resolve: (one: Existing) => string): string {
  if (value instanceof Existing) return resolve(value)
  return typeof value === 'string' ? value : jsonText(value, resolve)
}
