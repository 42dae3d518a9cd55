import type http from 'node:http'
import { trimBlanks } from '../../../base/blanks.ts'
import { utf8Of } from '../../../base/header-text.ts'
import { type Ctx, createContext, type System } from '../../../context.ts'
import { chunksOf, expectBody, hasBody } from '../../../http/body.ts'
import { momentHeader } from '../../../http/moment.ts'
import type { Meter } from '../../../observe/meter.ts'
import type { Upload } from '../../../storage/objects/receive.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { Authenticated } from './authenticate.ts'
import type { PostForm } from './form.ts'
import type { Trailers } from './signature/chunks.ts'
import { SIGNATURE_PARAMETERS } from './signature/credential.ts'
import { type BodyMode, contentsOf, lengthOf, otherBody } from './signature/payload.ts'
import { MOVED } from './signature/version2.ts'
import type { Query, Target } from './target.ts'

/** A request and the answer to it. */
export interface Wire {
  id: string
  request: http.IncomingMessage
  response: http.ServerResponse
  meter: Meter
  /** How the client reached us, or the proxy before us. */
  scheme: 'http' | 'https'
}

/** An authenticated request for one operation. */
export interface Exchange extends Target, Wire {
  /** Of the caller, with what anyone may do. */
  ctx: Ctx
  system: System
  query: Query
  authenticated: Authenticated
  /** Ends the caller's turn to send a large document; see `takeTurn`. */
  endTurn?: () => void
  /** An upload by a form: its fields are its headers. */
  form?: PostForm | undefined
  /** The tags that the document of a request sets, once it was read; `later` before. */
  newTags?: { readonly [name: string]: string } | 'later'
  /** The `x-amz-*` parameters of a presigned URL, which count as headers, by lower-case name. */
  hoisted?: ReadonlyMap<string, string> | undefined
}

export const createExchange = (
  system: System,
  wire: Wire & Target & { query: Query; form?: PostForm | undefined },
  authenticated: Authenticated,
  actor = authenticated.actor,
): Exchange => ({
  ...wire,
  system,
  authenticated,
  ctx: createContext(system, actor, momentHeader(wire.response)),
  hoisted: authenticated.presigned ? hoistedIn(wire.query, authenticated.presigned) : undefined,
})

function hoistedIn(query: Query, by: 'v4' | 'old'): Map<string, string> {
  const found = new Map<string, string>()
  for (const [given, value] of query) {
    const name = given.toLowerCase()
    const counts = name.startsWith('x-amz-') || (by === 'old' && MOVED.has(name))
    if (counts && !SIGNATURE_PARAMETERS.has(name) && !found.has(name)) found.set(name, value)
  }
  return found
}

/** What fields of forms are called otherwise than the headers that they stand for. */
const FIELDS: { [header: string]: string } = { 'x-amz-acl': 'acl' }

/** A query parameter; undefined without one. */
export const parameter = ({ query }: Pick<Exchange, 'query'>, name: string): string | undefined =>
  query.find(([one]) => one === name)?.[1]

/** A header, which has to be UTF-8 (InvalidArgument). In a presigned URL, `x-amz-*` parameters count as headers; in a form, its fields. */
export function header(exchange: Exchange, name: string): string | undefined {
  if (exchange.form) return exchange.form.fields.get(name) ?? exchange.form.fields.get(FIELDS[name] ?? '')
  const sent = exchange.request.headers[name]
  if (sent === undefined) return exchange.hoisted?.get(name)
  const text = Array.isArray(sent) ? sent.join(',') : sent
  const decoded = utf8Of(text)
  if (decoded === undefined) throw invalidArgument(name, '', `The header ${name} is not UTF-8.`)
  return decoded
}

/** Whether a header says `true`; false without one. Throws InvalidArgument for any other text than that and `false`. */
export function flag(exchange: Exchange, name: string): boolean {
  const text = header(exchange, name)?.toLowerCase() ?? 'false'
  if (text !== 'true' && text !== 'false') throw invalidArgument(name, text, `${name} is either true or false`)
  return text === 'true'
}

/** The names of all headers that start with a text. */
export function headersNamed(exchange: Exchange, start: string): string[] {
  const sent = exchange.form ? [...exchange.form.fields.keys()] : Object.keys(exchange.request.headers)
  const names = exchange.hoisted ? [...new Set([...sent, ...exchange.hoisted.keys()])] : sent
  return names.filter((name) => name.startsWith(start))
}

/** All headers whose names start with a text, by the rest of the name. */
export const headersWith = (exchange: Exchange, start: string): [name: string, value: string][] =>
  headersNamed(exchange, start).flatMap((name) => {
    const value = header(exchange, name)
    return value === undefined ? [] : [[name.slice(start.length), value]]
  })

/** The announced length of the contents; undefined where they end with the body. Throws MissingContentLength. */
export const announcedLength = ({ authenticated: { mode }, request }: Exchange): number | undefined =>
  lengthOf(mode, request.headers)

/**
 * The contents of the body, checked as the gate decided while they are read. Called when they are wanted: a client that
 * waits for `100 Continue` gets it.
 */
export const bodyOf = (exchange: Exchange, trailers: Trailers = new Map()): AsyncIterable<Uint8Array> =>
  contentsIn(exchange, exchange.authenticated.mode, trailers)

/** The body of an upload, which is hashed anyway: what SHA-256 was signed of it is for whoever stores it to compare. */
export function uploadIn(exchange: Exchange, trailers: Trailers): Pick<Upload, 'source' | 'signed'> {
  const { mode } = exchange.authenticated
  if (mode.kind !== 'hash') return { source: () => bodyOf(exchange, trailers) }
  const { sha256 } = mode
  return {
    source: () => contentsIn(exchange, { kind: 'unsigned' }, trailers),
    signed: { sha256, refusal: (computed) => otherBody(sha256, computed) },
  }
}

function contentsIn(exchange: Exchange, mode: BodyMode, trailers: Trailers): AsyncIterable<Uint8Array> {
  const { request, response, authenticated } = exchange
  const { signatures } = authenticated
  const length = hasBody(request) ? announcedLength(exchange) : 0
  expectBody(request, response)
  const contents = contentsOf(chunksOf(request), mode, { length, signatures, trailers })
  return mode.kind === 'chunks' ? withTrailers(exchange, contents, trailers) : contents
}

/** Contents whose trailers have to be announced. Throws MalformedTrailerError at their end. */
async function* withTrailers(
  exchange: Exchange,
  contents: AsyncIterable<Uint8Array>,
  trailers: Trailers,
): AsyncGenerator<Uint8Array> {
  yield* contents
  const declared = header(exchange, 'x-amz-trailer')?.toLowerCase().split(',') ?? []
  for (const name of trailers.keys())
    if (!declared.some((one) => trimBlanks(one) === name))
      throw new S3Error('MalformedTrailerError', `The trailer ${name} was not announced in x-amz-trailer.`)
}
