import { randomUUID } from 'node:crypto'
import type http from 'node:http'
import type { Socket } from 'node:net'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { errors, ServiceError } from '../../contract/errors.ts'
import type { RouteSpec } from '../../contract/route.ts'
import { Exactly } from '../../contract/shapes.ts'
import { auditRoutes } from '../audit/routes.ts'
import { auditDenied } from '../auth/denied.ts'
import { authRoutes } from '../auth/routes.ts'
import { bucketRoutes } from '../buckets/routes.ts'
import { type Actor, createContext, type System } from '../context.ts'
import { groupRoutes } from '../groups/routes.ts'
import { imageRoutes } from '../images/routes.ts'
import { jobRoutes } from '../jobs/routes.ts'
import { objectRoutes } from '../objects/routes.ts'
import { policyRoutes } from '../policies/routes.ts'
import { settingsRoutes } from '../settings/routes.ts'
import { shareRoutes } from '../shares/routes.ts'
import { systemRoutes } from '../system/routes.ts'
import { tokenRoutes } from '../tokens/routes.ts'
import { noteUse } from '../tokens/service.ts'
import { trashRoutes } from '../trash/routes.ts'
import { uploadRoutes } from '../uploads/routes.ts'
import { userRoutes } from '../users/routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { authenticate, RouteRefused } from './authenticate.ts'
import { expectBody } from './body.ts'
import { trackConnections } from './connections.ts'
import { consolePages } from './console.ts'
import { docsPages } from './docs.ts'
import type { Exchange, Handler } from './handle.ts'
import { openapi } from './openapi.ts'
import { answersHead, notFound } from './paths.ts'
import { handleError } from './problem.ts'
import { securityHeaders } from './security.ts'
import { ownFormats, validatorCompiler } from './validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it; set before any body is read, and missing where the credential was refused. */
    actor?: Actor
  }
}

/** Every feature of the service. */
export const handlers: readonly Handler[] = [
  ...systemRoutes,
  ...authRoutes,
  ...tokenRoutes,
  ...bucketRoutes,
  ...objectRoutes,
  ...imageRoutes,
  ...shareRoutes,
  ...uploadRoutes,
  ...jobRoutes,
  ...policyRoutes,
  ...trashRoutes,
  ...userRoutes,
  ...groupRoutes,
  ...settingsRoutes,
  ...webhookRoutes,
  ...auditRoutes,
]

const JSON_LIMIT = 65_536
/** Of one parameter; the longest is the token of a presigned URL. */
const PATH_LIMIT = 14_000
/** For operations that take no query: an unknown parameter is never ignored. */
const NO_QUERY = Exactly({})

/** The HTTP server of one process, not yet listening. */
export async function createApp(system: System): Promise<FastifyInstance> {
  const security = securityHeaders(system.config)
  const app = Fastify({
    loggerInstance: system.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: system.config.trustedProxies.length > 0 ? [...system.config.trustedProxies] : false,
    routerOptions: { maxParamLength: PATH_LIMIT },
    exposeHeadRoutes: false,
    bodyLimit: JSON_LIMIT,
    forceCloseConnections: 'idle',
    // A body may take as long as it keeps arriving; a connection on which nothing moves is given up. This is well below a
    // third of the shortest grace period of blobs, within which an upload in progress renews its claim.
    requestTimeout: 0,
    connectionTimeout: 120_000,
    http: { headersTimeout: 30_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 },
    // These never reach the hooks.
    frameworkErrors: (error, request, reply) =>
      handleError(error, request, reply.headers(security).header('x-request-id', request.id)),
    clientErrorHandler: clientErrorHandler(security),
    serializerOpts: { ajv: { formats: Object.fromEntries(ownFormats.map((name) => [name, true])) } },
  })
  const endConnections = trackConnections(app.server)
  app.addHook('preClose', (done) => {
    endConnections()
    done()
  })
  app.server.on('checkContinue', (request: http.IncomingMessage, response: http.ServerResponse) => {
    app.server.emit('request', request, response)
  })
  app.server.on('checkExpectation', (request: http.IncomingMessage, response: http.ServerResponse) => {
    request.headers.expect = 'unknown'
    app.server.emit('request', request, response)
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setErrorHandler(handleError)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(security).header('x-request-id', request.id)
    done(unreadable(request))
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.complete && hasBody(request)) leaveUnread(request, reply)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.actor) noteUse(system, request.actor)
    request.log.debug(
      { method: request.method, route: request.routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime },
      'request',
    )
    done()
  })
  app.setNotFoundHandler(notFound)

  await app.register(async (json) => {
    json.removeContentTypeParser('text/plain')
    addRoutes(json, system, 'json')
  })
  await app.register(async (form) => {
    form.removeAllContentTypeParsers()
    await form.register(formbody)
    addRoutes(form, system, 'form')
  })
  await app.register(async (parts) => {
    parts.removeAllContentTypeParsers()
    await parts.register(multipart, {
      preservePath: true,
      limits: { fileSize: Number.POSITIVE_INFINITY, files: 1000, fields: 100, parts: 1100, fieldSize: 1024 },
      throwFileSizeLimit: false,
    })
    addRoutes(parts, system, 'multipart')
  })
  await app.register(async (bytes) => {
    bytes.removeAllContentTypeParsers()
    bytes.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    addRoutes(bytes, system, 'bytes')
  })
  await app.register(consolePages, system)
  await app.register(docsPages, { document: openapi(system.config.publicBaseUrl) })
  return app
}

function addRoutes(app: FastifyInstance, system: System, consumes: NonNullable<RouteSpec['consumes']>): void {
  for (const handler of handlers) {
    const { route } = handler
    if ((route.consumes ?? 'json') !== consumes) continue
    const streams = consumes === 'bytes' || consumes === 'multipart'
    app.route({
      // Not by exposeHeadRoute, which sends `Content-Length: 0` where the handler answers without a body.
      method: answersHead(route) ? [route.method, 'HEAD'] : route.method,
      url: (route.root ? '' : '/api/v1') + route.url.replace('{+key}', '*').replaceAll(/\{(\w+)\}/g, ':$1'),
      bodyLimit: streams ? Number.MAX_SAFE_INTEGER : (route.bodyLimit ?? JSON_LIMIT),
      schema: {
        ...(route.params && !route.url.includes('{+key}') ? { params: route.params } : {}),
        querystring: route.query ?? NO_QUERY,
        ...(route.body && !streams ? { body: route.body } : {}),
        ...(route.reply ? { response: { '2xx': route.reply } } : {}),
      },
      preValidation: [
        ...(route.url.includes('{+key}') && route.params
          ? [pathKey(validatorCompiler({ schema: route.params, httpPart: 'params' } as never))]
          : []),
        ...(route.bodyOptional ? [emptyBody] : []),
      ],
      onRequest: async (request, reply) => {
        try {
          request.actor = await authenticate(system, route, request)
        } catch (error) {
          if (error instanceof RouteRefused) {
            request.actor = error.actor
            await auditDenied(createContext(system, error.actor), error)
          }
          throw error
        }
        if (!streams) expectBody(request, reply)
      },
      handler: async (request, reply) => {
        reply.code(route.status)
        const ctx = createContext(system, request.actor as Actor)
        try {
          const { params, query, headers, body } = request
          const answer = await handler.run(ctx, { params, query, headers, body, request, reply } as Exchange<RouteSpec>)
          return route.produces === 'bytes' || reply.sent ? reply : reply.send(answer)
        } catch (error) {
          if (error instanceof ServiceError && error.code === 'forbidden') await auditDenied(ctx, error)
          throw error
        }
      },
    })
  }
}

const emptyBody = async (request: FastifyRequest): Promise<void> => {
  request.body ??= {}
}

/** Takes the key from the path as it was sent: the router's own decoding is not made for keys. */
function pathKey(validate: ReturnType<typeof validatorCompiler>) {
  return async (request: FastifyRequest): Promise<void> => {
    const params = request.params as Record<string, string>
    const path = request.raw.url?.split('?', 1)[0] ?? ''
    const fixed = request.routeOptions.url?.slice(0, -1).split('/').length ?? 0
    const rest = path
      .split('/')
      .slice(fixed - 1)
      .join('/')
    try {
      params.key = decodeURIComponent(rest)
    } catch {
      throw new ServiceError('malformed', 'The key in the path is not valid percent-encoded UTF-8.')
    }
    delete params['*']
    if (validate(params)) return
    const { errors: validation } = validate as { errors?: unknown[] }
    throw Object.assign(new Error('params'), { validation, validationContext: 'params' })
  }
}

/** Why a request cannot be taken whatever it asks for. */
function unreadable({ headers, raw }: FastifyRequest): ServiceError | undefined {
  if (headers.expect === 'unknown')
    return new ServiceError('expectation_failed', 'Only "Expect: 100-continue" is understood.')
  const query = raw.url?.split('?').slice(1).join('?') ?? ''
  if (!query.includes('%')) return undefined
  try {
    decodeURIComponent(query)
  } catch {
    return new ServiceError('malformed', 'The query has a faulty percent-encoding.')
  }
  return undefined
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const DRAIN_BYTES = 64 * 1024 * 1024
const DRAIN_MS = 5000

/**
 * A body that is refused unread is read away for a while, so that a client that is still sending gets to see the
 * answer (a reset would discard it); then the connection is given up. One that waits for `100 Continue` sends nothing.
 */
function leaveUnread({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers.expect !== undefined) return void reply.header('connection', 'close')
  let drained = 0
  const timer = setTimeout(() => raw.socket.destroy(), DRAIN_MS)
  raw.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > DRAIN_BYTES) raw.socket.destroy()
  })
  raw.on('close', () => clearTimeout(timer))
}

/** Requests that are no HTTP, or too large in their head, never reach a route. */
const clientErrorHandler = (security: Record<string, string>) => (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'malformed'
  const { status, title } = errors[code]
  const request_id = randomUUID()
  const body = JSON.stringify({ status, code, title, detail: title, request_id })
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${request_id}`,
      ...Object.entries(security).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
