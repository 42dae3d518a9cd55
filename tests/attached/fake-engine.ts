import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the engine does wrong, each by its switch; without any, it answers like S3. */
export interface Lies {
  /** Added to the sizes in lists. */
  listedSize?: number
  /** Added to the Content-Length of HEAD. */
  headLength?: number
  /** Added to the Content-Length of GET; the bytes stay the same, and the connection breaks where they end too early. */
  getLength?: number
  /** GET has other bytes of the same length than its ETag says. */
  otherEtagOnGet?: boolean
  ignoresIfMatch?: boolean
  ignoresRange?: boolean
  /** Answers a range with other bytes than were asked for. */
  otherRange?: boolean
  listsOutOfOrder?: boolean
  /** No lie: lists as a walk through folders does, `a/b` before `a-`. */
  listsBySegments?: boolean
  listsNothing?: boolean
  /** Leaves out every other object, and ends as if that were all. */
  listsHalf?: boolean
  ignoresPrefix?: boolean
  /** The last page says that there is another one, from the first key on. */
  listsWithoutEnd?: boolean
  /** Every list after the first page fails. */
  listsOnlyOnePage?: boolean
  answers500?: boolean
  /** Breaks off in the middle of each object. */
  breaksOff?: boolean
  noEtags?: boolean
  noLengths?: boolean
  /** A web page, with status 200. */
  answersHtml?: boolean
  noSuchBucket?: boolean
  /** Sends keys as they are, though asked to encode them. */
  sendsRawKeys?: boolean
  /** Whoever has asked for an object's properties finds other contents afterwards. */
  changesAfterHead?: boolean
  /** No lie: the credentials may delete, but not these keys. */
  deletesAllBut?: ReadonlySet<string>
}

export interface FakeObject {
  bytes: Buffer
  etag: string
  modified: Date
  type: string
  meta: Record<string, string>
  storageClass?: string | undefined
  /** The header x-amz-restore. */
  restore?: string | undefined
  /** Encrypted with a key that only its owner has: 400 to whoever asks without it. */
  sealed?: boolean | undefined
  tags?: Record<string, string> | undefined
}

export interface FakeEngine {
  endpoint: string
  bucket: string
  /** By key; each character is a byte. */
  objects: Map<string, FakeObject>
  lies: Lies
  /** Most keys in a page. */
  page: number
  /** `<method> <path>?<query>` of every request. */
  log: string[]
  put(key: string | Buffer, bytes: string | Buffer, more?: Partial<FakeObject>): FakeObject
  delete(key: string): void
  stop(): Promise<void>
}

const PAGE = '<!doctype html><title>Welcome</title>'
const escaped = (text: string) => text.replace(/[&<>"'\r]/g, (found) => `&#${found.charCodeAt(0)};`)
/** Each character is a byte. */
const encoded = (key: string) =>
  key.replace(/[^A-Za-z0-9\-._~/]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const decoded = (text: string): string =>
  text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
const etagOf = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
const keyOf = (key: string | Buffer) => (typeof key === 'string' ? Buffer.from(key) : key).toString('latin1')

class Failure extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** An S3 engine over a map, which lies when told to. It takes every credential. */
export async function startFakeEngine(): Promise<FakeEngine> {
  const objects = new Map<string, FakeObject>()
  const server = http.createServer((request, response) => {
    request.resume()
    try {
      answer(request, response)
    } catch (error) {
      const { status, code } = error instanceof Failure ? error : new Failure(500, String(error))
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(
        request.method === 'HEAD' ? undefined : `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
      )
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    const [path = '', search] = (request.url ?? '').split('?')
    fake.log.push(`${request.method} ${request.url}`)
    const { lies } = fake
    if (lies.answers500) throw new Failure(500, 'InternalError')
    if (lies.answersHtml)
      return void response.writeHead(200, { 'content-type': 'text/html', 'content-length': PAGE.length }).end(PAGE)
    const [, bucket = '', ...rest] = path.split('/')
    if (bucket !== fake.bucket || lies.noSuchBucket) throw new Failure(404, 'NoSuchBucket')
    const key = decoded(rest.join('/'))
    const query = new URLSearchParams(search)
    if (request.method === 'DELETE' && lies.deletesAllBut && !lies.deletesAllBut.has(key)) {
      objects.delete(key)
      return void response.writeHead(204).end()
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Failure(403, 'AccessDenied')
    if (key !== '') {
      sendObject(request, response, key, query)
      return
    }
    response.setHeader('content-type', 'application/xml')
    if (query.has('versioning')) return void response.end('<VersioningConfiguration></VersioningConfiguration>')
    if (request.method === 'HEAD') return void response.end()
    response.end(lies.sendsRawKeys ? bytesOf(list(query)) : list(query))
  }

  function list(query: URLSearchParams): string {
    const { lies, page } = fake
    const prefix = keyOf(query.get('prefix') ?? '')
    const token = query.get('continuation-token')
    if (lies.listsOnlyOnePage && token !== null) throw new Failure(503, 'SlowDown')
    const after =
      token === null ? keyOf(query.get('start-after') ?? '') : Buffer.from(token.slice(1), 'hex').toString('latin1')
    const placeOf = (key: string) => (lies.listsBySegments ? key.replaceAll('/', '\0') : key)
    const names = lies.listsNothing
      ? []
      : [...objects.keys()]
          .filter((key) => (lies.ignoresPrefix || key.startsWith(prefix)) && placeOf(key) > placeOf(after))
          .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
    if (lies.listsHalf) names.splice(0, names.length, ...names.filter((_, at) => at % 2 === 1))
    const shown = names.slice(0, Math.min(page, Number(query.get('max-keys') ?? 1000)))
    const last = shown.at(-1)
    const more = names.length > shown.length || (lies.listsWithoutEnd === true && shown.length > 0)
    if (lies.listsOutOfOrder) shown.reverse()
    const isEncoded = query.get('encoding-type') === 'url' && !lies.sendsRawKeys
    const said = (key: string) =>
      isEncoded ? encoded(key) : escaped(lies.sendsRawKeys ? key : bytesOf(key).toString())
    const entries = shown.map((key) => {
      const { bytes, etag, modified, storageClass } = objects.get(key) as FakeObject
      const tag = lies.noEtags ? '' : `<ETag>&quot;${etag}&quot;</ETag>`
      const size = bytes.length + (lies.listedSize ?? 0)
      const kind = `<StorageClass>${storageClass ?? 'STANDARD'}</StorageClass>`
      return `<Contents><Key>${said(key)}</Key><LastModified>${modified.toISOString()}</LastModified>${tag}<Size>${size}</Size>${kind}</Contents>`
    })
    const again = lies.listsWithoutEnd && names.length <= page ? '' : (last ?? '')
    const next = more ? `<NextContinuationToken>k${bytesOf(again).toString('hex')}</NextContinuationToken>` : ''
    const encoding = isEncoded ? '<EncodingType>url</EncodingType>' : ''
    return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>${fake.bucket}</Name><Prefix>${said(prefix)}</Prefix>${encoding}<KeyCount>${shown.length}</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>${more}</IsTruncated>${next}${entries.join('')}</ListBucketResult>`
  }

  function sendObject(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    key: string,
    query: URLSearchParams,
  ): void {
    const { lies } = fake
    const object = objects.get(key)
    if (!object) throw new Failure(404, 'NoSuchKey')
    if (query.has('tagging')) {
      const tags = Object.entries(object.tags ?? {}).map(
        ([name, value]) => `<Tag><Key>${escaped(name)}</Key><Value>${escaped(value)}</Value></Tag>`,
      )
      return void response.end(`<Tagging><TagSet>${tags.join('')}</TagSet></Tagging>`)
    }
    if (object.sealed) throw new Failure(400, 'InvalidRequest')
    const wanted = request.headers['if-match']
    if (
      wanted !== undefined &&
      !lies.ignoresIfMatch &&
      !lies.noEtags &&
      wanted !== '*' &&
      wanted !== `"${object.etag}"`
    )
      throw new Failure(412, 'PreconditionFailed')
    const isHead = request.method === 'HEAD'
    if (!isHead && object.storageClass && isCold(object)) throw new Failure(403, 'InvalidObjectState')

    const { start, end } = lies.ignoresRange ? whole(object) : rangeOf(request, object)
    const isPart = !lies.ignoresRange && request.headers.range !== undefined
    const shift = lies.otherRange && isPart && start > 0 ? 1 : 0
    const bytes = object.bytes.subarray(start - shift, end + 1 - shift)
    const length = Math.max(0, bytes.length + ((isHead ? lies.headLength : lies.getLength) ?? 0))
    response.setHeader('last-modified', object.modified.toUTCString())
    response.setHeader('content-type', object.type)
    response.setHeader('accept-ranges', 'bytes')
    if (!lies.noEtags)
      response.setHeader('etag', `"${lies.otherEtagOnGet && !isHead ? etagOf(Buffer.from('other')) : object.etag}"`)
    if (!lies.noLengths) response.setHeader('content-length', length)
    if (object.storageClass) response.setHeader('x-amz-storage-class', object.storageClass)
    if (object.restore) response.setHeader('x-amz-restore', object.restore)
    if (object.tags) response.setHeader('x-amz-tagging-count', Object.keys(object.tags).length)
    for (const [name, value] of Object.entries(object.meta)) response.setHeader(`x-amz-meta-${name}`, value)
    if (isPart) {
      response.statusCode = 206
      response.setHeader('content-range', `bytes ${start - shift}-${end - shift}/${object.bytes.length}`)
    }
    if (isHead) {
      response.end()
      if (lies.changesAfterHead)
        fake.put(bytesOf(key), Buffer.concat([object.bytes, Buffer.from('!')]), { type: object.type })
      return
    }
    if (lies.breaksOff) return void response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
    if (length > bytes.length) return void response.write(bytes, () => response.destroy())
    // Without a length the body is sent in chunks, or ends with the connection.
    response.write(bytes.subarray(0, length))
    response.end()
  }

  const fake: FakeEngine = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: 'fake',
    objects,
    lies: {},
    page: 1000,
    log: [],
    put(key, body, more = {}) {
      const bytes = Buffer.from(body)
      const object: FakeObject = {
        bytes,
        etag: etagOf(bytes),
        modified: new Date(Math.floor(Date.now() / 1000) * 1000),
        type: 'text/plain',
        meta: {},
        ...more,
      }
      objects.set(keyOf(key), object)
      return object
    },
    delete: (key) => void objects.delete(keyOf(key)),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return fake
}

const isCold = ({ storageClass, restore }: FakeObject): boolean =>
  ['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass ?? '') && !restore?.includes('ongoing-request="false"')
const whole = ({ bytes }: FakeObject) => ({ start: 0, end: bytes.length - 1 })

function rangeOf({ headers }: http.IncomingMessage, object: FakeObject): { start: number; end: number } {
  const found = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '')
  if (!found) return whole(object)
  const { length } = object.bytes
  const [, first, last] = found
  const start = first ? Number(first) : Math.max(0, length - Number(last))
  const end = first && last ? Math.min(Number(last), length - 1) : length - 1
  if (start >= length) throw new Failure(416, 'InvalidRange')
  return { start, end }
}
