import type { FastifyReply, FastifyRequest } from 'fastify'
import { checksumAlgorithms } from '../../../contract/shapes.ts'
import type { Config } from '../../config/config.ts'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const EXPOSED = [
  'content-disposition',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
  'location',
  'retry-after',
  'x-encryption',
  'www-authenticate',
  'x-request-id',
  ...checksumAlgorithms.map((algorithm) => `x-checksum-${algorithm}`),
].join(', ')
const PREFLIGHT_SECONDS = '600'
const API = /^\/(api\/v1|public\/s|oauth|\.well-known)\/|^\/(openapi\.json|mcp)/

/**
 * Lets pages of other origins call the API: those that CORS_ORIGINS names, none by default. Never with cookies: a page
 * elsewhere uses a token that its user gave it. Returns true if the request was a preflight and has been answered.
 */
export function createCors({ corsOrigins }: Config): (request: FastifyRequest, reply: FastifyReply) => boolean {
  if (corsOrigins.length === 0) return () => false
  const any = corsOrigins.includes('*')
  return ({ headers, method, url }, reply) => {
    if (!API.test(url)) return false
    // A cache must not give one origin what was meant for another.
    if (!any) reply.header('vary', 'origin')
    const { origin } = headers
    if (origin === undefined || !(any || corsOrigins.includes(origin))) return false
    reply.headers({ 'access-control-allow-origin': any ? '*' : origin, 'access-control-expose-headers': EXPOSED })
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false
    const asked = headers['access-control-request-headers']
    reply.headers({
      'access-control-allow-methods': METHODS,
      'access-control-max-age': PREFLIGHT_SECONDS,
      ...(asked === undefined ? {} : { 'access-control-allow-headers': asked }),
    })
    reply.code(204).send()
    return true
  }
}
