import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  DeleteObjectCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { describeEngines, onS3, type TestServer } from '../support/server.ts'
import { outcome, type s3World, startS3 } from './s3.ts'

const B = 'parts'
const MIB = 1024 * 1024

describeEngines('S3: multipart uploads', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let s3: S3Client
  const large = randomBytes(5 * MIB)
  before(async () => {
    ;({ server, world, s3 } = await startS3(engine))
    await s3.send(new CreateBucketCommand({ Bucket: B }))
  })
  after(() => server.stop())

  const begin = async (Key: string, more: Partial<CreateMultipartUploadCommandInput> = {}) => {
    const { UploadId = '' } = await s3.send(new CreateMultipartUploadCommand({ Bucket: B, Key, ...more }))
    const at = { Bucket: B, Key, UploadId }
    return {
      at,
      async send(PartNumber: number, Body: Uint8Array, of: object = {}): Promise<CompletedPart> {
        const { $metadata, ...part } = await s3.send(new UploadPartCommand({ ...at, PartNumber, Body, ...of }))
        return { ...part, PartNumber }
      },
      complete: (Parts: CompletedPart[], of: object = {}) =>
        s3.send(new CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts }, ...of })),
    }
  }
  const read = async (Key: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: B, Key }))
    return buffer(Body as Readable)
  }
  const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest()
  const usage = async () => {
    const { used_bytes, reserved_bytes } = await server.admin.getBucket({ params: { bucket: B } })
    return [used_bytes, reserved_bytes]
  }

  it('makes an object of the parts that are named, and answers a repeated request alike', async () => {
    const [used] = await usage()
    const upload = await begin('a/large', { ContentType: 'text/x', Metadata: { a: 'b' }, Tagging: 'c=d' })
    const [one, left, two] = [
      await upload.send(2, large),
      await upload.send(5, Buffer.from('left out')),
      await upload.send(9, Buffer.from('end')),
    ]
    assert.deepEqual(await usage(), [used, large.length + 11])
    const { Parts } = await s3.send(new ListPartsCommand(upload.at))
    assert.deepEqual(
      Parts?.map(({ PartNumber, Size }) => [PartNumber, Size]),
      [
        [2, large.length],
        [5, 8],
        [9, 3],
      ],
    )
    const page = await s3.send(new ListPartsCommand({ ...upload.at, PartNumberMarker: '2', MaxParts: 1 }))
    assert.deepEqual([page.Parts?.[0]?.PartNumber, page.IsTruncated, page.NextPartNumberMarker], [5, true, '5'])
    const expected = createHash('md5')
      .update(md5(large))
      .update(md5(Buffer.from('end')))
      .digest('hex')
    const { ETag } = await server.records([{ action: 'upload', bucket: B, key: 'a/large' }], () =>
      upload.complete([one, two]),
    )
    assert.equal(ETag, `"${expected}-2"`)
    assert.ok((await read('a/large')).equals(Buffer.concat([large, Buffer.from('end')])))
    const { ContentType, Metadata } = await s3.send(new HeadObjectCommand({ Bucket: B, Key: 'a/large' }))
    assert.deepEqual([ContentType, Metadata], ['text/x', { a: 'b' }])
    assert.deepEqual(await usage(), [(used ?? 0) + large.length + 3, 0])
    await server.records([], async () => {
      assert.equal((await upload.complete([one, two])).ETag, ETag)
      assert.equal(await outcome(upload.complete([one, left])), 'OperationAborted')
      assert.equal(await outcome(upload.send(1, large)), 'NoSuchUpload')
      assert.equal(await outcome(s3.send(new AbortMultipartUploadCommand(upload.at))), 'ok')
    })
    assert.ok((await read('a/large')).equals(Buffer.concat([large, Buffer.from('end')])))
  })

  it('a part sent again replaces the earlier one, and an aborted upload leaves nothing', async () => {
    const before = await usage()
    const upload = await begin('again')
    await upload.send(1, Buffer.from('first'))
    const part = await upload.send(1, Buffer.from('second'))
    await upload.complete([part])
    assert.equal(String(await read('again')), 'second')
    const other = await begin('aborted')
    await other.send(1, large)
    await server.records([], () => s3.send(new AbortMultipartUploadCommand(other.at)))
    assert.deepEqual(await usage(), [(before[0] ?? 0) + 6, 0])
    // For a day it is known that there was one.
    assert.equal(await outcome(s3.send(new AbortMultipartUploadCommand(other.at))), 'ok')
    assert.equal(await outcome(other.send(2, large)), 'NoSuchUpload')
    assert.equal(await outcome(other.complete([part])), 'NoSuchUpload')
    assert.equal(await outcome(s3.send(new ListPartsCommand(other.at))), 'NoSuchUpload')
    const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: B, Prefix: 'aborted' }))
    assert.deepEqual(Uploads, [])
  })

  it('compares the size that the client expects, before the object is visible', async () => {
    const upload = await begin('sized')
    const part = await upload.send(1, Buffer.from('twelve bytes'))
    for (const [size, code] of [
      [11, 'InvalidRequest'],
      [13, 'InvalidRequest'],
    ] as const)
      await server.records([], async () =>
        assert.equal(await outcome(upload.complete([part], { MpuObjectSize: size })), code),
      )
    assert.equal(await outcome(s3.send(new HeadObjectCommand({ Bucket: B, Key: 'sized' }))), 'NotFound')
    await server.records([{ action: 'upload', bucket: B, key: 'sized' }], () =>
      upload.complete([part], { MpuObjectSize: 12 }),
    )
  })

  it('refuses what no object can be made of', async () => {
    const upload = await begin('refused')
    const [small, one] = [await upload.send(1, Buffer.from('small')), await upload.send(2, large)]
    const wrong = { ...one, ETag: `"${'0'.repeat(32)}"` }
    await server.records([], async () => {
      assert.equal(await outcome(upload.complete([small, one])), 'EntityTooSmall')
      assert.equal(await outcome(upload.complete([one, small])), 'InvalidPartOrder')
      assert.equal(await outcome(upload.complete([wrong])), 'InvalidPart')
      assert.equal(await outcome(upload.complete([{ ...one, PartNumber: 3 }])), 'InvalidPart')
      assert.equal(await outcome(upload.complete([])), 'MalformedXML')
      for (const number of [0, 10_001]) assert.equal(await outcome(upload.send(number, large)), 'InvalidArgument')
      const unknown = { ...upload.at, UploadId: '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10' }
      assert.equal(await outcome(s3.send(new ListPartsCommand(unknown))), 'NoSuchUpload')
      assert.equal(await outcome(s3.send(new ListPartsCommand({ ...upload.at, Key: 'other' }))), 'NoSuchUpload')
    })
    await s3.send(new PutObjectCommand({ Bucket: B, Key: 'refused', Body: 'there' }))
    assert.equal(await outcome(upload.complete([one], { IfNoneMatch: '*' })), 'PreconditionFailed')
    await upload.complete([one], { IfMatch: `"${md5(Buffer.from('there')).toString('hex')}"` })
    assert.ok((await read('refused')).equals(large))
  })

  it('an upload’s checksum is of its parts, or of all bytes', async () => {
    for (const [algorithm, type] of [
      ['CRC32', 'COMPOSITE'],
      ['CRC32', 'FULL_OBJECT'],
      ['CRC64NVME', 'FULL_OBJECT'],
      ['SHA256', 'COMPOSITE'],
    ] as const) {
      const name = `sum/${algorithm}/${type}`
      const upload = await begin(name, { ChecksumAlgorithm: algorithm, ChecksumType: type })
      const parts = [
        await upload.send(1, large, { ChecksumAlgorithm: algorithm }),
        await upload.send(2, Buffer.from('end'), { ChecksumAlgorithm: algorithm }),
      ]
      assert.ok(parts[0]?.[`Checksum${algorithm}`], name)
      const done = await upload.complete(parts)
      assert.equal(done.ChecksumType, type)
      const value = done[`Checksum${algorithm}`]
      if (type === 'COMPOSITE') assert.match(value ?? '', /-2$/)
      else {
        const whole = new PutObjectCommand({
          Bucket: B,
          Key: 'whole',
          Body: Buffer.concat([large, Buffer.from('end')]),
          ChecksumAlgorithm: algorithm,
        })
        assert.equal((await s3.send(whole))[`Checksum${algorithm}`], value)
      }
    }
    assert.equal(
      await outcome(begin('sum/wrong', { ChecksumAlgorithm: 'SHA1', ChecksumType: 'FULL_OBJECT' })),
      'InvalidRequest',
    )
  })

  it('copies objects, and ranges of them, into parts', async () => {
    await s3.send(new PutObjectCommand({ Bucket: B, Key: 'source ü', Body: large }))
    const upload = await begin('copied')
    const copyPart = async (PartNumber: number, CopySourceRange?: string) => {
      const { CopyPartResult } = await s3.send(
        new UploadPartCopyCommand({
          ...upload.at,
          PartNumber,
          CopySource: `/${B}/source%20%C3%BC`,
          ...(CopySourceRange === undefined ? {} : { CopySourceRange }),
        }),
      )
      return { PartNumber, ETag: CopyPartResult?.ETag }
    }
    const parts = [await copyPart(1), await copyPart(2, 'bytes=1-3')]
    await server.records([], async () => {
      assert.equal(await outcome(copyPart(3, `bytes=0-${large.length}`)), 'InvalidRange')
      for (const wrong of ['bytes=3-1', 'bytes=1-', '1-3'])
        assert.equal(await outcome(copyPart(3, wrong)), 'InvalidArgument')
    })
    await upload.complete(parts)
    assert.ok((await read('copied')).equals(Buffer.concat([large, large.subarray(1, 4)])))
  })

  it('single parts can be read, and are told of', async () => {
    const upload = await begin('read', { ChecksumAlgorithm: 'SHA256' })
    const parts = [
      await upload.send(1, large, { ChecksumAlgorithm: 'SHA256' }),
      await upload.send(2, Buffer.from('end'), { ChecksumAlgorithm: 'SHA256' }),
    ]
    await upload.complete(parts)
    const at = { Bucket: B, Key: 'read' }
    const part = await s3.send(new GetObjectCommand({ ...at, PartNumber: 2, ChecksumMode: 'ENABLED' }))
    assert.equal(await part.Body?.transformToString(), 'end')
    assert.deepEqual(
      [part.PartsCount, part.ContentRange],
      [2, `bytes ${large.length}-${large.length + 2}/${large.length + 3}`],
    )
    assert.equal((await s3.send(new HeadObjectCommand({ ...at, PartNumber: 1 }))).ContentLength, large.length)
    assert.equal(await outcome(s3.send(new GetObjectCommand({ ...at, PartNumber: 3 }))), 'InvalidPart')
    const ObjectAttributes = ['ETag', 'Checksum', 'ObjectParts', 'ObjectSize', 'StorageClass'] as const
    const told = await s3.send(new GetObjectAttributesCommand({ ...at, ObjectAttributes: [...ObjectAttributes] }))
    assert.deepEqual(
      [told.ObjectSize, told.StorageClass, told.ObjectParts?.TotalPartsCount],
      [large.length + 3, 'STANDARD', 2],
    )
    assert.deepEqual(
      told.ObjectParts?.Parts?.map(({ PartNumber, Size, ChecksumSHA256 }) => [PartNumber, Size, ChecksumSHA256]),
      [
        [1, large.length, parts[0]?.ChecksumSHA256],
        [2, 3, parts[1]?.ChecksumSHA256],
      ],
    )
    assert.match(told.Checksum?.ChecksumSHA256 ?? '', /^[A-Za-z0-9+/]{43}=-2$/)
    assert.equal(part.ChecksumSHA256, parts[1]?.ChecksumSHA256)
  })

  it('lists open uploads by key, in pages', async () => {
    const made: [string, string][] = []
    for (const key of ['l/b', 'l/a', 'l/a', 'l/c/1', 'm']) made.push([key, (await begin(key)).at.UploadId])
    const expected = made.toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    const found: [string, string][] = []
    for (let marker = {}; ; ) {
      const page = await s3.send(new ListMultipartUploadsCommand({ Bucket: B, Prefix: 'l/', MaxUploads: 1, ...marker }))
      for (const { Key = '', UploadId = '' } of page.Uploads ?? []) found.push([Key, UploadId])
      if (!page.IsTruncated) break
      marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    }
    assert.deepEqual(
      found,
      expected.filter(([key]) => key.startsWith('l/')),
    )
    const folders = await s3.send(new ListMultipartUploadsCommand({ Bucket: B, Prefix: 'l/', Delimiter: '/' }))
    assert.deepEqual(folders.CommonPrefixes, [{ Prefix: 'l/c/' }])
    for (const [Key, UploadId] of made) await s3.send(new AbortMultipartUploadCommand({ Bucket: B, Key, UploadId }))
  })

  itOnce('others can neither list nor abort it, nor those who may no longer write', async () => {
    const token = await server.userWith({ bucket_pattern: B, actions: ['read', 'list', 'write'] })
    const me = await server.as(token).me()
    const other = world.clientOf(await world.keyOf(token))
    const upload = await begin('mine')
    const part = await upload.send(1, Buffer.from('x'))
    assert.equal(await outcome(other.send(new ListPartsCommand(upload.at))), 'NoSuchUpload')
    assert.equal(await outcome(other.send(new AbortMultipartUploadCommand(upload.at))), 'NoSuchUpload')
    const theirs = await other.send(new CreateMultipartUploadCommand({ Bucket: B, Key: 'theirs' }))
    const at = { Bucket: B, Key: 'theirs', UploadId: theirs.UploadId }
    await other.send(new UploadPartCommand({ ...at, PartNumber: 1, Body: 'x' }))
    await server.admin.updateGroup({ params: { id: me.groups[0]?.id ?? '' }, body: { grants: [] } })
    const next = other.send(new UploadPartCommand({ ...at, PartNumber: 2, Body: 'x' }))
    assert.equal(await outcome(next), 'AccessDenied')
    const done = other.send(new CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts: [part] } }))
    assert.equal(await outcome(done), 'AccessDenied')
    await s3.send(new AbortMultipartUploadCommand(at))
  })

  it('copies whole parts without reading them', async () => {
    const sha256 = { ChecksumAlgorithm: 'SHA256' } as const
    const first = await begin('whole', sha256)
    await first.complete([await first.send(1, large, sha256), await first.send(7, Buffer.from('end'), sha256)])
    const before = new Set(await server.stored())
    const usageBefore = await usage()
    const second = await begin('shared', sha256)
    const copy = async (PartNumber: number, CopySourceRange: string) => {
      const source = { CopySource: `/${B}/whole`, CopySourceRange }
      const { CopyPartResult } = await s3.send(new UploadPartCopyCommand({ ...second.at, PartNumber, ...source }))
      return { PartNumber, ETag: CopyPartResult?.ETag, ChecksumSHA256: CopyPartResult?.ChecksumSHA256 }
    }
    const { length } = large
    const parts = [await copy(1, `bytes=0-${length - 1}`), await copy(2, `bytes=${length}-${length + 2}`)]
    assert.equal(parts[0]?.ETag, `"${md5(large).toString('hex')}"`)
    assert.equal(parts[0]?.ChecksumSHA256, createHash('sha256').update(large).digest('base64'))
    await second.complete(parts)
    assert.ok((await read('shared')).equals(Buffer.concat([large, Buffer.from('end')])))
    assert.deepEqual(await usage(), [(usageBefore[0] ?? 0) + length + 3, usageBefore[1]])
    if (!onS3) {
      const inodes = (await server.stored())
        .filter((file) => !before.has(file) && !file.endsWith('manifest'))
        .map((file) => fs.statSync(path.join(server.folder, 'blobs', file)))
      assert.deepEqual(
        inodes.map(({ size, nlink }) => [size, nlink]).sort(),
        [
          [3, 2],
          [length, 2],
        ].sort(),
      )
    }
    const aborted = await begin('aborted')
    await s3.send(new AbortMultipartUploadCommand(aborted.at))
    // The bytes stay when the source goes.
    await s3.send(new DeleteObjectCommand({ Bucket: B, Key: 'whole' }))
    await server.later(60 * 86_400_000)
    await server.running.tick()
    const later = world.clientOf(await world.keyOf())
    assert.equal(await outcome(later.send(new AbortMultipartUploadCommand(aborted.at))), 'NoSuchUpload')
    const { Body } = await later.send(new GetObjectCommand({ Bucket: B, Key: 'shared' }))
    assert.ok((await buffer(Body as Readable)).equals(Buffer.concat([large, Buffer.from('end')])))
  })
})
