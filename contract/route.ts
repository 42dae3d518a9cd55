import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import { pathOf } from './paths.ts'

/**
 * Who may call: anyone; anyone with a valid credential (the handler checks rights on names); those who may manage users
 * (`users.manage`, the handler checks whom); administrators; those and what watches the service (METRICS_TOKEN).
 */
export type Access = 'public' | 'signed_in' | 'user_manager' | 'admin' | 'monitor'

/** What the body is: JSON by default; `bytes` and `multipart` reach the handler as a stream. */
export type Consumes = 'json' | 'form' | 'multipart' | 'bytes'

/**
 * One operation of the API. Validation, the OpenAPI page, the handler's types and the typed client read this object.
 * `url` is relative to `/api/v1` and written as an RFC 6570 template; `{+key}` is an object key: the rest of the path,
 * slashes included. `root: true` puts it beside `/api/v1` instead.
 */
export interface RouteSpec {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  root?: boolean
  tag: string
  summary: string
  description?: string
  access: Access
  /** The status of success; `otherStatus` lists further ones the handler may choose. */
  status: number
  otherStatus?: readonly number[]
  params?: TObject
  query?: TObject
  /** Request headers with a meaning, in lower case. */
  headers?: TObject
  consumes?: Consumes
  body?: TSchema
  /** The body may be left out: then it is `{}`. */
  bodyOptional?: boolean
  /** The body of success. It is an allow-list: what it does not name is never sent. */
  reply?: TSchema
  /** The reply is an object's bytes. */
  produces?: 'bytes'
  /** Codes a caller must expect beyond those every route can answer. */
  errors?: readonly ErrorCode[]
  /** Most bytes of a JSON or form body. Default 64 KiB. */
  bodyLimit?: number
  /** What limits how often it is called: `costly` a person, `none` nobody. Default: `public` ones by address, others not. */
  rate?: 'costly' | 'none'
  /** Names of the actions a mutating route records; `[]` says on purpose that it records none. */
  records?: readonly string[]
}

/** Declares an operation; gives back its argument with the types of its shapes kept. */
export const route = <const R extends RouteSpec>(spec: R): R => spec

type Shape<S> = S extends TSchema ? Static<S> : undefined
/** What the handler receives and the typed client takes for a route. */
export interface Input<R extends RouteSpec> {
  params: Shape<R['params']>
  query: Shape<R['query']>
  headers: Shape<R['headers']>
  body: Shape<R['body']>
}
/** The JSON body of success. */
export type Reply<R extends RouteSpec> = R['reply'] extends TSchema ? Static<R['reply']> : undefined

/** Which limit counts the calls of a route. */
export const rateOf = ({ rate, access }: RouteSpec): 'public' | 'costly' | 'none' =>
  rate ?? (access === 'public' ? 'public' : 'none')

/** The path of a route on the server, as an OpenAPI template. */
export const pathTemplate = (route: RouteSpec): string => pathOf(route).replace('{+', '{')
