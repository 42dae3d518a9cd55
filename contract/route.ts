import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import { pathOf } from './paths.ts'

/**
 * Who may call: anyone; anyone with a valid credential (the handler checks permissions on names); user managers
 * (`users.manage`; the handler checks whom they manage); administrators; administrators and monitoring (METRICS_TOKEN).
 */
export type Access = 'public' | 'signed_in' | 'user_manager' | 'admin' | 'monitor'

/** The body's kind: JSON by default; `bytes` and `multipart` reach the handler as a stream. */
export type Consumes = 'json' | 'form' | 'multipart' | 'bytes'

/**
 * One operation of the API. Validation, the OpenAPI page, the handler's types and the typed client all derive from it.
 * `url` is relative to `/api/v1` and written as an RFC 6570 template; `{+key}` is an object key: the rest of the path,
 * slashes included. With `root: true` it is not below `/api/v1`.
 */
export interface RouteSpec {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  root?: boolean
  tag: string
  summary: string
  description?: string
  access: Access
  /** Is about the caller's account and not about buckets: refused to tokens that are limited to a scope. */
  ofAccount?: true
  /** Takes access tokens of OAuth as well; refusals say where they come from. */
  oauth?: true
  /** The status of success; `otherStatus` lists others the handler may use. */
  status: number
  otherStatus?: readonly number[]
  params?: TObject
  query?: TObject
  /** Request headers that matter, in lower case. */
  headers?: TObject
  consumes?: Consumes
  body?: TSchema
  /** Who checks the body against its shape: the handler, where it names faults of its own together with those. */
  validatedBy?: 'handler'
  /** The body may be omitted: it is `{}` then. */
  bodyOptional?: boolean
  /** The response body of success. It is an allow-list: fields it does not name are never sent. */
  reply?: TSchema
  /** The response is no JSON: an object's bytes, or what `media` says. */
  produces?: 'bytes'
  /** The media types of such a response; by default, any: that of the object. */
  media?: readonly string[]
  /** Error codes besides those that every route may return. */
  errors?: readonly ErrorCode[]
  /** Maximum size of a JSON or form body. Default 64 KiB. */
  bodyLimit?: number
  /** Rate limit: `costly` per person, `none` unlimited. Default: `public` routes by address, others unlimited. */
  rate?: 'costly' | 'none'
  /** Actions that a mutating route records; `[]` says on purpose that it records none. */
  records?: readonly string[]
}

/** Declares an operation; returns its argument with the types of its shapes kept. */
export const route = <const R extends RouteSpec>(spec: R): R => spec

type Shape<S> = S extends TSchema ? Static<S> : undefined
/** A route's input, for the handler and the typed client. */
export interface Input<R extends RouteSpec> {
  params: Shape<R['params']>
  query: Shape<R['query']>
  headers: Shape<R['headers']>
  body: Shape<R['body']>
}
/** The JSON body of success. */
export type Reply<R extends RouteSpec> = R['reply'] extends TSchema ? Static<R['reply']> : undefined

/** Which rate limit counts a route's calls. */
export const rateOf = ({ rate, access }: RouteSpec): 'public' | 'costly' | 'none' =>
  rate ?? (access === 'public' ? 'public' : 'none')

/** A route's path on the server, as an OpenAPI template. */
export const pathTemplate = (route: RouteSpec): string => pathOf(route).replace('{+', '{')
