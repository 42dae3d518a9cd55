import type { TSchema } from 'typebox'
import { errors } from '../../../contract/errors.ts'
import { api } from '../../../contract/index.ts'
import { pathTemplate, type RouteSpec, rateOf } from '../../../contract/route.ts'
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

/** The OpenAPI 3.1 document of the contract. */
export function openapi(baseUrl: string) {
  const base = new URL(baseUrl).pathname.replace(/\/$/, '')
  const paths: { [path: string]: { [method: string]: object } } = {}
  for (const [name, route] of Object.entries<RouteSpec>(api)) {
    const path = pathTemplate(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) }
  }
  return {
    openapi: '3.1.1' as const,
    info: {
      title: 'Stowage',
      version: '1',
      description:
        'The control plane of object storage. Errors are RFC 9457 problems with a stable `code`. Object keys in paths are percent-encoded per segment; where a client would normalise `..` or `//`, use the twin with `?key=`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative: it is right under whichever of its names the service was reached.
    servers: [{ url: base || '/' }],
    tags,
    paths,
    components: {
      schemas: { Problem: plain(Problem) },
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

/** typebox keeps its own marks on schemas out of JSON; a copy through JSON is the bare JSON Schema. */
const plain = (schema: TSchema): object => JSON.parse(JSON.stringify(schema))

function operation(name: string, route: RouteSpec): object {
  const body = route.body && {
    required: !route.bodyOptional,
    content: { [MEDIA[route.consumes ?? 'json']]: { schema: plain(route.body) } },
  }
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.access === 'public' ? {} : { security: [{ login: [] }, { bearer: [] }] }),
    parameters: [
      ...parameters('path', route.params),
      ...parameters('query', route.query),
      ...parameters('header', route.headers),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: responses(route),
  }
}

function parameters(place: 'path' | 'query' | 'header', schema: RouteSpec['params']): object[] {
  if (!schema) return []
  const required: readonly string[] = schema.required ?? []
  return Object.entries(schema.properties as { [name: string]: TSchema & { description?: string } }).map(
    ([name, one]) => ({
      name,
      in: place,
      required: required.includes(name),
      ...(one.description ? { description: one.description } : {}),
      schema: plain(one),
    }),
  )
}

function responses(route: RouteSpec): object {
  const result: { [status: string]: object } = {}
  for (const status of [route.status, ...(route.otherStatus ?? [])]) {
    const content =
      route.produces === 'bytes' && route.method === 'GET' && status < 300
        ? { 'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } }
        : route.reply && status !== 304
          ? { 'application/json': { schema: plain(route.reply) } }
          : undefined
    result[status] = { description: descriptions[status] ?? 'Success', ...(content ? { content } : {}) }
  }
  const codes = new Set(route.errors)
  if (route.access !== 'public') codes.add('unauthenticated').add('forbidden')
  if (route.params || route.query || route.body) codes.add('invalid_request')
  if (rateOf(route) !== 'none') codes.add('rate_limited')
  for (const code of codes) {
    const { status } = errors[code]
    const others = [...codes].filter((one) => errors[one].status === status)
    result[status] ??= {
      description: others.map((one) => `\`${one}\``).join(', '),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    }
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
