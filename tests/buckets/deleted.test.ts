import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { api } from '../../contract/index.ts'
import { newId } from '../../server/base/id.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

describeEngines('deleted buckets', (engine, itOnce) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const rowOf = (id: string) =>
    server.database.db.selectFrom('buckets').selectAll().where('id', '=', id).executeTakeFirst()
  /** A bucket with an item in its trash and an upload that is open, deleted. */
  const bury = async () => {
    const name = `deleted-${++buckets}`
    const params = { bucket: name }
    await server.admin.createBucket({ body: { name } })
    await server.admin.putObject({ params: { bucket: name, key: 'k' }, body: 'secret' })
    await server.admin.deleteObject({ params: { bucket: name, key: 'k' } })
    const upload = await server.admin.initUpload({ params, body: { key: 'large', file_size: 6_000_000 } })
    const [item] = (await server.admin.listTrash({ params })).items
    const { id } = await server.database.db
      .selectFrom('buckets')
      .select('id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    await server.admin.deleteBucket({ params })
    return { id, name, item: item?.id as string, upload: upload.upload_id }
  }
  const purges = async () => {
    const { items } = await server.admin.listAudit({ query: { action: ['purge'] } })
    return items.map(({ bucket, details }) => [bucket, details])
  }

  itOnce('does not exist under any name, on any route, for anyone', async () => {
    const gone = await bury()
    const anybody = await server.userWith({
      bucket_pattern: '0*',
      actions: ['list', 'read', 'write', 'delete', 'share', 'policy', 'manage', 'create'],
    })
    await server.admin.createBucket({ body: { name: 'there' } })
    await server.admin.putObject({ params: { bucket: 'there', key: 'k' }, body: 'x' })
    const source = { source_bucket: 'there', source_key: 'k' }
    /** What each route asks for, so that no answer is only about the request. `name` is the bucket. */
    const bodies: { [operation: string]: unknown } = {
      updateBucket: { trash_days: 3 },
      putBucketPolicy: { document: '{}' },
      putObject: 'x',
      putObjectByQuery: 'x',
      copyObject: source,
      moveObject: source,
      bulkCopy: { source_bucket: 'there', keys: ['k'] },
      bulkMove: { source_bucket: 'there', keys: ['k'] },
      bulkDelete: { keys: ['k'] },
      objectsExist: { keys: ['k'] },
      sizeFolders: { prefixes: ['k/'] },
      updateObject: { content_type: 'text/plain' },
      updateObjectByQuery: { content_type: 'text/plain' },
      archiveSelection: { keys: ['k'] },
      presignObject: { key: 'k', method: 'GET' },
      initUpload: { key: 'k', file_size: 6_000_000 },
      completeUpload: { upload_id: gone.upload, parts: [{ part_number: 1, etag: 'x' }] },
      abortUpload: { upload_id: gone.upload },
      shareObject: {},
      shareObjectByQuery: {},
      bulkShare: { keys: ['k'] },
      bulkUnshare: { ids: [newId()] },
      restoreVersion: { key: 'k', version_id: 'null' },
      lockObject: { key: 'k', mode: null, until: null },
      restoreTrash: { ids: [gone.item] },
      purgeTrash: { ids: [gone.item] },
      createSnapshot: { name: 'gold' },
      setReplication: { storage: 'nas' },
      verifyReplication: {},
    }
    const queries: { [operation: string]: string } = {
      searchObjects: '?search=k',
      explainPolicies: '?key=k',
      listChanges: `?from=${server.clock.now().toISOString()}`,
    }
    const form = () => {
      const data = new FormData()
      data.set('file', new Blob(['x']), 'k')
      return data
    }
    const ask = async (token: string, operation: string, bucket: string) => {
      const { method, url } = api[operation as keyof typeof api]
      const path = url
        .replace('{bucket}', encodeURIComponent(bucket))
        .replace('{+key}', 'k')
        .replace('{upload_id}', gone.upload)
        .replace('{name}', 'gold')
      const byQuery = ['/object', 'images/{bucket}', 'share/{bucket}'].some((end) => url.endsWith(end))
      const query = queries[operation] ?? (byQuery ? '?key=k' : '')
      const body = bodies[operation]
      const response = await fetch(`${server.url}/api/v1${path}${query}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
        },
        ...(operation === 'uploadForm' ? { body: form() } : {}),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = (await response.text()).replaceAll(bucket, 'NAME').replace(/"request_id":"[^"]*"/, '')
      return { operation, status: response.status, text: text.replace(/\/signed\/[^"]*/, '') }
    }
    const routes = Object.entries(api)
      .filter(([, { url }]) => url.includes('{bucket}'))
      .map(([operation]) => operation)
    assert.ok(routes.length > 35)
    const usage = await server.admin.usage()
    for (const token of [server.adminToken, anybody])
      for (const [dead, never] of [
        [gone.id, newId()],
        [`~${gone.id}`, `~${newId()}`],
        [gone.name, `never-${buckets}`],
      ] as const)
        for (const operation of routes) {
          const [is, wanted] = [await ask(token, operation, dead), await ask(token, operation, never)]
          assert.deepEqual(is, wanted, `${operation} of ${dead}`)
          if (operation === 'presignObject' || operation === 'explainPolicies') continue
          assert.ok([403, 404, 422].includes(is.status), JSON.stringify(is))
          if (dead === gone.id) assert.ok([403, 404].includes(is.status), JSON.stringify(is))
        }
    for (const name of [gone.id, `~${gone.id}`]) {
      const params = { bucket: 'there' }
      for (const call of [
        () => server.admin.copyObject({ params, body: { source_bucket: name, source_key: 'k' } }),
        () => server.admin.createJob({ body: { kind: 'empty_bucket', source_bucket: name } }),
        () => server.admin.createJob({ body: { kind: 'copy', source_bucket: 'there', dest_bucket: name } }),
        () => server.admin.createShare({ body: { kind: 'object', bucket: name, key: 'k' } }),
      ])
        await assert.rejects(call, ({ problem }) => ['not_found', 'invalid_request'].includes(problem?.code))
    }
    assert.deepEqual(await server.admin.usage(), usage)
    const { items } = await server.admin.listBuckets()
    assert.deepEqual(
      items.map(({ name }) => name),
      ['there'],
    )
    assert.equal((await server.database.db.selectFrom('objects').select('key').execute()).length, 1)
  })

  it('does not reserve its id: another bucket can have it as its name, and both can be deleted', async () => {
    const gone = await bury()
    const other = 'other-one'
    await server.admin.createBucket({ body: { name: other } })
    await server.admin.createBucket({ body: { name: gone.id } })
    const { id } = await server.database.db
      .selectFrom('buckets')
      .select('id')
      .where('name', '=', other)
      .executeTakeFirstOrThrow()
    await server.admin.createBucket({ body: { name: id } })
    await server.admin.putObject({ params: { bucket: id, key: 'k' }, body: 'mine' })
    await server.records([{ action: 'delete_bucket', bucket: other }], () =>
      server.admin.deleteBucket({ params: { bucket: other } }),
    )
    assert.deepEqual((await server.admin.listTrash({ params: { bucket: gone.id } })).items, [])
    await server.running.tick()
    assert.equal(await (await server.admin.getObject({ params: { bucket: id, key: 'k' } })).text(), 'mine')
    assert.equal(await rowOf(id), undefined)
    await server.admin.deleteObject({ params: { bucket: id, key: 'k' } })
    for (const name of [id, gone.id]) await server.admin.deleteBucket({ params: { bucket: name } })
    await server.running.tick()
  })

  it('keeps its records under its old name, and under its id', async () => {
    const gone = await bury()
    const { items } = await server.admin.listAudit({ query: { action: ['delete_bucket'], bucket: gone.name } })
    assert.deepEqual(items[0]?.details, { trash_bytes: 6, bucket_id: gone.id })
    await server.records([{ action: 'purge', bucket: gone.name }], () => server.running.tick())
    assert.deepEqual((await purges())[0], [
      gone.name,
      { reason: 'bucket_deleted', objects: 1, bytes: 6, bucket_id: gone.id },
    ])
  })

  it('recounts what is left of it', async () => {
    const gone = await bury()
    const { correctUsage } = await import('../../server/storage/buckets/service.ts')
    await server.database.transaction(async (tx) => {
      await tx.updateTable('bucket_usage').set({ trash_bytes: 1000 }).where('bucket_id', '=', gone.id).execute()
      await correctUsage(tx, gone.id)
    })
    const { db } = server.database
    const rows = await db.selectFrom('bucket_usage').select('trash_bytes').where('bucket_id', '=', gone.id).execute()
    assert.deepEqual(
      rows.map(({ trash_bytes }) => trash_bytes),
      [6],
    )
  })
})
