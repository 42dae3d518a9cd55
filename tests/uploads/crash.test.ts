import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Client, ProblemError } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { MARK } from '../../server/drivers/driver.ts'
import { workDaysLater } from '../support/days-later.ts'
import { request } from '../support/http.ts'
import { killableService } from '../support/killable.ts'
import { allActions, describeEngines } from '../support/server.ts'

const MIB = 1024 ** 2
const PART = 5 * MIB
/** How long each engine is killed repeatedly; longer if no kill came in time, up to a number of rounds. */
const SECONDS = 8
const MOST_ROUNDS = 40
const AT_ONCE = 10
const noise = randomBytes(2 * PART)
const digest = (data: Uint8Array) => createHash('md5').update(data)
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const params = { bucket: 'crash' }

/** One upload as its client knows it. */
interface Sent {
  key: string
  body: Uint8Array
  parts: Uint8Array[]
  /** Unknown where the answer to init did not come. */
  id?: string
  sizeKnown: boolean
  /** Whether parts are sent again while the first attempt may still be at work. */
  twice: boolean
  completing: boolean
  completed: boolean
}
const etagOf = ({ parts }: Sent) =>
  `${digest(Buffer.concat(parts.map((part) => digest(part).digest()))).digest('hex')}-${parts.length}`
const named = ({ parts }: Sent) => parts.map((part, i) => ({ part_number: i + 1, etag: digest(part).digest('hex') }))

describeEngines('kill -9 in the middle of multipart uploads', (engine) => {
  const service = killableService(engine)
  let client: Client

  async function putPart(url: string, body: Uint8Array): Promise<void> {
    const answer = await request({ url: service.running.url, path: new URL(url).pathname, method: 'PUT', body })
    assert.equal(answer.status, 200, answer.body.toString())
  }

  /** Mostly small ones, so that much happens in little time; one in five has two parts. */
  function newUpload(key: string): Sent {
    const size = randomInt(0, 5) === 0 ? PART + randomInt(1, 100_000) : randomInt(1, 200_000)
    const from = randomInt(0, noise.length - size)
    const body = noise.subarray(from, from + size)
    const parts = times(Math.ceil(size / PART), (i) => body.subarray(i * PART, (i + 1) * PART))
    const [sizeKnown, twice] = [randomInt(0, 4) > 0, randomInt(0, 3) === 0]
    return { key, body, parts, sizeKnown, twice, completing: false, completed: false }
  }
  async function upload(sent: Sent): Promise<void> {
    const size = sent.sizeKnown ? { file_size: sent.body.length } : {}
    const { upload_id, urls } = await client.initUpload({ params, body: { key: sent.key, part_size: PART, ...size } })
    sent.id = upload_id
    for (let i = 0; i < (sent.twice ? 2 : 1); i++)
      await Promise.all(sent.parts.map((part, n) => putPart(urls[n] ?? '', part)))
    sent.completing = true
    const object = await client.completeUpload({ params, body: { upload_id, parts: named(sent) } })
    sent.completed = true
    assert.equal(object.etag, etagOf(sent))
  }
  /** The whole object of a key, or null; anything else fails. */
  async function find(sent: Sent): Promise<true | null> {
    const response = await client.getObject({ params: { ...params, key: sent.key } }).catch((error: unknown) => {
      if (error instanceof ProblemError && error.problem.code === 'not_found') return null
      throw error
    })
    if (!response) return null
    const body = Buffer.from(await response.arrayBuffer())
    assert.ok(body.equals(sent.body), `${sent.key} is not what was sent`)
    assert.equal(response.headers.get('etag'), `"${etagOf(sent)}"`)
    return true
  }
  /** Resumes an upload like a client that knows only its id and the file. */
  async function resume(sent: Sent, upload_id: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const status = await client.getUpload({ params: { ...params, upload_id } }).catch((error: unknown) => {
        // Completed, and only the answer was lost.
        if (error instanceof ProblemError && error.problem.code === 'not_found' && sent.completing) return undefined
        throw error
      })
      const expected = named(sent)
      for (const { part_number, etag } of status?.parts ?? []) assert.equal(etag, expected[part_number - 1]?.etag)
      const missing = (status?.urls ?? []).filter(({ part_number }) => part_number <= expected.length)
      for (const { part_number, url } of missing) await putPart(url, sent.parts[part_number - 1] as Uint8Array)
      try {
        const object = await client.completeUpload({ params, body: { upload_id, parts: expected } })
        assert.equal(object.etag, etagOf(sent))
        return
      } catch (error) {
        // A part whose bytes and row do not belong together has to be sent again; that is found out once.
        if (!(error instanceof ProblemError) || error.problem.code !== 'conflict' || attempt === 2) throw error
      }
    }
  }

  /** What becomes of an upload after the crash: most are finished, some given up, some forgotten. */
  async function settle(one: Sent): Promise<void> {
    const found = await find(one)
    if (one.completed) assert.ok(found, `${one.key} was acknowledged and is lost`)
    if (found) assert.ok(one.completing, `${one.key} is there though nobody asked`)
    if (one.id === undefined) return
    const fate = found ? 0 : randomInt(0, 8)
    if (fate === 1 && one.sizeKnown) return
    if (fate === 2) return client.abortUpload({ params, body: { upload_id: one.id } })
    await resume(one, one.id)
    assert.ok(await find(one))
    one.completed = true
  }

  it('shows whole objects or none, lets every upload be finished, and leaves nothing behind', async (t) => {
    const all: Sent[] = []
    client = await service.connect()
    await client.createBucket({ body: { name: params.bucket, quota_gb: 4 } })
    const round = (n: number) => times(AT_ONCE, (i) => newUpload(`${n}/${i}`))
    const began = Date.now()
    /** How long a round takes that is not disturbed: the second, for the first warms up. */
    let undisturbed = 0
    let rounds = 0
    for (; rounds < 2; rounds++) {
      const sent = round(rounds)
      all.push(...sent)
      const from = Date.now()
      await Promise.all(sent.map(upload))
      undisturbed = Date.now() - from
    }

    let cut = 0
    while (Date.now() - began < SECONDS * 1000 || (cut === 0 && rounds < MOST_ROUNDS)) {
      const sent = round(rounds++)
      all.push(...sent)
      let dead = false
      const kill = setTimeout(randomInt(1, Math.ceil(undisturbed * 1.1))).then(() => {
        dead = true
        return service.running.kill('SIGKILL')
      })
      await Promise.all(
        sent.map((one) =>
          upload(one).catch((error: unknown) => {
            // Only the dying connection may fail one.
            if (!dead || error instanceof ProblemError || error instanceof assert.AssertionError) throw error
            cut++
          }),
        ),
      )
      assert.equal(await kill, 'SIGKILL')
      client = await service.connect()
      await Promise.all(sent.map(settle))
      await checkUsage()
    }
    t.diagnostic(`${rounds} rounds, ${all.length} uploads, ${cut} cut off`)
    assert.ok(cut > 0)
    for (const one of all) assert.equal(await find(one), one.completed ? true : null, one.key)
    await checkUsage()
    assert.equal(await service.running.kill('SIGTERM'), 0)
    await checkLeftovers(all.filter(({ completed }) => completed))
  })

  /** What is counted is what is there: the objects, and what open uploads have announced. */
  async function checkUsage(): Promise<void> {
    const objects: { size: number }[] = []
    let cursor: string | undefined
    do {
      const page = await client.listObjects({ params, query: { limit: 1000, cursor } })
      objects.push(...page.items)
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    const open = (await client.listUploads({ params, query: { limit: 1000 } })).items
    const bucket = await client.getBucket({ params })
    assert.deepEqual(
      [bucket.object_count, bucket.used_bytes, bucket.reserved_bytes],
      [
        objects.length,
        objects.reduce((sum, { size }) => sum + size, 0),
        open.reduce((sum, { file_size }) => sum + (file_size ?? 0), 0),
      ],
    )
  }

  /** Runs the workers days later: only what objects are made of may be left. */
  async function checkLeftovers(completed: readonly Sent[]): Promise<void> {
    await workDaysLater(readConfig({ ...service.env, LOG_LEVEL: 'silent' }))
    const database = await openDatabase(service.databaseUrl)
    const { db } = database
    const objects = await db.selectFrom('objects').select(['key', 'blob_id', 'etag']).execute()
    const blobs = (await db.selectFrom('blobs').select('id').execute()).map(({ id }) => id)
    const uploads = (await allActions(database)).filter(({ action }) => action === 'upload')
    for (const table of ['uploads', 'upload_parts', 'blob_removals', 'trash'] as const)
      assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table)
    const usage = await db.selectFrom('bucket_usage').selectAll().execute()
    await database.close()
    assert.deepEqual(objects.map(({ key }) => key).sort(), completed.map(({ key }) => key).sort())
    assert.deepEqual(blobs.sort(), objects.map(({ blob_id }) => blob_id).sort())
    assert.deepEqual(
      uploads.map(({ object_key, details }) => `${object_key} ${JSON.parse(details).parts}`).sort(),
      completed.map(({ key, parts }) => `${key} ${parts.length}`).sort(),
      'one record per object',
    )
    assert.equal(
      usage.reduce((sum, { reserved }) => sum + reserved, 0),
      0,
    )
    assert.equal(
      usage.reduce((sum, { bytes }) => sum + bytes, 0),
      completed.reduce((sum, { body }) => sum + body.length, 0),
    )
    /** How many files there are of each blob, one of which says what it is made of. */
    const files = new Map<string, number>()
    for (const entry of fs.readdirSync(path.join(service.folder, 'blobs'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name === MARK) continue
      assert.doesNotMatch(entry.name, /tmp/)
      const blob = path.basename(entry.parentPath).replace(/\.d$/, '')
      files.set(blob, (files.get(blob) ?? 0) + 1)
    }
    assert.deepEqual(
      files,
      new Map(
        [...files.keys()].map((id) => [id, 1 + Number(objects.find((one) => one.blob_id === id)?.etag.split('-')[1])]),
      ),
    )
    assert.equal(files.size, objects.length)
  }
})
