import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { createClient } from '../../client/derived.ts'
import { s3Errors } from '../../server/fronts/s3/errors.ts'
import type { Operation } from '../../server/fronts/s3/operations/operation.ts'
import { operations } from '../../server/fronts/s3/operations/operations.ts'
import { joinHeaders } from '../../server/fronts/s3/requests/signature/canonical.ts'
import { readCredential } from '../../server/fronts/s3/requests/signature/credential.ts'
import { payloadHashOf } from '../../server/fronts/s3/requests/signature/payload.ts'
import { sign, signingKey, textOf } from '../../server/fronts/s3/requests/signature/verify.ts'
import { readQuery, splitTarget } from '../../server/fronts/s3/requests/target.ts'
import type { Pair } from '../s3/s3.ts'
import { repeats } from '../support/repeats.ts'
import { ADMIN, describeEngines, onS3 } from '../support/server.ts'
import { startTarget } from './target.ts'
import { hostileText } from './values.ts'
import { type Answer, type Framing, send, type Wire } from './wire.ts'

const SECONDS = repeats(6)
const MOST_MEMORY = 600_000_000
const skip = onS3 ? 'starts services of its own, with files' : process.platform !== 'linux' && 'reads /proc'

type Header = readonly [string, string]

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), hostileText)
const encoded = text.map((value) => encodeURIComponent(value.toWellFormed()))
/** Any bytes that Node passes on, percent-encoded or not. */
const piece = fc.oneof(
  encoded,
  fc.constantFrom(
    'a',
    'a/b',
    'x%2Fy',
    '%',
    '%F',
    '%FF',
    '%00',
    '//',
    '.',
    '..',
    '%2e%2e/',
    '+',
    '%2B',
    'a'.repeat(1025),
  ),
)
const bucket = fc.oneof({ weight: 8, arbitrary: fc.constant('fuzzed') }, { weight: 1, arbitrary: piece })
const key = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'a/b', 'page') }, { weight: 2, arbitrary: piece })

const number = fc.constantFrom('0', '1', '2', '1000', '10000', '10001', '-1', '1e3', '99999999999', 'NaN', '', '0x10')
const base64 = fc.constantFrom('AAAA', 'AAAAAA==', '1B2M2Y8AsgTpgAmY7PhCfg==', '=', 'a', '!', `${'A'.repeat(43)}=`)
const NUMBERS = ['max-keys', 'max-uploads', 'max-parts', 'max-buckets', 'part-number-marker', 'partNumber']
const TEXTS = ['prefix', 'delimiter', 'marker', 'start-after', 'continuation-token', 'key-marker', 'upload-id-marker']
const OTHERS = ['version-id-marker', 'versionId', 'uploadId', 'encoding-type', 'fetch-owner', 'response-content-type']
const parameter = fc.oneof(
  fc.tuple(fc.constantFrom(...NUMBERS), number),
  fc.tuple(fc.constantFrom(...TEXTS, ...OTHERS), encoded),
  fc.constantFrom(['encoding-type', 'url'], ['list-type', '2'], ['x-id', 'GetObject'], ['versionId', 'null']),
  fc.tuple(encoded, encoded),
  fc.tuple(fc.constantFrom('X-Amz-Signature', 'X-Amz-Credential', 'X-Amz-Date', 'X-Amz-Expires'), encoded),
)

/** What a header's value may have without being refused by Node. */
const value = fc.oneof(
  number,
  base64,
  encoded,
  fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 40 }),
  fc.constantFrom(
    'private',
    'public-read',
    'COPY',
    'REPLACE',
    'bytes=0-0',
    'bytes=5-1',
    'bytes=-1',
    '*',
    '"x"',
    'a=b&c',
  ),
  fc.constantFrom('STANDARD', 'GLACIER', 'Wed, 21 Oct 2015 07:28:00 GMT', '/fuzzed/a', 'fuzzed/page', 'ETag,Checksum'),
)
const header: fc.Arbitrary<Header> = fc.tuple(
  fc.constantFrom(
    ...['range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'content-md5', 'origin'],
    ...['content-type', 'content-encoding', 'cache-control', 'expires', 'access-control-request-method', 'expect'],
    ...['x-amz-copy-source', 'x-amz-copy-source-range', 'x-amz-copy-source-if-match', 'x-amz-metadata-directive'],
    ...['x-amz-tagging', 'x-amz-tagging-directive', 'x-amz-meta-a', 'x-amz-acl', 'x-amz-storage-class'],
    ...['x-amz-checksum-crc32', 'x-amz-checksum-sha256', 'x-amz-checksum-algorithm', 'x-amz-checksum-type'],
    ...['x-amz-sdk-checksum-algorithm', 'x-amz-checksum-mode', 'x-amz-trailer', 'x-amz-decoded-content-length'],
    ...['x-amz-object-attributes', 'x-amz-max-parts', 'x-amz-mp-object-size', 'x-amz-expected-bucket-owner'],
    ...['x-amz-content-sha256', 'x-amz-date', 'x-forwarded-host'],
  ),
  value,
)

/** Documents that operations read, to be broken. */
const DOCUMENTS = [
  '<Delete><Quiet>true</Quiet><Object><Key>a</Key></Object><Object><Key>none</Key></Object></Delete>',
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"a"</ETag></Part></CompleteMultipartUpload>',
  '<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>',
  '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>',
  '<CreateBucketConfiguration><LocationConstraint>eu</LocationConstraint></CreateBucketConfiguration>',
  '<LifecycleConfiguration><Rule><ID>a</ID><Status>Enabled</Status><Filter><And><Prefix>p</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And></Filter><Expiration><Days>3650</Days></Expiration></Rule></LifecycleConfiguration>',
  '<LifecycleConfiguration><Rule><Status>Disabled</Status><Prefix/><Expiration><Date>2100-01-01T00:00:00Z</Date></Expiration></Rule></LifecycleConfiguration>',
  '<AccessControlPolicy><Owner><ID>x</ID></Owner><AccessControlList/></AccessControlPolicy>',
]
const BROKEN = [
  '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
  `${'<a>'.repeat(50_000)}`,
  `<Tagging><TagSet>${'<Tag/>'.repeat(9000)}</TagSet></Tagging>`,
  '<Delete><Object><Key>&#0;</Key></Object></Delete>',
  '<Delete><Object><Key>\0</Key></Object></Delete>',
  `<Delete>${'<Object><Key>x</Key></Object>'.repeat(1001)}</Delete>`,
  '\ufeff<Delete/>',
  '',
]
const CHUNKS = [
  '5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n',
  '5;chunk-signature=0\r\nhello\r\n0;chunk-signature=0\r\n\r\n',
  `${'f'.repeat(300)}\r\n`,
  'ffffffffffffffff\r\nx',
  '-5\r\nhello\r\n',
  '5\r\nhelloXX0\r\n\r\n',
]
/** A text with a few of its characters cut out, doubled or changed. */
const damaged = (base: string) =>
  fc
    .array(fc.tuple(fc.nat(Math.max(0, base.length - 1)), fc.nat(6), fc.string({ unit: 'binary', maxLength: 3 })), {
      maxLength: 3,
    })
    .map((cuts) => cuts.reduce((made, [at, length, more]) => made.slice(0, at) + more + made.slice(at + length), base))
const body = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom(...DOCUMENTS, ...CHUNKS).chain(damaged),
  fc.constantFrom(...DOCUMENTS, ...BROKEN, ...CHUNKS),
  fc.string({ unit: 'binary', maxLength: 100 }),
)

interface Draft {
  /** The operation's name. */
  operation: string
  bucket: string
  key: string
  parameters: readonly (readonly [string, string])[]
  headers: readonly Header[]
  payload: string
  body: string | undefined
  framing: Framing
  /** How the signature is wrong; most are right. */
  fault: 'none' | 'unsigned' | 'changed' | 'garbled'
}
const draft: fc.Arbitrary<Draft> = fc.record({
  operation: fc.constantFrom(...operations.map(({ name }) => name)),
  bucket,
  key,
  parameters: fc.oneof(fc.constant([]), fc.array(parameter, { maxLength: 3 })),
  headers: fc.oneof(fc.constant([]), fc.array(header, { maxLength: 4 })),
  payload: fc.constantFrom(
    ...['UNSIGNED-PAYLOAD', 'UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'],
    ...['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', '0'.repeat(64), 'x'],
  ),
  body,
  framing: fc.constantFrom<Framing>('length', 'length', 'length', 'chunked', 'short'),
  fault: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'none', 'unsigned', 'changed', 'garbled'),
})

/** The request of a draft, signed by whoever has the key, with the faults that it is to have. */
function wireOf(draft: Draft, host: string, pair: Pair): Wire {
  const { parameters, payload, fault, framing } = draft
  const operation = operations.find(({ name }) => name === draft.operation) as Operation
  const path = operation.on === 'service' ? '/' : `/${draft.bucket}${operation.on === 'object' ? `/${draft.key}` : ''}`
  const named = typeof operation.query === 'string' ? [operation.query, ''] : operation.query
  const query = [...(named ? [named] : []), ...parameters].map((pair) => pair.join('='))
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`
  const date = `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
  const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`
  const own: Header[] = [
    ['Host', host],
    ['x-amz-date', date],
    ['x-amz-content-sha256', payload],
    ...(operation.copies ? [['x-amz-copy-source', '/fuzzed/page'] as const] : []),
    ...(operation.form ? [['Content-Type', 'multipart/form-data; boundary=b'] as const] : []),
    ...(payload.startsWith('STREAMING') ? [['x-amz-decoded-content-length', '5'] as const] : []),
  ]
  const headers = [...own, ...draft.headers]
  const { body } = draft
  const wire = { method: operation.method, target, body: body === undefined ? body : Buffer.from(body), framing }
  if (fault === 'unsigned') return { ...wire, headers }
  if (fault === 'garbled') return { ...wire, headers: [...headers, ['Authorization', `AWS4-HMAC-SHA256 ${scope}`]] }
  const signed = [...new Set(headers.map(([name]) => name.toLowerCase()))]
    .filter((name) => name === 'host' || name.startsWith('x-amz-'))
    .sort()
  const authorization = (signature: string): Header => [
    'Authorization',
    `AWS4-HMAC-SHA256 Credential=${pair.access_key_id}/${scope},SignedHeaders=${signed.join(';')},Signature=${signature}`,
  ]
  const signature = (): string => {
    const { path: rawPath, query: rawQuery } = splitTarget(target)
    const request = {
      method: operation.method,
      path: rawPath,
      query: rawQuery,
      rawHeaders: [...headers, authorization('0'.repeat(64))].flat(),
    }
    try {
      const joined = joinHeaders(request.rawHeaders)
      const credential = readCredential(joined, readQuery(rawQuery))
      if (!credential) return ''
      const payloadHash = payloadHashOf(joined, readQuery(rawQuery), credential)
      const { text } = textOf(request, { headers: joined, credential, payloadHash })
      return sign(signingKey(pair.secret_access_key, credential.day, credential.region), text)
    } catch {
      // It cannot be signed, and will be refused for that.
      return '0'.repeat(64)
    }
  }
  const right = signature()
  return { ...wire, headers: [...headers, authorization(fault === 'changed' ? right.replace(/^./, 'g') : right)] }
}

/** What is wrong with an answer; undefined: nothing. */
function faultOf({ method, framing }: Wire, { status, headers, body }: Answer): string | undefined {
  // Half a request may be given up without a word.
  if (status === 0) return framing === 'short' ? undefined : 'the connection was closed without an answer'
  if ('x-injected' in headers) return 'an injected header'
  if (!headers['x-amz-request-id']) return 'no x-amz-request-id'
  if (status >= 500 && status !== 501) return `status ${status}: ${body.subarray(0, 300)}`
  if (method === 'HEAD' || status < 400) return undefined
  const document = body.toString()
  const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(document) ?? []
  if (headers['content-type'] !== 'application/xml') return `an error as ${headers['content-type']}`
  if ((s3Errors as { [code: string]: number })[code] !== status) return `status ${status} with ${code}`
  return document.includes(`<RequestId>${headers['x-amz-request-id']}</RequestId>`) ? undefined : 'another request id'
}

describeEngines('fuzz: S3', (engine) => {
  it('answers hostile and broken requests to every operation in the words of S3', { skip }, async (t) => {
    const target = await startTarget(engine, { S3_PORT: '0' })
    try {
      const { access_token: token } = await createClient({ baseUrl: target.url }).login({
        body: { username: ADMIN.email, password: ADMIN.password },
      })
      const admin = createClient({ baseUrl: target.url, token })
      await admin.createBucket({ body: { name: 'fuzzed', quota_gb: 0.01 } })
      for (const key of ['a', 'page'])
        await admin.putObject({ params: { bucket: 'fuzzed', key }, body: `contents of ${key}` })
      const pair = await admin.createAccessKey({ body: { name: 'fuzz' } })
      const url = new URL(/S3 clients.*: (http:\S+)/.exec(target.log())?.[1] ?? '')
      const statuses: Record<string, number> = {}
      const reached = new Set<string>()
      await fc.assert(
        fc.asyncProperty(fc.array(draft, { minLength: 1, maxLength: 8 }), async (drafts) => {
          await Promise.all(
            drafts.map(async (one) => {
              const wire = wireOf(one, url.host, pair)
              const answer = await send(url, wire, 15_000)
              statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
              if (answer.status >= 200 && answer.status < 300) reached.add(one.operation)
              const fault = faultOf(wire, answer)
              assert.equal(fault, undefined, `${fault}\n${JSON.stringify({ ...wire, body: one.body })}`)
            }),
          )
        }),
        { numRuns: 100_000, interruptAfterTimeLimit: SECONDS * 1000, endOnFailure: true },
      )
      t.diagnostic(`${JSON.stringify(statuses)}; succeeded: ${[...reached].sort().join(', ')}`)
      assert.equal((await fetch(`${target.url}/readyz`)).status, 200)
      const { peak } = target.memory()
      assert.ok(peak < MOST_MEMORY, `${peak} bytes of memory at its peak`)
    } finally {
      const { verify } = await target.finish()
      assert.match(verify, /0 missing, 0 different, 0 sealed, 0 damaged, 0 orphans, 0 aside, 0 miscounted/)
    }
  })
})
