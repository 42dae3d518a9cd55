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

  const sizes = async (prefixes: string[], client: Client = server.admin) =>
    (await client.sizeFolders({ params, body: { prefixes } })).items.map(({ prefix, objects, bytes, complete }) => [
      prefix,
      objects,
      bytes,
      complete,
    ])

  it('counts several folders at once: small ones whole, of large ones as much as is left, and records nothing', () =>
    server.records([], async () => {
      assert.deepEqual(await sizes(['a/', 'none/', 'many/', 'a/b/', 'b/']), [
        ['a/', 3, 8, true],
        ['none/', 0, 0, true],
        // Of the 20,000 that are looked at, four are in `a/`, three of them again in `a/b/`, and one in `b/`.
        ['many/', 19_992, 19_992 * 3, false],
        ['a/b/', 2, 5, true],
        ['b/', 1, 7, true],
      ])
      assert.deepEqual(await sizes(['many/0', 'many/00', 'many/000']), [
        ['many/0', 9500, 9500 * 3, false],
        ['many/00', 9500, 9500 * 3, false],
        ['many/000', 1000, 3000, true],
      ])
      // As many as can be.
      const hundred = Array.from({ length: 100 }, (_, i) => `many/${String(i).padStart(3, '0')}`)
      const all = await sizes(hundred)
      assert.deepEqual(all[0], ['many/000', 444, 444 * 3, false])
    }))

  it('refuses no folders and too many, and counts what was', async () => {
    for (const prefixes of [[], Array.from({ length: 101 }, (_, i) => `${i}/`)])
      await rejectsWith(sizes(prefixes), 'invalid_request', 'body.prefixes')
    await server.later(60_000)
    const then = server.clock.now().toISOString()
    await server.later(60_000)
    await server.admin.deleteObject({ params: { ...params, key: 'b/z' } })
    assert.deepEqual(await sizes(['b/']), [['b/', 0, 0, true]])
    const { items } = await server.admin.sizeFolders({ params, query: { at: then }, body: { prefixes: ['b/'] } })
    assert.deepEqual(items, [{ prefix: 'b/', objects: 1, bytes: 7, complete: true }])
    await server.admin.putObjectByQuery({ params, query: { key: 'b/z' }, body: Buffer.alloc(7) })
  })

  it('counts what the caller may list', async () => {
    const token = await server.userWith({ bucket_pattern: params.bucket, prefix: 'a/b/', actions: ['list'] })
    const kim = server.as(token)
    assert.deepEqual(await count('', kim), { objects: 2, bytes: 5, pages: 1 })
    assert.deepEqual(await count('a/', kim), { objects: 2, bytes: 5, pages: 1 })
    assert.deepEqual(await sizes(['a/', ''], kim), [
      ['a/', 2, 5, true],
      ['', 2, 5, true],
    ])
    await rejectsWith(sizes(['a/', 'b/'], kim), 'forbidden')
    await rejectsWith(server.admin.sizeFolders({ params: { bucket: 'absent' }, body: { prefixes: [''] } }), 'not_found')
    await rejectsWith(kim.countObjects({ params, query: { prefix: 'b/' } }), 'forbidden')
    await rejectsWith(kim.countObjects({ params: { bucket: 'absent' } }), 'forbidden')
    await rejectsWith(server.admin.countObjects({ params: { bucket: 'absent' } }), 'not_found')
  })
})
