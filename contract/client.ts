import { type Api, api, type OperationName } from './index.ts'
import type { Input, Reply, RouteSpec } from './route.ts'
import type { Problem } from './shapes.ts'

/** A refusal of the service; `problem.code` names its kind. */
export class ProblemError extends Error {
  readonly problem: Problem
  readonly response: Response
  constructor(problem: Problem, response: Response) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`)
    this.problem = problem
    this.response = response
  }
}

export interface ClientOptions {
  /** Where the service is, without `/api/v1`. */
  baseUrl: string
  /** The bearer credential, or a function that gives the current one. */
  token?: string | (() => string | undefined)
  fetch?: typeof fetch
}

type Given<R extends RouteSpec> = {
  [K in 'params' | 'query' | 'body' as Input<R>[K] extends undefined ? never : K]: Input<R>[K]
}
/** A query without required members may be left out. */
type Call<R extends RouteSpec> = Omit<Given<R>, 'query' | 'body'> &
  (Given<R> extends { query: infer Q } ? (object extends Q ? { query?: Q } : { query: Q }) : object) &
  (R['consumes'] extends 'bytes' | 'multipart'
    ? { body: BodyInit }
    : Given<R> extends { body: infer B }
      ? R['bodyOptional'] extends true
        ? { body?: B }
        : { body: B }
      : object) & { headers?: Record<string, string>; signal?: AbortSignal }
type Result<R extends RouteSpec> = R['produces'] extends 'bytes' ? Response : Reply<R>
export type Client = {
  [N in OperationName]: object extends Call<Api[N]>
    ? (call?: Call<Api[N]>) => Promise<Result<Api[N]>>
    : (call: Call<Api[N]>) => Promise<Result<Api[N]>>
}

/**
 * A function for each operation of the contract. JSON replies come parsed, bytes as the Response; a problem is thrown
 * as ProblemError.
 */
export function createClient(options: ClientOptions): Client {
  const operations = Object.entries<RouteSpec>(api).map(([name, route]) => [
    name,
    (call: LooseCall = {}) => send(options, route, call),
  ])
  return Object.fromEntries(operations) as Client
}

interface LooseCall {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The URL of an operation below a base, with its parameters filled in. */
export function urlOf(baseUrl: string, route: RouteSpec, { params = {}, query = {} }: LooseCall): string {
  const path = route.url
    .replace(/\{\+(\w+)\}/, (_, name: string) => String(params[name]).split('/').map(encodeURIComponent).join('/'))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one))
  const text = search.toString()
  return `${baseUrl}${route.root ? '' : '/api/v1'}${path}${text ? `?${text}` : ''}`
}

async function send(options: ClientOptions, route: RouteSpec, call: LooseCall): Promise<unknown> {
  const headers: Record<string, string> = { ...call.headers }
  const token = typeof options.token === 'function' ? options.token() : options.token
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  let body = call.body as BodyInit | null | undefined
  if (route.body && (route.consumes ?? 'json') === 'json') {
    headers['content-type'] = 'application/json'
    body = JSON.stringify(call.body ?? {})
  } else if (route.consumes === 'form') body = new URLSearchParams(call.body as Record<string, string>)
  const streams = typeof ReadableStream !== 'undefined' && body instanceof ReadableStream
  const response = await (options.fetch ?? fetch)(urlOf(options.baseUrl, route, call), {
    method: route.method,
    headers,
    body: body ?? null,
    ...(call.signal ? { signal: call.signal } : {}),
    ...(streams ? { duplex: 'half' } : {}),
  } as RequestInit)
  const wanted = response.status < 400 || route.otherStatus?.includes(response.status)
  if (!wanted) throw new ProblemError(await problemOf(response), response)
  if (route.produces === 'bytes') return response
  return route.reply ? response.json() : undefined
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text()
  try {
    return JSON.parse(text) as Problem
  } catch {
    const request_id = response.headers.get('x-request-id') ?? ''
    return {
      status: response.status,
      code: 'internal',
      title: response.statusText,
      detail: text.slice(0, 200),
      request_id,
    }
  }
}
