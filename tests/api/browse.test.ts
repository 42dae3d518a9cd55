import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import type { Client } from '../../contract/client.ts'
import { compareKeys } from '../../contract/permissions.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

type Order = 'asc' | 'desc'
/** What a folder shows, by definition. */
function expected(keys: readonly string[], prefix: string, order: Order): string[] {
  const entries = new Set<string>()
  for (const key of keys)
    if (key.startsWith(prefix)) {
      const slash = key.indexOf('/', prefix.length)
      entries.add(slash < 0 ? key : key.slice(0, slash + 1))
    }
  const sorted = [...entries].sort(compareKeys)
  return order === 'asc' ? sorted : sorted.reverse()
}

describeEngines('browse', (engine) => {
  let server: TestServer
  let buckets = 0
  const fill = async (keys: readonly string[]): Promise<string> => {
    const name = `browse-${++buckets}`
    await server.admin.createBucket({ body: { name } })
    for (const key of keys)
      await server.admin.putObjectByQuery({ params: { name }, query: { key }, body: Buffer.from(key) })
    return name
  }
  type Page = Awaited<ReturnType<Client['browse']>>
  const names = (page: Page) => [...page.common_prefixes, ...page.objects.map(({ key }) => key)]
  async function byCursor(
    client: Client,
    name: string,
    query: { prefix?: string; order?: Order; limit: number; sort?: 'size' },
  ) {
    const entries: string[] = []
    let cursor: string | undefined
    let last: Page
    do {
      last = await client.browse({ params: { name }, query: { ...query, cursor } })
      const page = names(last)
      assert.ok(page.length <= query.limit)
      assert.ok(last.total >= entries.length + page.length)
      entries.push(...(query.sort ? page : page.sort((a, b) => compareKeys(a, b) * (query.order === 'desc' ? -1 : 1))))
      cursor = last.next_cursor ?? undefined
    } while (cursor)
    assert.deepEqual([last.total, last.total_exact], [entries.length, true])
    return entries
  }

  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const part = fc.constantFrom('a', 'b', '/', 'ä', '😀', '\u0001', '0')
  const key = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  it('shows exactly the folder, by cursor and by offset, whatever the keys', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { maxLength: 14 }),
        fc.array(part, { maxLength: 2 }).map((parts) => parts.join('')),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom<Order>('asc', 'desc'),
        async (keys, prefix, limit, order) => {
          const name = await fill(keys)
          const model = expected(keys, prefix, order)
          assert.deepEqual(await byCursor(server.admin, name, { prefix, order, limit }), model)
          for (let offset = 0; offset <= model.length; offset += limit) {
            const page = await server.admin.browse({ params: { name }, query: { prefix, order, limit, offset } })
            const sorted = names(page).sort((a, b) => compareKeys(a, b) * (order === 'desc' ? -1 : 1))
            assert.deepEqual(sorted, model.slice(offset, offset + limit))
            assert.deepEqual([page.total, page.total_exact], [model.length, true])
          }
        },
      ),
      { numRuns: engine === 'sqlite' ? 60 : 20 },
    )
  })

  it('sorts by size and time with the folders first', async () => {
    const name = await fill(['f/x', 'bbb', 'a', 'g/y', 'cc', 'dddd'])
    const list = (order: Order, limit: number) => byCursor(server.admin, name, { sort: 'size', order, limit })
    for (const limit of [1, 2, 4, 10]) {
      assert.deepEqual(await list('asc', limit), ['f/', 'g/', 'a', 'cc', 'bbb', 'dddd'])
      assert.deepEqual(await list('desc', limit), ['g/', 'f/', 'dddd', 'bbb', 'cc', 'a'])
    }
    server.clock.advance(1000)
    await server.admin.putObject({ params: { name, key: 'a' }, body: Buffer.from('new') })
    const page = await server.admin.browse({ params: { name }, query: { sort: 'modified', order: 'desc', limit: 3 } })
    assert.deepEqual(names(page), ['g/', 'f/', 'a'])
  })

  it('refuses cursors of other lists and offset beside cursor', async () => {
    const name = await fill(['a', 'b', 'c'])
    const { next_cursor } = await server.admin.browse({ params: { name }, query: { limit: 1 } })
    const cursor = next_cursor ?? ''
    const browse = (query: object) => server.admin.browse({ params: { name }, query })
    await rejectsWith(browse({ cursor, sort: 'size' }), 'invalid_request', 'query.cursor')
    await rejectsWith(browse({ cursor, offset: 1 }), 'invalid_request', 'query.offset')
    for (const broken of [
      'x',
      '',
      Buffer.from('["a"]').toString('base64url'),
      Buffer.from('[1,2]').toString('base64url'),
    ])
      await rejectsWith(browse({ cursor: broken }), 'invalid_request', 'query.cursor')
  })

  it('shows the way to a granted prefix and no sibling, in every listing', async () => {
    const name = await fill(['public/a', 'team/a/1', 'team/a/2', 'team/ab', 'team/b/1', 'team/secret', 'zoo/x'])
    const token = await server.userWith(
      { bucket_pattern: name, prefix: 'team/a', actions: ['list', 'read', 'delete'] },
      { bucket_pattern: name, prefix: 'zoo/', actions: ['read'] },
    )
    const someone = server.as(token)
    const see = async (prefix: string) =>
      names(await someone.browse({ params: { name }, query: { prefix, offset: 0 } }))
    assert.deepEqual(await see(''), ['team/'])
    assert.deepEqual(await see('team/'), ['team/a/', 'team/ab'])
    assert.deepEqual(await see('team/a/'), ['team/a/1', 'team/a/2'])
    assert.deepEqual(await byCursor(someone, name, { prefix: 'team/', limit: 1 }), ['team/a/', 'team/ab'])
    const { total } = await someone.browse({ params: { name }, query: { prefix: 'team/', offset: 0 } })
    assert.equal(total, 2)
    for (const prefix of ['team/b', 'public/', 'zoo/'])
      await rejectsWith(someone.browse({ params: { name }, query: { prefix } }), 'forbidden')
    const flat = await someone.listObjects({ params: { name } })
    assert.deepEqual(
      flat.items.map((one) => one.key),
      ['team/a/1', 'team/a/2', 'team/ab'],
    )
    await server.admin.deleteObject({ params: { name, key: 'team/secret' } })
    await someone.deleteObject({ params: { name, key: 'team/ab' } })
    const trash = await someone.listTrash({ params: { name } })
    assert.deepEqual(
      trash.items.map((one) => one.key),
      ['team/ab'],
    )
    await rejectsWith(server.as(await server.userWith()).browse({ params: { name } }), 'forbidden')
  })

  it('lists flat by cursor', async () => {
    const keys = ['a', 'a/b', 'a/c/d', 'ä', '😀']
    const name = await fill(keys)
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await server.admin.listObjects({ params: { name }, query: { limit: 2, cursor } })
      found.push(...page.items.map((one) => one.key))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    assert.deepEqual(found, keys)
  })
})
