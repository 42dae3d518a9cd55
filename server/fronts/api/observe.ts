import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { System } from '../../context.ts'
import type { Meter } from '../../observe/meter.ts'
import * as requests from '../../observe/requests.ts'

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

/** Health checks arrive every few seconds. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics'])

/** Called when a request's headers were read. */
export function beginRequest({ config }: System, request: FastifyRequest): void {
  request.meter = requests.beginRequest(config, request.id, request.raw)
}

/** Called when the response was sent or can no longer be sent: counts the request and writes its log line. */
export function endRequest({ config }: System, request: FastifyRequest, reply: FastifyReply): void {
  const { meter, actor, id, ip, raw, routeOptions } = request
  if (!meter) return
  const route = routeOptions.config?.template ?? routeOptions.url ?? 'unmatched'
  requests.endRequest(config, request.log as Logger, {
    request: raw,
    response: reply.raw,
    meter,
    id,
    ip,
    route,
    userId: actor?.user_id,
    quiet: PROBES.has(route),
  })
}
