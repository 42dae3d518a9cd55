import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { before, it } from 'node:test'
import {
  CopyObjectCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { clientTo, outcome, type Pair } from '../s3/s3.ts'
import { storagesWorld } from '../storages/storages.ts'
import { runsInTime } from '../support/runs-in-time.ts'
import { describeEngines } from '../support/server.ts'
import { asSource, newClientKey } from './client-key.ts'

/** ENCRYPTION_RUNS: how many runs there are on each database. By default as many as 20 seconds have room for, at most 10. */
const { ENCRYPTION_RUNS } = process.env
const numRuns = ENCRYPTION_RUNS === undefined ? 10 : Number(ENCRYPTION_RUNS)
const MOST_MS = ENCRYPTION_RUNS === undefined ? 20_000 : Number.POSITIVE_INFINITY

/** `one` and `two` are keys of clients. */
type Kind = 'plain' | 'AES256' | 'one' | 'two'
interface Held {
  bytes: Uint8Array
  kind: Kind
}

const bucket = fc.constantFrom(0, 1)
const key = fc.constantFrom('a', 'b/ö', 'b/z')
/** Undefined: as the bucket says. */
const asked = fc.constantFrom<(Exclude<Kind, 'plain'> | undefined)[]>(undefined, undefined, 'AES256', 'one', 'two')
/** Empty, kept in the database, one segment and its neighbours, and several. */
const size = fc.constantFrom(0, 1, 3000, 65_535, 65_536, 65_537, 200_000)
const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ op: fc.constant('put' as const), bucket, key, size, asked }) },
  {
    weight: 6,
    arbitrary: fc.record({ op: fc.constant('copy' as const), bucket, key, to: bucket, toKey: key, asked }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('move' as const), bucket, key, to: bucket, toKey: key }) },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('range' as const),
      bucket,
      key,
      from: fc.nat(70_000),
      length: fc.nat(70_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('wrongKey' as const), bucket, key }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('delete' as const), bucket, key }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('default' as const), bucket, on: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constantFrom('encrypt' as const, 'decrypt' as const), bucket }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('migrate' as const), bucket }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('collect' as const) }) },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

describeEngines('encryption: a model', (engine) => {
  const world = storagesWorld(engine, { S3_PORT: '0' })
  const keys = { one: newClientKey(), two: newClientKey() }
  let s3: S3Client
  let pair: Pair
  before(async () => {
    const { server } = world
    for (const { SSECustomerKey } of Object.values(keys)) server.secrets.add(SSECustomerKey)
    pair = (await server.admin.createAccessKey({ body: { name: 'model' } })) as Pair
    s3 = newClient()
  })
  const newClient = () => {
    const { clock, running } = world.server
    const systemClockOffset = clock.now().getTime() - Date.now()
    return clientTo(new URL(running.s3Url ?? ''), pair, { systemClockOffset })
  }
  /** Lets the collector remove what nothing points at. */
  const collect = async () => {
    await world.collect()
    s3 = newClient()
  }

  const isClients = (kind: Kind) => kind === 'one' || kind === 'two'
  /** What a request says to have something encrypted. */
  const wanted = (kind: Kind | undefined) =>
    kind === 'one' || kind === 'two' ? keys[kind] : kind === 'AES256' ? { ServerSideEncryption: 'AES256' as const } : {}
  /** What a request says to read something. */
  const opening = (kind: Kind) => (kind === 'one' || kind === 'two' ? keys[kind] : {})

  /** Buckets, what they hold, and how they encrypt. */
  class Run {
    readonly buckets: string[]
    readonly held = [new Map<string, Held>(), new Map<string, Held>()] as const
    readonly defaults: [Kind, Kind] = ['plain', 'AES256']
    readonly storages: string[]
    constructor(buckets: string[], storages: string[]) {
      this.buckets = buckets
      this.storages = storages
    }
    nameOf(at: number): string {
      return this.buckets[at] ?? assert.fail()
    }
    of(at: number): Map<string, Held> {
      return this.held[at] ?? assert.fail()
    }

    /** How what comes into a bucket is encrypted if nobody says. */
    copied(kind: Kind, to: number): Kind {
      const byDefault = this.defaults[to] as Kind
      return byDefault === 'plain' && !isClients(kind) ? kind : byDefault
    }

    async take(one: Command): Promise<void> {
      const { server } = world
      if (one.op === 'collect') return collect()
      const name = this.nameOf(one.bucket)
      const held = this.of(one.bucket)
      switch (one.op) {
        case 'put': {
          const bytes = randomBytes(one.size)
          await s3.send(new PutObjectCommand({ Bucket: name, Key: one.key, Body: bytes, ...wanted(one.asked) }))
          held.set(one.key, { bytes, kind: one.asked ?? (this.defaults[one.bucket] as Kind) })
          return
        }
        case 'copy': {
          const from = held.get(one.key)
          const source = from && isClients(from.kind) ? asSource(keys[from.kind as 'one']) : {}
          const copying = new CopyObjectCommand({
            Bucket: this.nameOf(one.to),
            Key: one.toKey,
            CopySource: `${name}/${encodeURIComponent(one.key)}`,
            MetadataDirective: 'REPLACE',
            ...wanted(one.asked),
            ...source,
          })
          if (!from) return assert.equal(await outcome(s3.send(copying)), 'NoSuchKey')
          await s3.send(copying)
          this.of(one.to).set(one.toKey, { ...from, kind: one.asked ?? this.copied(from.kind, one.to) })
          return
        }
        case 'move': {
          const from = held.get(one.key)
          if (!from || (one.bucket === one.to && one.key === one.toKey)) return
          await server.admin.moveObject({
            params: { bucket: this.nameOf(one.to) },
            body: { source_bucket: name, source_key: one.key, dest_key: one.toKey },
          })
          held.delete(one.key)
          const stays = one.bucket === one.to || isClients(from.kind)
          this.of(one.to).set(one.toKey, { ...from, kind: stays ? from.kind : this.copied(from.kind, one.to) })
          return
        }
        case 'range':
          return this.assertRead(one.bucket, one.key, one)
        case 'wrongKey': {
          const found = held.get(one.key)
          if (!found) return
          const wrong = found.kind === 'one' ? 'two' : 'one'
          for (const more of [keys[wrong], ...(isClients(found.kind) ? [{}] : [])]) {
            const answer = await outcome(s3.send(new GetObjectCommand({ Bucket: name, Key: one.key, ...more })))
            assert.notEqual(answer, 'ok', `${found.kind} with another key`)
          }
          return
        }
        case 'delete':
          if (held.delete(one.key)) await server.admin.deleteObject({ params: { bucket: name, key: one.key } })
          return
        case 'default': {
          const encryption = one.on ? { algorithm: 'AES256' as const } : null
          await server.admin.updateBucket({ params: { bucket: name }, body: { encryption } })
          this.defaults[one.bucket] = one.on ? 'AES256' : 'plain'
          return
        }
        case 'encrypt':
        case 'decrypt': {
          const { status } = await world.run({ kind: one.op, source_bucket: name })
          assert.equal(status, 'succeeded')
          for (const [key, found] of held)
            if (!isClients(found.kind)) held.set(key, { ...found, kind: one.op === 'encrypt' ? 'AES256' : 'plain' })
          return
        }
        case 'migrate': {
          const { storage } = await server.admin.getBucket({ params: { bucket: name } })
          const to = this.storages.find((other) => other !== storage) ?? assert.fail()
          const { status, failed } = await world.run({ kind: 'migrate', source_bucket: name, dest_storage: to })
          assert.deepEqual([status, failed], ['succeeded', 0])
        }
      }
    }

    async assertRead(at: number, key: string, part?: { from: number; length: number }): Promise<void> {
      const found = this.of(at).get(key)
      const input: GetObjectCommandInput = { Bucket: this.nameOf(at), Key: key }
      if (!found) return assert.equal(await outcome(s3.send(new GetObjectCommand(input))), 'NoSuchKey')
      if (part && part.from >= found.bytes.length) return
      const end = part ? part.from + part.length : found.bytes.length
      const Range = part && { Range: `bytes=${part.from}-${end}` }
      const answer = await s3.send(new GetObjectCommand({ ...input, ...opening(found.kind), ...Range }))
      const expected = found.bytes.subarray(part?.from ?? 0, part ? end + 1 : undefined)
      assert.ok((await buffer(answer.Body as Readable)).equals(expected), `${key}, ${found.kind}`)
      const told = isClients(found.kind) ? answer.SSECustomerKeyMD5 : (answer.ServerSideEncryption ?? 'plain')
      assert.equal(told, isClients(found.kind) ? keys[found.kind as 'one'].SSECustomerKeyMD5 : found.kind, key)
    }

    /** All that is there reads as it was written, is encrypted as it should be, and nothing else is there. */
    async settle(): Promise<void> {
      await collect()
      for (const [at, held] of this.held.entries()) {
        const { items } = await world.server.admin.listObjects({ params: { bucket: this.nameOf(at) } })
        assert.deepEqual(items.map((one) => one.key).sort(), [...held.keys()].sort())
        for (const key of held.keys()) await this.assertRead(at, key)
      }
    }
  }

  it('every object stays what it was, encrypted as asked, whatever is done to it', { timeout: 3_600_000 }, async () => {
    const storages = ['default', await world.storage()]
    const given = fc.array(command, { minLength: 10, maxLength: 30, size: 'max' })
    const check = runsInTime(MOST_MS, async (commands: Command[]) => {
      const buckets = [
        await world.bucket(),
        await world.bucket(storages[1], { encryption: { algorithm: 'AES256' }, trash_days: 1 }),
      ]
      const steps = new Run(buckets, storages)
      for (const one of commands) await steps.take(one)
      await steps.settle()
    })
    await fc.assert(fc.asyncProperty(given, check), { numRuns })
  })
})
