import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { Client } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { MARK } from '../../server/drivers/driver.ts'
import { workDaysLater } from '../support/days-later.ts'
import { killableService } from '../support/killable.ts'
import { repeats } from '../support/repeats.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { clientTo, type Pair } from './s3.ts'

const B = 'crash'
const ROUNDS = repeats(3)
const WORKERS = 12
const md5 = (bytes: Uint8Array | string) => createHash('md5').update(bytes).digest('hex')
/** One in four goes to the storage and not into the database. */
const someBytes = () => randomBytes(randomInt(0, 4) === 0 ? randomInt(100_000, 2 ** 20) : randomInt(1, 20_000))

/** What keys have, by their ETags; none where there is no object. */
type State = ReadonlyMap<string, string | null>
/** A request that was sent and not yet answered. */
interface Pending {
  action: 'upload' | 'copy' | 'delete'
  state: State
  /** Completes an upload: sent again, it is answered as before. */
  again?: (s3: S3Client) => Promise<string | undefined>
}

describeEngines('S3: kill -9 in the middle of everything', (engine) => {
  const service = killableService(engine, { S3_PORT: '0' })
  const expected = new Map<string, string | null>()
  /** How many of each action must be recorded of a key. */
  const recorded = new Map<string, number>()
  let client: Client
  let pair: Pair
  let cut = 0
  let tookEffect = 0

  const s3Client = () => clientTo(new URL(/S3 clients.*: (http:\S+)/.exec(service.running.log())?.[1] ?? ''), pair)

  function settle({ action, state }: Pending): void {
    for (const [key, etag] of state) {
      expected.set(key, etag)
      recorded.set(`${action} ${key}`, (recorded.get(`${action} ${key}`) ?? 0) + 1)
    }
  }

  /** One worker's requests on keys of its own, until one fails. */
  async function work(s3: S3Client, folder: string, sent: Map<string, Pending>): Promise<void> {
    const mine = () => [...expected].filter(([key, etag]) => etag !== null && key.startsWith(`${folder}/`))
    const doing = async (pending: Pending, request: () => Promise<string | undefined>) => {
      sent.set(folder, pending)
      const etag = await request()
      if (pending.action !== 'delete') assert.equal(etag?.replaceAll('"', ''), [...pending.state.values()][0])
      sent.delete(folder)
      settle(pending)
    }
    for (let n = 0; ; n++) {
      const at = { Bucket: B, Key: `${folder}/${randomInt(0, 8)}` }
      const [source] = mine()
      const choice = randomInt(0, 6)
      if (choice < 2) {
        const Body = someBytes()
        await doing({ action: 'upload', state: new Map([[at.Key, md5(Body)]]) }, async () => {
          return (await s3.send(new PutObjectCommand({ ...at, Body }))).ETag
        })
      } else if (choice < 4) {
        const Body = someBytes()
        const etag = `${md5(Buffer.from(md5(Body), 'hex'))}-1`
        const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at))
        const part = await s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 3, Body }))
        const MultipartUpload = { Parts: [{ PartNumber: 3, ETag: part.ETag }] }
        const complete = async (by: S3Client) =>
          (await by.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }))).ETag
        const pending: Pending = { action: 'upload', state: new Map([[at.Key, etag]]), again: complete }
        await doing(pending, () => complete(s3))
      } else if (choice === 4 && source) {
        const [key, etag] = source
        const Key = `${folder}/copy-${n}`
        // Cut off, it could not be told from one that was never made.
        if (expected.get(Key) === etag) continue
        await doing({ action: 'copy', state: new Map([[Key, etag]]) }, async () => {
          const { CopyObjectResult } = await s3.send(
            new CopyObjectCommand({ Bucket: B, Key, CopySource: `${B}/${key}` }),
          )
          return CopyObjectResult?.ETag
        })
      } else if (source) {
        const keys = mine().map(([key]) => key)
        const Objects = keys.map((Key) => ({ Key }))
        await doing({ action: 'delete', state: new Map(keys.map((key) => [key, null])) }, async () => {
          const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket: B, Delete: { Objects } }))
          assert.equal(Errors, undefined)
          return undefined
        })
      }
    }
  }

  it('keeps what was acknowledged, does the rest wholly or not at all, and leaves nothing behind', async (t) => {
    client = await service.connect()
    await client.createBucket({ body: { name: B, trash_days: 0 } })
    pair = await client.createAccessKey({ body: { name: 'crash' } })
    for (let round = 0; round < ROUNDS; round++) {
      const s3 = s3Client()
      const sent = new Map<string, Pending>()
      let dead = false
      const kill = setTimeout(randomInt(100, 500)).then(() => {
        dead = true
        return service.running.kill('SIGKILL')
      })
      const workers = Array.from({ length: WORKERS }, (_, i) =>
        work(s3, `${i}`, sent).catch((error: unknown) => {
          // Only the dying connection may fail one.
          const isAnswer = error instanceof S3ServiceException && error.$metadata.httpStatusCode !== undefined
          if (!dead || isAnswer || error instanceof assert.AssertionError) throw error
          cut++
        }),
      )
      await Promise.all(workers)
      assert.equal(await kill, 'SIGKILL')
      s3.destroy()
      client = await service.connect()
      await check(sent)
    }
    assert.equal(await service.running.kill('SIGTERM'), 0)
    await checkRecords()
    await checkLeftovers()
    t.diagnostic(`${recorded.size} keys changed, ${cut} requests cut off, ${tookEffect} of them had taken effect`)
  })

  /** Asserts that everything is as acknowledged or as what was cut off would have made it; settles which. */
  async function check(sent: ReadonlyMap<string, Pending>): Promise<void> {
    const s3 = s3Client()
    const present = await readAll()
    for (const pending of sent.values()) {
      const isDone = [...pending.state].map(([key, etag]) => (present.get(key) ?? null) === etag)
      assert.ok(
        isDone.every((done) => done === isDone[0]),
        'a request was carried out in part',
      )
      if (!isDone[0]) continue
      tookEffect++
      settle(pending)
      if (pending.again) {
        assert.equal((await pending.again(s3))?.replaceAll('"', ''), [...pending.state.values()][0])
      }
    }
    const kept = [...expected].filter(([, etag]) => etag !== null)
    assert.deepEqual([...present].sort(), kept.sort())
    await finishUploads(s3)
    s3.destroy()
  }

  /** Reads every object, checks it against its ETag, and what is counted against all of them. */
  async function readAll(): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    let bytes = 0
    let cursor: string | undefined
    do {
      const page = await client.listObjects({ params: { bucket: B }, query: { limit: 1000, cursor } })
      for (const { key, etag, size } of page.items) {
        const body = await (await client.getObject({ params: { bucket: B, key } })).bytes()
        const whole = md5(body)
        assert.equal(etag, etag.endsWith('-1') ? `${md5(Buffer.from(whole, 'hex'))}-1` : whole, key)
        assert.equal(body.length, size)
        found.set(key, etag)
        bytes += size
      }
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    const { object_count, used_bytes } = await client.getBucket({ params: { bucket: B } })
    assert.deepEqual([object_count, used_bytes], [found.size, bytes])
    return found
  }

  /** Ends every open upload as a client would that knows nothing of it: those with a part are completed. */
  async function finishUploads(s3: S3Client): Promise<void> {
    const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: B }))
    for (const { Key = '', UploadId } of Uploads) {
      const at = { Bucket: B, Key, UploadId }
      const { Parts = [] } = await s3.send(new ListPartsCommand(at))
      if (Parts.length === 0) {
        await s3.send(new AbortMultipartUploadCommand(at))
        continue
      }
      const MultipartUpload = { Parts: Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag })) }
      const { ETag = '' } = await s3.send(new CompleteMultipartUploadCommand({ ...at, MultipartUpload }))
      settle({ action: 'upload', state: new Map([[Key, ETag.replaceAll('"', '')]]) })
    }
    await readAll()
  }

  async function checkRecords(): Promise<void> {
    const database = await openDatabase(service.databaseUrl)
    const counted = new Map<string, number>()
    for (const { action, object_key, details } of await allActions(database)) {
      if (!['upload', 'copy', 'delete'].includes(action)) continue
      const keys = object_key === null ? (JSON.parse(details).keys as string[]) : [object_key]
      for (const key of keys) counted.set(`${action} ${key}`, (counted.get(`${action} ${key}`) ?? 0) + 1)
    }
    await database.close()
    assert.deepEqual(new Map([...counted].sort()), new Map([...recorded].sort()))
  }

  /** Runs the workers days later: only what objects are made of may be left. */
  async function checkLeftovers(): Promise<void> {
    await workDaysLater(readConfig({ ...service.env, LOG_LEVEL: 'silent' }))
    const database = await openDatabase(service.databaseUrl)
    const { db } = database
    for (const table of ['uploads', 'upload_parts', 'blob_removals', 'trash'] as const)
      assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table)
    const blobs = new Set((await db.selectFrom('objects').select('blob_id').execute()).map(({ blob_id }) => blob_id))
    const rows = (await db.selectFrom('blobs').select('id').execute()).map(({ id }) => id)
    const bodies = (await db.selectFrom('bodies').select('blob_id').execute()).map(({ blob_id }) => blob_id)
    await database.close()
    assert.deepEqual(rows.sort(), [...blobs].sort())
    const stored = new Set(bodies)
    for (const entry of fs.readdirSync(path.join(service.folder, 'blobs'), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && entry.name !== MARK)
        stored.add(entry.parentPath.endsWith('.d') ? path.basename(entry.parentPath, '.d') : entry.name)
    assert.deepEqual([...stored].sort(), [...blobs].sort(), 'temporary files and bytes of failed uploads are gone')
  }
})
