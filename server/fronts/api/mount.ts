import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import { pathOf } from '../../../contract/paths.ts'
import { matchesPattern } from '../../../contract/patterns.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { pathTemplate, type RouteSpec } from '../../../contract/route.ts'
import { Exactly } from '../../../contract/shapes.ts'
import { auditDenied } from '../../access/auth/denied.ts'
import { type Actor, createContext, type System } from '../../context.ts'
import { validatorCompiler } from '../../http/validation.ts'
import { measured } from '../../observe/meter.ts'
import { countRequest } from '../../storage/traffic/traffic.ts'
import { authenticate, RouteRefused } from './authenticate.ts'
import { expectBody, expectPace, hasBody } from './body.ts'
import type { Exchange, Handler } from './handle.ts'
import { mostValues } from './json.ts'
import { answersHead } from './paths.ts'
import type { createRateLimit } from './rates.ts'

/** Bytes of a JSON body, where its operation does not say. */
export const JSON_LIMIT = 65_536
/** For operations that take no query: an unknown parameter is never ignored. */
const NO_QUERY = Exactly({})

/** Adds the operations that take this kind of body: who asks, whether they may, how often, then what they ask for. */
export function addRoutes(
  app: FastifyInstance,
  system: System,
  handlers: readonly Handler[],
  {
    consumes,
    limitRate,
  }: { consumes: NonNullable<RouteSpec['consumes']>; limitRate: ReturnType<typeof createRateLimit> },
): void {
  for (const handler of handlers) {
    const { route } = handler
    /** Whoever sent the head may be somebody else, or nobody, when the last of the body has come. */
    const lookAgain = async (request: FastifyRequest): Promise<void> => {
      if (request.waited) await measured(request.meter, () => identify(system, route, request))
    }
    if ((route.consumes ?? 'json') !== consumes) continue
    const streams = consumes === 'bytes' || consumes === 'multipart'
    app.route({
      // Not by exposeHeadRoute, as pages do: it sends `Content-Length: 0` where the handler answers without a body.
      exposeHeadRoute: false,
      method: answersHead(route) ? [route.method, 'HEAD'] : route.method,
      url: pathOf(route)
        .replace('{+key}', '*')
        .replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { template: pathTemplate(route), ...(route.body ? { mostValues: mostValues(route.body) } : {}) },
      bodyLimit: streams ? Number.MAX_SAFE_INTEGER : (route.bodyLimit ?? JSON_LIMIT),
      schema: {
        ...(route.params && !route.url.includes('{+key}') ? { params: route.params } : {}),
        querystring: route.query ?? NO_QUERY,
        ...(route.body && !streams ? { body: route.body } : {}),
        ...(route.reply ? { response: { '2xx': route.reply } } : {}),
      },
      preValidation: [
        ...(streams ? [] : [lookAgain]),
        ...(route.url.includes('{+key}') && route.params
          ? [pathKey(validatorCompiler({ schema: route.params, httpPart: 'params' } as never))]
          : []),
        ...(route.bodyOptional ? [emptyBody] : []),
      ],
      onRequest: async (request, reply) => {
        await measured(request.meter, () => identify(system, route, request))
        limitRate(route, request.actor as Actor, system.now())
        if ((route.bodyLimit ?? 0) > JSON_LIMIT && mayBeLarge(request))
          await measured(request.meter, () => admit(system, request))
        if (hasBody(request)) expectPace(request, reply, streams, system.config.requestTimeoutMs)
        if (streams) return
        request.waited = hasBody(request) && !request.raw.complete
        expectBody(request, reply)
        if (route.body && request.meter) request.meter.receivingFrom = performance.now()
      },
      // What it took to check a large body was a turn of its own.
      ...((route.bodyLimit ?? 0) > JSON_LIMIT ? { preHandler: () => nextTurn() } : {}),
      onResponse: requestCounter(system, route),
      // Not once for all hooks: a body arrives in the context of its connection.
      handler: (request, reply) => measured(request.meter, () => serve(system, handler, request, reply)),
    })
  }
}

async function identify(system: System, route: RouteSpec, request: FastifyRequest): Promise<void> {
  try {
    request.actor = await authenticate(system, route, request)
  } catch (error) {
    if (error instanceof RouteRefused) {
      request.actor = error.actor
      await auditDenied(createContext(system, error.actor), error)
    }
    throw error
  }
}

/** Whether a body may turn out to be longer than most operations take. */
const mayBeLarge = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > JSON_LIMIT

/** A large body is read for those only who may do something where it is about. */
async function admit(system: System, { actor, params }: FastifyRequest): Promise<void> {
  const { groups } = actor as Actor
  const { bucket } = params as { bucket?: string }
  if (isAdmin(groups)) return
  const grants = groups.flatMap((group) => group.grants)
  if (grants.some(({ bucket_pattern }) => bucket === undefined || matchesPattern(bucket_pattern, bucket))) return
  const where = bucket === undefined ? 'a bucket' : `bucket "${bucket}"`
  const refusal = new ServiceError('forbidden', `You need a right on ${where}.`)
  await auditDenied(createContext(system, actor as Actor), refusal)
  throw refusal
}

async function serve(system: System, { route, run }: Handler, request: FastifyRequest, reply: FastifyReply) {
  const { meter, params, query, headers, body } = request
  if (meter?.receivingFrom) meter.clientMs += performance.now() - meter.receivingFrom
  reply.code(route.status)
  const ctx = createContext(system, request.actor as Actor)
  try {
    const answer = await run(ctx, { params, query, headers, body, request, reply } as Exchange<RouteSpec>)
    return route.produces === 'bytes' || reply.sent ? reply : reply.send(answer)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') await auditDenied(ctx, error)
    throw error
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

/** Counts the requests of a route, each when it is over; not those of probes, which say nothing of how much it is used. */
function requestCounter(system: System, { tag }: RouteSpec): (request: FastifyRequest) => Promise<void> {
  if (tag === 'system') return async () => undefined
  return async ({ actor, params }) => countRequest(system, actor?.origin, (params as { bucket?: string }).bucket)
}
