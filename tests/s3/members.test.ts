import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import type { Operation } from '../../server/fronts/s3/operations/operation.ts'
import { operations } from '../../server/fronts/s3/operations/operations.ts'
import { IDLE_HEADERS } from '../../server/fronts/s3/requests/unsupported-headers.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { documents, type Example, type Named, type Tree, withLeaf, xmlOfTree } from './documents.ts'
import { type Answer, type Pair, type s3World, startS3 } from './s3.ts'
import { type Member, membersOf } from './sdk-members.ts'

// Nothing that a request asks for is dropped in silence: every header, parameter and element that AWS' SDK knows is sent
// with a text that means nothing, or with a value of the table below. It is refused, or shows in the answer or in what is
// kept; or the table says why it changes nothing.

const NONSENSE = 'nonsense'
const LATER = 'Fri, 01 Jan 2100 00:00:00 GMT'
const EARLIER = 'Thu, 01 Jan 1970 00:00:00 GMT'

/** What a member is sent with, and how it is seen that it counts; without any of these, that it is refused. */
interface Row {
  value?: string
  /** What it needs beside it. */
  with?: { readonly [parameter: string]: string }
  /** Only the answer to a request with it has this. */
  shows?: RegExp
  /** Only the answer to a request without it has this. */
  hides?: RegExp
  /** A request for this about the object shows the value afterwards. */
  keeps?: '' | 'tagging'
  /** Another success than without it. */
  status?: number
  /** Why it changes nothing. */
  idle?: string
}

const DESCRIBES: Row = { keeps: '' }
const OVERRIDES: Row = { shows: /nonsense/ }
const EMPTY: Row = { idle: 'there is nothing to list, or to name' }

const rows: { readonly [member: string]: Row } = {
  ...Object.fromEntries(IDLE_HEADERS.map(({ name, reason }): [string, Row] => [`header ${name}`, { idle: reason }])),
  'header cache-control': DESCRIBES,
  'header content-disposition': DESCRIBES,
  'header content-encoding': DESCRIBES,
  'header content-language': DESCRIBES,
  'header content-type': DESCRIBES,
  'header expires': DESCRIBES,
  'header x-amz-meta-*': DESCRIBES,
  'header x-amz-tagging': { keeps: 'tagging' },
  'header if-match': { value: '"00000000000000000000000000000000"' },
  'header if-none-match': { value: '*' },
  'header if-modified-since': { value: LATER },
  'header if-unmodified-since': { value: EARLIER },
  'header range': { value: 'bytes=0-0', status: 206 },
  'header x-amz-copy-source-if-match': { value: '"00000000000000000000000000000000"' },
  'header x-amz-copy-source-if-none-match': { value: '*' },
  'header x-amz-copy-source-if-modified-since': { value: LATER },
  'header x-amz-copy-source-if-unmodified-since': { value: EARLIER },
  'header x-amz-checksum-mode': { value: 'ENABLED', shows: /x-amz-checksum-crc64nvme/ },
  'query response-cache-control': OVERRIDES,
  'query response-content-disposition': OVERRIDES,
  'query response-content-encoding': OVERRIDES,
  'query response-content-language': OVERRIDES,
  'query response-content-type': OVERRIDES,
  'query response-expires': OVERRIDES,
  'query fetch-owner': { value: 'true', shows: /<Owner>/ },
  'query delimiter': { value: 'u', shows: /<CommonPrefixes>/ },
  'query prefix': { hides: /<Key>/ },
  'ListBuckets query prefix': { hides: /<CreationDate>/ },
  'query marker': { value: 'z', hides: /<Key>/ },
  'query start-after': { value: 'z', hides: /<Key>/ },
  'query key-marker': { value: 'z', hides: /<Key>/ },
  'query version-id-marker': { with: { 'key-marker': 'a' } },
  'query upload-id-marker': { with: { 'key-marker': 'a' } },
  'query bucket-region': { hides: /<CreationDate>/ },
  'query id': EMPTY,
  'PutBucketInventoryConfiguration query id': {},
  'ListBucketAnalyticsConfigurations query continuation-token': EMPTY,
  'ListBucketIntelligentTieringConfigurations query continuation-token': EMPTY,
  'ListBucketInventoryConfigurations query continuation-token': EMPTY,
  'ListBucketMetricsConfigurations query continuation-token': EMPTY,
  'element ServerSideEncryptionConfiguration/Rule/BucketKeyEnabled': {
    idle: 'keys of key services are used for several objects anyway',
  },
  'element CreateBucketConfiguration/LocationConstraint': { idle: 'every location is this one' },
  'element AccessControlPolicy/Owner/DisplayName': { idle: 'the ID says who is meant' },
  'element AccessControlPolicy/AccessControlList/Grant/Grantee/DisplayName': { idle: 'the ID says who is meant' },
  'element Delete/Object/ETag': { shows: /<Code>PreconditionFailed</ },
}

/** A request for an operation, on things of its own. */
interface Request {
  method: string
  path: string
  query: { readonly [name: string]: string }
  headers: { readonly [name: string]: string }
  body: string
}

describeEngines('S3: what a request can ask for', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  const made = new Set<string>()
  const used = new Set<string>()
  let last = 0
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
    await server.as(server.adminToken).updateSettings({ body: { s3: { public_access: true } } })
    await s3.send(new CreateBucketCommand({ Bucket: 'listed' }))
    // Where buckets can be replicated to: this service itself will do.
    await s3.send(new CreateBucketCommand({ Bucket: 'replicas' }))
    const { access_key_id, secret_access_key } = pair
    const place = { endpoint: world.url.origin, bucket: 'replicas', access_key_id, secret_access_key }
    await server.admin.createStorage({ body: { name: 'replica', ...place } })
  })
  after(() => server.stop())

  async function send({ method, path, query, headers, body }: Request): Promise<Answer> {
    const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const target = search.length === 0 ? path : `${path}?${search.join('&')}`
    const signed = await world.signed(pair, { method, path: target, headers: { ...headers }, body })
    return world.send(method, target, signed, body)
  }
  const sent = (method: string, path: string, more: Partial<Request> = {}) =>
    send({ method, path, query: {}, headers: {}, body: '', ...more })
  const all = ({ status, headers, text }: Answer) => `${status} ${JSON.stringify(headers)} ${text}`

  /** A bucket of an operation's own, where everything can be asked for. */
  async function bucketFor({ name }: Operation): Promise<string> {
    const isSpent = name === 'DeleteBucket' || name === 'CreateBucket'
    const bucket = `${name.toLowerCase().slice(0, 50)}-${isSpent ? ++last : 'x'}`
    if (made.has(bucket) || name === 'CreateBucket') return bucket
    made.add(bucket)
    await s3.send(
      new CreateBucketCommand({
        Bucket: bucket,
        ...(isSpent ? {} : { ObjectLockEnabledForBucket: true, ObjectOwnership: 'ObjectWriter' }),
      }),
    )
    if (!isSpent) await sent('PUT', `/${bucket}/source`, { body: '0123456789' })
    if (name === 'ListMultipartUploads') await sent('POST', `/${bucket}/source`, { query: { uploads: '' } })
    return bucket
  }

  /** An upload of one part. */
  async function uploadTo(path: string): Promise<{ id: string; etag: string }> {
    const { text } = await sent('POST', path, { query: { uploads: '' } })
    const id = /<UploadId>(.*?)</.exec(text)?.[1] ?? ''
    const { headers } = await sent('PUT', path, { query: { uploadId: id, partNumber: '1' }, body: 'hello' })
    return { id, etag: headers.etag ?? '' }
  }

  /** Makes what an operation is about anew; returns a request that succeeds, and what documents can name. */
  async function prepare(operation: Operation): Promise<{ request: Request; named: Named }> {
    const { method, on, name, query: asked } = operation
    const bucket = on === 'service' ? '' : await bucketFor(operation)
    const key = `object-${++last}`
    const path = on === 'object' ? `/${bucket}/${key}` : `/${bucket}`
    if (on === 'object' || name === 'DeleteObjects') await sent('PUT', `/${bucket}/${key}`, { body: '0123456789' })
    const upload = asked === 'uploadId' ? await uploadTo(path) : undefined
    const query = {
      ...(typeof asked === 'string' ? { [asked]: upload?.id ?? '' } : asked ? { [asked[0]]: asked[1] } : {}),
      ...(operation.parameters?.includes('partNumber') ? { partNumber: '2' } : {}),
      ...(operation.item ? { id: 'x' } : {}),
    }
    const acl = name.endsWith('Acl') ? await sent('GET', path, { query: { acl: '' } }) : undefined
    const named = {
      owner: /<ID>(.*?)</.exec(acl?.text ?? '')?.[1] ?? '',
      key,
      part: upload?.etag ?? '',
      later: new Date(server.clock.now().getTime() + 86_400_000).toISOString(),
    }
    const headers = {
      ...(operation.copies ? { 'x-amz-copy-source': `/${bucket}/source` } : {}),
      ...(name === 'CopyObject' ? { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-tagging-directive': 'REPLACE' } : {}),
      ...(name === 'GetObjectAttributes' ? { 'x-amz-object-attributes': 'ObjectSize' } : {}),
    }
    const document = documents[name]?.(named)[0]
    const body = document
      ? xmlOfTree(document.tree)
      : name === 'PutBucketPolicy'
        ? policyFor(bucket)
        : bodyFor(operation)
    return { request: { method, path, query, headers, body }, named }
  }
  /** The same, for several requests that are refused; what has succeeded has used it up. */
  let unused: { operation: Operation; request: Request } | undefined
  async function refusable(operation: Operation): Promise<Request> {
    if (unused?.operation !== operation) unused = { operation, request: (await prepare(operation)).request }
    return unused.request
  }
  const bodyFor = ({ streams }: Operation) => (streams ? 'hello' : '')
  const policyFor = (bucket: string) =>
    JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` }],
    })

  /** A request with a member set. */
  function asking(request: Request, { kind, name }: Member, { value = NONSENSE, with: beside = {} }: Row): Request {
    if (kind === 'query') return { ...request, query: { ...request.query, ...beside, [name]: value } }
    return { ...request, headers: { ...request.headers, ...beside, [name.replace('*', 'x')]: value } }
  }

  /** What is kept of an object, once a request that writes it has succeeded. */
  async function kept(operation: Operation, { path }: Request, answer: Answer, what: string): Promise<string> {
    const id = /<UploadId>(.*?)</.exec(answer.text)?.[1]
    if (operation.name === 'CreateMultipartUpload' && id !== undefined) {
      const query = { uploadId: id }
      const part = await sent('PUT', path, { query: { ...query, partNumber: '1' }, body: 'hello' })
      const tree = { CompleteMultipartUpload: { Part: { PartNumber: '1', ETag: part.headers.etag ?? '' } } }
      await sent('POST', path, { query, body: xmlOfTree(tree) })
    }
    return all(await sent('GET', path, { query: what === '' ? {} : { [what]: '' } }))
  }

  /** The answer to a request that is to change nothing. */
  const refusal = (request: Request): Promise<Answer> => server.records([], () => send(request))
  const isRefused = ({ status }: Answer): boolean => (status >= 300 && status < 500) || status === 501

  /** What is wrong with how a header or a parameter counts; undefined if nothing is. */
  async function faultOf(operation: Operation, member: Member, base: Answer): Promise<string | undefined> {
    const named = `${member.kind} ${member.name}`
    const own = rows[`${operation.name} ${named}`]
    const row = own ?? rows[named] ?? {}
    used.add(own ? `${operation.name} ${named}` : named)
    const { shows, hides, keeps, status, idle } = row
    const isSuccess = (shows ?? hides ?? keeps ?? status ?? idle) !== undefined
    const prepared = isSuccess ? (await prepare(operation)).request : await refusable(operation)
    const request = asking(prepared, member, row)
    const answer = isSuccess ? await send(request) : await refusal(request)
    const told = `${answer.status} ${answer.code}`
    if (!isSuccess) return isRefused(answer) && answer.status !== base.status ? undefined : `${told}, not refused`
    if (answer.status !== (status ?? base.status)) return told
    if (shows) return shows.test(all(answer)) && !shows.test(all(base)) ? undefined : 'does not show'
    if (hides) return hides.test(all(base)) && !hides.test(all(answer)) ? undefined : 'hides nothing'
    if (keeps === undefined) return undefined
    return (await kept(operation, request, answer, keeps)).includes(NONSENSE) ? undefined : 'is not kept'
  }

  /** The same of an element, in the first document that has it: one that is refused for it, or one that is not. */
  async function faultOfElement(operation: Operation, { name }: Member): Promise<string | undefined> {
    const changed = ({ tree }: Example): Tree | undefined => withLeaf(tree, name.split('/'), NONSENSE)
    const exampleFor = (named: Named) =>
      documents[operation.name]?.(named).find((one) => changed(one) !== undefined) ?? {
        tree: {},
        refused: 'an example',
      }
    const { request, named } = await prepare(operation)
    const { tree, refused } = exampleFor(named)
    if (refused !== undefined) {
      const answer = await refusal({ ...request, body: xmlOfTree(tree) })
      return answer.code === refused ? undefined : `${answer.status} ${answer.code}`
    }
    const well = await send({ ...request, body: xmlOfTree(tree) })
    if (well.status >= 300) return `as it should be: ${well.status} ${well.code}`
    const again = await prepare(operation)
    const answer = await send({ ...again.request, body: xmlOfTree(changed(exampleFor(again.named)) ?? {}) })
    const row = rows[`element ${name}`]
    if (row) used.add(`element ${name}`)
    if (row?.idle !== undefined) return answer.status === well.status ? undefined : `${answer.status} ${answer.code}`
    if (row?.shows) return row.shows.test(answer.text) && !row.shows.test(well.text) ? undefined : 'does not show'
    if (isRefused(answer) || answer.text.includes(NONSENSE)) return undefined
    const query = operation.name === 'CreateBucket' ? { tagging: '' } : again.request.query
    const { text } = await sent('GET', again.request.path, { query })
    return text.includes(NONSENSE) ? undefined : `${answer.status}, and is not kept`
  }

  /** The same of a body that is no document of elements. */
  async function faultOfContents(operation: Operation): Promise<string | undefined> {
    const answer = await refusal({ ...(await refusable(operation)), body: NONSENSE })
    return isRefused(answer) ? undefined : `${answer.status} ${answer.code}`
  }

  async function fault(operation: Operation, member: Member, base: Answer): Promise<string | undefined> {
    if (member.kind === 'element') return faultOfElement(operation, member)
    if (member.kind === 'contents') return faultOfContents(operation)
    return faultOf(operation, member, base)
  }

  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
  itOnce('counts in every operation, is refused, or has a reason not to', async () => {
    const faults: string[] = []
    let count = 0
    for (const operation of operations) {
      const members = membersOf(operation.name)
      // The SDK sends no forms; form.test.ts does.
      assert.equal(members === undefined, operation.form ?? false, operation.name)
      if (!members) continue
      const base = await send((await prepare(operation)).request)
      const isSetting = operation.method !== 'GET' && operation.method !== 'HEAD'
      if (base.status >= (isSetting ? 300 : 500)) faults.push(`${operation.name}: ${base.status} ${base.code}`)
      for (const member of members) {
        // What is uploaded may be anything.
        if (member.kind === 'contents' && operation.streams) continue
        count++
        const wrong = await fault(operation, member, base).catch(({ message }: Error) => message)
        if (wrong !== undefined) faults.push(`${operation.name}: ${member.kind} ${member.name}: ${wrong}`)
      }
    }
    assert.deepEqual(faults, [])
    assert.ok(count > 500, `only ${count}`)
    const unsaid = Object.keys(rows).filter((row) => !used.has(row))
    assert.deepEqual(unsaid, [], 'rows that nothing needs')
  })
})
