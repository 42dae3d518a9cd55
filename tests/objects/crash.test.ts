import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { type Client, ProblemError } from '../../client/derived.ts'
import type { StoredObject } from '../../contract/objects.ts'
import { readConfig } from '../../server/config/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { MARK } from '../../server/drivers/driver.ts'
import { start } from '../../server/process/start.ts'
import { killableService } from '../support/killable.ts'
import { repeats } from '../support/repeats.ts'
import { allActions, describeEngines } from '../support/server.ts'

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
const ROUNDS = repeats(1)
const UPLOADS = 200
const FORMS = 60
const FILES_OF_A_FORM = 5
const IN_FLIGHT = 32
/** Most are small, as such rounds are; one in four is up to 2 MiB, so that the kill hits bytes on their way. */
const someBytes = () => randomBytes(randomInt(0, 4) === 0 ? randomInt(100_000, 2 ** 21) : randomInt(4096, 20_000))

describeEngines('kill -9 in the middle of parallel uploads', (engine) => {
  const service = killableService(engine)

  /** Runs `upload` for each number, 32 at a time, until `killAfter` of them were acknowledged; gives how many were. */
  async function killDuring(uploads: number, killAfter: number, upload: (n: number) => Promise<void>): Promise<number> {
    let next = 0
    let acknowledged = 0
    let dead: Promise<unknown> | undefined
    const work = async () => {
      while (next < uploads && !dead)
        try {
          await upload(next++)
          if (++acknowledged >= killAfter) dead ??= service.running.kill('SIGKILL')
        } catch (error) {
          // Only the dying connection may fail an upload.
          if (error instanceof ProblemError || error instanceof assert.AssertionError || !dead) throw error
        }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, work))
    assert.equal(await dead, 'SIGKILL')
    assert.ok(acknowledged < uploads, 'it was not killed in the middle')
    return acknowledged
  }

  it('keeps every acknowledged object complete, shows no partial one, counts exactly and leaves nothing behind', async (t) => {
    /** What every key that was ever sent has as its MD5. */
    const sent = new Map<string, string>()
    const acknowledged = new Set<string>()
    let visible = 0
    let client = await service.connect()
    await client.createBucket({ body: { name: 'crash' } })

    for (let round = 0; round < ROUNDS; round++) {
      await killDuring(UPLOADS, randomInt(40, 80), async (n) => {
        const key = `put/${round}/${n}`
        const body = someBytes()
        sent.set(key, md5(body))
        const object = await client.putObject({ params: { bucket: 'crash', key }, body })
        assert.equal(object.etag, sent.get(key))
        acknowledged.add(key)
      })
      client = await service.connect()
      await checkEverything(client, sent, acknowledged)
    }

    for (let round = 0; round < ROUNDS; round++) {
      await killDuring(FORMS, randomInt(10, 30), async (n) => {
        const form = new FormData()
        const keys: string[] = []
        for (let i = 0; i < FILES_OF_A_FORM; i++) {
          const body = someBytes()
          const key = `form/${round}/${n}/${i}`
          sent.set(key, md5(body))
          keys.push(key)
          form.append('file', new Blob([body]), `${i}`)
        }
        await client.uploadForm({
          params: { bucket: 'crash' },
          query: { prefix: `form/${round}/${n}/` },
          body: form,
        })
        for (const key of keys) acknowledged.add(key)
      })
      client = await service.connect()
      const found = await checkEverything(client, sent, acknowledged)
      visible = found.length
      const forms = Map.groupBy(
        found.filter(({ key }) => key.startsWith('form/')),
        ({ key }) => path.dirname(key),
      )
      for (const [form, files] of forms) assert.equal(files.length, FILES_OF_A_FORM, `${form} is not whole`)
    }
    t.diagnostic(`${sent.size} sent, ${acknowledged.size} acknowledged, ${visible} visible`)
    assert.equal(await service.running.kill('SIGTERM'), 0)
    await checkLeftovers()
  })

  /** Asserts that what is visible is correct, and returns it. */
  async function checkEverything(
    client: Client,
    sent: ReadonlyMap<string, string>,
    acknowledged: ReadonlySet<string>,
  ): Promise<StoredObject[]> {
    const found: StoredObject[] = []
    let cursor: string | undefined
    do {
      const page = await client.listObjects({ params: { bucket: 'crash' }, query: { limit: 1000, cursor } })
      found.push(...page.items)
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    const keys = new Set(found.map(({ key }) => key))
    for (const key of acknowledged) assert.ok(keys.has(key), `${key} was acknowledged and is lost`)
    // What was never acknowledged may be there, but only whole.
    for (const { key, size, etag } of found) {
      const response = await client.getObject({ params: { bucket: 'crash', key } })
      const bytes = new Uint8Array(await response.arrayBuffer())
      assert.deepEqual([bytes.length, md5(bytes), etag], [size, sent.get(key), sent.get(key)], key)
    }
    const bucket = await client.getBucket({ params: { bucket: 'crash' } })
    assert.deepEqual(
      [bucket.object_count, bucket.used_bytes],
      [found.length, found.reduce((sum, { size }) => sum + size, 0)],
    )
    const database = await openDatabase(service.databaseUrl)
    const uploads = (await allActions(database)).filter(({ action }) => action === 'upload')
    await database.close()
    assert.deepEqual(uploads.map(({ object_key }) => object_key).sort(), [...keys].sort(), 'one record per object')
    return found
  }

  /** Runs the workers three hours later: only what objects point at may be left. */
  async function checkLeftovers(): Promise<void> {
    const later = new Date(Date.now() + 3 * 3600_000)
    const worker = await start(readConfig({ ...service.env, LOG_LEVEL: 'silent' }), { now: () => later, timers: false })
    await worker.tick()
    await worker.stop()
    const database = await openDatabase(service.databaseUrl)
    const objects = (await database.db.selectFrom('objects').select('blob_id').execute()).map(({ blob_id }) => blob_id)
    const blobs = (await database.db.selectFrom('blobs').select('id').execute()).map(({ id }) => id)
    const bodies = (await database.db.selectFrom('bodies').select('blob_id').execute()).map(({ blob_id }) => blob_id)
    assert.deepEqual(await database.db.selectFrom('blob_removals').selectAll().execute(), [])
    await database.close()
    const files = fs
      .readdirSync(path.join(service.folder, 'blobs'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== MARK)
      .map((entry) => entry.name)
    assert.ok(bodies.length > 0 && files.length > 0, 'both ways of keeping bytes were hit')
    assert.deepEqual(
      [...files, ...bodies].sort(),
      objects.sort(),
      'temporary files and bytes of failed uploads are gone',
    )
    assert.deepEqual(blobs.sort(), objects)
  }
})
