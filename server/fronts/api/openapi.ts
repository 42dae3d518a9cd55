import type { TSchema } from 'typebox'
import { errors } from '../../../contract/errors.ts'
import { api } from '../../../contract/index.ts'
import { pathTemplate, type RouteSpec, rateOf } from '../../../contract/route.ts'
import { schemaNames } from '../../../contract/schemas.ts'
import { Problem } from '../../../contract/shapes.ts'

const MEDIA = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  bytes: 'application/octet-stream',
} as const
const tags = [
  { name: 'auth', description: 'Logging in and who you are.' },
  { name: 'buckets', description: 'Buckets, their quotas and usage.' },
  { name: 'objects', description: 'Uploading, downloading, browsing and deleting.' },
  { name: 'images', description: 'Objects as images in other sizes and formats.' },
  { name: 'uploads', description: 'Large files in parts, resumable.' },
  { name: 'jobs', description: 'Work on whole folders and large selections.' },
  { name: 'shares', description: 'Links for people without an account.' },
  { name: 'public', description: 'What those links open.' },
  { name: 'trash', description: 'Deleted and overwritten contents.' },
  { name: 'policies', description: 'What is deleted by rule, and what would be.' },
  { name: 'users', description: 'People.' },
  { name: 'groups', description: 'What people may do: rights are granted to groups.' },
  { name: 'tokens', description: 'Personal access tokens: credentials of scripts and services.' },
  { name: 'settings', description: 'What administrators change while it runs.' },
  { name: 'webhooks', description: 'Who outside is told of events, and what became of it.' },
  { name: 'audit', description: 'Who did what, when.' },
  { name: 'system', description: 'Health of the process.' },
]

interface Reference {
  $ref: string
}
interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: unknown
}
interface Operation {
  operationId: string
  parameters: (Parameter | Reference)[]
  responses: { [status: string]: object }
  [field: string]: unknown
}
/** What operations share stands here once, and they refer to it. */
interface Components {
  schemas: { [name: string]: unknown }
  parameters: { [name: string]: Parameter }
  responses: { [name: string]: object }
}

/** The OpenAPI 3.1 document of the contract. */
export function openapi(baseUrl: string) {
  const base = new URL(baseUrl).pathname.replace(/\/$/, '')
  const components: Components = { schemas: {}, parameters: {}, responses: {} }
  const paths: { [path: string]: { [method: string]: Operation } } = {}
  for (const [name, route] of Object.entries<RouteSpec>(api)) {
    const path = pathTemplate(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(components, name, route) }
  }
  shareParameters(components, Object.values(paths).flatMap(Object.values))
  return {
    openapi: '3.1.1' as const,
    info: {
      title: 'Strongroom',
      version: '1',
      description:
        'The control plane of object storage. Errors are RFC 9457 problems with a stable `code`. Object keys in paths are percent-encoded per segment; where a client would normalise `..` or `//`, use the twin with `?key=`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative: it is right under whichever of its names the service was reached.
    servers: [{ url: base || '/' }],
    tags,
    security: [{ login: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: inOrder(components.schemas),
      parameters: inOrder(components.parameters),
      responses: inOrder(components.responses),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token from `POST /auth/token`, or a personal access token (`svc_pat_…`).',
        },
        login: {
          type: 'oauth2',
          description: 'E-mail and password.',
          flows: { password: { tokenUrl: `${base}/api/v1/auth/token`, scopes: {} } },
        },
      },
    },
  }
}

const inOrder = <T>(named: { [name: string]: T }): { [name: string]: T } =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))

/** The bare JSON Schema of a shape, with a reference in the place of every shape that has a name. */
function schemaOf(components: Components, shape: TSchema): unknown {
  const refer = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(refer)
    const name = 'type' in value || 'anyOf' in value ? schemaNames.get(JSON.stringify(value)) : undefined
    if (name === undefined) return members(value)
    components.schemas[name] ??= members(value)
    return { $ref: `#/components/schemas/${name}` }
  }
  // What typebox notes on schemas for itself cannot be enumerated.
  const members = (value: object) => Object.fromEntries(Object.entries(value).map(([key, one]) => [key, refer(one)]))
  return refer(shape)
}

function operation(components: Components, name: string, route: RouteSpec): Operation {
  const body = route.body && {
    required: !route.bodyOptional,
    content: { [MEDIA[route.consumes ?? 'json']]: { schema: schemaOf(components, route.body) } },
  }
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.access === 'public' ? { security: [] } : {}),
    parameters: [
      ...parameters(components, 'path', route.params),
      ...parameters(components, 'query', route.query),
      ...parameters(components, 'header', route.headers),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: responses(components, route),
  }
}

function parameters(components: Components, place: Parameter['in'], schema: RouteSpec['params']): Parameter[] {
  if (!schema) return []
  const required: readonly string[] = schema.required ?? []
  return Object.entries(schema.properties as { [name: string]: TSchema & { description?: string } }).map(
    ([name, one]) => ({
      name,
      in: place,
      required: required.includes(name),
      ...(one.description ? { description: one.description } : {}),
      schema: schemaOf(components, one),
    }),
  )
}

/** Puts parameters that several operations take into the components: `path.key`, and where they differ `path.key.2`. */
function shareParameters(components: Components, operations: readonly Operation[]): void {
  const taken = Map.groupBy(
    operations.flatMap((one) => one.parameters as Parameter[]),
    (one) => JSON.stringify(one),
  )
  const references = new Map<string, Reference>()
  for (const [text, [parameter, ...more]] of taken) {
    if (!parameter || more.length === 0) continue
    const first = `${parameter.in}.${parameter.name}`
    let name = first
    for (let i = 2; name in components.parameters; i++) name = `${first}.${i}`
    components.parameters[name] = parameter
    references.set(text, { $ref: `#/components/parameters/${name}` })
  }
  for (const one of operations)
    one.parameters = one.parameters.map((parameter) => references.get(JSON.stringify(parameter)) ?? parameter)
}

function responses(components: Components, route: RouteSpec): Operation['responses'] {
  const result: Operation['responses'] = {}
  for (const status of [route.status, ...(route.otherStatus ?? [])]) {
    const content =
      route.produces === 'bytes' && route.method === 'GET' && status < 300
        ? { 'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } }
        : route.reply && status !== 304
          ? { 'application/json': { schema: schemaOf(components, route.reply) } }
          : undefined
    result[status] = { description: descriptions[status] ?? 'Success', ...(content ? { content } : {}) }
  }
  const codes = new Set(route.errors)
  if (route.access !== 'public') codes.add('unauthenticated').add('forbidden')
  if (route.params || route.query || route.body) codes.add('invalid_request')
  if (rateOf(route) !== 'none') codes.add('rate_limited')
  for (const code of codes) {
    const { status } = errors[code]
    if (status in result) continue
    const alike = [...codes].filter((one) => errors[one].status === status).sort()
    const name = alike.join('.')
    components.responses[name] ??= {
      description: alike.map((one) => `\`${one}\``).join(', '),
      content: { 'application/problem+json': { schema: schemaOf(components, Problem) } },
    }
    result[status] = { $ref: `#/components/responses/${name}` }
  }
  return result
}

const descriptions: { [status: number]: string } = {
  200: 'Success',
  201: 'Created',
  204: 'Done; no body',
  206: 'The ranges asked for',
  304: 'Not changed since',
  503: 'Not ready',
}
