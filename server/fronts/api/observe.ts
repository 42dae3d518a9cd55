import type { FastifyReply, FastifyRequest } from 'fastify'
import type { System } from '../../context.ts'
import { type Meter, newMeter } from '../../observe/meter.ts'
import { telemetryOf } from '../../observe/telemetry.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request has cost; set when its headers were read. */
    meter?: Meter
  }
  interface FastifyContextConfig {
    /** Its path's template, as the audit log names it. */
    template?: string
    /** Maximum number of values in its JSON body. */
    mostValues?: number
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Health checks arrive every few seconds: logged at debug level only. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics'])

/** A connection's bytes that were counted with its earlier requests. */
const counted = new WeakMap<object, { read: number; written: number }>()

/** The template of a request's route, never its path, which contains keys and tokens. */
const routeOf = ({ routeOptions }: FastifyRequest): string =>
  routeOptions.config?.template ?? routeOptions.url ?? 'unmatched'
const methodOf = ({ method }: FastifyRequest): string => (METHODS.has(method) ? method : 'other')
const classOf = (status: number): string => `${Math.floor(status / 100)}xx`

/** Called when a request's headers were read. */
export function beginRequest({ config }: System, request: FastifyRequest): void {
  const { metrics, traces } = telemetryOf(config)
  metrics.strongroom_http_requests_in_flight.inc()
  request.meter = newMeter(request.id, traces?.begin(methodOf(request), 'request', request.headers))
}

/** Called when the response was sent or can no longer be sent: counts the request and writes its log line. */
export function endRequest({ config, log }: System, request: FastifyRequest, reply: FastifyReply): void {
  const { meter, actor } = request
  if (!meter) return
  const { metrics } = telemetryOf(config)
  const [method, route, status] = [methodOf(request), routeOf(request), reply.statusCode]
  const now = performance.now()
  const ms = now - meter.began
  const { read, written } = bytesOf(request)
  metrics.strongroom_http_requests_in_flight.dec()
  metrics.strongroom_http_requests_total.inc({ method, route, status: classOf(status) })
  metrics.strongroom_http_request_duration_seconds.observe({ method, route }, ms / 1000)
  metrics.strongroom_http_received_bytes_total.inc(read)
  metrics.strongroom_http_sent_bytes_total.inc(written)
  meter.span?.end({
    name: `${method} ${route}`,
    failed: status >= 500,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'strongroom.request_id': request.id,
      ...(actor?.user_id ? { 'user.id': actor.user_id } : {}),
    },
  })

  const ours = (meter.answered || now) - meter.began - meter.clientMs
  const slow = config.slowRequestMs > 0 && ours >= config.slowRequestMs
  if (slow) metrics.strongroom_http_slow_requests_total.inc({ method, route })
  const level = slow ? 'warn' : PROBES.has(route) ? 'debug' : 'info'
  if (!log.isLevelEnabled(level)) return
  request.log[level](
    {
      method,
      route,
      status,
      ms: round(ms),
      bytes_in: read,
      bytes_out: written,
      ip: request.ip,
      ...(actor?.user_id ? { user_id: actor.user_id } : {}),
      ...(reply.raw.writableFinished ? {} : { aborted: true }),
      database_ms: round(meter.databaseMs),
      statements: meter.statements,
      storage_ms: round(meter.storageMs),
      client_ms: round(meter.clientMs),
      ...(meter.span ? { trace_id: meter.span.traceId } : {}),
    },
    slow ? 'slow request' : 'request',
  )
}

/** Counts requests that the hooks never see. */
export function countUnreadable({ config }: System, status: number): void {
  telemetryOf(config).metrics.strongroom_http_requests_total.inc({
    method: 'other',
    route: 'unreadable',
    status: classOf(status),
  })
}

const round = (ms: number): number => Math.round(ms * 10) / 10

/** Bytes transferred over the connection since its previous request. */
function bytesOf({ raw: { socket } }: FastifyRequest): { read: number; written: number } {
  const { bytesRead, bytesWritten } = socket
  const before = counted.get(socket)
  counted.set(socket, { read: bytesRead, written: bytesWritten })
  return { read: bytesRead - (before?.read ?? 0), written: bytesWritten - (before?.written ?? 0) }
}
