import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import {
  type ChecksumAlgorithm,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectAttributesCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { describeOnce, type TestServer } from '../support/server.ts'
import { type Answer, outcome, type Pair, type s3World, startS3 } from './s3.ts'

const B = 'sums'
const MIB = 1024 * 1024
const EACH = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html'

/** The checksums of `abcdefg`, by programs that are not ours. */
const OF_TEXT = {
  CRC32: 'MSpqpg==',
  CRC32C: '5if0QQ==',
  CRC64NVME: 'SmzZ/LTp1CA=',
  SHA1: 'L7XhNBn8iSRoZeejJPR27GJOh0A=',
  SHA256: 'fRpUEnsiJQL1t5tfsIAwYRUqRPkrN+I8ZSe69mXU2po=',
  SHA512: '1xakGIVptoqxtt+sF45XARTN8Oo6HMDjFIbD5BJBvGp2Qk6MN6sm8Jb8he+YhsjLY0GH9P3f9kX7CZ8f9UxrjA==',
  MD5: 'esZsDxSN6VGbi9JkMSxNZA==',
  XXHASH64: 'GGCUDikCgi0=',
  XXHASH3: 'WkDcP9RMBS8=',
  XXHASH128: 'Kq/YOGmlnDE/55jA7aptxg==',
} as const
const TEXT = 'abcdefg'
const ALGORITHMS = Object.keys(OF_TEXT) as ChecksumAlgorithm[]
const CRCS: readonly ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME']
const headerOf = (algorithm: string) => `x-amz-checksum-${algorithm.toLowerCase()}`

describeOnce('S3: checksums', (engine) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  before(async () => {
    ;({ server, world, pair } = await startS3(engine))
    // It sends what it is given, and no checksum of its own.
    s3 = world.clientOf(pair, { requestChecksumCalculation: 'WHEN_REQUIRED' })
    await s3.send(new CreateBucketCommand({ Bucket: B }))
  })
  after(() => server.stop())

  const put = async (path: string, headers: Record<string, string>, body = TEXT): Promise<Answer> =>
    world.send('PUT', path, await world.signed(pair, { method: 'PUT', path, headers, body }), body)
  /** An upload whose body is in chunks without signatures, as it is given. */
  const putChunks = async (path: string, headers: Record<string, string>, body: string): Promise<Answer> => {
    const all = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', ...headers }
    return world.send('PUT', path, await world.signed(pair, { method: 'PUT', path, headers: all, body: '' }), body)
  }
  const begin = async (Key: string, more: Partial<CreateMultipartUploadCommandInput> = {}) => {
    const { UploadId = '', ...made } = await s3.send(new CreateMultipartUploadCommand({ Bucket: B, Key, ...more }))
    const at = { Bucket: B, Key, UploadId }
    return {
      at,
      made,
      path: (number: number) => `/${B}/${Key}?partNumber=${number}&uploadId=${UploadId}`,
      async send(PartNumber: number, Body: Uint8Array | string, of: object = {}): Promise<CompletedPart> {
        const { $metadata, ...part } = await s3.send(new UploadPartCommand({ ...at, PartNumber, Body, ...of }))
        return { ...part, PartNumber }
      },
      complete: (Parts: CompletedPart[], of: object = {}) =>
        s3.send(new CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts }, ...of })),
    }
  }
  const told = async (Key: string) => {
    const { $metadata, ...head } = await s3.send(new HeadObjectCommand({ Bucket: B, Key, ChecksumMode: 'ENABLED' }))
    const of = Object.entries(head).filter(([name]) => name.startsWith('Checksum') && name !== 'ChecksumType')
    return { type: head.ChecksumType, of: Object.fromEntries(of) }
  }
  /** Calls for each row of a table that must be refused alike, whatever is recorded. */
  const refusedAlike = async (rows: readonly (readonly [code: string, call: () => Promise<Answer>])[]) => {
    for (const [i, [code, call]] of rows.entries())
      await server.records([], async () => {
        const { code: found, text } = await call()
        assert.equal(found, code, `row ${i}: ${text}`)
      })
  }

  it('knows ten algorithms, in a header and in a trailer', async () => {
    for (const algorithm of ALGORITHMS) {
      const [name, value] = [headerOf(algorithm), OF_TEXT[algorithm]]
      for (const answer of [
        await put(`/${B}/${algorithm}`, { [name]: value }),
        await put(`/${B}/${algorithm}`, { 'x-amz-sdk-checksum-algorithm': algorithm }),
        await putChunks(
          `/${B}/${algorithm}`,
          {
            'x-amz-decoded-content-length': '7',
            'x-amz-trailer': name,
            'x-amz-sdk-checksum-algorithm': algorithm.toLowerCase(),
          },
          `7\r\n${TEXT}\r\n0\r\n${name}:${value}\r\n\r\n`,
        ),
      ])
        assert.deepEqual(
          [answer.status, answer.headers[name], answer.headers['x-amz-checksum-type']],
          [200, value, 'FULL_OBJECT'],
          `${algorithm}: ${answer.text}`,
        )
      assert.deepEqual(await told(algorithm), { type: 'FULL_OBJECT', of: { [`Checksum${algorithm}`]: value } })
      const attributes = { Bucket: B, Key: algorithm, ObjectAttributes: ['Checksum' as const] }
      const { Checksum } = await s3.send(new GetObjectAttributesCommand(attributes))
      assert.deepEqual(Checksum, { [`Checksum${algorithm}`]: value, ChecksumType: 'FULL_OBJECT' })
    }
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: B }))
    for (const algorithm of ALGORITHMS) {
      const { ChecksumAlgorithm: listed, ChecksumType } = Contents.find(({ Key }) => Key === algorithm) ?? {}
      assert.deepEqual([listed, ChecksumType], [[algorithm], 'FULL_OBJECT'])
    }
  })

  it(`refuses checksums that are none before those that are wrong (${EACH})`, async () => {
    for (const algorithm of ALGORITHMS) {
      const name = headerOf(algorithm)
      const trailing = { 'x-amz-decoded-content-length': '7', 'x-amz-trailer': name }
      const wrong = Buffer.from(OF_TEXT[algorithm], 'base64').map((byte) => byte ^ 1)
      const one = () => Buffer.from(wrong).toString('base64')
      await refusedAlike([
        ...['', 'invalid_base64!', 'c2RhZnNhZGZzZGFm', 'x'.repeat(4000)].flatMap((value) => [
          ['InvalidRequest', () => put(`/${B}/no`, { [name]: value })] as const,
          [
            'InvalidRequest',
            () => putChunks(`/${B}/no`, trailing, `7\r\n${TEXT}\r\n0\r\n${name}:${value.slice(0, 99)}\r\n\r\n`),
          ] as const,
        ]),
        ['BadDigest', () => put(`/${B}/no`, { [name]: one() })],
        ['BadDigest', () => putChunks(`/${B}/no`, trailing, `7\r\n${TEXT}\r\n0\r\n${name}:${one()}\r\n\r\n`)],
        [
          'InvalidRequest',
          () => put(`/${B}/no`, { [name]: OF_TEXT[algorithm], 'x-amz-sdk-checksum-algorithm': 'SHA0' }),
        ],
      ])
    }
    const two = { [headerOf('CRC32')]: OF_TEXT.CRC32, [headerOf('XXHASH3')]: OF_TEXT.XXHASH3 }
    await refusedAlike([
      ['InvalidRequest', () => put(`/${B}/no`, two)],
      ['InvalidRequest', () => put(`/${B}/no`, { 'x-amz-sdk-checksum-algorithm': 'nonsense' })],
      // Nobody would compare it, and the client would take it for compared.
      ['InvalidRequest', () => put(`/${B}/no`, { 'x-amz-checksum-sha3': OF_TEXT.SHA256 })],
      ['InvalidRequest', () => put(`/${B}/no`, { [headerOf('CRC32')]: OF_TEXT.CRC32, 'x-amz-checksum-crc16': 'AAA=' })],
      [
        'InvalidRequest',
        () => put(`/${B}/no`, { [headerOf('CRC32')]: OF_TEXT.CRC32, 'x-amz-sdk-checksum-algorithm': 'SHA1' }),
      ],
    ])
  })

  it('refuses bodies in chunks that are not as they were announced, each with its code', async () => {
    const crc = 'x-amz-checksum-crc64nvme'
    const right = { 'x-amz-decoded-content-length': '7', 'x-amz-trailer': crc }
    const end = `${crc}:${OF_TEXT.CRC64NVME}\r\n\r\n`
    const body = `7\r\n${TEXT}\r\n0\r\n${end}`
    const at = `/${B}/no`
    const { 'x-amz-trailer': _, ...undeclared } = right
    await refusedAlike([
      // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
      ...[undefined, 'abc', '7x', '', '-7', '1e1'].map((length) => {
        const { 'x-amz-decoded-content-length': _length, ...rest } = right
        const headers = length === undefined ? rest : { ...rest, 'x-amz-decoded-content-length': length }
        return ['MissingContentLength', () => putChunks(at, headers, body)] as const
      }),
      ...['6', '8', '700'].map(
        (length) =>
          ['IncompleteBody', () => putChunks(at, { ...right, 'x-amz-decoded-content-length': length }, body)] as const,
      ),
      ...[
        `x\r\n${TEXT}\r\n0\r\n${end}`,
        `7\r\n${TEXT}\r\nJ\r\n${end}`,
        `7\n${TEXT}\r\n0\r\n${end}`,
        `7\r\n${TEXT}0\r\n${end}`,
        `8\r\n${TEXT}\r\n0\r\n${end}`,
        `7\r\n${TEXT}\r\n0\r\n`,
        `7\r\n${TEXT}\r\n0\r\n${end.slice(0, -2)}`,
        '7\r\n',
        `-7\r\n${TEXT}\r\n0\r\n${end}`,
      ].map((broken) => ['IncompleteBody', () => putChunks(at, right, broken)] as const),
      ['MalformedTrailerError', () => putChunks(at, right, `7\r\n${TEXT}\r\n0\r\n\r\n`)],
      ['MalformedTrailerError', () => putChunks(at, right, `7\r\n${TEXT}\r\n0\r\n:${OF_TEXT.CRC64NVME}\r\n\r\n`)],
      ['MalformedTrailerError', () => putChunks(at, right, `7\r\n${TEXT}\r\n0\r\nother:1\r\n\r\n`)],
      ['MalformedTrailerError', () => putChunks(at, undeclared, body)],
      ['InvalidRequest', () => putChunks(at, { ...right, 'x-amz-trailer': 'x-amz-other' }, body)],
      ['InvalidRequest', () => putChunks(at, { ...right, [headerOf('CRC32')]: OF_TEXT.CRC32 }, body)],
      ['InvalidRequest', () => putChunks(at, { ...right, 'x-amz-sdk-checksum-algorithm': 'sha1' }, body)],
    ])
    assert.equal((await putChunks(at, right, body)).status, 200)
  })

  it('gives an upload that brings none a CRC64NVME, and keeps it', async () => {
    for (const body of ['', TEXT, 'x'.repeat(300_000)]) {
      const { headers } = await put(`/${B}/default`, {}, body)
      assert.equal(headers['x-amz-checksum-type'], 'FULL_OBJECT')
      const asked = await put(`/${B}/asked`, { 'x-amz-sdk-checksum-algorithm': 'CRC64NVME' }, body)
      assert.ok(headers['x-amz-checksum-crc64nvme'])
      assert.equal(headers['x-amz-checksum-crc64nvme'], asked.headers['x-amz-checksum-crc64nvme'])
      const of = { ChecksumCRC64NVME: headers['x-amz-checksum-crc64nvme'] }
      assert.deepEqual(await told('default'), { type: 'FULL_OBJECT', of })
    }
    const large = randomBytes(5 * MIB)
    const upload = await begin('default-parts')
    assert.equal(upload.made.ChecksumAlgorithm, undefined)
    const parts = [await upload.send(1, large), await upload.send(2, TEXT, { ChecksumSHA1: OF_TEXT.SHA1 })]
    assert.equal(parts[1]?.ChecksumSHA1, OF_TEXT.SHA1)
    const { Parts: listed = [], ChecksumAlgorithm } = await s3.send(new ListPartsCommand(upload.at))
    assert.deepEqual([ChecksumAlgorithm, listed[1]?.ChecksumCRC64NVME], [undefined, undefined])
    const whole = await put(`/${B}/whole`, {}, large.toString('latin1'))
    assert.ok(whole.headers['x-amz-checksum-crc64nvme'])
    const otherSum = { ...parts[1], ChecksumSHA1: createHash('sha1').update('other').digest('base64') }
    assert.equal(await outcome(upload.complete([parts[0] ?? {}, otherSum])), 'InvalidPart')
    assert.equal(await outcome(upload.complete(parts, { ChecksumCRC64NVME: OF_TEXT.CRC64NVME })), 'BadDigest')
    assert.equal(await outcome(upload.complete(parts, { ChecksumSHA256: OF_TEXT.SHA256 })), 'InvalidRequest')
    const done = await upload.complete(parts)
    const again = new PutObjectCommand({ Bucket: B, Key: 'again', Body: Buffer.concat([large, Buffer.from(TEXT)]) })
    assert.equal(done.ChecksumCRC64NVME, (await s3.send(again)).ChecksumCRC64NVME)
    assert.equal(done.ChecksumType, 'FULL_OBJECT')
  })

  it('makes an object’s checksum of those of its parts, which each must bring', async () => {
    const large = 'x'.repeat(5 * MIB)
    for (const algorithm of ALGORITHMS) {
      const [name, sum] = [`Checksum${algorithm}`, OF_TEXT[algorithm]] as const
      const other = algorithm === 'SHA1' ? 'SHA256' : 'SHA1'
      const composite = algorithm !== 'CRC64NVME'
      const upload = await begin(`parts/${algorithm}`, { ChecksumAlgorithm: algorithm.toLowerCase() as 'SHA1' })
      assert.deepEqual(
        [upload.made.ChecksumAlgorithm, upload.made.ChecksumType],
        [algorithm, composite ? 'COMPOSITE' : 'FULL_OBJECT'],
      )
      const part = upload.path(2)
      await refusedAlike([
        ...(composite ? [['InvalidRequest', () => put(part, {})] as const] : []),
        ['InvalidRequest', () => put(part, { [headerOf(other)]: OF_TEXT[other] })],
        ['InvalidRequest', () => put(part, { [headerOf(algorithm)]: 'c2RhZg==x' })],
        ['BadDigest', () => put(part, { [headerOf(algorithm)]: sum }, 'other')],
      ])
      const { headers } = await put(upload.path(1), { 'x-amz-sdk-checksum-algorithm': algorithm }, large)
      const first = { PartNumber: 1, ETag: headers.etag, [name]: headers[headerOf(algorithm)] }
      const last = await upload.send(2, TEXT, { [name]: sum })
      assert.equal(last[name as 'ChecksumSHA1'], sum)
      const bare = { PartNumber: last.PartNumber, ETag: last.ETag }
      const rows: [string, CompletedPart[], object?][] = [
        ...(composite ? ([['InvalidRequest', [first, bare]]] as [string, CompletedPart[]][]) : []),
        ['InvalidArgument', [first, { ...last, [`Checksum${other}`]: OF_TEXT[other] }]],
        ['InvalidArgument', [first, { ...last, [name]: 'no' }]],
        ['BadDigest', [first, { ...bare, [`Checksum${other}`]: OF_TEXT[other] }]],
        ['InvalidPart', [{ ...first, [name]: sum }, last]],
        ['InvalidRequest', [first, last], { ChecksumType: composite ? 'FULL_OBJECT' : 'COMPOSITE' }],
        ['InvalidRequest', [first, last], { ChecksumType: 'nonsense' }],
        ['BadDigest', [first, last], { [name]: 'no' }],
        ['InvalidRequest', [first, last], { [name]: 'no!' }],
        ['BadDigest', [{ ...first, [name]: undefined }, bare], { [name]: 'no' }],
        ['InvalidRequest', [first, last], { [name]: `${sum}-2x` }],
        ['InvalidRequest', [first, last], { [`Checksum${other}`]: OF_TEXT[other] }],
        ['BadDigest', [first, last], { [name]: sum }],
        ['InvalidRequest', [first, last], { MpuObjectSize: -1 }],
      ]
      for (const [code, parts, more] of rows)
        await server.records([], async () =>
          assert.equal(
            await outcome(upload.complete(parts, more)),
            code,
            `${algorithm} ${JSON.stringify([parts, more])}`,
          ),
        )
      const expected = await upload.complete(composite ? [first, last] : [first, bare], {
        ChecksumType: composite ? 'COMPOSITE' : 'FULL_OBJECT',
      })
      const value = expected[name as 'ChecksumSHA1'] ?? ''
      assert.match(value, composite ? /=-2$|[^-]{10,}-2$/ : /^[^-]+$/)
      if (algorithm === 'SHA512') {
        const digests = [large, TEXT].map((one) => createHash('sha512').update(one).digest())
        assert.equal(value, `${createHash('sha512').update(Buffer.concat(digests)).digest('base64')}-2`)
      }
      // The number of parts may be left out, as minio-go does; a wrong one is not right.
      const [total = ''] = value.split('-')
      await upload.complete([first, last], { [name]: value })
      await upload.complete([first, last], { [name]: total })
      const attributes = { Bucket: B, Key: `parts/${algorithm}`, ObjectAttributes: ['Checksum' as const] }
      const { Checksum } = await s3.send(new GetObjectAttributesCommand(attributes))
      assert.equal(Checksum?.[name as 'ChecksumSHA1'], value)
      const at = { Bucket: B, Key: `parts/${algorithm}`, PartNumber: 2, ChecksumMode: 'ENABLED' as const }
      const read = await s3.send(new HeadObjectCommand(at))
      assert.equal(read[name as 'ChecksumSHA1'], sum)
      assert.deepEqual([read.ContentLength, read.PartsCount], [TEXT.length, 2])
      const wrong = CRCS.includes(algorithm) ? 'none' : 'FULL_OBJECT'
      if (wrong !== 'none')
        assert.equal(
          await outcome(begin('no', { ChecksumAlgorithm: algorithm, ChecksumType: wrong })),
          'InvalidRequest',
        )
    }
    assert.equal(await outcome(begin('no', { ChecksumAlgorithm: 'nonsense' as 'SHA1' })), 'InvalidRequest')
    assert.equal(await outcome(begin('no', { ChecksumType: 'FULL_OBJECT' })), 'InvalidRequest')
  })

  it('compares a total before it completes, also without the number of parts', async () => {
    const digest = createHash('sha256').update(Buffer.from(OF_TEXT.SHA256, 'base64')).digest('base64')
    for (const [total, expected] of [
      [`${digest}-2`, 'BadDigest'],
      [`${digest}-1`, 'ok'],
      [digest, 'ok'],
    ] as const) {
      const upload = await begin('total', { ChecksumAlgorithm: 'SHA256' })
      const part = await upload.send(1, TEXT, { ChecksumSHA256: OF_TEXT.SHA256 })
      assert.equal(await outcome(upload.complete([part], { ChecksumSHA256: total })), expected)
    }
  })

  it('makes a checksum of a copy by the algorithm that is asked for, and refuses any other text', async () => {
    const large = 'x'.repeat(2 * MIB)
    for (const [key, body] of [
      ['small', TEXT],
      ['large', large],
    ] as const) {
      await put(`/${B}/${key}`, { 'x-amz-sdk-checksum-algorithm': 'CRC32' }, body)
      const copy = (Key: string, more: object) =>
        s3.send(new CopyObjectCommand({ Bucket: B, Key, CopySource: `${B}/${key}`, ...more }))
      const { CopyObjectResult: kept } = await copy('kept', {})
      assert.equal(kept?.ChecksumCRC32, (await told(key)).of.ChecksumCRC32)
      for (const algorithm of ALGORITHMS) {
        const { CopyObjectResult: made } = await server.records([{ action: 'copy', bucket: B, key: 'made' }], () =>
          copy('made', { ChecksumAlgorithm: algorithm }),
        )
        const { headers } = await put(`/${B}/compared`, { 'x-amz-sdk-checksum-algorithm': algorithm }, body)
        const value = headers[headerOf(algorithm)]
        assert.ok(value)
        assert.equal(made?.[`Checksum${algorithm}` as 'ChecksumSHA1'], value)
        assert.deepEqual(await told('made'), { type: 'FULL_OBJECT', of: { [`Checksum${algorithm}`]: value } })
      }
      await server.records([], async () => {
        const nonsense = { ChecksumAlgorithm: 'nonsense' }
        assert.equal(await outcome(copy('made', nonsense)), 'InvalidRequest')
      })
      const onto = { ChecksumAlgorithm: 'SHA256', MetadataDirective: 'REPLACE' }
      await server.records([{ action: 'update_object', bucket: B, key }], () => copy(key, onto))
      assert.deepEqual(Object.keys((await told(key)).of), ['ChecksumSHA256'])
    }
    // Its parts have none by the other algorithm.
    const source = { Bucket: B, Key: 'reparted', CopySource: `${B}/parts/SHA512`, ChecksumAlgorithm: 'SHA1' as const }
    await s3.send(new CopyObjectCommand(source))
    const ObjectAttributes = ['Checksum' as const, 'ObjectParts' as const]
    const found = await s3.send(new GetObjectAttributesCommand({ Bucket: B, Key: 'reparted', ObjectAttributes }))
    assert.equal(found.Checksum?.ChecksumType, 'FULL_OBJECT')
    assert.deepEqual(
      found.ObjectParts?.Parts?.map((one) => Object.keys(one).sort()),
      [1, 2].map(() => ['PartNumber', 'Size']),
    )
  })

  it('refuses headers that ask for what there is not, whatever the operation', async () => {
    const { at } = await begin('encrypted')
    const upload = `/${B}/encrypted?partNumber=1&uploadId=${at.UploadId}`
    await put(`/${B}/plain`, {})
    for (const name of ['x-amz-object-lock-event-hold', 'x-amz-write-offset-bytes'])
      for (const [method, path, more] of [
        ['PUT', `/${B}/no`, {}],
        ['PUT', `/${B}/no`, { 'x-amz-copy-source': `${B}/plain` }],
        ['PUT', upload, {}],
        ['PUT', upload, { 'x-amz-copy-source': `${B}/plain` }],
        ['POST', `/${B}/no?uploads`, {}],
        ['GET', `/${B}/plain`, {}],
      ] as const)
        await server.records([], async () => {
          const headers = await world.signed(pair, { method, path, headers: { ...more, [name]: '1' } })
          assert.equal((await world.send(method, path, headers)).code, 'NotImplemented', `${method} ${path} ${name}`)
        })
  })

  it('takes a part by its number before anything else, and never beside a range', async () => {
    await put(`/${B}/one`, {}, 'ten bytes!')
    const get = async (query: string, more: Record<string, string> = {}, method = 'GET') => {
      const path = `/${B}/${query}`
      return world.send(method, path, await world.signed(pair, { method, path, headers: more }))
    }
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await get('one?partNumber=1', {}, method)
      assert.deepEqual(
        [status, headers['content-range'], headers['content-length'], headers['x-amz-mp-parts-count']],
        [206, 'bytes 0-9/10', '10', undefined],
      )
      for (const number of ['0', '10001', 'abc', '-1', ''])
        for (const key of ['one', 'nothing'])
          assert.equal((await get(`${key}?partNumber=${number}`, {}, method)).status, 400, `${method} ${key} ${number}`)
      assert.equal((await get('one?partNumber=2', {}, method)).status, 400)
    }
    assert.equal((await get('nothing?partNumber=abc')).code, 'InvalidArgument')
    assert.equal((await get('one?partNumber=2')).code, 'InvalidPart')
    assert.equal((await get('one?partNumber=1', { range: 'bytes=0-1' })).code, 'InvalidRequest')
  })

  it('has S3’s default type, and at most 2 KB of metadata', async () => {
    const untyped = await put(`/${B}/picture.png`, {})
    assert.equal(untyped.status, 200)
    const head = () => s3.send(new HeadObjectCommand({ Bucket: B, Key: 'picture.png' }))
    assert.equal((await head()).ContentType, 'binary/octet-stream')
    const { items } = await server.admin.listObjects({ params: { bucket: B }, query: { prefix: 'picture' } })
    assert.equal(items[0]?.content_type, 'image/png')
    await refusedAlike([
      ['MetadataTooLarge', () => put(`/${B}/picture.png`, { 'x-amz-meta-a': 'x'.repeat(2048) })],
      [
        'MetadataTooLarge',
        () =>
          put(`/${B}/picture.png`, {
            'x-amz-copy-source': `${B}/picture.png`,
            'x-amz-metadata-directive': 'REPLACE',
            'x-amz-meta-a': 'x'.repeat(2048),
          }),
      ],
    ])
    assert.equal(await outcome(begin('large', { Metadata: { a: 'x'.repeat(2048) } })), 'MetadataTooLarge')
    assert.equal((await put(`/${B}/picture.png`, { 'x-amz-meta-a': 'x'.repeat(2047) })).status, 200)
    const signed = await world.signed(pair, {
      method: 'PUT',
      path: `/${B}/picture.png`,
      headers: { 'x-amz-meta-a': 'b,c' },
    })
    const raw = Object.entries(signed).flatMap(([name, value]) =>
      name === 'x-amz-meta-a' ? [name, 'b', name, 'c'] : [name, value],
    )
    assert.equal((await world.send('PUT', `/${B}/picture.png`, [...raw, 'content-length', '0'])).code, '')
    assert.deepEqual((await head()).Metadata, { a: 'b,c' })
  })
})
