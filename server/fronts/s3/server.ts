import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { all as addresses, compile } from '@fastify/proxy-addr'
import { noteUse } from '../../access/credentials/use.ts'
import type { Actor, Origin, System } from '../../context.ts'
import { expectPace, hasBody } from '../../http/body.ts'
import { limitConnections, trackConnections } from '../../http/connections.ts'
import { listeningOf } from '../../http/listening.ts'
import { answerUnreadable, endUnread, refuseConnect } from '../../http/refuse-connection.ts'
import { judgeRequests, type Misread } from '../../http/request-framing.ts'
import { siteOf } from '../../http/site.ts'
import { headerOfStandby } from '../../http/standby.ts'
import { detached, measured } from '../../observe/meter.ts'
import { beginRequest, endRequest } from '../../observe/requests.ts'
import { telemetryOf } from '../../observe/telemetry.ts'
import { inPast } from '../../storage/history/former/past.ts'
import { countRequest } from '../../storage/usage/traffic.ts'
import { answerError } from './answers/problem.ts'
import { S3Error } from './errors.ts'
import { isSingleHeader, refuseMisread, UNREADABLE, unreadableAnswer } from './framing.ts'
import { namesOf } from './operations/actions.ts'
import { allowOrigin, answerPreflight } from './operations/documents/cors.ts'
import type { Operation } from './operations/operation.ts'
import { asksForForm, route } from './operations/operations.ts'
import { perform } from './perform.ts'
import { answerMinio, isForMinio, isMinioAdmin, notMinio } from './query/minio-admin.ts'
import { isQuery, serveQuery } from './query/serve.ts'
import { type Arrived, type Authenticated, authenticateForm, authenticateS3 } from './requests/authenticate.ts'
import { createExchange, type Wire } from './requests/exchange.ts'
import { factsOf } from './requests/facts.ts'
import { assertForm, isForm, type PostForm, readForm } from './requests/form.ts'
import { pastBucketNamed } from './requests/past-bucket.ts'
import { bucketsOf, withPublicAccess } from './requests/public-access.ts'
import { withoutOld } from './requests/signature/version2.ts'
import { bucketOfHost, hostOf, type Query, readQuery, readTarget, splitTarget, type Target } from './requests/target.ts'
import { serveWebsite } from './website/serve.ts'

/** The S3 endpoint of one process. */
export interface S3Server {
  /** Listens as configured; returns the address, without a trailing slash. */
  listen(): Promise<string>
  /** Closes idle connections, and others after their answers; resolves when all are closed. */
  close(): Promise<void>
}

export function createS3Server(system: System): S3Server {
  const { requestTimeoutMs } = system.config
  const server = http.createServer({
    headersTimeout: requestTimeoutMs,
    // A body may take as long as it keeps arriving.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, 10_000),
    keepAliveTimeout: 65_000,
    maxHeaderSize: 32_768,
    requireHostHeader: false,
  })
  server.setTimeout(120_000)
  // Node would drop further headers without a word; their bytes are limited.
  server.maxHeadersCount = 0
  limitConnections(server, system.config)
  const endConnections = trackConnections(server)
  const trusted = compile([...system.config.trustedProxies])
  const { judge, endingOf } = judgeRequests(isSingleHeader)
  const serve = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const misread = judge({ request, response })
    // Its connection ends with the answer to an earlier request.
    if (misread !== 'ignored') void serveRequest(system, server, { request, response, trusted, misread })
  }
  server.on('request', serve)
  // `100 Continue` is sent when the body is wanted, after authentication and rights.
  server.on('checkContinue', serve)
  // Any other expectation is ignored, as S3 does.
  server.on('checkExpectation', serve)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const ending = endingOf(socket)
    if (ending) return endUnread(error, socket, ending)
    answerUnreadable(error, socket, () => unreadableAnswer(system, UNREADABLE[error.code ?? ''] ?? 'InvalidRequest'))
  })
  refuseConnect(server, () => unreadableAnswer(system, 'MethodNotAllowed'))
  return {
    async listen() {
      const { host, port } = system.config.s3
      await listenOn(server, host, port ?? { first: 0, orNext: false })
      const bound = server.address() as AddressInfo
      listeningOf(system.config).s3Port = bound.port
      return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        endConnections()
      }),
  }
}

const MOST_PORTS = 100

/** Listens on a port, or on the first free one of those after it. */
async function listenOn(
  server: http.Server,
  host: string,
  { first, orNext }: { first: number; orNext: boolean },
): Promise<void> {
  for (let port = first; ; port++) {
    try {
      server.listen(port, host)
      await once(server, 'listening')
      return
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || !orNext || port + 1 >= Math.min(first + MOST_PORTS, 65_536)) throw error
    }
  }
}

interface Incoming {
  request: http.IncomingMessage
  response: http.ServerResponse
  trusted: ReturnType<typeof compile>
  misread: Misread | undefined
}

/** Serves one request from its headers to the end of its answer. Never rejects. */
async function serveRequest(
  system: System,
  server: http.Server,
  { request, response, trusted, misread }: Incoming,
): Promise<void> {
  const { config } = system
  const id = randomUUID()
  const meter = beginRequest(config, id, request)
  const target: Target = { bucket: '', key: '' }
  const seen: { operation?: Pick<Operation, 'name'>; actor?: Actor; accessKeyId?: string } = {}
  const path = addresses(request, trusted)
  const forwarded = (name: string) => (path.length > 1 ? request.headers[name] : undefined)
  const scheme = forwarded('x-forwarded-proto') === 'https' ? 'https' : 'http'
  const wire: Wire = { id, request, response, meter, scheme }
  const ip = path.at(-1) ?? ''
  const origin: Origin = {
    request_id: id,
    ip: ip || null,
    user_agent: request.headers['user-agent'] ?? null,
    method: request.method ?? null,
    route: null,
  }
  response.once('close', () => {
    const operation = seen.operation?.name ?? 'none'
    const more = {
      request_id: id,
      operation,
      ...(seen.accessKeyId === undefined ? {} : { access_key_id: seen.accessKeyId }),
    }
    // A line of its own logger would take as long as to find the object.
    detached(() => endRequest(config, system.log, { ...wire, ip, route: 's3', userId: seen.actor?.user_id, more }))
    const { metrics } = telemetryOf(config)
    metrics.strongroom_s3_requests_total.inc({ operation, status: String(response.statusCode) })
    metrics.strongroom_s3_request_duration_seconds.observe({ operation }, (performance.now() - meter.began) / 1000)
    if (meter.answered > 0)
      metrics.strongroom_s3_first_byte_seconds.observe({ operation }, (meter.answered - meter.began) / 1000)
    if (seen.actor) noteUse(system, 'access_keys', seen.actor)
    // Whoever is not known may name any bucket.
    const isKnown = seen.actor !== undefined && (seen.actor.type !== 'public' || response.statusCode < 400)
    countRequest(system, origin, isKnown && target.bucket !== '' ? target.bucket : undefined)
  })
  try {
    await measured(meter, async () => {
      headerOfStandby(config, (name, value) => response.setHeader(name, value))
      refuseMisread(request, misread)
      const { path: rawPath, query: rawQuery } = splitTarget(request.url ?? '/')
      const site = siteOf(request.headers.host, config.s3.websiteDomains)
      if (site) {
        seen.operation = { name: 'Website' }
        origin.route = 's3:Website'
        return serveWebsite(system, wire, { ...site, path: rawPath, query: rawQuery, origin, target, seen })
      }
      const query = readQuery(rawQuery)
      const asked = readTarget(rawPath, bucketOfHost(request.headers.host ?? '', config.s3.domains))
      const arrived: Arrived = {
        method: request.method ?? '',
        path: rawPath,
        query: rawQuery,
        rawHeaders: request.rawHeaders,
        decodedQuery: query,
        origin,
        forwardedHost: hostOf(forwarded('x-forwarded-host')),
        target,
      }
      if (isQuery(request, asked)) return serveQuery(system, server, wire, { arrived, seen })
      if (isMinioAdmin(wire)) throw notMinio()
      const past = await pastBucketNamed(system.database.db, asked.bucket)
      target.bucket = past?.bucket ?? asked.bucket
      target.key = asked.key
      const allowed = await allowOrigin(system, wire, target.bucket)
      if (request.method === 'OPTIONS') return answerPreflight(system, wire, { bucket: target.bucket, allowed })
      if (asksForForm(request.method, target, query)) assertForm(request)
      const form = isForm(request) ? await formOf(system, server, wire) : undefined
      const authenticated = form
        ? await authenticateForm(system, form.fields, origin)
        : await authenticateS3(system, arrived)
      seen.actor = authenticated.actor
      if (authenticated.accessKeyId !== undefined) seen.accessKeyId = authenticated.accessKeyId
      const routed = authenticated.presigned === 'old' ? withoutOld(query) : query
      const operation = route({ method: request.method, headers: request.headers, form }, target, routed)
      seen.operation = operation
      if (past && !operation.reads) throw notInPast()
      origin.route = `s3:${operation.name}`
      const exchange = createExchange(system, { ...wire, ...target, query, form }, authenticated)
      if (operation.name === 'PutObjectTagging') exchange.newTags = 'later'
      origin.asks = factsOf(exchange, namesOf(operation, isVersion(query)))
      const actor = await withPublicAccess(system, authenticated, {
        buckets: bucketsOf(target, query, request.headers),
        rights: countsForEveryone(operation, authenticated),
      })
      seen.actor = actor
      exchange.ctx = exchange.ctx.as(actor)
      if (past) exchange.ctx = await inPast(exchange.ctx, past.bucket, past.at)
      await perform(exchange, operation, () => {
        if (hasBody(request) && !form) expectPace(server, wire, operation.streams ?? false, config.requestTimeoutMs)
      })
    })
  } catch (error) {
    await measured(meter, () =>
      isForMinio(wire, error) ? answerMinio(system, wire) : answerError(system, wire, target, error),
    ).catch((failure: unknown) => {
      system.log.error({ err: failure }, 'could not answer an S3 request')
      response.destroy()
    })
  }
}

const notInPast = () =>
  new S3Error(
    'MethodNotAllowed',
    'The bucket is shown as it was at a moment: it can be listed, read and copied from, and nothing else.',
  )

/** Whether what anyone may do counts for an operation. Throws AccessDenied if it needs a credential and has none. */
function countsForEveryone({ open }: Operation, { actor, publicAccess }: Authenticated): boolean {
  if (actor.type === 'public' && open !== 'anyone') throw new S3Error('AccessDenied', 'Access Denied')
  return open !== undefined && publicAccess
}

/** Whether a request names a version. */
const isVersion = (query: Query): boolean => query.some(([name]) => name === 'versionId')

/** The fields of a form, which have its credential: they are read before the caller is known, within tight limits. */
function formOf(system: System, server: http.Server, wire: Wire): Promise<PostForm> {
  const { request, response } = wire
  expectPace(server, wire, true, system.config.requestTimeoutMs)
  return readForm(request, response)
}
