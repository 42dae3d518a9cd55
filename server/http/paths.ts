import type { FastifyReply, FastifyRequest } from 'fastify'
import { api } from '../../contract/index.ts'
import type { RouteSpec } from '../../contract/route.ts'
import { sendProblem } from './problem.ts'

const routes: readonly RouteSpec[] = Object.values(api)

/** HEAD is GET without the body (RFC 9110 section 9.3.2), also where the contract does not list it. */
export const answersHead = (route: RouteSpec): boolean =>
  route.method === 'GET' && !routes.some((one) => one.method === 'HEAD' && one.url === route.url)

const templates = [
  ...routes.map((route) => ({
    methods: answersHead(route) ? [route.method, 'HEAD'] : [route.method],
    pattern: new RegExp(
      `^${(route.root ? '' : '/api/v1') + route.url.replace('{+key}', '.*').replaceAll(/\{(\w+)\}/g, '[^/]+')}$`,
    ),
  })),
  { methods: ['GET'], pattern: /^\/(docs|redoc|openapi\.json)$/ },
]

/** 405 with Allow where the path is known for other methods, else 404. */
export function notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? ''
  const allowed = templates.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
  if (allowed.length === 0) return sendProblem(request, reply, 'not_found', 'There is nothing at this path.')
  return sendProblem(request, reply, 'method_not_allowed', `This path takes ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  })
}
