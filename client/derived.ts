import { type Api, api, type OperationName } from '../contract/index.ts'
import type { Input, Reply, RouteSpec } from '../contract/route.ts'
import { ProblemError, send, type UntypedCall, urlOf } from './send.ts'

export { ProblemError, urlOf }

export interface ClientOptions {
  /** The service's URL, without `/api/v1`. */
  baseUrl: string
  /** The bearer credential, or a function that returns the current one. */
  token?: string | (() => string | undefined)
  fetch?: typeof fetch
}

type Given<R extends RouteSpec> = {
  [K in 'params' | 'query' | 'body' as Input<R>[K] extends undefined ? never : K]: Input<R>[K]
}
/** A query without required members may be omitted. */
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
 * Creates a client with a function for each operation of the contract. JSON responses are parsed, bytes are returned as
 * the Response; error responses are thrown as ProblemError.
 */
export function createClient(options: ClientOptions): Client {
  const operations = Object.entries<RouteSpec>(api).map(([name, route]) => [
    name,
    (call: UntypedCall = {}) =>
      send(options, route, call, typeof options.token === 'function' ? options.token() : options.token),
  ])
  return Object.fromEntries(operations) as Client
}
