import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import { pathOf } from '../../../contract/paths.ts'
import { actionsOn, isAdmin } from '../../../contract/permissions.ts'
import { pathTemplate, type RouteSpec } from '../../../contract/route.ts'
import { Exactly } from '../../../contract/shapes.ts'
import { auditDenied } from '../../access/auth/audit-denied.ts'
import { type Actor, createContext, type System } from '../../context.ts'
import { expectBody, expectPace, hasBody } from '../../http/body.ts'
import { mayBeLarge, takeTurn } from '../../http/large-documents.ts'
import { momentHeader } from '../../http/moment.ts'
import { source } from '../../http/source.ts'
import { validatorCompiler } from '../../http/validation.ts'
import { isNamedIn } from '../../iam/decide.ts'
import { measured } from '../../observe/meter.ts'
import { countRequest } from '../../storage/usage/traffic.ts'
import { authenticate, RouteRefused } from './authenticate.ts'
import type { Exchange, Handler } from './handle.ts'
import { mostValues } from './json.ts'
import { answersHead } from './paths.ts'
import type { createRateLimit } from './rates.ts'

/** Default size limit of a JSON body, in bytes. */
export const JSON_LIMIT = 65_536
/** For operations without a query: unknown parameters are rejected, never ignored. */
const NO_QUERY = Exactly({})

/**
 * Registers the operations with this kind of body: authentication, authorisation and rate limit come before the body.
 */
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
    /** By the time the whole body has arrived, the caller's session or permissions may have been revoked. */
    const lookAgain = async (request: FastifyRequest): Promise<void> => {
      if (request.waited) await measured(request.meter, () => identify(system, route, request))
    }
    if ((route.consumes ?? 'json') !== consumes) continue
    const streams = consumes === 'bytes' || consumes === 'multipart'
    app.route({
      // Not with exposeHeadRoute, as pages do: it sends `Content-Length: 0` when the handler sends no body.
      exposeHeadRoute: false,
      method: answersHead(route) ? [route.method, 'HEAD'] : route.method,
      url: pathOf(route)
        .replace('{+key}', '*')
        .replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { template: pathTemplate(route), ...(route.body ? { mostValues: mostOf(route, route.body) } : {}) },
      bodyLimit: streams ? Number.MAX_SAFE_INTEGER : (route.bodyLimit ?? JSON_LIMIT),
      schema: {
        ...(route.params && !route.url.includes('{+key}') ? { params: route.params } : {}),
        querystring: route.query ?? NO_QUERY,
        ...(route.body && !streams && !route.validatedBy ? { body: route.body } : {}),
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
        if ((route.bodyLimit ?? 0) > JSON_LIMIT && mayBeLarge(request.raw)) {
          await measured(request.meter, () => admit(system, request))
          const { user_id, origin } = request.actor as Actor
          request.endTurn = await takeTurn(system.config, user_id ?? source(origin.ip), reply.raw)
        }
        const exchange = { request: request.raw, response: reply.raw }
        if (hasBody(request.raw)) expectPace(app.server, exchange, streams, system.config.requestTimeoutMs)
        if (streams) return
        request.waited = hasBody(request.raw) && !request.raw.complete
        expectBody(request.raw, reply.raw)
        if (route.body && request.meter) request.meter.receivingFrom = performance.now()
      },
      // Validating a large body had a turn of the event loop to itself.
      ...((route.bodyLimit ?? 0) > JSON_LIMIT ? { preHandler: () => nextTurn() } : {}),
      onResponse: requestCounter(system, route),
      // Set here and not once for all hooks, because a body arrives in its connection's context.
      handler: (request, reply) => measured(request.meter, () => serve(system, handler, request, reply)),
    })
  }
}

/** Bytes that a value of a large body takes at least, on average. */
const VALUE_BYTES = 40

/** How many values a body may have: those that its shape allows, and no more than a large one would have. */
const mostOf = ({ bodyLimit = JSON_LIMIT }: RouteSpec, body: object): number =>
  Math.min(mostValues(body), bodyLimit > JSON_LIMIT ? bodyLimit / VALUE_BYTES : Number.POSITIVE_INFINITY)

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

/** Large bodies are only read for callers who have some permission on the bucket, by a grant or by a policy. */
async function admit(system: System, request: FastifyRequest): Promise<void> {
  const actor = request.actor as Actor
  const { bucket } = request.params as { bucket?: string }
  if (mayActIn(actor, bucket)) return
  const where = bucket === undefined ? 'a bucket' : `bucket "${bucket}"`
  const refusal = new ServiceError('forbidden', `You need a right on ${where}.`)
  await auditDenied(createContext(system, actor), refusal)
  throw refusal
}

/** Whether somebody may do something in a bucket; without one, whether they may anywhere. */
const mayActIn = (actor: Actor, bucket: string | undefined): boolean =>
  isAdmin(actor.groups) ||
  (bucket === undefined
    ? actor.policies !== undefined || actor.groups.some(({ grants }) => grants.length > 0)
    : actionsOn(actor.groups, bucket).length > 0 || isNamedIn(actor, bucket))

async function serve(system: System, { route, run }: Handler, request: FastifyRequest, reply: FastifyReply) {
  const { meter, params, query, headers, body } = request
  if (meter?.receivingFrom) meter.clientMs += performance.now() - meter.receivingFrom
  reply.code(route.status)
  const ctx = createContext(system, request.actor as Actor, momentHeader(reply.raw))
  try {
    const answer = await run(ctx, { params, query, headers, body, request, reply } as Exchange<RouteSpec>)
    return route.produces === 'bytes' || reply.sent ? reply : reply.send(answer)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') await auditDenied(ctx, error)
    throw error
  } finally {
    request.endTurn?.()
  }
}

const emptyBody = async (request: FastifyRequest): Promise<void> => {
  request.body ??= {}
}

/** Takes the key from the raw path: the router's own decoding does not suit keys. */
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

/** Counts a route's requests as they end; not health checks, which say nothing about usage. */
function requestCounter(system: System, { tag }: RouteSpec): (request: FastifyRequest) => Promise<void> {
  if (tag === 'system') return async () => undefined
  return async ({ actor, params }) => countRequest(system, actor?.origin, (params as { bucket?: string }).bucket)
}
