// Every byte that leaves was compared with what was written: of whole objects, ranges, parts of any size, and encrypted ones.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { blobFile } from '../support/blob-file.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const B = 'verified'
const SEGMENT = 65_536
/** Less than a segment, some, more than the row of a blob has checksums of, and more than one row of them. */
const SIZES = { small: 70, some: 300_000, many: 5_000_000, rows: 64 * 1024 * 1024 + 100_000 }

describeEngines('reads of plain contents', (engine) => {
  let server: TestServer
  const bodies = new Map<string, Buffer<ArrayBuffer>>()
  before(async () => {
    server = await startServer(engine, { INLINE_MAX_BYTES: '0' })
    await server.admin.createBucket({ body: { name: B } })
    for (const [key, size] of Object.entries(SIZES)) {
      const body = randomBytes(size)
      bodies.set(key, body)
      await server.admin.putObject({ params: { bucket: B, key }, body })
    }
  })
  after(() => server.stop())

  const read = async (key: string, range?: string): Promise<Buffer | number> => {
    const headers = { authorization: `Bearer ${server.adminToken}`, ...(range && { range }) }
    const answer = await fetch(`${server.url}/api/v1/buckets/${B}/objects/${key}`, { headers })
    if (!answer.ok) {
      await answer.arrayBuffer()
      return answer.status
    }
    // A response that is broken off has given whatever it has.
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of answer.body ?? []) chunks.push(chunk)
    } catch {
      return 0
    }
    return Buffer.concat(chunks)
  }
  /** One byte of a file is another while `work` runs. */
  async function flipped<T>(file: string, at: number, work: () => Promise<T>): Promise<T> {
    const fd = fs.openSync(file, 'r+')
    const byte = Buffer.alloc(1)
    fs.readSync(fd, byte, 0, 1, at)
    const write = (value: number) => fs.writeSync(fd, Buffer.of(value), 0, 1, at)
    try {
      write((byte[0] ?? 0) ^ 4)
      return await work()
    } finally {
      write(byte[0] ?? 0)
      fs.closeSync(fd)
    }
  }

  it('give what was written, as a whole and in ranges', async () => {
    for (const [key, body] of bodies) {
      assert.ok(body.equals((await read(key)) as Buffer), key)
      for (let i = 0; i < 20; i++) {
        const start = Math.floor(Math.random() * body.length)
        const end = Math.min(body.length - 1, start + Math.floor(Math.random() ** 4 * 3_000_000))
        const got = await read(key, `bytes=${start}-${end}`)
        assert.ok(body.subarray(start, end + 1).equals(got as Buffer), `${key} ${start}-${end}`)
      }
    }
  })

  it('give no byte of a segment that was changed, and every byte of the others', async () => {
    for (const [key, body] of bodies) {
      const file = await blobFile(server, key)
      for (const at of [0, Math.floor(body.length / 2), body.length - 1])
        await flipped(file, at, async () => {
          const start = Math.floor(at / SEGMENT) * SEGMENT
          for (const range of [
            undefined,
            `bytes=${at}-${at}`,
            `bytes=${start}-${start}`,
            `bytes=-${body.length - at}`,
          ]) {
            const got = await read(key, range)
            assert.ok(got === 409 || got === 0, `${key} ${at} ${range}: ${got}`)
          }
          if (start > 0) {
            const got = await read(key, `bytes=0-${start - 1}`)
            assert.ok(body.subarray(0, start).equals(got as Buffer), `${key} before ${start}`)
          }
        })
      assert.ok(body.equals((await read(key)) as Buffer), key)
    }
  })

  /** Records of reads are made beside their answers. */
  const records = async () => {
    const { items } = await server.admin.listAudit({ query: { action: ['read_damaged'], page_size: 200 } })
    return items.filter(({ object_key }) => object_key === 'some').length
  }

  it('record once what was changed, and what is missing', async () => {
    await server.later(120_000)
    const file = await blobFile(server, 'some')
    const before = await records()
    await server.records([{ action: 'read_damaged', bucket: B, key: 'some', result: 'failure' }], async () => {
      await flipped(file, 100, async () => {
        assert.equal(await read('some', 'bytes=0-9'), 409)
        assert.equal(await read('some', 'bytes=0-9'), 409)
      })
      await until(async () => (await records()) > before)
    })
    await server.later(120_000)
    await server.records([{ action: 'read_damaged', bucket: B, key: 'some', result: 'failure' }], async () => {
      fs.renameSync(file, `${file}.away`)
      assert.equal(await read('some'), 409)
      fs.renameSync(`${file}.away`, file)
      await until(async () => (await records()) > before + 1)
    })
    const { items } = await server.admin.listAudit({ query: { action: ['read_damaged'], page_size: 2 } })
    assert.deepEqual(items.map(({ details }) => (details as { reason: string }).reason).sort(), ['changed', 'missing'])
  })

  it('compare parts of any size, and copies of them', async () => {
    const size = 5 * 1024 ** 2 + 1
    const parts = [size, size, 100_000].map((length) => randomBytes(length))
    const { upload_id, urls } = await server.admin.initUpload({
      params: { bucket: B },
      body: { key: 'odd', file_size: 2 * size + 100_000, part_size: size },
    })
    const listed = []
    for (const [i, body] of parts.entries()) {
      const answer = await fetch(server.url + new URL(urls[i] ?? '').pathname, { method: 'PUT', body })
      listed.push({ part_number: i + 1, etag: answer.headers.get('etag') ?? '' })
    }
    await server.admin.completeUpload({ params: { bucket: B }, body: { upload_id, parts: listed } })
    const whole = Buffer.concat(parts)
    assert.ok(whole.equals((await read('odd')) as Buffer))
    const folder = `${await blobFile(server, 'odd')}.d`
    const second = fs.readdirSync(folder).find((name) => name.startsWith('2-')) ?? ''
    const [first] = parts as [Buffer]
    await flipped(path.join(folder, second), 5, async () => {
      assert.equal(await read('odd', `bytes=${first.length}-${first.length}`), 409)
      const after = await read('odd', `bytes=${first.length + SEGMENT}-`)
      assert.ok(whole.subarray(first.length + SEGMENT).equals(after as Buffer))
    })
    const { runs } = await server.database.db
      .selectFrom('blob_sums')
      .innerJoin('objects', 'objects.blob_id', 'blob_sums.blob_id')
      .select((e) => e.fn.countAll<number>().as('runs'))
      .where('key', '=', 'odd')
      .executeTakeFirstOrThrow()
    assert.equal(Number(runs), 3)
  })
})
