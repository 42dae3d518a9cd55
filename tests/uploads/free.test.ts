import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, it } from 'node:test'
import { ServiceError } from '../../contract/errors.ts'
import type { Ctx } from '../../server/context.ts'
import type { BlobDriver } from '../../server/drivers/driver.ts'
import { beginUpload, type NewUpload } from '../../server/storage/uploads/begin.ts'
import { planChecksum } from '../../server/storage/uploads/checksum.ts'
import { completeUpload } from '../../server/storage/uploads/complete.ts'
import { storePart } from '../../server/storage/uploads/parts.ts'
import type { OpenUpload } from '../../server/storage/uploads/receive.ts'
import { abortUpload, getUpload } from '../../server/storage/uploads/service.ts'
import { describeEngines, onS3, type TestServer } from '../support/server.ts'
import { bytes, etagOfParts, HOUR, MIB, md5, PART, servicesOf, uploadsWorld } from './uploads.ts'

const DAY = 24 * HOUR

/** A part as its sender knows it. */
interface Sent {
  part_number: number
  data: Buffer
  etag: string
}

describeEngines('uploads with parts of any size', (engine) => {
  const world = uploadsWorld(engine)
  const { open, usage, read, tick, pastGrace } = world
  let server: TestServer
  let ctx: Ctx
  let storage: BlobDriver
  /** Called before the storage joins parts, and after; may throw, as if the process died there. */
  let joining: (moment: 'before' | 'after' | 'copied') => void = () => {}

  before(async () => {
    server = world.server
    ;({ ctx, storage } = await servicesOf(server, (opened) => ({
      ...opened,
      async completeParts(...call) {
        joining('before')
        await opened.completeParts(...call)
        joining('after')
      },
      async copyRanges(...call) {
        await opened.copyRanges(...call)
        joining('copied')
      },
    })))
  })
  after(() => storage.close())

  const begin = async (name: string, more: Partial<NewUpload> = {}) => {
    const upload = await beginUpload(ctx, name, { key: 'k', ...more })
    return {
      upload,
      async send(part_number: number, data: Buffer): Promise<Sent> {
        const source = () => Readable.from([data])
        const { etag } = await storePart(ctx, upload, part_number, { announced: data.length, source })
        assert.equal(etag, md5(data))
        return { part_number, data, etag }
      },
      complete: (parts: readonly Sent[]) => complete(name, upload, parts),
    }
  }
  const complete = (name: string, { id }: OpenUpload, parts: readonly Sent[]) =>
    completeUpload(ctx, name, { upload_id: id, parts: parts.map(({ part_number, etag }) => ({ part_number, etag })) })
  const expectWhole = async (name: string, parts: readonly Sent[]) => {
    const whole = Buffer.concat(parts.map(({ data }) => data))
    assert.ok((await read(name, 'k')).equals(whole))
    assert.deepEqual(await usage(name), {
      used_bytes: whole.length,
      reserved_bytes: 0,
      object_count: 1,
      trash_bytes: 0,
    })
  }
  const refused = (work: Promise<unknown>, code: string, message: RegExp) =>
    assert.rejects(work, (error) => error instanceof ServiceError && error.code === code && message.test(error.message))

  it('makes an object of those that are named, whatever their sizes and numbers', async () => {
    const name = await open()
    const { upload, send, complete } = await begin(name)
    assert.deepEqual([upload.kind, upload.part_size, upload.file_size], ['free', 0, null])
    const parts = new Map<number, Sent>()
    const sizes = { 3: PART + 17, 10000: 5, 7: PART, 9: 100, 4: PART + 1, 12: PART } as const
    for (const [number, size] of Object.entries(sizes))
      parts.set(Number(number), await send(Number(number), bytes(size)))
    const of = (...numbers: number[]) => numbers.map((number) => parts.get(number) as Sent)
    const found = await getUpload(ctx, name, upload.id, {})
    assert.deepEqual([found.received_parts, found.urls, found.num_parts], [6, [], null])
    await server.records([], async () => {
      await refused(complete(of(7, 4)), 'conflict', /part 4 is out of order/)
      await refused(complete(of(3, 3)), 'conflict', /part 3 is out of order/)
      await refused(
        complete([...of(3), { ...(of(4)[0] as Sent), etag: md5(bytes(3)) }]),
        'conflict',
        /part 4 has the ETag/,
      )
      await refused(complete([{ ...(of(3)[0] as Sent), part_number: 5 }]), 'conflict', /part 5 was not uploaded/)
      if (onS3) await refused(complete(of(3, 9, 12)), 'conflict', /part 9 has fewer than 5242880 bytes/)
    })
    const named = of(3, 7, 12, 10_000)
    const object = await server.records([{ action: 'upload', bucket: name, key: 'k' }], () => complete(named))
    assert.equal(object.etag, etagOfParts(...named.map(({ data }) => data)))
    assert.deepEqual(await complete(named), object)
    await refused(complete(of(3, 7)), 'conflict', /completed with other parts/)
    await refused(send(1, bytes(5)), 'not_found', /no longer open/)
    await expectWhole(name, named)
    const rows = await server.database.db
      .selectFrom('blob_parts')
      .innerJoin('objects', 'objects.blob_id', 'blob_parts.blob_id')
      .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
      .where('buckets.name', '=', name)
      .select(['part_number', 'blob_parts.size', 'md5'])
      .orderBy('part_number')
      .execute()
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      named.map(({ part_number, data, etag }) => ({ part_number, size: data.length, md5: etag })),
    )
    await pastGrace()
    await expectWhole(name, named)
    assert.deepEqual(await leftovers(), [])
  })

  /** What the storage holds beside the objects and the trash. */
  async function leftovers(): Promise<string[]> {
    const { db } = server.database
    const used = [
      ...(await db.selectFrom('objects').select('blob_id').execute()),
      ...(await db.selectFrom('trash').select('blob_id').execute()),
    ]
    const ids = new Set(used.map(({ blob_id }) => blob_id))
    return (await Array.fromAsync(storage.list())).map(({ id }) => id).filter((id) => !ids.has(id))
  }

  it('leaves out a small part between larger ones, and what only the storage knows', async () => {
    const name = await open()
    const { upload, send, complete } = await begin(name)
    const first = await send(1, bytes(PART))
    await send(2, bytes(10))
    const third = await send(3, bytes(PART + 3))
    // Its sender died before the row was written.
    const lost = { number: 4, size: 20 }
    await storage.putPart(upload.blob_id, upload.handle, lost, Readable.from([bytes(20)]))
    await complete([first, third])
    await expectWhole(name, [first, third])
    await pastGrace()
    await expectWhole(name, [first, third])
    assert.deepEqual(await leftovers(), [])
  })

  it('says so where a storage cannot leave out what follows a small part', async () => {
    const name = await open()
    const { send, complete } = await begin(name)
    const small = await send(1, bytes(10))
    await send(2, bytes(PART))
    if (!onS3) {
      await complete([small])
      return expectWhole(name, [small])
    }
    await refused(complete([small]), 'conflict', /cannot leave out parts after one that has fewer/)
    const again = await send(3, small.data)
    await complete([again])
    await expectWhole(name, [again])
  })

  it('reserves what has arrived, and no more than the quota', async () => {
    const name = await open(2 * PART)
    const { upload, send, complete } = await begin(name)
    const reserved = async () => (await usage(name)).reserved_bytes
    assert.equal(await reserved(), 0)
    const first = await send(1, bytes(PART))
    await send(2, bytes(PART - 1))
    assert.equal(await reserved(), 2 * PART - 1)
    await refused(send(3, bytes(2)), 'quota_exceeded', /./)
    await refused(send(2, bytes(PART + 1)), 'quota_exceeded', /./)
    assert.equal(await reserved(), 2 * PART - 1)
    const last = await send(2, bytes(PART))
    assert.equal(await reserved(), 2 * PART)
    await complete([first])
    await expectWhole(name, [first])
    assert.equal((await getObjectCount(name)).object_count, 1)
    const other = await begin(name, { key: 'other' })
    await other.send(1, last.data)
    await abortUpload(ctx, name, other.upload.id)
    assert.equal(await reserved(), 0)
    await refused(other.send(1, bytes(1)), 'not_found', /no longer open/)
    await refused(complete([last]), 'conflict', /completed with other parts/)
    assert.equal(upload.reserved, 0)
  })
  const getObjectCount = (name: string) => server.admin.getBucket({ params: { bucket: name } })

  it('stays open for seven days after its last part, or as long as the setting says', async () => {
    const name = await open()
    const { upload, send, complete } = await begin(name)
    await server.admin.updateSettings({ body: { uploads: { s3_expire_days: 1 } } })
    const short = await begin(name)
    await short.send(1, bytes(100))
    await server.later(DAY)
    await tick()
    await refused(getUpload(ctx, name, short.upload.id, {}), 'not_found', /./)
    await server.admin.updateSettings({ body: { uploads: { s3_expire_days: 7 } } })
    await server.later(5 * DAY)
    await tick()
    const first = await send(1, bytes(100))
    await server.later(6 * DAY)
    await tick()
    assert.equal((await getUpload(ctx, name, upload.id, {})).received_bytes, 100)
    await server.later(DAY + 1)
    await tick()
    await refused(complete([first]), 'not_found', /./)
    assert.deepEqual(await usage(name), { used_bytes: 0, reserved_bytes: 0, object_count: 0, trash_bytes: 0 })
    await pastGrace()
    assert.deepEqual(await leftovers(), [])
  })

  it('may be one of several of the same key; the last one completed is the object', async () => {
    const name = await open()
    const uploads = await Promise.all([1, 2, 3].map(() => begin(name)))
    const sent = await Promise.all(uploads.map(({ send }) => send(1, bytes(1000))))
    for (const [i, { complete }] of uploads.entries()) {
      assert.equal((await complete([sent[i] as Sent])).etag, etagOfParts((sent[i] as Sent).data))
      assert.ok((await read(name, 'k')).equals((sent[i] as Sent).data))
    }
    assert.deepEqual(await usage(name), { used_bytes: 1000, reserved_bytes: 0, object_count: 1, trash_bytes: 2000 })
  })

  it('is completed once, by those who name different parts at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const name = await open()
      const { send, complete } = await begin(name)
      const parts: Sent[] = []
      for (const number of [1, 2, 3]) parts.push(await send(number, bytes(PART + number)))
      const [a, b, c] = parts as [Sent, Sent, Sent]
      const choices = [[a, c], [b], [a, b, c], [a, c]]
      const outcomes = await server.records([{ action: 'upload', bucket: name, key: 'k' }], () =>
        Promise.allSettled(choices.map((named) => complete(named))),
      )
      const done = choices.filter((_, i) => outcomes[i]?.status === 'fulfilled')
      for (const [i, outcome] of outcomes.entries()) {
        if (outcome.status === 'rejected')
          assert.equal((outcome.reason as ServiceError).code, 'conflict', `${outcome.reason}`)
        else assert.equal(outcome.value.etag, etagOfParts(...(choices[i] as Sent[]).map(({ data }) => data)))
      }
      const [won = []] = done
      await expectWhole(name, won)
      for (const other of done) assert.deepEqual(other, won)
    }
    await pastGrace()
    assert.deepEqual(await leftovers(), [])
  })

  it('continues after a crash at any moment of being joined', async () => {
    for (const moment of ['before', 'after', 'copied'] as const)
      for (const times of [1, 2, 3]) {
        const name = await open()
        const { send, complete } = await begin(name)
        const first = await send(1, bytes(PART))
        await send(2, bytes(PART))
        const last = await send(5, bytes(MIB))
        let met = 0
        joining = (now) => {
          if (now === moment && ++met === times) throw new Error('killed')
        }
        const attempt = await complete([first, last]).catch((error: Error) => error)
        joining = () => {}
        if (attempt instanceof Error) {
          assert.equal(attempt.message, 'killed')
          assert.equal((await usage(name)).object_count, 0)
        }
        await complete([first, last])
        await expectWhole(name, [first, last])
      }
    await pastGrace()
    assert.deepEqual(await leftovers(), [])
  })

  it('has a checksum, if it is to have one', async () => {
    const name = await open()
    const { upload, send, complete } = await begin(name, { checksum: planChecksum('crc64nvme') })
    const [first, , third] = [await send(1, bytes(PART)), await send(2, bytes(PART)), await send(3, bytes(77))]
    const { parts } = await getUpload(ctx, name, upload.id, {})
    assert.ok(parts.every(({ checksum }) => checksum !== undefined && Buffer.from(checksum, 'base64').length === 8))
    const { checksums } = await complete([first, third])
    const whole = Buffer.concat([first.data, third.data])
    const { checksums: expected } = await server.admin.putObject({
      params: { bucket: name, key: 'whole' },
      body: whole,
      headers: { 'x-checksum-algorithm': 'crc64nvme' },
    })
    assert.deepEqual(checksums, expected)
  })
})
