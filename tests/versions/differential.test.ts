import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { clientTo, outcome, s3World } from '../s3/s3.ts'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { startServer, type TestServer } from '../support/server.ts'

const key = fc.constantFrom('a', 'b/c', 'b/d')
const pick = fc.nat(20)
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant('put' as const), key, body: fc.string({ maxLength: 20 }) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), key }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('deleteVersion' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('copy' as const), pick, to: key }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('tag' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('get' as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('state' as const), to: fc.constantFrom('Enabled', 'Suspended') }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

interface Listed {
  Key: string
  VersionId: string
  marker: boolean
  latest: boolean
  etag: string
}

const gateway = await cephGateway()

describe('versions: the same to us and to Ceph', { skip: gateway ? false : noGateway }, () => {
  let server: TestServer
  let clients: S3Client[]
  const names = randomBytes(6).toString('hex')
  let runs = 0
  before(async () => {
    server = await startServer('sqlite', { S3_PORT: '0' })
    const world = s3World(server)
    const { url, credentials } = gateway as NonNullable<typeof gateway>
    const theirs = new URL(new URL(url).searchParams.get('endpoint') ?? '')
    const pair = { id: '', access_key_id: credentials.accessKeyId, secret_access_key: credentials.secretAccessKey }
    clients = [world.clientOf(await world.keyOf()), clientTo(theirs, pair)]
  })
  after(() => server.stop())

  /** All versions, in the order of keys and of each the latest first. */
  async function list(s3: S3Client, Bucket: string): Promise<Listed[]> {
    const answer = await s3.send(new ListObjectVersionsCommand({ Bucket }))
    const all = [
      ...(answer.Versions ?? []).map((one) => ({ ...one, marker: false })),
      ...(answer.DeleteMarkers ?? []).map((one) => ({ ...one, marker: true, ETag: '' })),
    ]
    // The SDK tells versions from markers, but not how they lie among each other; the times do, to the second only.
    return all.map(({ Key = '', VersionId = '', IsLatest = false, marker, ETag = '' }) => ({
      Key,
      VersionId,
      marker,
      latest: IsLatest,
      etag: ETag,
    }))
  }
  const kindOf = (id: string | undefined) => (id === undefined ? 'none' : id === 'null' ? 'null' : 'id')
  const told = (listed: readonly Listed[]) =>
    listed.map(({ VersionId, ...one }) => ({ ...one, version: kindOf(VersionId) }))

  /** Performs it, and tells what of the answer both must have. */
  async function perform(s3: S3Client, Bucket: string, one: Command): Promise<unknown> {
    const versions = 'pick' in one ? await list(s3, Bucket) : []
    const named = 'pick' in one ? versions[one.pick % (versions.length || 1)] : undefined
    switch (one.op) {
      case 'put': {
        const Body = Buffer.from(one.body)
        return kindOf((await s3.send(new PutObjectCommand({ Bucket, Key: one.key, Body }))).VersionId)
      }
      case 'delete': {
        // Ceph says nothing where a delete marker is the latest already; S3 makes another.
        const isDeleted = (await list(s3, Bucket)).some(
          ({ Key, latest, marker }) => Key === one.key && latest && marker,
        )
        if (isDeleted) return undefined
        const { DeleteMarker, VersionId } = await s3.send(new DeleteObjectCommand({ Bucket, Key: one.key }))
        return [DeleteMarker ?? false, kindOf(VersionId)]
      }
      case 'deleteVersion': {
        if (!named) return undefined
        const { Key, VersionId } = named
        const { DeleteMarker } = await s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
        // Ceph does not say it of null markers; S3 does.
        return VersionId === 'null' || (DeleteMarker ?? false)
      }
      case 'copy': {
        if (!named || named.marker) return undefined
        const CopySource = `${Bucket}/${named.Key}?versionId=${named.VersionId}`
        return outcome(s3.send(new CopyObjectCommand({ Bucket, Key: one.to, CopySource })))
      }
      case 'tag': {
        if (!named) return undefined
        const { Key, VersionId, marker } = named
        if (marker) return undefined
        const Tagging = { TagSet: [{ Key: 'n', Value: String(one.pick) }] }
        await s3.send(new PutObjectTaggingCommand({ Bucket, Key, VersionId, Tagging }))
        return (await s3.send(new GetObjectTaggingCommand({ Bucket, Key, VersionId }))).TagSet
      }
      case 'get': {
        if (!named) return undefined
        const { Key, VersionId, marker } = named
        return [
          // Of a marker Ceph says that there is nothing; S3, that it cannot be read.
          !marker && (await outcome(s3.send(new GetObjectCommand({ Bucket, Key, VersionId })))),
          await outcome(s3.send(new GetObjectCommand({ Bucket, Key }))),
        ]
      }
      case 'state':
        return void (await s3.send(
          new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: one.to as 'Enabled' } }),
        ))
    }
  }

  it('lists and answers the same after the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
        const Bucket = `versions-${names}-${++runs}`
        for (const s3 of clients) await s3.send(new CreateBucketCommand({ Bucket }))
        try {
          for (const one of commands) {
            const [ours, theirs] = await Promise.all(clients.map((s3) => perform(s3, Bucket, one)))
            assert.deepEqual(ours, theirs, `answer to ${JSON.stringify(one)}`)
            const [here = [], there = []] = await Promise.all(clients.map((s3) => list(s3, Bucket)))
            assert.deepEqual(told(here), told(there), `list after ${JSON.stringify(one)}`)
          }
        } finally {
          for (const s3 of clients) {
            for (const { Key, VersionId } of await list(s3, Bucket))
              await s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
            await s3.send(new DeleteBucketCommand({ Bucket }))
          }
        }
      }),
      { numRuns: 20, endOnFailure: false },
    )
  })
})
