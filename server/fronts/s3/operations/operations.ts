import type http from 'node:http'
import { invalidArgument, S3Error } from '../errors.ts'
import type { Exchange } from '../requests/exchange.ts'
import { SUBRESOURCES } from '../requests/subresources.ts'
import type { Query, Target } from '../requests/target.ts'
import { bucketOperations } from './bucket-operations.ts'
import { objectOperations } from './object-operations.ts'
import type { Operation } from './operation.ts'

/** Every operation that is supported, partly or in full. */
export const operations: readonly Operation[] = [...bucketOperations, ...objectOperations]

const COPY_SOURCE = 'x-amz-copy-source'
/** Parameters that say more of an operation, whatever it is, or nothing: S3 leaves those that start with `x-` to clients. */
const DETAILS = /^(x-.*|versionId)$/i

const placeOf = (on: Operation['on'], asked: string | undefined): string => `${on} ${asked ?? ''}`
/** The operations on a thing, or on a sub-resource of it. */
const byPlace = Map.groupBy(operations, ({ on, query }) => placeOf(on, typeof query === 'object' ? query[0] : query))

const isNamed = (query: Query, named: Operation['query']): boolean =>
  named === undefined ||
  query.some(([name, value]) => (typeof named === 'string' ? name === named : name === named[0] && value === named[1]))

/** Whether a request can only be an upload by a form, by what it is about. */
export const asksForForm = (method: string | undefined, { bucket, key }: Target, query: Query): boolean =>
  method === 'POST' && bucket !== '' && key === '' && !query.some(([name]) => SUBRESOURCES.has(name))

/**
 * The operation that a request is. What is not supported is refused by name, never taken for another: a `PUT` of an
 * object's ACL must not become its contents. Throws NotImplemented, MethodNotAllowed or InvalidArgument.
 */
export function route(
  request: Pick<Exchange, 'form'> & { method?: string | undefined; headers: http.IncomingHttpHeaders },
  { bucket, key }: Target,
  query: Query,
): Operation {
  const on = bucket === '' ? 'service' : key === '' ? 'bucket' : 'object'
  const [asked, other] = new Set(query.map(([name]) => name).filter((name) => SUBRESOURCES.has(name)))
  if (asked !== undefined && other !== undefined)
    throw invalidArgument('ResourceType', asked, `Conflicting query string parameters: ${asked}, ${other}`)
  // In presigned URLs it is a parameter: taken for a plain upload, the request would empty the object.
  const named = query.some(([name]) => name.toLowerCase() === COPY_SOURCE)
  const copies = on === 'object' && (named || request.headers[COPY_SOURCE] !== undefined)
  const hasId = query.some(([name]) => name === 'id')
  const candidates = (byPlace.get(placeOf(on, asked)) ?? []).filter(
    (one) =>
      isNamed(query, one.query) &&
      (one.item ?? hasId) === hasId &&
      (one.copies ?? false) === copies &&
      (one.form ?? false) === (request.form !== undefined),
  )
  const found = candidates.find(({ method }) => method === request.method)
  const changes = request.method !== 'GET' && request.method !== 'HEAD'
  const isKnown = (name: string) => name === asked || DETAILS.test(name) || found?.parameters?.includes(name)
  const unknown = query.find(([name]) => !isKnown(name))
  if (found && !(changes && unknown)) return found
  // What can only be asked for here can be set in S3.
  const isSetting = asked !== undefined && changes && candidates.every(({ method }) => method === 'GET')
  if (!found && candidates.length > 0 && !isSetting)
    throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
      headers: { allow: candidates.map(({ method }) => method).join(', ') },
    })
  throw new S3Error('NotImplemented', 'A header or query you provided requested a function that is not implemented.')
}
