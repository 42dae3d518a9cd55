import { api } from '../contract/index.ts'
import type { RouteSpec } from '../contract/route.ts'
import { schemaNames } from '../contract/schemas.ts'

/** What is read of a JSON Schema; the contract's own shapes are such. */
interface Schema {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: readonly string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  description?: string
}

/** Objects that the contract exports by name keep it. */
const named = new Map<string, [name: string, schema: Schema]>()
for (const [text, name] of schemaNames) {
  const schema: Schema = JSON.parse(text)
  if (schema.type === 'object' && schema.properties) named.set(text, [name, schema])
}
/** Of these, the names that the operations say. */
const said = new Set<string>()

const isName = /^[A-Za-z_]\w*$/
const indent = (text: string) => text.replaceAll('\n', '\n  ')
const comment = (text: string | undefined) => (text ? `/** ${text.replaceAll('*/', '* /')} */\n` : '')

/** An object's members, one a line. */
function membersOf({ properties = {}, required = [] }: Schema): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?'
    return `${comment(schema.description)}${isName.test(name) ? name : `'${name}'`}${optional}: ${typeOf(schema)}`
  })
  return `{\n  ${indent(lines.join('\n'))}\n}`
}

/** The TypeScript of a schema. */
function typeOf(schema: Schema): string {
  const [name] = named.get(JSON.stringify(schema)) ?? []
  if (name === undefined) return anonymous(schema)
  said.add(name)
  return name
}
function anonymous(schema: Schema): string {
  const { type, properties, patternProperties, additionalProperties, items } = schema
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ')
  if (type === 'integer') return 'number'
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type
  if (type === 'array') return arrayOf(typeOf(items ?? {}))
  if (type !== 'object') return 'unknown'
  const [pattern] = Object.values(patternProperties ?? {})
  if (pattern) return `Record<string, ${typeOf(pattern)}>`
  if (!properties)
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`
  const has = (...names: string[]) => Object.keys(properties).sort().join() === names.sort().join()
  const item = properties.items?.items
  if (item && has('items', 'next_cursor')) return `Page<${typeOf(item)}>`
  if (item && has('items', 'page', 'page_size', 'total')) return `NumberedPage<${typeOf(item)}>`
  return membersOf(schema)
}
const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value))
const arrayOf = (item: string) => (/^\w+$|^\{[^|]*\}$/.test(item) ? `${item}[]` : `(${item})[]`)

function operation(name: string, route: RouteSpec): string {
  const { params, query, body, bodyOptional, reply, consumes, produces } = route as unknown as Record<string, Schema> &
    RouteSpec
  const call: string[] = []
  if (params) call.push(`params: ${typeOf(params)}`)
  if (query && Object.keys(query.properties ?? {}).length > 0)
    call.push(`query${query.required?.length ? '' : '?'}: ${typeOf(query)}`)
  if (consumes === 'bytes' || consumes === 'multipart') call.push('body: Bytes')
  else if (body) call.push(`body${bodyOptional ? '?' : ''}: ${typeOf(body as Schema)}`)
  const shape = call.length === 0 ? 'object' : `{\n  ${indent(call.join('\n'))}\n}`
  const result = produces === 'bytes' ? 'Response' : reply ? typeOf(reply as Schema) : 'undefined'
  const said = [`${route.method} ${route.url}: ${route.summary}.`, route.description].filter(Boolean).join(' ')
  return `${comment(said)}${name}: {\n  ${indent(`call: ${shape}\nreply: ${result}`)}\n}`
}

/** What the client needs of a route to make its request. */
function wire(name: string, route: RouteSpec): string {
  const { method, url, root, otherStatus, consumes, produces, access } = route
  const properties = (route.reply as Schema | undefined)?.properties ?? {}
  const asks = (field: string) => field in ((route.query as Schema | undefined)?.properties ?? {})
  const pages = !properties.items
    ? undefined
    : asks('cursor') && properties.next_cursor
      ? 'cursor'
      : asks('page') && properties.total
        ? 'page'
        : undefined
  const kept = {
    method,
    url,
    ...(root && { root }),
    ...(otherStatus && { otherStatus }),
    ...(consumes && { consumes }),
    ...(route.body && { body: true }),
    ...(produces && { produces }),
    ...(route.reply && { reply: true }),
    ...(access === 'public' && { open: true }),
    ...(pages && { pages }),
    ...(pages && asks('limit') && { limit: true }),
  }
  const text = Object.entries(kept).map(([key, value]) => `${key}: ${JSON.stringify(value).replaceAll('"', "'")}`)
  return `${name}: { ${text.join(', ')} },`
}

/** client/operations.ts: the operations' types as plain TypeScript, for a client without the schema library. */
export function clientOperations(): string {
  const operations = Object.entries<RouteSpec>(api).map(([name, route]) => operation(name, route))
  const shapes = [...named.values()].map(([name, schema]) => [name, `export interface ${name} ${membersOf(schema)}\n`])
  const used = shapes.filter(([name = '']) => said.has(name)).map(([, text]) => text)
  return [
    GENERATED,
    '',
    '/** A request body of bytes. */',
    "export type Bytes = NonNullable<RequestInit['body']>",
    '/** A page of a list with cursors. */',
    'export interface Page<T> {\n  items: T[]\n  next_cursor: string | null\n}',
    '/** A page of a list with page numbers. */',
    'export interface NumberedPage<T> {\n  items: T[]\n  total: number\n  page: number\n  page_size: number\n}',
    '',
    ...used,
    '/** Every operation: the arguments of its call, and its result. */',
    `export interface Operations {\n  ${indent(operations.join('\n'))}\n}`,
    '',
  ].join('\n')
}

/** client/routes.ts: what the client needs at run time for each operation. */
export function clientRoutes(): string {
  return [
    GENERATED,
    "import type { Operations } from './operations.ts'",
    "import type { Wire } from './send.ts'",
    '',
    '/** How an operation is sent: `open` without a credential; `pages` and `limit` say how a list is paged. */',
    "export interface Sent extends Wire {\n  open?: boolean\n  pages?: 'cursor' | 'page'\n  limit?: boolean\n}",
    'export const routes: { readonly [N in keyof Operations]: Sent } = {',
    ...Object.entries<RouteSpec>(api).map(([name, route]) => `  ${wire(name, route)}`),
    '}',
    '',
  ].join('\n')
}

const GENERATED = '// Generated from contract/ by `npm run docs`.'
