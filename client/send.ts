import { pathOf } from '../contract/paths.ts'

/** What the service refuses with (RFC 9457); the shape `Problem` without the library of shapes. */
export interface Problem {
  status: number
  code: string
  title: string
  detail: string
  request_id: string
  errors?: { path: string; message: string }[]
}

/** What of an operation a request is made from. It is what the published client keeps of the contract (client/). */
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

/** Without their shapes: the call of any operation. */
export interface LooseCall {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** A refusal of the service; `code` names its kind. */
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
  /** The faults of the input, where the request was not valid. */
  get errors(): readonly { path: string; message: string }[] {
    return this.problem.errors ?? []
  }
  /** What the service's log and audit records know the request by. */
  get requestId(): string {
    return this.problem.request_id
  }
}

/** The URL of an operation below a base, with its parameters filled in. */
export function urlOf(baseUrl: string, route: Wire, { params = {}, query = {} }: LooseCall): string {
  const path = pathOf(route)
    .replace(/\{\+(\w+)\}/, (_, name: string) => String(params[name]).split('/').map(encodeURIComponent).join('/'))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one))
  const text = search.toString()
  return `${baseUrl}${path}${text ? `?${text}` : ''}`
}

/** Makes the request of a call and reads its answer: JSON parsed, bytes as the Response, a problem thrown. */
export async function send(
  options: { baseUrl: string; fetch?: typeof fetch },
  route: Wire,
  call: LooseCall,
  token: string | undefined,
): Promise<unknown> {
  const headers: Record<string, string> = { ...call.headers }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  let body = call.body as RequestInit['body']
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

/** What a refusal says; of one that is not ours (a proxy's, a storage's) what can be told. */
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
