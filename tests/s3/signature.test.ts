import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import aws4 from 'aws4'
import { AwsV4Signer } from 'aws4fetch'
import fc from 'fast-check'
import { joinHeaders, type Signable } from '../../server/fronts/s3/requests/signature/canonical.ts'
import { decodeChunks, type Framing } from '../../server/fronts/s3/requests/signature/chunks.ts'
import { readCredential } from '../../server/fronts/s3/requests/signature/credential.ts'
import { payloadHashOf } from '../../server/fronts/s3/requests/signature/payload.ts'
import { alternatives, sign, signingKey, textOf } from '../../server/fronts/s3/requests/signature/verify.ts'
import { readQuery, splitTarget } from '../../server/fronts/s3/requests/target.ts'
import { signerOf } from './s3.ts'

const ID = 'AKIAIOSFODNN7EXAMPLE'
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const pair = { id: '', access_key_id: ID, secret_access_key: SECRET }

/** The signature that a request should have, and the one it has. */
function compare(method: string, target: string, headers: readonly [name: string, value: string][]) {
  const { path, query } = splitTarget(target)
  const request: Signable = { method, path, query, rawHeaders: headers.flat() }
  const joined = joinHeaders(request.rawHeaders)
  const credential = readCredential(joined, readQuery(query))
  assert.ok(credential)
  const payloadHash = payloadHashOf(joined, readQuery(query), credential)
  const key = signingKey(SECRET, credential.day, credential.region)
  const { text } = textOf(request, { headers: joined, credential, payloadHash })
  return { given: credential.signature, expected: sign(key, text), credential, key }
}
const isRight = (...of: Parameters<typeof compare>): boolean => {
  const { given, expected } = compare(...of)
  return given === expected
}

const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const authorization = (names: string, signature: string): [string, string] => [
  'Authorization',
  `AWS4-HMAC-SHA256 Credential=${ID}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`,
]
const HOST: [string, string] = ['Host', 'examplebucket.s3.amazonaws.com']
const DATE: [string, string] = ['x-amz-date', '20130524T000000Z']
const hash = (value: string): [string, string] => ['x-amz-content-sha256', value]

it('takes a date in the form of HTTP, and as botocore writes it', () => {
  for (const date of ['Fri, 24 May 2013 00:00:00 GMT', 'Fri, 24 May 2013 00:00:00 -0000', '2013-05-24T00:00:00Z']) {
    const read = readCredential(joinHeaders(['date', date, ...authorization('date;host', '0'.repeat(64))]), [])
    assert.equal(read?.date, '20130524T000000Z', date)
  }
  assert.throws(
    () => readCredential(joinHeaders(['date', 'Friday', ...authorization('date;host', '0'.repeat(64))]), []),
    /a valid Date/,
  )
})

it('reads each header as if it were the first of its client', () => {
  const digits = (one: string) => one.repeat(64)
  const read = (header: string, date = '20130524T000000Z') =>
    readCredential(joinHeaders(['x-amz-date', date, 'Authorization', header]), [])
  const [, header] = authorization('host;x-amz-date', digits('a'))
  const scope = '20130524/us-east-1/s3/aws4_request'
  for (let i = 0; i < 3; i++)
    assert.partialDeepStrictEqual(read(header), {
      signature: digits('a'),
      scope,
      signedHeaders: ['host', 'x-amz-date'],
    })
  const later = read(header.replace(digits('a'), digits('b')), '20130524T235959Z')
  assert.partialDeepStrictEqual(later, { signature: digits('b'), time: new Date('2013-05-24T23:59:59Z') })
  assert.throws(() => read(header, '20130525T000000Z'), /not the same as X-Amz-Date/)
  assert.throws(() => read(header, 'today'), /a valid Date/)
  assert.throws(() => read(header.replace(digits('a'), digits('A'))), /64 lower-case/)
  assert.throws(() => read(header.slice(0, -1)), /64 lower-case/)
  assert.throws(() => read(`${header}0`), /64 lower-case/)
  // What comes after the signature counts, and so does the last of two.
  assert.deepEqual(read(`${header},SignedHeaders=host`)?.signedHeaders, ['host'])
  assert.equal(read(`${header},Other=${digits('a')}`)?.signature, digits('a'))
  assert.equal(read(`${header},Other=${digits('c')}`)?.signature, digits('a'))
  assert.equal(read(`${header},Signature=${digits('c')}`)?.signature, digits('c'))
})

it('agrees with the examples that AWS publishes', () => {
  const examples: Parameters<typeof compare>[] = [
    [
      'GET',
      '/test.txt',
      [
        HOST,
        DATE,
        hash(NOTHING),
        ['Range', 'bytes=0-9'] as [string, string],
        authorization(
          'host;range;x-amz-content-sha256;x-amz-date',
          'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
        ),
      ],
    ],
    [
      'PUT',
      '/test$file.text',
      [
        HOST,
        DATE,
        hash('44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072'),
        ['Date', 'Fri, 24 May 2013 00:00:00 GMT'],
        ['x-amz-storage-class', 'REDUCED_REDUNDANCY'],
        authorization(
          'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
          '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
        ),
      ],
    ],
    [
      'GET',
      '/?lifecycle',
      [
        HOST,
        DATE,
        hash(NOTHING),
        authorization(
          'host;x-amz-content-sha256;x-amz-date',
          'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
        ),
      ],
    ],
    [
      'GET',
      '/?max-keys=2&prefix=J',
      [
        HOST,
        DATE,
        hash(NOTHING),
        authorization(
          'host;x-amz-content-sha256;x-amz-date',
          '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
        ),
      ],
    ],
    [
      'GET',
      `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${ID}%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`,
      [HOST],
    ],
  ]
  for (const example of examples) {
    const { given, expected } = compare(...example)
    assert.equal(expected, given, example[1])
  }
})

/** AWS's example of a body in signed chunks: 65,536 and 1,024 times `a`. */
const CHUNKS = [
  { size: 65_536, signature: 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648' },
  { size: 1024, signature: '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497' },
  { size: 0, signature: 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9' },
]
const chunked = Buffer.concat(
  CHUNKS.map(({ size, signature }) =>
    Buffer.from(`${size.toString(16)};chunk-signature=${signature}\r\n${'a'.repeat(size)}\r\n`),
  ),
)
const framing = (more: Partial<Framing> = {}): Framing => ({
  signed: true,
  trailer: false,
  length: 66_560,
  trailers: new Map(),
  signatures: {
    key: signingKey(SECRET, '20130524', 'us-east-1'),
    date: '20130524T000000Z',
    scope: '20130524/us-east-1/s3/aws4_request',
    seed: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
  },
  ...more,
})
async function* inPieces(bytes: Uint8Array, cuts: readonly number[]) {
  let from = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    if (cut <= from || cut >= bytes.length) continue
    yield bytes.subarray(from, cut)
    from = cut
  }
  yield bytes.subarray(from)
}
const decode = async (bytes: Uint8Array, more: Partial<Framing> = {}, cuts: readonly number[] = []) =>
  Buffer.concat(await Array.fromAsync(decodeChunks(inPieces(bytes, cuts), framing(more))))
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? String(error),
  )

it('unpacks signed chunks, however they arrive, and no body that was changed or cut off', async () => {
  assert.deepEqual(await decode(chunked), Buffer.alloc(66_560, 'a'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(chunked.length), { maxLength: 20 }), async (cuts) => {
      assert.equal((await decode(chunked, {}, cuts)).length, 66_560)
    }),
    { numRuns: 50 },
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(chunked.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const changed = Buffer.from(chunked)
      changed[at] = (changed[at] ?? 0) ^ change
      assert.notEqual(await codeOf(decode(changed)), 'ok', `byte ${at}`)
      assert.equal(await codeOf(decode(chunked.subarray(0, at))), 'IncompleteBody')
    }),
    { numRuns: 200 },
  )
  assert.equal(await codeOf(decode(Buffer.concat([chunked, Buffer.from('x')]))), 'IncompleteBody')
  assert.equal(await codeOf(decode(chunked, { length: 66_559 })), 'IncompleteBody')
  assert.equal(await codeOf(decode(chunked, { length: 66_561 })), 'IncompleteBody')
  const other = { ...framing().signatures, seed: '0'.repeat(64) }
  assert.equal(await codeOf(decode(chunked, { signatures: other })), 'SignatureDoesNotMatch')
})

it('hands tiny chunks on together, in their order, and lets others have their turns', async () => {
  const counted = Array.from({ length: 50_000 }, (_, i) => String(i % 10))
  const large = 'x'.repeat(3000)
  const pieces = [...counted, large, ...counted]
  const body = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')
  const length = pieces.join('').length
  const whole = inPieces(Buffer.from(`${body}0\r\n\r\n`), [])
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const found = await Array.fromAsync(decodeChunks(whole, framing({ signed: false, trailer: true, length })))
  clearInterval(timer)
  assert.equal(Buffer.concat(found).toString(), pieces.join(''))
  assert.ok(found.length < 20, `${found.length} pieces`)
  assert.ok(turns > 0)
})

it('reads trailers of unsigned bodies, and refuses broken ones', async () => {
  const plain = { signed: false, trailer: true, length: 5 }
  const body = (trailers: string) => Buffer.from(`5\r\nhello\r\n0\r\n${trailers}\r\n`)
  const trailers = new Map<string, string>()
  assert.equal(String(await decode(body('x-amz-checksum-crc32: NhCmhg==\r\n'), { ...plain, trailers })), 'hello')
  assert.deepEqual([...trailers], [['x-amz-checksum-crc32', 'NhCmhg==']])
  assert.equal(await codeOf(decode(body(''), plain)), 'ok')
  for (const wrong of ['no colon\r\n', ': empty\r\n', 'a:1\r\na:2\r\n', 'x-amz-trailer-signature:00\r\n'])
    assert.equal(await codeOf(decode(body(wrong), plain)), 'MalformedTrailerError', wrong)
  // As minio-go writes them.
  const loose = new Map<string, string>()
  await decode(Buffer.from('5\r\nhello\r\n0\r\nx-amz-checksum-crc32: NhCmhg==\n\r\n\r\n'), {
    ...plain,
    trailers: loose,
  })
  assert.deepEqual([...loose], [['x-amz-checksum-crc32', 'NhCmhg==']])
  for (const cut of ['', 'a:1', 'a:1\r\n', 'a:1\n'])
    assert.equal(await codeOf(decode(Buffer.from(`5\r\nhello\r\n0\r\n${cut}`), plain)), 'IncompleteBody', cut)
  for (const more of ['x', '\r\n\r\n', '\n'])
    assert.equal(
      await codeOf(decode(Buffer.from(`5\r\nhello\r\n0\r\na:1\n\r\n${more}`), plain)),
      'IncompleteBody',
      more,
    )
  assert.equal(await codeOf(decode(body(`a:${'x'.repeat(5000)}\r\n`), plain)), 'IncompleteBody')
  assert.equal(await codeOf(decode(Buffer.from(`${'0'.repeat(300)}5\r\nhello`), plain)), 'IncompleteBody')
  assert.equal(await codeOf(decode(Buffer.from('zz\r\nhello'), plain)), 'IncompleteBody')
})

/** A body of one signed chunk, with trailers as these lines have them; what is signed of them is `text`. */
function signedTrailers(text: string, written: (signature: string) => string): Buffer {
  const { key, date, scope, seed } = framing().signatures
  const hashed = (of: string) => createHash('sha256').update(of).digest('hex')
  const chain = (algorithm: string, before: string, ...hashes: string[]) =>
    sign(key, [algorithm, date, scope, before, ...hashes].join('\n'))
  const one = chain('AWS4-HMAC-SHA256-PAYLOAD', seed, hashed(''), hashed('hello'))
  const end = chain('AWS4-HMAC-SHA256-PAYLOAD', one, hashed(''), hashed(''))
  const last = chain('AWS4-HMAC-SHA256-TRAILER', end, hashed(text))
  return Buffer.from(`5;chunk-signature=${one}\r\nhello\r\n0;chunk-signature=${end}\r\n${written(last)}`)
}

it('reads signed trailers however their lines end, and nothing that was not signed', async () => {
  const text = 'x-amz-checksum-crc32:NhCmhg==\n'
  const signature = (of: string) => `x-amz-trailer-signature:${of}`
  const right: [name: string, body: Buffer][] = [
    ['AWS', signedTrailers(text, (of) => `x-amz-checksum-crc32:NhCmhg==\r\n${signature(of)}\r\n\r\n`)],
    ['minio-go', signedTrailers(text, (of) => `x-amz-checksum-crc32:NhCmhg==\n\r\n${signature(of)}\r\n\r\n`)],
    ['spaces', signedTrailers(text, (of) => `X-Amz-Checksum-Crc32: NhCmhg==\n${signature(of)}\n\r\n`)],
  ]
  for (const [name, body] of right) {
    const trailers = new Map<string, string>()
    assert.equal(String(await decode(body, { trailer: true, length: 5, trailers })), 'hello', name)
    assert.deepEqual([...trailers], [['x-amz-checksum-crc32', 'NhCmhg==']])
    for (const cut of [1, 2, 3, 70]) {
      const code = await codeOf(decode(body.subarray(0, -cut), { trailer: true, length: 5 }))
      assert.equal(code, 'IncompleteBody', `${name} ${cut}`)
    }
  }
  const wrong: [expected: string, written: (of: string) => string][] = [
    ['SignatureDoesNotMatch', (of) => `x-amz-checksum-crc32:AAAAAA==\n\r\n${signature(of)}\r\n\r\n`],
    ['SignatureDoesNotMatch', (of) => `a:1\n${text}${signature(of)}\r\n\r\n`],
    [
      'SignatureDoesNotMatch',
      (of) => `${text}${signature(of.replace(/^./, (one) => (one === '0' ? '1' : '0')))}\r\n\r\n`,
    ],
    ['IncompleteBody', (of) => `${text}${signature(of)}\r\na:1\r\n\r\n`],
    ['IncompleteBody', (of) => `${text}\r\na:1\r\n${signature(of)}\r\n\r\n`],
    ['IncompleteBody', (of) => `${text}${signature(of)}\r\n${signature(of)}\r\n\r\n`],
    ['IncompleteBody', (of) => `${text}${signature(of.slice(1))}\r\n\r\n`],
    ['MalformedTrailerError', (of) => `${text}\r\n\r\n${signature(of)}\r\n\r\n`],
    ['MalformedTrailerError', (of) => `\r\n${text}${signature(of)}\r\n\r\n`],
    ['MalformedTrailerError', () => '\r\n'],
  ]
  for (const [expected, written] of wrong) {
    const body = signedTrailers(text, written)
    assert.equal(await codeOf(decode(body, { trailer: true, length: 5 })), expected, String(body))
  }
})

const method = fc.constantFrom('GET', 'PUT', 'HEAD', 'DELETE')
// A segment may have slashes itself. One of dots only would be resolved by URLs, as aws4fetch uses them.
const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((one) => one.isWellFormed() && !one.split('/').some((part) => /^\.+$/.test(part)))
const key = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
const query = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((one) => one.isWellFormed()),
  { maxKeys: 4 },
)
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
const pathOf = (text: string) => `/bucket/${text.split('/').map(encoded).join('/')}`
const queryOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&')

it('accepts what three independent signers sign, and nothing of it with a change', async () => {
  await fc.assert(
    fc.asyncProperty(method, key, query, fc.nat(), async (verb, text, values, at) => {
      const path = pathOf(text)
      const target = `${path}${Object.keys(values).length > 0 ? `?${queryOf(values)}` : ''}`
      const signers: [name: string, headers: Record<string, string>][] = []
      const smithy = await signerOf(pair).sign(
        {
          method: verb,
          protocol: 'http:',
          hostname: 'host.example',
          path,
          query: values,
          headers: { host: 'host.example', 'x-amz-meta-a': '  b   c ' },
        },
        { signingDate: new Date('2026-01-02T03:04:05Z') },
      )
      signers.push(['smithy', smithy.headers])
      const other = await new AwsV4Signer({
        method: verb,
        url: `http://host.example${target}`,
        accessKeyId: ID,
        secretAccessKey: SECRET,
        service: 's3',
        region: 'eu-west-1',
        datetime: '20260102T030405Z',
      }).sign()
      signers.push(['aws4fetch', { host: 'host.example', ...Object.fromEntries(other.headers) }])
      // It encodes some characters of queries otherwise than it signs them.
      if (/^[\w./-]*$/.test(text) && Object.values(values).every((value) => /^\w*$/.test(value))) {
        const { headers } = aws4.sign(
          { service: 's3', region: 'us-east-1', method: verb, host: 'host.example', path: target },
          { accessKeyId: ID, secretAccessKey: SECRET },
        )
        signers.push(['aws4', Object.fromEntries(Object.entries(headers ?? {}).map(([n, v]) => [n, String(v)]))])
      }
      for (const [name, headers] of signers) {
        const all = Object.entries(headers)
        assert.ok(isRight(verb, target, all), `${name}: ${verb} ${target}`)
        assert.equal(isRight(verb, `${target}${target.includes('?') ? '&' : '?'}x=1`, all), false)
        assert.equal(isRight(verb === 'GET' ? 'PUT' : 'GET', target, all), false)
        const [changed = '', value = ''] = all[at % all.length] ?? []
        if (
          /^authorization$/i.test(changed) ||
          !new RegExp(`SignedHeaders=[^,]*\\b${changed}\\b`, 'i').test(
            headers.authorization ?? headers.Authorization ?? '',
          )
        )
          continue
        if (/date/i.test(changed)) continue
        const others = all.map(([one, was]): [string, string] => [one, one === changed ? `${value}x` : was])
        assert.equal(isRight(verb, target, others), false, `${name}: ${changed}`)
      }
    }),
    { numRuns: 150 },
  )
})

it('tries at most six ways in which a proxy may have changed a request', () => {
  const headers = new Map([
    ['host', 'inside:9000'],
    ['accept-encoding', 'gzip, br'],
  ])
  const request: Signable = { method: 'GET', path: '/b/%7Ek', query: '', rawHeaders: [] }
  const credential = { signedHeaders: ['host', 'accept-encoding'] } as never
  const found = alternatives(headers, request, credential, {
    hosts: ['a', 'b', 'c'],
    forwarded: 's3.example.com',
    domains: [],
  })
  assert.equal(found.length, 6)
  assert.deepEqual(found[0], { headers: { host: 's3.example.com' } })
})

it('signs values as they were sent but for blanks around and runs of spaces, and tries tabs as spaces', () => {
  const values = { a: '\t x\ty ', b: 'x  \t  y', c: 'voil\xc3\xa0', d: '\xa0x\xa0' }
  const headers = joinHeaders(Object.entries(values).flat())
  assert.deepEqual(Object.fromEntries(headers), { a: 'x\ty', b: 'x \t y', c: 'voil\xc3\xa0', d: '\xa0x\xa0' })
  const credential = { signedHeaders: ['a', 'b', 'c', 'd'] }
  const names = { hosts: [], forwarded: undefined, domains: [] }
  assert.deepEqual(alternatives(headers, { path: '/', query: '' }, credential, names)[0], {
    headers: { a: 'x y', b: 'x y' },
  })
})

it('no bytes of a header are trimmed by trim(), which takes A0 for a blank', () => {
  const root = path.join(import.meta.dirname, '../..')
  const files = ['server/http/*.ts', 'server/fronts/s3/signature/!(post-policy).ts'].flatMap((one) =>
    fs.globSync(one, { cwd: root }),
  )
  assert.ok(files.length > 10)
  const trimming = files.filter((file) => fs.readFileSync(path.join(root, file), 'utf8').includes('.trim()'))
  assert.deepEqual(trimming, [])
})
