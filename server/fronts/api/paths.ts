import type { FastifyReply, FastifyRequest } from 'fastify'
import { api } from '../../../contract/index.ts'
import { ID } from '../../../contract/names.ts'
import { pathOf } from '../../../contract/paths.ts'
import type { RouteSpec } from '../../../contract/route.ts'
import { sendProblem } from './problem.ts'

const routes: readonly RouteSpec[] = Object.values(api)

/** HEAD is GET without the body (RFC 9110 section 9.3.2), even if the contract does not list it. */
export const answersHead = (route: RouteSpec): boolean =>
  route.method === 'GET' && !routes.some((one) => one.method === 'HEAD' && one.url === route.url)

/** What a parameter of a path may be: `/webhooks/events` is no `/webhooks/{id}`, whose form is known. */
function formOf(route: RouteSpec, name: string): string {
  const shape = route.params?.properties[name] as { pattern?: string } | undefined
  return shape?.pattern === ID ? ID.slice(1, -1) : '[^/]+'
}

/** How many segments of a template are fixed. */
const fixedIn = (template: string): number => template.split('/').filter((one) => /^[\w.-]/.test(one)).length

const templates = [
  ...routes.map((route) => ({
    methods: answersHead(route) ? [route.method, 'HEAD'] : [route.method],
    fixed: fixedIn(pathOf(route)),
    pattern: new RegExp(
      `^${pathOf(route)
        .replace('{+key}', '.*')
        .replaceAll(/\{(\w+)\}/g, (_, name: string) => formOf(route, name))}$`,
    ),
  })),
  { methods: ['GET', 'HEAD'], fixed: 1, pattern: /^\/(docs|redoc|openapi\.json)$/ },
]

/** Responds with 404 to every path. */
export const answerNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendProblem({ request, reply }, 'not_found', 'No such path.')

/** The methods that a request's path exists for, each once; of templates with more fixed segments than given only. */
function methodsAt(request: FastifyRequest, above = 0): string[] {
  const path = request.url.split('?', 1)[0] ?? ''
  const here = templates.filter(({ pattern, fixed }) => fixed > above && pattern.test(path))
  return [...new Set(here.flatMap(({ methods }) => methods))]
}

/**
 * Whether a request is invalid only because its path is not its operation's: it is a fixed one beside it, which does not
 * have its method. The router reads `PATCH /auth/second-factors/setup` as if `setup` were an id.
 */
export function isOfOthers(error: { validationContext?: string }, request: FastifyRequest): boolean {
  if (error.validationContext !== 'params') return false
  const methods = methodsAt(request, fixedIn(request.routeOptions.url ?? ''))
  return methods.length > 0 && !methods.includes(request.method)
}

/** Responds with 405 and Allow if the path exists for other methods, else with 404. */
export function notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const allowed = methodsAt(request)
  if (allowed.length === 0) return answerNotFound(request, reply)
  return sendProblem({ request, reply }, 'method_not_allowed', `This path supports ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  })
}

/**
 * A request's target as path and query. Clients may include scheme and authority (RFC 9112 section 3.2.2); the router
 * ignores them, but code that reads a key from the path would not.
 */
export function originForm(target: string): string {
  const authority = /^https?:\/\/[^/?#]*/i.exec(target)?.[0]
  if (authority === undefined) return target
  const rest = target.slice(authority.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
