import type { Website } from '../../../../contract/bucket-rules.ts'
import { ServiceError } from '../../../../contract/errors.ts'
import { isBucketName } from '../../../../contract/names.ts'
import type { ObjectHeaders } from '../../../../contract/shapes.ts'
import type { Actor, Origin, System } from '../../../context.ts'
import type { Site } from '../../../http/site.ts'
import { findConfig } from '../../../storage/buckets/documents/config.ts'
import { bucketMissing } from '../../../storage/buckets/service.ts'
import { findBucket } from '../../../storage/buckets/store.ts'
import { REDIRECT_LOCATION } from '../../../storage/objects/describe.ts'
import type { ObjectRow } from '../../../storage/objects/store.ts'
import { answer } from '../answers/answer.ts'
import { dropHeaders, refusalOf } from '../answers/problem.ts'
import { S3Error } from '../errors.ts'
import { allowOrigin, answerPreflight } from '../operations/documents/cors.ts'
import { noWebsite } from '../operations/documents/website.ts'
import { getVisible } from '../operations/existence.ts'
import { sendObject } from '../operations/objects/get-object.ts'
import { type Authenticated, visitor } from '../requests/authenticate.ts'
import { createExchange, type Exchange, type Wire } from '../requests/exchange.ts'
import { withPublicAccess } from '../requests/public-access.ts'
import { assertKey, decodeText, type Target } from '../requests/target.ts'
import { errorPage } from './error-page.ts'
import {
  asWritten,
  locationBy,
  locationElsewhere,
  locationOfFolder,
  type RedirectRequest,
  ruleFor,
} from './redirect.ts'

/** A request to a website, and what became known of it: its target for statistics, its visitor once there is one. */
export interface SiteRequest extends Site {
  /** As they were sent. */
  path: string
  query: string
  origin: Origin
  target: Target
  seen: { actor?: Actor }
}

/**
 * Answers a request for a page of a bucket's website, with what is public alone; a credential that it brings says nothing.
 * Never signed, never a list, never another method (https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteEndpoints.html).
 */
export async function serveWebsite(system: System, wire: Wire, request: SiteRequest): Promise<void> {
  const { bucket, target } = request
  const found: { website?: Website; visit?: RedirectRequest; open?: (key: string) => Exchange } = {}
  try {
    if (!isBucketName(bucket)) throw bucketMissing(bucket)
    target.bucket = bucket
    const allowed = await allowOrigin(system, wire, bucket)
    if (wire.request.method === 'OPTIONS') return await answerPreflight(system, wire, { bucket, allowed })
    if (wire.request.method !== 'GET' && wire.request.method !== 'HEAD') throw notAllowed(wire.request.method ?? '')
    const authenticated = await visitor(system, request.origin)
    request.seen.actor = authenticated.actor
    const key = decodeText(request.path.slice(1))
    target.key = key
    assertKey(key)
    const website = await websiteOf(system, bucket)
    const visit = { ...request, key, scheme: wire.scheme }
    if ('redirect_all' in website)
      return await redirect(system, wire, 301, locationElsewhere(website.redirect_all, visit))
    if (await byRule(system, wire, { website, visit })) return
    const actor = await withPublicAccess(system, authenticated, {
      buckets: new Map([[bucket, ['current']]]),
      rights: true,
    })
    const open = (key: string) => exchangeOf(system, { ...wire, bucket, key }, authenticated, actor)
    Object.assign(found, { website, visit, open })
    if (key === '' || key.endsWith('/')) target.key = key + website.index
    await sendPage(open, target.key, { ...visit, index: website.index })
  } catch (error) {
    await answerFailure(system, wire, found, refusalOf(system, wire, target, error))
  }
}

const notAllowed = (method: string) =>
  new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    fields: { Method: method, ResourceType: 'OBJECT' },
    headers: { allow: 'GET, HEAD, OPTIONS' },
  })

async function websiteOf({ database }: System, bucket: string): Promise<Website> {
  const website = await findConfig(database.db, bucket, 'website')
  if (website) return website
  throw (await findBucket(database.db, bucket)) ? noWebsite(bucket) : bucketMissing(bucket)
}

/** A read of one object by whoever visits: no parameter of the query counts. */
const exchangeOf = (system: System, read: Wire & Target, authenticated: Authenticated, actor: Actor): Exchange =>
  createExchange(system, { ...read, query: [] }, authenticated, actor)

const redirect = (system: System, wire: Wire, status: number, location: string): Promise<void> =>
  answer({ system, ...wire }, status, { location })

/** Redirects as the first rule says that is about the key, and about this status of an answer; returns whether there is one. */
async function byRule(
  system: System,
  wire: Wire,
  { website, visit, status }: { website: Website; visit: RedirectRequest; status?: number },
): Promise<boolean> {
  const rule = ruleFor(website, visit.key, status)
  if (rule) await redirect(system, wire, rule.redirect.code ?? 301, locationBy(rule, visit))
  return rule !== undefined
}

/** An object that redirects is not shown. */
async function byObject(exchange: Exchange, { headers }: ObjectRow): Promise<boolean> {
  const location = headers === null ? undefined : (JSON.parse(headers) as ObjectHeaders)[REDIRECT_LOCATION]
  if (location !== undefined) await redirect(exchange.system, exchange, 301, asWritten(location))
  return location !== undefined
}

const page = (exchange: Exchange, status?: number) =>
  sendObject(exchange, {
    ...(status === undefined ? {} : { status }),
    instead: (row) => byObject(exchange, row),
  })

/** An object of this key; where there is none for visitors but a folder with an index document, the folder's address. */
async function sendPage(
  open: (key: string) => Exchange,
  key: string,
  visit: RedirectRequest & { index: string },
): Promise<void> {
  const exchange = open(key)
  try {
    await page(exchange)
  } catch (error) {
    const isFolder = key === visit.key && isHidden(error) && (await isPublic(open(`${key}/${visit.index}`)))
    if (!isFolder) throw error
    await redirect(exchange.system, exchange, 302, locationOfFolder(visit))
  }
}

/** Whether an error says that there is nothing, or nothing for visitors. */
const isHidden = (error: unknown): boolean =>
  error instanceof S3Error
    ? error.code === 'AccessDenied'
    : error instanceof ServiceError && (error.code === 'forbidden' || error.missing === 'object')

const isPublic = (exchange: Exchange): Promise<boolean> =>
  getVisible(exchange).then(
    () => true,
    (error: unknown) => {
      if (isHidden(error)) return false
      throw error
    },
  )

/** Answers with what a rule or the website itself has for an error, or with S3's page. */
async function answerFailure(
  system: System,
  wire: Wire,
  { website, visit, open }: { website?: Website; visit?: RedirectRequest; open?: (key: string) => Exchange },
  error: S3Error,
): Promise<void> {
  const { response } = wire
  if (response.headersSent) return void response.destroy()
  dropHeaders(response)
  const { status, code, message, headers } = error
  const about = { ...headers, 'x-amz-error-code': code, 'x-amz-error-message': message }
  let instead: S3Error | undefined
  if (website && visit && open) {
    if (await byRule(system, wire, { website, visit, status })) return
    const document = 'error' in website && status < 500 ? website.error : undefined
    if (document !== undefined)
      try {
        for (const [name, value] of Object.entries(about)) response.setHeader(name, value)
        return await page(open(document), status)
      } catch (second) {
        if (response.headersSent) return void response.destroy()
        dropHeaders(response)
        instead = refusalOf(system, wire, { bucket: visit.bucket, key: document }, second)
      }
  }
  await answer(
    { system, ...wire },
    status,
    { ...about, 'content-type': 'text/html; charset=utf-8' },
    errorPage(wire.id, error, instead),
  )
}
