import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before } from 'node:test'
import { type ChecksumAlgorithm, checksumAlgorithms } from '../../contract/shapes.ts'
import { digestOf } from '../blobs/digests.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { bytes, PART, uploadsWorld } from './uploads.ts'

const base64 = async (algorithm: ChecksumAlgorithm, data: Uint8Array) =>
  (await digestOf(algorithm, data)).toString('base64')

describeEngines('checksums of uploads in parts', (engine, itOnce, itStored) => {
  const world = uploadsWorld(engine)
  const { open, usage, begin, refusal } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  for (const [algorithm, type] of [
    ['crc32', 'full_object'],
    ['crc32', 'composite'],
    ['crc32c', 'full_object'],
    ['crc32c', 'composite'],
    ['crc64nvme', 'full_object'],
    ['sha1', 'composite'],
    ['sha256', 'composite'],
  ] as const) {
    // A storage has no part in which algorithm it is.
    const itHere = algorithm === 'crc32' || algorithm === 'sha256' ? itStored : itOnce
    itHere(`${algorithm}, ${type}: of each part and of the object, wherever it goes`, async () => {
      const name = await open()
      const upload = await begin(name, { key: 'k', part_size: PART, checksum: { algorithm, type } })
      assert.deepEqual(upload.checksum, { algorithm, type })
      const bodies = [bytes(PART), bytes(PART), bytes(11)]
      const named: { part_number: number; etag: string; checksum: string }[] = []
      for (const [i, body] of bodies.entries()) {
        const checksum = await base64(algorithm, body)
        const claimed = i === 1 ? { [`x-checksum-${algorithm}`]: checksum } : {}
        const answer = await upload.try(i + 1, body, claimed)
        const part = answer.json<{ part_number: number; etag: string; checksum: string }>()
        assert.deepEqual([answer.status, part.checksum], [200, checksum])
        named.push({ part_number: i + 1, etag: part.etag, checksum })
      }
      const status = await upload.status()
      assert.deepEqual(
        status.parts.map(({ checksum }) => checksum),
        named.map(({ checksum }) => checksum),
      )
      const whole = Buffer.concat(bodies)
      const digests = Buffer.concat(named.map(({ checksum }) => Buffer.from(checksum, 'base64')))
      const value = type === 'full_object' ? await base64(algorithm, whole) : `${await base64(algorithm, digests)}-3`
      const params = { bucket: name }
      const body = { upload_id: upload.upload_id, parts: named }
      await server.records([], async () => {
        const wrong = named.with(1, { ...(named[1] ?? assert.fail()), checksum: named[0]?.checksum ?? '' })
        await rejectsWith(
          server.admin.completeUpload({ params, body: { ...body, parts: wrong } }),
          'conflict',
          'body.parts.1',
        )
        for (const checksum of [await base64(algorithm, bytes(3)), `${value}-3`])
          await rejectsWith(
            server.admin.completeUpload({ params, body: { ...body, checksum } }),
            'conflict',
            'body.checksum',
          )
      })
      const object = await server.records([{ action: 'upload', bucket: name, key: 'k' }], () =>
        server.admin.completeUpload({ params, body: { ...body, checksum: value } }),
      )
      assert.deepEqual(object.checksums, [{ algorithm, type, value }])
      const copy = { source_bucket: name, source_key: 'k', dest_key: 'copy' }
      assert.deepEqual((await server.admin.copyObject({ params, body: copy })).checksums, object.checksums)
      for (const key of ['k', 'copy']) {
        const headers = async (range: Record<string, string>) => {
          const response = await server.admin.getObject({ params: { bucket: name, key }, headers: range })
          await response.body?.cancel()
          return response.headers.get(`x-checksum-${algorithm}`)
        }
        assert.deepEqual([await headers({}), await headers({ range: 'bytes=0-9' })], [value, null])
      }
      const { db } = server.database
      const { blob_id } = await db
        .selectFrom('objects')
        .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
        .where('buckets.name', '=', name)
        .where('key', '=', 'k')
        .select('blob_id')
        .executeTakeFirstOrThrow()
      const blob = await db.selectFrom('blobs').where('id', '=', blob_id).select('checksums').executeTakeFirstOrThrow()
      assert.deepEqual(JSON.parse(blob.checksums ?? ''), object.checksums)
      const parts = await db
        .selectFrom('blob_parts')
        .where('blob_id', '=', blob_id)
        .orderBy('part_number')
        .selectAll()
        .execute()
      assert.deepEqual(
        parts.map(({ size, md5, checksum }) => ({ size, md5, checksum })),
        named.map(({ etag, checksum }, i) => ({ size: bodies[i]?.length, md5: etag, checksum })),
      )
    })
  }

  itStored('are of all bytes for CRCs, and of the parts for hashes, unless asked for otherwise', async () => {
    const name = await open()
    for (const algorithm of checksumAlgorithms) {
      const { checksum } = await begin(name, { key: 'k', checksum: { algorithm } })
      assert.deepEqual(checksum, { algorithm, type: algorithm.startsWith('crc') ? 'full_object' : 'composite' })
    }
    await server.records([], async () => {
      for (const [algorithm, type] of [
        ['crc64nvme', 'composite'],
        ['sha1', 'full_object'],
        ['sha256', 'full_object'],
      ] as const)
        await rejectsWith(
          begin(name, { key: 'k', checksum: { algorithm, type } }),
          'invalid_request',
          'body.checksum.type',
        )
      await rejectsWith(
        begin(name, { key: 'k', checksum: { algorithm: 'sha224' as never } }),
        'invalid_request',
        'body.checksum.algorithm',
      )
    })
  })

  itStored('refuse a part whose bytes are others, and keep the one before', async () => {
    const name = await open()
    const body = bytes(100)
    const header = (algorithm: ChecksumAlgorithm) => `x-checksum-${algorithm}`
    for (const asked of [{ checksum: { algorithm: 'crc32c' as const } }, {}]) {
      const upload = await begin(name, { key: 'k', ...asked })
      await upload.send(1, body)
      const before = await upload.status()
      const other = bytes(100)
      for (const value of [
        await base64('crc32c', body),
        'AAAA',
        '',
        'x'.repeat(8),
        `${await base64('crc32c', other)}=`,
      ]) {
        const answer = await upload.try(1, other, { [header('crc32c')]: value })
        assert.deepEqual(refusal(answer), [400, 'malformed'], value)
      }
      const two = { [header('crc32')]: await base64('crc32', other), [header('sha1')]: await base64('sha1', other) }
      assert.deepEqual(refusal(await upload.try(1, other, two)), [400, 'malformed'])
      assert.deepEqual((await upload.status()).parts, before.parts)
      // Of another algorithm than the upload's it would be checked and lost.
      const sha = await upload.try(1, other, {
        [header('sha256')]: createHash('sha256').update(other).digest('base64'),
      })
      if (asked.checksum) assert.deepEqual(refusal(sha), [422, 'invalid_request'])
      else assert.deepEqual([sha.status, sha.json<{ checksum?: string }>().checksum], [200, undefined])
    }
    assert.equal((await usage(name)).object_count, 0)
  })
})
