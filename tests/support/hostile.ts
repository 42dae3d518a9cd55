import type { RouteSpec } from '../../contract/route.ts'
import { mostValues } from '../../server/fronts/api/json.ts'

/** A hostile request: its description, and its body or query. */
export interface Hostile {
  what: string
  media?: string
  body?: string
  query?: string
}
/** The part of JSON Schema that the contract uses. */
export interface Schema {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  patternProperties?: Readonly<Record<string, Schema>>
  items?: Schema
  required?: readonly string[]
  maxProperties?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
  contentMediaType?: string
  examples?: readonly unknown[]
}

const DEFAULT_LIMIT = 65_536
/** Node reads at most 16 KiB of a request head. */
const HEAD = 14_000
const limitOf = ({ bodyLimit = DEFAULT_LIMIT }: RouteSpec): number => bodyLimit
const repeated = (one: string, bytes: number): string => one.repeat(Math.max(1, Math.floor(bytes / one.length)))

/** The largest body that a route's schema allows, as JSON text within its size limit. */
export function worstLegal(route: RouteSpec): string {
  const shape = route.body as Schema
  // Where lists are in lists, not all can be as long as each may be.
  const isDeep = mostValues(shape) > limitOf(route)
  let bounds = isDeep ? { longest: 64, most: limitOf(route) / 32 } : { longest: 1024, most: Number.POSITIVE_INFINITY }
  for (;;) {
    const text = JSON.stringify(largest(shape, '', 0, bounds))
    if (Buffer.byteLength(text) <= limitOf(route)) return text
    if (bounds.longest < 8) throw new Error(`No body of ${route.url} fits into its limit`)
    bounds = { longest: Math.floor(bounds.longest * 0.75), most: bounds.most * 0.75 }
  }
}

/** How long a text may be, and how many values there may be. */
interface Bounds {
  longest: number
  most: number
}

function largest(schema: Schema, name: string, n: number, { longest, most }: Bounds): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[n % schema.enum.length]
  if (schema.anyOf) return largest(schema.anyOf[0] as Schema, name, n, { longest, most })
  switch (schema.type) {
    case 'object': {
      const fields = [
        ...Object.entries(schema.properties ?? {}),
        ...Object.values(schema.patternProperties ?? {}).map((one) => ['a', one] as const),
      ]
      // Where only some are allowed, the required ones and the last: those are the largest.
      const needed = fields.filter(([key]) => schema.required?.includes(key))
      const others = fields.filter(([key]) => !schema.required?.includes(key))
      const allowed = Math.max(0, (schema.maxProperties ?? fields.length) - needed.length)
      const chosen = new Set([...needed, ...others.slice(Math.max(0, others.length - allowed))])
      const inner = { longest, most: most / fields.length }
      return Object.fromEntries(
        fields.filter((one) => chosen.has(one)).map(([key, one]) => [key, largest(one, key, n, inner)]),
      )
    }
    case 'array': {
      const values = schema.items?.enum?.length ?? Number.POSITIVE_INFINITY
      const length = Math.max(1, Math.floor(Math.min(schema.maxItems ?? 20, values, most)))
      const inner = { longest, most: most / length }
      return Array.from({ length }, (_, i) => largest(schema.items ?? {}, name, i, inner))
    }
    case 'integer':
    case 'number':
      return name === 'part_number' ? n + 1 : (schema.maximum ?? schema.minimum ?? 1)
    case 'boolean':
      return true
    case 'string':
      return textOf(schema, n, longest)
    default:
      return null
  }
}

function textOf(schema: Schema, n: number, longest: number): string {
  const { pattern, maxLength = 100, minLength = 0, examples = [] } = schema
  if (schema.format === 'date-time') return '2026-01-01T00:00:00.000Z'
  const length = Math.max(minLength, Math.min(maxLength, longest))
  const fits = (text: string) => pattern === undefined || new RegExp(pattern).test(text)
  const numbered = `${n}-`.padEnd(length, 'x').slice(0, length)
  if (fits(numbered)) return numbered
  for (const one of [
    `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`,
    `b${n}`.padEnd(Math.min(length, 63), 'x'),
    `${'x'.repeat(Math.max(1, length - 20))}${n}@example.com`,
    `https://example.com/${'x'.repeat(Math.max(0, length - 30))}`,
    `text/x${n}`,
    `1${'h'}`,
    '203.0.113.0/24',
    `openid ${'x'.repeat(100)}`,
    ...examples.map(String),
  ])
    if (fits(one)) return one
  throw new Error(`No text for the pattern ${pattern}`)
}

/** Bodies of the maximum size for a route, of which at most the first is valid. */
export function hostileBodies(route: RouteSpec): Hostile[] {
  if (!route.body) return []
  if (route.consumes === 'form')
    return [
      { what: 'fields', body: repeated('a=1&', limitOf(route) - 10) },
      { what: 'one field', body: `username=${repeated('%61', limitOf(route) - 20)}` },
    ].map((one) => ({ ...one, media: 'application/x-www-form-urlencoded' }))
  const bytes = limitOf(route) - 100
  const properties = (route.body as Schema).properties ?? {}
  const others = Object.entries(properties).filter(([, one]) => one.type !== 'array')
  const rest = others.map(
    ([name, one]) => `,${JSON.stringify(name)}:${JSON.stringify(largest(one, name, 0, { longest: 20, most: 1000 }))}`,
  )
  const [array] = Object.entries(properties).find(([, one]) => one.type === 'array') ?? []
  const [text = 'a'] = Object.entries(properties).find(([, one]) => one.type === 'string') ?? []
  const items = (item: string) => ({
    what: `${array} of ${item}`,
    body: `{${JSON.stringify(array)}:[${repeated(`${item},`, bytes - rest.join('').length)}${item}]${rest.join('')}}`,
  })
  const bodies = [
    { what: 'worst that is legal', body: worstLegal(route) },
    ...(array === undefined ? [] : [items('1'), items('""')]),
    { what: 'unknown fields', body: `{${fields(bytes)}"a":1}` },
    { what: 'deep arrays', body: repeated('[', bytes / 2) + repeated(']', bytes / 2) },
    { what: 'a text in a field', body: `{"${text}":"${repeated('x.', bytes)}"}` },
  ]
  if (limitOf(route) > DEFAULT_LIMIT)
    bodies.push(
      { what: 'deep objects', body: `${repeated('{"a":', (bytes * 5) / 6)}1${repeated('}', bytes / 6)}` },
      { what: 'prototypes', body: `{"a":[${repeated('"__proto__",', bytes)}1]}` },
      { what: 'no JSON', body: repeated('"\\', bytes) },
    )
  return bodies.map((one) => ({ ...one, media: 'application/json' }))
}

function fields(bytes: number): string {
  const all: string[] = []
  for (let used = 0, i = 0; used < bytes - 20; i++) {
    const one = `"${i.toString(36)}":1,`
    all.push(one)
    used += one.length
  }
  return all.join('')
}

/** Queries of the maximum length. */
export function hostileQueries(route: RouteSpec): Hostile[] {
  const names = Object.keys(route.query?.properties ?? {})
  const repeatedly = names.map((name) => repeated(`${name}=1&`, HEAD / names.length)).join('')
  const long = names.map((name) => `${name}=${repeated('%61', HEAD / names.length)}`).join('&')
  const unknown = { what: 'unknown parameters', query: repeated('a=1&', HEAD) }
  if (names.length === 0) return [unknown]
  return [unknown, { what: 'repeated parameters', query: repeatedly }, { what: 'long parameters', query: long }]
}

/** A small body that a route's schema allows, with all fields that it may have and one item in each list. */
export const smallLegal = (route: RouteSpec): unknown => largest(route.body as Schema, '', 0, { longest: 64, most: 1 })
