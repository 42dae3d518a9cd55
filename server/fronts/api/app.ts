import { randomUUID } from 'node:crypto'
import type http from 'node:http'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import { noteUse } from '../../access/credentials/use.ts'
import type { Role } from '../../config/role.ts'
import type { Actor, System } from '../../context.ts'
import { hasBody, leaveUnread } from '../../http/body.ts'
import { limitConnections, trackConnections } from '../../http/connections.ts'
import { refuseConnect } from '../../http/refuse-connection.ts'
import { judgeRequests } from '../../http/request-framing.ts'
import { siteOf } from '../../http/site.ts'
import { headerOfStandby } from '../../http/standby.ts'
import { serializerCompiler, validatorCompiler } from '../../http/validation.ts'
import { markOfRequest } from '../../observe/log.ts'
import { countUnreadable } from '../../observe/requests.ts'
import { clientErrorHandler, unreadableAnswer } from './client-error.ts'
import { consolePages } from './console.ts'
import { createCors } from './cors.ts'
import { docsPages } from './docs.ts'
import type { Handler } from './handle.ts'
import { helpPages } from './help.ts'
import { readJson } from './json.ts'
import { linkPages } from './link-pages.ts'
import { addRoutes, JSON_LIMIT } from './mount.ts'
import { beginRequest, endRequest } from './observe.ts'
import { openapi } from './openapi.ts'
import { answerNotFound, isOfOthers, notFound, originForm } from './paths.ts'
import { handleError } from './problem.ts'
import { createRateLimit } from './rates.ts'
import { accessKeyRoutes } from './routes/access-keys.ts'
import { accessPolicyRoutes } from './routes/access-policies.ts'
import { agentRoutes } from './routes/agents.ts'
import { applyRoutes } from './routes/apply.ts'
import { attentionRoutes } from './routes/attention.ts'
import { auditRoutes } from './routes/audit.ts'
import { authRoutes } from './routes/auth.ts'
import { bucketRoutes } from './routes/buckets.ts'
import { encryptionRoutes } from './routes/encryption.ts'
import { groupRoutes } from './routes/groups.ts'
import { identityPolicyRoutes } from './routes/identity-policies.ts'
import { imageRoutes } from './routes/images.ts'
import { inventoryRoutes } from './routes/inventories.ts'
import { jobRoutes } from './routes/jobs.ts'
import { machineSessionRoutes } from './routes/machine-sessions.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { oauthRoutes } from './routes/oauth.ts'
import { objectRoutes } from './routes/objects.ts'
import { policyRoutes } from './routes/policies.ts'
import { roleRoutes } from './routes/roles.ts'
import { scanRoutes } from './routes/scans.ts'
import { secondFactorRoutes } from './routes/second-factor.ts'
import { settingsRoutes } from './routes/settings.ts'
import { shareRoutes } from './routes/shares.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { snapshotRoutes } from './routes/snapshots.ts'
import { storageRoutes } from './routes/storages.ts'
import { systemRoutes } from './routes/system.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { trashRoutes } from './routes/trash.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { usageRoutes } from './routes/usage.ts'
import { userRoutes } from './routes/users.ts'
import { versionRoutes } from './routes/versions.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { securityHeaders } from './security.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set before any body is read, missing if the credential was rejected. */
    actor?: Actor
    /** Whether a buffered body was still arriving when `actor` was set. */
    waited?: boolean
    /** Ends the caller's turn to send a large body. */
    endTurn?: () => void
  }
}

const atWebsite = () =>
  new ServiceError('not_found', 'This host shows the website of a bucket, which the S3 endpoint answers.')

/** The handlers of every feature. */
export const handlers: readonly Handler[] = [
  ...systemRoutes,
  ...authRoutes,
  ...signInRoutes,
  ...secondFactorRoutes,
  ...tokenRoutes,
  ...accessKeyRoutes,
  ...machineSessionRoutes,
  ...accessPolicyRoutes,
  ...roleRoutes,
  ...identityPolicyRoutes,
  ...agentRoutes,
  ...mcpRoutes,
  ...oauthRoutes,
  ...bucketRoutes,
  ...objectRoutes,
  ...imageRoutes,
  ...shareRoutes,
  ...uploadRoutes,
  ...jobRoutes,
  ...policyRoutes,
  ...inventoryRoutes,
  ...versionRoutes,
  ...snapshotRoutes,
  ...trashRoutes,
  ...userRoutes,
  ...groupRoutes,
  ...settingsRoutes,
  ...applyRoutes,
  ...storageRoutes,
  ...encryptionRoutes,
  ...scanRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  ...attentionRoutes,
  ...usageRoutes,
]

/** The methods that an operation or a page can have; the others that Node reads are refused like an unknown path. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Maximum length of a path parameter; the longest is a presigned URL's token. */
const PATH_LIMIT = 14_000

/** Paths that say how a service is, or are the same for all; a standby that is far behind answers these. */
const OF_NO_DATA = /^\/(healthz|readyz|metrics|api\/v1\/system\/backup|console)(?=[/?]|$)/
const isOfNoData = (url: string): boolean => OF_NO_DATA.test(url)

/** The HTTP server of one process, not yet listening; a background process only serves its health. */
export async function createApp(system: System, role: Role = 'all'): Promise<FastifyInstance> {
  const { requestTimeoutMs } = system.config
  const security = securityHeaders(system.config)
  const cors = createCors(system.config)
  const limitRate = createRateLimit(system.config)
  const { judge, endingOf } = judgeRequests()
  const app = Fastify({
    loggerInstance: system.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    childLoggerFactory: (log, bindings, options) => markOfRequest(log.child(bindings, options)),
    trustProxy: system.config.trustedProxies.length > 0 ? [...system.config.trustedProxies] : false,
    routerOptions: { maxParamLength: PATH_LIMIT },
    bodyLimit: JSON_LIMIT,
    rewriteUrl: ({ url = '/' }) => originForm(url),
    forceCloseConnections: 'idle',
    // Requests sent before the client saw the shutdown are still answered.
    return503OnClosing: false,
    // A body may take as long as it keeps arriving; an idle connection is closed. This is well below a
    // third of the shortest grace period of blobs, within which an upload in progress renews its claim.
    requestTimeout: 0,
    connectionTimeout: 120_000,
    http: {
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, 10_000),
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      // We refuse it ourselves, as a problem.
      requireHostHeader: false,
    },
    // These errors never reach the hooks.
    frameworkErrors: (error, request, reply) => {
      handleError(error, request, reply.headers(security).header('x-request-id', request.id))
      countUnreadable(system.config, reply.statusCode)
    },
    clientErrorHandler: clientErrorHandler(system, security, endingOf),
  })
  // Node would drop further headers without a word; their bytes are limited.
  app.server.maxHeadersCount = 0
  limitConnections(app.server, system.config)
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
  refuseConnect(app.server, () => unreadableAnswer(system, security, 'method_not_allowed'))
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    isOfOthers(error, request) ? notFound(request, reply) : handleError(error, request, reply),
  )
  const unknownPath = role === 'background' ? answerNotFound : notFound
  app.addHook('onRequest', (request, reply, done) => {
    const misread = judge({ request: request.raw, response: reply.raw }, request.originalUrl)
    // Its connection ends with the answer to an earlier request.
    if (misread === 'ignored') return void reply.hijack()
    beginRequest(system, request)
    reply.headers(security).header('x-request-id', request.id)
    try {
      headerOfStandby(system.config, (name, value) => reply.header(name, value), isOfNoData(request.url))
    } catch (error) {
      return done(error as Error)
    }
    if (misread) return done(new ServiceError(misread.code, misread.detail, { headers: { connection: 'close' } }))
    // Pages of owners of buckets have that origin: nothing of ours may have it too, however requests are led here.
    if (siteOf(request.headers.host, system.config.s3.websiteDomains)) return done(atWebsite())
    // Fastify treats some methods that no route has, QUERY among them, in ways of its own.
    if (!METHODS.has(request.method)) unknownPath(request, reply)
    else if (!cors(request, reply)) done(unreadable(request))
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const answer = () => {
      if (request.meter) request.meter.answered ||= performance.now()
      const { raw } = request
      if (!raw.complete && hasBody(raw)) return leaveUnread(raw, reply.raw, () => done(null, payload))
      // Lets the client's next request open a connection to another process before this one is closed under it.
      if (system.stopping.aborted) reply.header('connection', 'close')
      done(null, payload)
    }
    // No response may reveal state that a power failure could still undo. Our own failures reveal none.
    const hasRead = (request.meter?.statements ?? 0) > 0 && reply.statusCode < 500
    const pending = hasRead ? system.database.settled() : undefined
    if (pending) pending.then(answer, done)
    else answer()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.actor) noteUse(system, 'tokens', request.actor)
    endRequest(system, request, reply)
    done()
  })
  app.setNotFoundHandler(unknownPath)
  if (role === 'background') {
    addRoutes(app, system, systemRoutes, { consumes: 'json', limitRate })
    return app
  }

  await app.register(async (json) => {
    json.removeContentTypeParser('text/plain')
    readJson(json)
    addRoutes(json, system, handlers, { consumes: 'json', limitRate })
  })
  await app.register(async (form) => {
    form.removeAllContentTypeParsers()
    await form.register(formbody)
    addRoutes(form, system, handlers, { consumes: 'form', limitRate })
  })
  await app.register(async (parts) => {
    parts.removeAllContentTypeParsers()
    await parts.register(multipart, {
      preservePath: true,
      limits: { fileSize: Number.POSITIVE_INFINITY, files: 1000, fields: 100, parts: 1100, fieldSize: 1024 },
      throwFileSizeLimit: false,
    })
    addRoutes(parts, system, handlers, { consumes: 'multipart', limitRate })
  })
  await app.register(async (bytes) => {
    bytes.removeAllContentTypeParsers()
    bytes.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    addRoutes(bytes, system, handlers, { consumes: 'bytes', limitRate })
  })
  await app.register(consolePages, system)
  await app.register(linkPages, system)
  await app.register(helpPages)
  await app.register(docsPages, { makeDocument: () => openapi(system.config.publicBaseUrl) })
  return app
}

/** Why a request is invalid, whatever it asks for. */
function unreadable({ headers, raw }: FastifyRequest): ServiceError | undefined {
  if (headers.expect === 'unknown')
    return new ServiceError('expectation_failed', 'Only "Expect: 100-continue" is supported.')
  const query = raw.url?.split('?').slice(1).join('?') ?? ''
  if (!query.includes('%')) return undefined
  try {
    decodeURIComponent(query)
  } catch {
    return new ServiceError('malformed', 'The query has an invalid percent-encoding.')
  }
  return undefined
}
