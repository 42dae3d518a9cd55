import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { s3World } from '../s3/s3.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

/** What a key had, the latest first; a delete marker has no body. */
interface Version {
  id: string
  body: string | null
}
type State = 'off' | 'enabled' | 'suspended'

/** S3's rules, as its documentation has them, over keys in memory. */
class Model {
  state: State = 'off'
  readonly keys = new Map<string, Version[]>()
  trashed = 0

  of(key: string): Version[] {
    const versions = this.keys.get(key) ?? []
    this.keys.set(key, versions)
    return versions
  }
  current(key: string): Version | undefined {
    const [latest] = this.of(key)
    return latest?.body == null ? undefined : latest
  }
  remove(key: string, id: string): void {
    const versions = this.of(key)
    const at = versions.findIndex((one) => one.id === id)
    if (at < 0) return
    this.trashed += versions[at]?.body?.length ?? 0
    versions.splice(at, 1)
  }
  add(key: string, id: string, body: string | null): void {
    assert.equal(id === 'null', this.state !== 'enabled', `a version written while ${this.state} is called ${id}`)
    if (id === 'null') this.remove(key, 'null')
    this.of(key).unshift({ id, body })
  }
  delete(key: string, marker: string | undefined): void {
    assert.equal(marker === undefined, this.state === 'off')
    if (marker === undefined) this.remove(key, 'null')
    else this.add(key, marker, null)
  }
}

const KEYS = ['a', 'b/c', 'b/d'] as const
const key = fc.constantFrom(...KEYS)
const pick = fc.nat(20)
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant('put' as const), key, body: fc.string({ maxLength: 20 }) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), key }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('deleteVersion' as const), key, pick }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('copy' as const), key, pick, to: key }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('move' as const), key, to: key }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('restore' as const), key, pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('describe' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('state' as const), to: fc.constantFrom('enabled', 'suspended') }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

describeEngines('versions: a model of S3', (engine) => {
  let server: TestServer
  let s3: S3Client
  let runs = 0
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    const world = s3World(server)
    s3 = world.clientOf(await world.keyOf())
  })
  after(() => server.stop())

  async function perform(model: Model, bucket: string, one: Command): Promise<void> {
    const { admin } = server
    const Bucket = bucket
    switch (one.op) {
      case 'put': {
        const { VersionId = 'null' } = await s3.send(
          new PutObjectCommand({ Bucket, Key: one.key, Body: Buffer.from(one.body) }),
        )
        return model.add(one.key, VersionId, one.body)
      }
      case 'delete': {
        const { VersionId, DeleteMarker } = await s3.send(new DeleteObjectCommand({ Bucket, Key: one.key }))
        assert.equal(DeleteMarker === true, model.state !== 'off')
        return model.delete(one.key, VersionId)
      }
      case 'deleteVersion': {
        const versions = model.of(one.key)
        const version = versions[one.pick % (versions.length + 1)]
        const VersionId = version?.id ?? '0197d2f4-7c1e-7b0a-9d53-5d0c3f3a8b11'
        const { DeleteMarker = false } = await s3.send(new DeleteObjectCommand({ Bucket, Key: one.key, VersionId }))
        assert.equal(DeleteMarker, version !== undefined && version.body === null)
        return model.remove(one.key, VersionId)
      }
      case 'copy': {
        const versions = model.of(one.key)
        const version = versions[one.pick % (versions.length || 1)]
        if (!version || version.body === null) return
        const CopySource = `${bucket}/${one.key}?versionId=${version.id}`
        const { VersionId = 'null', CopySourceVersionId } = await s3.send(
          new CopyObjectCommand({ Bucket, Key: one.to, CopySource }),
        )
        assert.equal(CopySourceVersionId, version.id)
        return model.add(one.to, VersionId, version.body)
      }
      case 'move': {
        const current = model.current(one.key)
        if (!current || one.key === one.to) return
        const body = { source_bucket: bucket, source_key: one.key, dest_key: one.to }
        const { version_id = 'null' } = await admin.moveObject({ params: { bucket }, body })
        model.add(one.to, version_id, current.body)
        if (model.state === 'off') {
          // The contents have moved on; nothing of them is in the trash.
          model.remove(one.key, 'null')
          model.trashed -= current.body?.length ?? 0
          return
        }
        const { items } = await admin.listVersions({ params: { bucket }, query: { key: one.key, limit: 1 } })
        assert.equal(items[0]?.marker, true)
        if (model.state === 'suspended' && current.id === 'null') model.trashed -= current.body?.length ?? 0
        return model.delete(one.key, items[0]?.version_id)
      }
      case 'restore': {
        const versions = model.of(one.key)
        const version = versions[one.pick % (versions.length || 1)]
        if (!version) return
        const call = admin.restoreVersion({ params: { bucket }, body: { key: one.key, version_id: version.id } })
        if (version.body === null || version === versions[0]) return assert.rejects(call)
        const { version_id = '' } = await call
        return model.add(one.key, version_id, version.body)
      }
      case 'describe': {
        const current = model.current(one.key)
        if (!current) return
        const { version_id = 'null' } = await admin.updateObject({
          params: { bucket, key: one.key },
          body: { metadata: { n: String(runs) } },
        })
        // Without versions the object is changed as it is.
        if (model.state !== 'off') model.add(one.key, version_id, current.body)
        return
      }
      case 'state': {
        const Status = one.to === 'enabled' ? 'Enabled' : 'Suspended'
        await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
        model.state = one.to as State
      }
    }
  }

  /** What S3 lists, in pages of two, and with a delimiter. */
  async function listed(Bucket: string, Delimiter?: string) {
    const found: { key: string; id: string; marker: boolean; latest: boolean }[] = []
    const prefixes: string[] = []
    let [KeyMarker, VersionIdMarker]: (string | undefined)[] = []
    for (let page = 0; ; page++) {
      assert.ok(page < 200, 'a list has an end')
      const answer: ListObjectVersionsCommandOutput = await s3.send(
        new ListObjectVersionsCommand({ Bucket, MaxKeys: 2, KeyMarker, VersionIdMarker, Delimiter }),
      )
      const said = (marker: boolean) => (one: { Key?: string; VersionId?: string; IsLatest?: boolean }) => ({
        key: one.Key ?? '',
        id: one.VersionId ?? '',
        marker,
        latest: one.IsLatest ?? false,
      })
      // The SDK gives them in two lists: put them together again by the model's order below.
      found.push(...(answer.Versions ?? []).map(said(false)), ...(answer.DeleteMarkers ?? []).map(said(true)))
      prefixes.push(...(answer.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix))
      if (!answer.IsTruncated) return { found, prefixes }
      KeyMarker = answer.NextKeyMarker
      VersionIdMarker = answer.NextVersionIdMarker
    }
  }

  async function compare(model: Model, bucket: string): Promise<void> {
    const expected = KEYS.flatMap((name) =>
      model.of(name).map(({ id, body }, i) => ({ key: name as string, id, marker: body === null, latest: i === 0 })),
    )
    const byName = (all: typeof expected) => all.map((one) => JSON.stringify(one)).sort()
    const { found } = await listed(bucket)
    assert.deepEqual(byName(found), byName(expected))
    const { items } = await server.admin.listVersions({ params: { bucket }, query: { limit: 1000 } })
    assert.deepEqual(
      items.map(({ key: name, version_id: id, marker, latest }) => ({ key: name, id, marker, latest })),
      expected,
      'the API lists them in order',
    )
    const folders = await listed(bucket, '/')
    assert.deepEqual(byName(folders.found), byName(expected.filter((one) => !one.key.includes('/'))))
    assert.deepEqual(folders.prefixes, expected.some((one) => one.key.includes('/')) ? ['b/'] : [])

    const sizes = (all: readonly Version[]) => all.reduce((sum, { body }) => sum + (body?.length ?? 0), 0)
    const all = KEYS.map((name) => model.of(name))
    const current = KEYS.flatMap((name) => model.current(name) ?? [])
    const { used_bytes, object_count, version_bytes, trash_bytes } = await server.admin.getBucket({
      params: { bucket },
    })
    assert.deepEqual(
      { used_bytes, object_count, version_bytes, trash_bytes },
      {
        used_bytes: sizes(all.flat()),
        object_count: current.length,
        version_bytes: sizes(all.flat()) - sizes(current),
        trash_bytes: model.trashed,
      },
    )
  }

  async function read(Bucket: string, Key: string, VersionId?: string): Promise<string | null> {
    const { Body, VersionId: said } = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }))
    if (VersionId !== undefined && said !== undefined) assert.equal(said, VersionId)
    return (await Body?.transformToString()) ?? ''
  }

  it('does as S3 does, whatever is written, deleted, copied, moved and restored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
        const bucket = `model-${engine}-${++runs}`
        await server.admin.createBucket({ body: { name: bucket } })
        const model = new Model()
        for (const one of commands) {
          await perform(model, bucket, one)
          await compare(model, bucket)
        }
        for (const name of KEYS) {
          for (const { id, body } of model.of(name))
            if (body === null) await assert.rejects(read(bucket, name, id))
            else assert.equal(await read(bucket, name, id), body)
          const current = model.current(name)
          if (current) assert.equal(await read(bucket, name), current.body)
          else await assert.rejects(read(bucket, name))
        }
      }),
      { numRuns: 30, endOnFailure: false },
    )
  })
})
