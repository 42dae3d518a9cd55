import type http from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { type Meter, newMeter } from './meter.ts'
import { telemetryOf } from './telemetry.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const methodOf = (method = ''): string => (METHODS.has(method) ? method : 'other')
const classOf = (status: number): string => `${Math.floor(status / 100)}xx`

/** A connection's bytes that were counted with its earlier requests. */
const counted = new WeakMap<object, { read: number; written: number }>()

/** A request that was answered, or can no longer be. */
export interface Finished {
  request: http.IncomingMessage
  response: http.ServerResponse
  meter: Meter
  id: string
  ip: string
  /** Its route's template or operation, never its path, which contains keys and tokens. */
  route: string
  userId: string | null | undefined
  /** Logged at debug level only, unless it was slow. */
  quiet?: boolean
  /** Further fields of its log line. */
  more?: Readonly<Record<string, string>>
}

/** Called when a request's headers were read. */
export function beginRequest(config: Config, id: string, { method, headers }: http.IncomingMessage): Meter {
  const { metrics, traces } = telemetryOf(config)
  metrics.strongroom_http_requests_in_flight.inc()
  return newMeter(id, traces?.begin(methodOf(method), 'request', headers))
}

/** Counts a finished request and writes its log line. */
export function endRequest(config: Config, log: Logger, finished: Finished): void {
  const { request, response, meter, route, userId } = finished
  const { metrics } = telemetryOf(config)
  const method = methodOf(request.method)
  const status = response.statusCode
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
      'strongroom.request_id': finished.id,
      ...(userId ? { 'user.id': userId } : {}),
    },
  })

  const ours = (meter.answered || now) - meter.began - meter.clientMs
  const slow = config.slowRequestMs > 0 && ours >= config.slowRequestMs
  if (slow) metrics.strongroom_http_slow_requests_total.inc({ method, route })
  const level = slow ? 'warn' : finished.quiet ? 'debug' : 'info'
  if (!log.isLevelEnabled(level)) return
  log[level](
    {
      method,
      route,
      status,
      ms: round(ms),
      bytes_in: read,
      bytes_out: written,
      ip: finished.ip,
      ...(userId ? { user_id: userId } : {}),
      ...finished.more,
      ...(response.writableFinished ? {} : { aborted: true }),
      database_ms: round(meter.databaseMs),
      statements: meter.statements,
      storage_ms: round(meter.storageMs),
      client_ms: round(meter.clientMs),
      ...(meter.span ? { trace_id: meter.span.traceId } : {}),
    },
    slow ? 'slow request' : 'request',
  )
}

/** Counts requests that never reach a route. */
export function countUnreadable(config: Config, status: number): void {
  telemetryOf(config).metrics.strongroom_http_requests_total.inc({
    method: 'other',
    route: 'unreadable',
    status: classOf(status),
  })
}

const round = (ms: number): number => Math.round(ms * 10) / 10

/** Bytes transferred over the connection since its previous request. */
function bytesOf({ socket }: http.IncomingMessage): { read: number; written: number } {
  const { bytesRead, bytesWritten } = socket
  const before = counted.get(socket)
  counted.set(socket, { read: bytesRead, written: bytesWritten })
  return { read: bytesRead - (before?.read ?? 0), written: bytesWritten - (before?.written ?? 0) }
}
