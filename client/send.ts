import { pathOf } from '../contract/paths.ts'

/** An error response (RFC 9457): the contract's `Problem`, as a plain type. */
export interface Problem {
  status: number
  code: string
  title: string
  detail: string
  request_id: string
  errors?: { path: string; message: string }[]
  /** With `second_factor_required` at a login: for `verifyLogin`, within `expires_in` seconds, by one of `methods`. */
  challenge?: string
  expires_in?: number
  methods?: ('totp' | 'passkey' | 'recovery_code')[]
}

/** The part of a contract operation that a request is built from; the published client carries no more of it. */
export interface Wire {
  readonly method: string
  readonly url: string
  readonly root?: boolean
  readonly otherStatus?: readonly number[]
  readonly consumes?: 'json' | 'form' | 'multipart' | 'bytes'
  readonly body?: unknown
  readonly produces?: 'bytes'
  readonly reply?: unknown
}

/** The arguments of any operation's call, untyped. */
export interface UntypedCall {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** An error response of the service; `code` says which kind. */
export class ProblemError extends Error {
  override readonly name: string = 'ProblemError'
  readonly problem: Problem
  readonly response: Response
  constructor(problem: Problem, response: Response) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`)
    this.problem = problem
    this.response = response
  }
  get code(): string {
    return this.problem.code
  }
  get status(): number {
    return this.problem.status
  }
  /** The invalid fields, if the request was invalid. */
  get errors(): readonly { path: string; message: string }[] {
    return this.problem.errors ?? []
  }
  /** Identifies the request in the service's log and audit records. */
  get requestId(): string {
    return this.problem.request_id
  }
}

/** The URL of an operation below a base, with its parameters filled in. */
export function urlOf(baseUrl: string, route: Wire, { params = {}, query = {} }: UntypedCall): string {
  const path = pathOf(route)
    .replace(/\{\+(\w+)\}/, (_, name: string) => String(params[name]).split('/').map(encodeURIComponent).join('/'))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const text = fieldsOf(query).toString()
  return `${baseUrl}${path}${text ? `?${text}` : ''}`
}

/** Texts as a query or a form has them: of an array each on its own, and nothing of what is undefined. */
function fieldsOf(values: object): URLSearchParams {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) fields.append(name, String(one))
  return fields
}

/** Sends the request of a call. Returns parsed JSON, or the Response for bytes; throws ProblemError. */
export async function send(
  options: { baseUrl: string; fetch?: typeof fetch },
  route: Wire,
  call: UntypedCall,
  token: string | undefined,
): Promise<unknown> {
  const headers: Record<string, string> = { ...call.headers }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  let body = call.body as RequestInit['body']
  if (route.body && (route.consumes ?? 'json') === 'json') {
    headers['content-type'] = 'application/json'
    body = JSON.stringify(call.body ?? {})
  } else if (route.consumes === 'form') body = fieldsOf(call.body as object)
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

/** The problem in an error response; one that is not from the service (a proxy, a storage) gets the code `internal`. */
export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text()
  try {
    const problem = JSON.parse(text) as Problem
    if (typeof problem.code === 'string') return problem
  } catch {}
  const request_id = response.headers.get('x-request-id') ?? ''
  return {
    status: response.status,
    code: 'internal',
    title: response.statusText,
    detail: text.slice(0, 200),
    request_id,
  }
}
