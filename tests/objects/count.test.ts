import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const MANY = 45_000

describeEngines('the size of a folder', (engine) => {
  let server: TestServer
  const params = { bucket: 'counted' }
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: params.bucket } })
    for (const [key, size] of [
      ['a/x', 3],
      ['a/b/', 0],
      ['a/b/empty', 0],
      ['a/b/y', 5],
      ['a', 100],
      ['b/z', 7],
    ] as const)
      await server.admin.putObjectByQuery({ params, query: { key }, body: Buffer.alloc(size) })
    await server.database.transaction(async (tx) => {
      const seed = await tx.selectFrom('objects').selectAll().where('key', '=', 'a/x').executeTakeFirstOrThrow()
      for (let at = 0; at < MANY; at += 1000) {
        const rows = Array.from({ length: 1000 }, (_, i) => ({
          ...seed,
          key: `many/${String(at + i).padStart(6, '0')}`,
        }))
        await tx.insertInto('objects').values(rows).execute()
      }
    })
  })
  after(() => server.stop())

  /** All pages of a count, added up. */
  const count = async (prefix?: string, client: Client = server.admin) => {
    let [objects, bytes, pages] = [0, 0, 0]
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: { prefix?: string; cursor?: string } = {
        ...(prefix === undefined ? {} : { prefix }),
        ...(cursor === '' ? {} : { cursor }),
      }
      const page: { objects: number; bytes: number; next_cursor: string | null } = await client.countObjects({
        params,
        query,
      })
      objects += page.objects
      bytes += page.bytes
      pages++
      cursor = page.next_cursor
    }
    return { objects, bytes, pages }
  }

  it('counts what is under a prefix, without the marks of folders, and records nothing', () =>
    server.records([], async () => {
      assert.deepEqual(await count('a/'), { objects: 3, bytes: 8, pages: 1 })
      assert.deepEqual(await count('a/b/'), { objects: 2, bytes: 5, pages: 1 })
      assert.deepEqual(await count('a'), { objects: 4, bytes: 108, pages: 1 })
      assert.deepEqual(await count('none/'), { objects: 0, bytes: 0, pages: 1 })
    }))

  it('counts many in several responses', () =>
    server.records([], async () => {
      assert.deepEqual(await count('many/'), { objects: MANY, bytes: MANY * 3, pages: 3 })
      assert.deepEqual(await count(), { objects: MANY + 5, bytes: MANY * 3 + 115, pages: 3 })
      await rejectsWith(server.admin.countObjects({ params, query: { cursor: 'nonsense' } }), 'invalid_request')
    }))

  it('counts what the caller may list', async () => {
    const token = await server.userWith({ bucket_pattern: params.bucket, prefix: 'a/b/', actions: ['list'] })
    const kim = server.as(token)
    assert.deepEqual(await count('', kim), { objects: 2, bytes: 5, pages: 1 })
    assert.deepEqual(await count('a/', kim), { objects: 2, bytes: 5, pages: 1 })
    await rejectsWith(kim.countObjects({ params, query: { prefix: 'b/' } }), 'forbidden')
    await rejectsWith(kim.countObjects({ params: { bucket: 'absent' } }), 'forbidden')
    await rejectsWith(server.admin.countObjects({ params: { bucket: 'absent' } }), 'not_found')
  })
})
