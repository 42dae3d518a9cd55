import type { TSchema } from 'typebox'
import { type ErrorCode, errors } from '../../../contract/errors.ts'
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
  { name: 'auth', description: 'Login, sessions and your own account.' },
  { name: 'buckets', description: 'Buckets, their quotas and usage.' },
  { name: 'objects', description: 'Upload, download, browse and delete objects.' },
  { name: 'images', description: 'Images in other sizes and formats.' },
  { name: 'uploads', description: 'Resumable multipart uploads.' },
  { name: 'jobs', description: 'Background operations on whole folders and large selections.' },
  { name: 'shares', description: 'Share links for people without an account.' },
  { name: 'public', description: 'Opening share links and signed URLs.' },
  { name: 'versions', description: 'Former contents of keys, in buckets that keep them.' },
  { name: 'snapshots', description: 'Moments of buckets that are kept.' },
  { name: 'trash', description: 'Deleted and overwritten objects.' },
  { name: 'policies', description: 'Cleanup policies: rules that delete objects.' },
  { name: 'inventories', description: 'What is in buckets, written as tables.' },
  { name: 'users', description: 'User accounts.' },
  { name: 'groups', description: 'Groups and their permissions.' },
  { name: 'tokens', description: 'Personal access tokens, for scripts and services.' },
  { name: 'access-keys', description: 'Key pairs for S3 clients.' },
  { name: 'agents', description: 'Programs that decide by themselves, their budgets, and what needs approval.' },
  { name: 'oauth', description: 'How clients of the MCP server get an agent from a user, by OAuth 2.1.' },
  { name: 'machine-sessions', description: 'Sessions of temporary credentials.' },
  { name: 'access-policies', description: 'Policies in AWS’ language: of buckets, and what they would decide.' },
  { name: 'roles', description: 'Roles that programs take on, and the identity providers whose tokens open them.' },
  { name: 'identity-policies', description: 'Policies in AWS’ language, of users, groups and roles.' },
  { name: 'settings', description: 'Runtime settings.' },
  { name: 'configuration', description: 'The whole configuration of a service as one document.' },
  { name: 'storages', description: 'Places for the bytes of buckets.' },
  { name: 'encryption', description: 'Keys of key services that can encrypt objects.' },
  { name: 'scans', description: 'What an attached bucket shows, compared with what is there.' },
  { name: 'webhooks', description: 'Webhook endpoints and their deliveries.' },
  { name: 'audit', description: 'The audit log: who did what, and when.' },
  { name: 'attention', description: 'What somebody should look at.' },
  { name: 'system', description: 'Health and metrics.' },
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
/** Parts that operations share: defined once here and referenced. */
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
        'The control plane of object storage. Errors are RFC 9457 problems with a stable `code`. Object keys in paths are percent-encoded per segment; if a client would normalise `..` or `//`, use the same operation with `?key=`. Besides what is listed, any operation can answer 408, 417, 500, 503 and 507.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative, so that it works under any host name of the service.
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
          description:
            'An access token from `POST /auth/token`, a personal access token (`svc_pat_…`), or the token of an agent (`svc_agent_…`).',
        },
        login: {
          type: 'oauth2',
          description: 'Email and password.',
          flows: { password: { tokenUrl: `${base}/api/v1/auth/token`, scopes: {} } },
        },
      },
    },
  }
}

const inOrder = <T>(named: { [name: string]: T }): { [name: string]: T } =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))

/** A shape's plain JSON Schema, with references in place of the named shapes. */
function schemaOf(components: Components, shape: TSchema): unknown {
  const refer = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(refer)
    const name = 'type' in value || 'anyOf' in value ? schemaNames.get(JSON.stringify(value)) : undefined
    if (name === undefined) return members(value)
    components.schemas[name] ??= members(value)
    return { $ref: `#/components/schemas/${name}` }
  }
  // typebox's own annotations on schemas are not enumerable.
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

/** Moves parameters that several operations share into the components: `path.key`, and variants as `path.key.2`. */
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
    const content = contentOf(components, route, status)
    result[status] = { description: descriptions[status] ?? 'Success', ...(content ? { content } : {}) }
  }
  const codes = errorsOf(route)
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

/** The codes of the errors that a route's requests may be answered with, besides those that any may be. */
function errorsOf(route: RouteSpec): Set<ErrorCode> {
  // A query with an unknown parameter is refused wherever there is one.
  const codes = new Set<ErrorCode>([...(route.errors ?? []), 'malformed', 'invalid_request', 'headers_too_large'])
  // Invalid credentials are limited for each address.
  if (route.access !== 'public')
    codes.add('unauthenticated').add('second_factor_required').add('forbidden').add('rate_limited')
  if (rateOf(route) !== 'none') codes.add('rate_limited')
  if (route.body && route.consumes !== 'bytes') codes.add('too_large').add('unsupported_media_type')
  return codes
}

function contentOf(components: Components, { method, produces, media = ['*/*'], reply }: RouteSpec, status: number) {
  if (produces === 'bytes' && method !== 'HEAD' && status < 300)
    return Object.fromEntries(media.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]))
  if (!reply || status === 304) return undefined
  return { [MEDIA.json]: { schema: schemaOf(components, reply) } }
}

const descriptions: { [status: number]: string } = {
  200: 'Success',
  201: 'Created',
  204: 'No content',
  206: 'The requested ranges',
  304: 'Not modified',
  503: 'Not ready',
}
