import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { Client } from '../../client/derived.ts'
import { verifying } from '../blobs/verifying.ts'
import { outcome, s3World } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const bucket = 'kept'
const params = { bucket }
const acted = (action: 'upload' | 'delete' | 'version_delete' | 'restore' | 'update_object' | 'move', key: string) => [
  { action, bucket, key },
]

/** The form of an id that no version has. */
const UNKNOWN = '01890000-0000-7000-8000-000000000000'

describeEngines('versions', (engine, itOnce) => {
  let server: TestServer
  let admin: Client
  let s3: S3Client
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    admin = server.admin
    const world = s3World(server)
    s3 = world.clientOf(await world.keyOf())
    await admin.createBucket({ body: { name: bucket, versioning: 'enabled' } })
  })
  after(() => server.stop())

  const put = (key: string, body: string) => admin.putObject({ params: { bucket, key }, body })
  const text = async (key: string, version_id?: string) =>
    (await admin.getObject({ params: { bucket, key }, query: version_id === undefined ? {} : { version_id } })).text()
  const versions = async (key: string) => (await admin.listVersions({ params, query: { key } })).items
  const told = async (key: string) =>
    (await versions(key)).map(({ version_id, latest, marker, size }) => ({ version_id, latest, marker, size }))
  const usage = async () => {
    const { used_bytes, object_count, version_bytes, trash_bytes } = await admin.getBucket({ params })
    return {
      used_bytes: used_bytes ?? 0,
      object_count: object_count ?? 0,
      version_bytes: version_bytes ?? 0,
      trash_bytes: trash_bytes ?? 0,
    }
  }

  it('keeps what is replaced and deleted, reads it, and brings it back', async () => {
    const key = 'a/report.txt'
    const one = await server.records(acted('upload', key), () => put(key, 'first'))
    server.clock.advance(1000)
    const two = await server.records(acted('upload', key), () => put(key, 'second!'))
    assert.ok(one.version_id && two.version_id && one.version_id !== two.version_id)
    assert.equal(await text(key), 'second!')
    assert.equal(await text(key, one.version_id), 'first')
    assert.deepEqual(await usage(), { used_bytes: 12, object_count: 1, version_bytes: 5, trash_bytes: 0 })

    await server.records(acted('delete', key), () => admin.deleteObject({ params: { bucket, key } }))
    await rejectsWith(admin.getObject({ params: { bucket, key } }), 'not_found')
    assert.equal(await text(key, two.version_id), 'second!')
    const [marker] = await versions(key)
    assert.ok(marker?.marker && marker.latest)
    await rejectsWith(
      admin.getObject({ params: { bucket, key }, query: { version_id: marker.version_id } }),
      'not_found',
    )
    assert.deepEqual(await usage(), { used_bytes: 12, object_count: 0, version_bytes: 12, trash_bytes: 0 })
    // To a person there is nothing to delete any more.
    await server.records([], () => rejectsWith(admin.deleteObject({ params: { bucket, key } }), 'not_found'))
    await rejectsWith(admin.deleteBucket({ params }), 'not_empty')

    const restored = await server.records(acted('restore', key), () =>
      admin.restoreVersion({ params, body: { key, version_id: one.version_id ?? '' } }),
    )
    assert.equal(await text(key), 'first')
    assert.deepEqual(await told(key), [
      { version_id: restored.version_id, latest: true, marker: false, size: 5 },
      { version_id: marker.version_id, latest: false, marker: true, size: 0 },
      { version_id: two.version_id, latest: false, marker: false, size: 7 },
      { version_id: one.version_id, latest: false, marker: false, size: 5 },
    ])
    assert.deepEqual(await usage(), { used_bytes: 17, object_count: 1, version_bytes: 12, trash_bytes: 0 })
    await server.records([], () =>
      rejectsWith(admin.restoreVersion({ params, body: { key, version_id: restored.version_id ?? '' } }), 'conflict'),
    )
    await server.records([], () =>
      rejectsWith(admin.restoreVersion({ params, body: { key, version_id: marker.version_id } }), 'conflict'),
    )
    await server.records([], () =>
      rejectsWith(admin.restoreVersion({ params, body: { key, version_id: UNKNOWN } }), 'not_found'),
    )
  })

  it('moves a deleted version to the trash, from where it comes back as the version that it was', async () => {
    const key = 'b/plan.txt'
    const one = await put(key, 'one')
    const two = await put(key, 'two!')
    const before = await usage()
    await server.records(acted('version_delete', key), () =>
      admin.deleteObject({ params: { bucket, key }, query: { version_id: two.version_id ?? '' } }),
    )
    assert.equal(await text(key), 'one', 'the one before it is current again')
    assert.equal((await versions(key)).length, 1)
    await server.records(acted('version_delete', key), () =>
      admin.deleteObject({ params: { bucket, key }, query: { version_id: one.version_id ?? '' } }),
    )
    assert.deepEqual(await versions(key), [])
    assert.deepEqual(await usage(), {
      used_bytes: before.used_bytes - 7,
      object_count: before.object_count - 1,
      version_bytes: before.version_bytes - 3,
      trash_bytes: before.trash_bytes + 7,
    })
    await server.records([], () =>
      rejectsWith(
        admin.deleteObject({ params: { bucket, key }, query: { version_id: one.version_id ?? '' } }),
        'not_found',
      ),
    )
    const { items } = await admin.listTrash({ params, query: { prefix: key } })
    const trashed = items.find(({ version_id }) => version_id === two.version_id)
    assert.ok(trashed)
    const back = await server.records(acted('restore', key), () =>
      admin.restoreTrash({ params, body: { ids: [trashed.id] } }),
    )
    assert.equal(back.items[0]?.version_id, two.version_id)
    assert.equal(await text(key, two.version_id), 'two!')
  })

  it('deletes a version permanently for those who manage the bucket, and nothing else', async () => {
    const key = 'c'
    const one = await put(key, 'gone')
    const permanent = { permanent: true }
    await server.records([], () =>
      rejectsWith(admin.deleteObject({ params: { bucket, key }, query: permanent }), 'conflict'),
    )
    const editor = server.as(
      await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read', 'write', 'delete'] }),
    )
    const query = { version_id: one.version_id ?? '', ...permanent }
    await rejectsWith(editor.deleteObject({ params: { bucket, key }, query }), 'forbidden')
    const before = await usage()
    await server.records(acted('version_delete', key), () => admin.deleteObject({ params: { bucket, key }, query }))
    assert.deepEqual(await usage(), {
      ...before,
      used_bytes: before.used_bytes - 4,
      object_count: before.object_count - 1,
    })
  })

  it('makes a version of every change but tags', async () => {
    const key = 'd'
    const one = await put(key, 'same')
    const two = await server.records(acted('update_object', key), () =>
      admin.updateObject({ params: { bucket, key }, body: { metadata: { a: 'b' } } }),
    )
    assert.notEqual(two.version_id, one.version_id)
    const tagged = await server.records(acted('update_object', key), () =>
      admin.updateObject({ params: { bucket, key }, body: { tags: { c: 'd' } } }),
    )
    assert.equal(tagged.version_id, two.version_id)
    assert.equal((await versions(key)).length, 2)
    const response = await admin.getObject({ params: { bucket, key }, query: { version_id: one.version_id ?? '' } })
    assert.equal(response.headers.get('x-meta-a'), null)
    assert.equal(response.headers.get('x-version-id'), one.version_id)
  })

  it('leaves a version behind where an object is moved away', async () => {
    await put('e/from', 'moved')
    await server.records(acted('move', 'e/to'), () =>
      admin.moveObject({ params, body: { source_bucket: bucket, source_key: 'e/from', dest_key: 'e/to' } }),
    )
    assert.deepEqual(
      (await told('e/from')).map(({ marker, size }) => [marker, size]),
      [
        [true, 0],
        [false, 5],
      ],
    )
    assert.equal((await told('e/to')).length, 1)
  })

  it('marks what S3 clients delete, also where nothing was, and tells them so', async () => {
    const missing = { Bucket: bucket, Key: 'f/missing' }
    const { DeleteMarker, VersionId } = await server.records(acted('delete', missing.Key), () =>
      s3.send(new DeleteObjectCommand(missing)),
    )
    assert.equal(DeleteMarker, true)
    assert.equal(await outcome(s3.send(new HeadObjectCommand(missing))), 'NotFound')
    const marker = { ...missing, VersionId }
    assert.equal(await outcome(s3.send(new HeadObjectCommand(marker))), '405')
    const removed = await server.records(acted('version_delete', missing.Key), () =>
      s3.send(new DeleteObjectCommand(marker)),
    )
    assert.deepEqual([removed.DeleteMarker, removed.VersionId], [true, VersionId])
    await server.records([], () => s3.send(new DeleteObjectCommand(marker)))

    const strange = { ...missing, VersionId: '\u{2b970}' }
    assert.equal(await outcome(s3.send(new DeleteObjectCommand(strange))), 'InvalidArgument')

    const stored = await put('f/there', 'x')
    const Objects = [
      { Key: 'f/there' },
      { Key: 'f/there', VersionId: stored.version_id },
      { Key: 'f/there', VersionId: UNKNOWN },
      { Key: 'f/none' },
    ]
    const many = [...acted('delete', 'f/there'), ...acted('delete', 'f/none'), ...acted('version_delete', 'f/there')]
    const { Deleted = [], Errors } = await server.records(many, () =>
      s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } })),
    )
    assert.equal(Errors, undefined)
    assert.deepEqual(
      Deleted.map((one) => [one.Key, one.VersionId, one.DeleteMarker ?? false]),
      [
        ['f/there', undefined, true],
        ['f/there', stored.version_id, false],
        ['f/there', UNKNOWN, false],
        ['f/none', undefined, true],
      ],
    )
  })

  it('lists only to those who may list, and changes only for those who may', async () => {
    await put('g/in', 'x')
    await put('h/out', 'y')
    const reader = server.as(await server.userWith({ bucket_pattern: bucket, prefix: 'g/', actions: ['list', 'read'] }))
    const { items } = await reader.listVersions({ params, query: {} })
    assert.deepEqual([...new Set(items.map(({ key }) => key))], ['g/in'])
    await rejectsWith(reader.listVersions({ params, query: { key: 'h/out' } }), 'forbidden')
    const [version] = await versions('h/out')
    const hidden = { params: { bucket, key: 'h/out' }, query: { version_id: version?.version_id ?? '' } }
    await rejectsWith(reader.getObject(hidden), 'forbidden')
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(reader.deleteObject(hidden), 'forbidden'),
    )
    await rejectsWith(
      reader.restoreVersion({ params, body: { key: 'g/in', version_id: items[0]?.version_id ?? '' } }),
      'forbidden',
    )
    await rejectsWith(reader.updateBucket({ params, body: { versioning: 'suspended' } }), 'forbidden')
  })

  itOnce('lists a key and a prefix page by page', async () => {
    for (let i = 0; i < 5; i++) await put('i/many', 'x'.repeat(i + 1))
    await put('i/other', 'y')
    const pages = async (query: { key?: string; prefix?: string }) => {
      const found: [string, number][] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await admin.listVersions({ params, query: { ...query, limit: 2, ...(cursor ? { cursor } : {}) } })
        found.push(...page.items.map(({ key, size }): [string, number] => [key, size]))
        cursor = page.next_cursor
      }
      return found
    }
    const many = [5, 4, 3, 2, 1].map((size): [string, number] => ['i/many', size])
    assert.deepEqual(await pages({ key: 'i/many' }), many)
    assert.deepEqual(await pages({ prefix: 'i/' }), [...many, ['i/other', 1]])
    await rejectsWith(admin.listVersions({ params, query: { key: 'a', prefix: 'b' } }), 'invalid_request')

    const [, second] = await versions('i/many')
    const listed = async (more: { Delimiter?: string; VersionIdMarker?: string }) => {
      const of = { Bucket: bucket, Prefix: 'i', KeyMarker: 'i/many', ...more }
      const { Versions = [], CommonPrefixes = [] } = await s3.send(new ListObjectVersionsCommand(of))
      return [...Versions.map(({ Key, Size }) => `${Key} ${Size}`), ...CommonPrefixes.map(({ Prefix }) => Prefix)]
    }
    assert.deepEqual(await listed({ VersionIdMarker: second?.version_id ?? '' }), [
      'i/many 3',
      'i/many 2',
      'i/many 1',
      'i/other 1',
    ])
    assert.deepEqual(await listed({}), ['i/other 1'])
    // What is behind the marker is below the common prefix, which has been passed.
    assert.deepEqual(await listed({ VersionIdMarker: second?.version_id ?? '', Delimiter: '/' }), [])
  })

  itOnce('shows what a bucket that never kept versions has as null versions', async () => {
    await admin.createBucket({ body: { name: 'plain' } })
    const stored = await admin.putObject({ params: { bucket: 'plain', key: 'k' }, body: 'x' })
    assert.equal(stored.version_id, undefined)
    const { items } = await admin.listVersions({ params: { bucket: 'plain' }, query: {} })
    assert.deepEqual(
      items.map(({ version_id, latest }) => [version_id, latest]),
      [['null', true]],
    )
    assert.equal((await admin.getBucket({ params: { bucket: 'plain' } })).versioning, 'off')
    await admin.updateBucket({ params: { bucket: 'plain' }, body: { versioning: 'enabled' } })
    await admin.putObject({ params: { bucket: 'plain', key: 'k' }, body: 'yy' })
    const query = { version_id: 'null' }
    assert.equal(await (await admin.getObject({ params: { bucket: 'plain', key: 'k' }, query })).text(), 'x')
  })

  it('empties a bucket of all versions into its trash, for those who may delete them', async () => {
    const name = 'emptied'
    await admin.createBucket({ body: { name, versioning: 'enabled' } })
    const at = (key: string) => ({ params: { bucket: name, key } })
    for (const key of ['a', 'a', 'b', 'mine/c']) await admin.putObject({ ...at(key), body: key })
    await admin.deleteObject(at('b'))
    const removed = (key: string) => ({ action: 'version_delete' as const, bucket: name, key })
    const empty = async (client: Client) => {
      const { id } = await client.createJob({ body: { kind: 'empty_bucket', source_bucket: name } })
      await server.running.tick('jobs')
      const { status, done, failed } = await client.getJob({ params: { id } })
      return { id, status, done, failed }
    }
    const few = server.as(await server.userWith({ bucket_pattern: name, prefix: 'mine/', actions: ['list', 'delete'] }))
    const own = await server.records([removed('mine/c')], () => empty(few))
    assert.deepEqual([own.status, own.done, own.failed], ['succeeded', 1, 0])
    const all = await server.records(['a', 'a', 'b', 'b'].map(removed), () => empty(admin))
    assert.deepEqual([all.status, all.done, all.failed], ['succeeded', 4, 0])
    assert.deepEqual((await admin.listVersions({ params: { bucket: name }, query: {} })).items, [])
    const { used_bytes, version_bytes, trash_bytes } = await admin.getBucket({ params: { bucket: name } })
    assert.deepEqual([used_bytes, version_bytes, trash_bytes], [0, 0, 9])

    await admin.createJob({ body: { kind: 'restore', of: all.id } })
    await server.running.tick('jobs')
    const { items } = await admin.listObjects({ params: { bucket: name }, query: {} })
    assert.deepEqual(
      items.map(({ key }) => key),
      ['a', 'b'],
      'what was latest of each key is back',
    )
  })

  it('signs URLs for a version', async () => {
    const key = 'k'
    const one = await put(key, 'signed')
    await put(key, 'later')
    const body = { key, version_id: one.version_id ?? '' }
    const { url } = await admin.presignObject({ params, body })
    assert.equal(await (await fetch(server.url + new URL(url).pathname)).text(), 'signed')
    await rejectsWith(admin.presignObject({ params, body: { ...body, method: 'PUT' } }), 'invalid_request')
  })

  it('is found sound by verify, and its bytes outlive the collector', async () => {
    const key = 'j'
    const one = await put(key, 'old contents'.repeat(3000))
    await put(key, 'new')
    await server.later(30 * 24 * 3600_000)
    await server.running.tick()
    assert.equal(await text(key, one.version_id), 'old contents'.repeat(3000))
    const { code, findings } = await verifying(server, 'verify', '--deep')
    assert.deepEqual([code, findings], [0, []])
  })

  it('lists what is deleted in a folder, and the folders where there may be more', async () => {
    const name = 'with-deleted'
    const at = { bucket: name }
    await admin.createBucket({ body: { name, versioning: 'enabled' } })
    const store = (key: string) => admin.putObject({ params: { ...at, key }, body: 'x' })
    const remove = (key: string) => admin.deleteObject({ params: { ...at, key } })
    const keys = ['a', 'b', 'c', 'gone/x', 'gone/y', 'part/x', 'part/y', 'whole/x', 'z']
    for (const key of keys) await store(key)
    await store('b')
    for (const key of ['a', 'c', 'gone/x', 'gone/y', 'part/x', 'z']) await remove(key)
    await store('z')
    const list = async (query: { prefix?: string; limit?: number } = {}, by = admin) => {
      const found = []
      for (let cursor: string | undefined, i = 0; i < 20; i++) {
        const page = await by.listDeleted({ params: at, query: { ...query, ...(cursor ? { cursor } : {}) } })
        found.push(...page.items)
        if (page.next_cursor === null) return found
        cursor = page.next_cursor
      }
      throw new Error('the pages do not end')
    }
    const me = await admin.me()
    const all = await list()
    const brief = (entries: typeof all) => entries.map(({ name: of, folder, gone }) => [of, folder, gone])
    assert.deepEqual(brief(all), [
      ['a', false, true],
      ['c', false, true],
      ['gone/', true, true],
      ['part/', true, false],
    ])
    assert.deepEqual([all[0]?.deleted_by, all[0]?.deleted_at], [me.id, server.clock.now().toISOString()])
    assert.deepEqual(brief(await list({ limit: 1 })), brief(all))
    assert.deepEqual(brief(await list({ prefix: 'gone/' })), [
      ['gone/x', false, true],
      ['gone/y', false, true],
    ])
    // Without its marker, the key is there again.
    await admin.deleteObject({ params: { ...at, key: 'a' }, query: { version_id: all[0]?.version_id ?? '' } })
    assert.deepEqual(brief(await list({ limit: 2 })), brief(all).slice(1))
    const some = server.as(await server.userWith({ bucket_pattern: name, prefix: 'part/', actions: ['list'] }))
    assert.deepEqual(brief(await list({}, some)), [['part/', true, false]])
    const none = server.as(await server.userWith({ bucket_pattern: 'other', actions: ['list'] }))
    await rejectsWith(none.listDeleted({ params: at }), 'forbidden')
  })

  it('brings several versions of a key back from the trash, in their order', async () => {
    const key = 'stacked'
    const ids: string[] = []
    for (const body of ['one', 'two', 'three']) ids.unshift((await put(key, body)).version_id ?? '')
    const before = await usage()
    for (const version_id of ids) await admin.deleteObject({ params: { bucket, key }, query: { version_id } })
    assert.deepEqual(await versions(key), [])
    const trashed = (await admin.listTrash({ params, query: { prefix: key } })).items.map(({ id }) => id)
    const restored = [...acted('restore', key), ...acted('restore', key), ...acted('restore', key)]
    await server.records(restored, () => admin.restoreTrash({ params, body: { ids: trashed } }))
    assert.deepEqual(
      (await versions(key)).map(({ version_id }) => version_id),
      ids,
    )
    assert.equal(await text(key), 'three')
    assert.deepEqual(await usage(), before)
    // Under a key that is in use only if it is to be replaced.
    for (const version_id of ids.slice(1)) await admin.deleteObject({ params: { bucket, key }, query: { version_id } })
    const again = (await admin.listTrash({ params, query: { prefix: key } })).items.map(({ id }) => id)
    await server.records([], () => rejectsWith(admin.restoreTrash({ params, body: { ids: again } }), 'conflict'))
    await admin.restoreTrash({ params, body: { ids: again, on_conflict: 'replace' } })
    assert.equal((await versions(key)).length, 3)
    // What was restored last is current now.
    assert.equal(await text(key), 'two')
    assert.equal((await usage()).used_bytes, before.used_bytes)
    assert.equal((await verifying(server, 'verify')).code, 0)
  })
})
