import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import type { Client } from '../../client/derived.ts'
import { compareKeys } from '../../contract/permissions.ts'
import { rejectsWith } from '../support/problems.ts'
import { repeats } from '../support/repeats.ts'
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

/** The same by size: folders by name, then objects by size; those of one size by name. A key is its own contents here. */
function sorted(model: readonly string[], prefix: string, order: Order): string[] {
  const isFolder = (entry: string) => entry.endsWith('/') && entry !== prefix
  const bySize = (a: string, b: string) => Buffer.byteLength(a) - Buffer.byteLength(b) || compareKeys(a, b)
  const objects = model.filter((entry) => !isFolder(entry)).sort(bySize)
  return [...model.filter(isFolder), ...(order === 'asc' ? objects : objects.reverse())]
}

describeEngines('browse', (engine, itOnce) => {
  let server: TestServer
  let buckets = 0
  const fill = async (keys: readonly string[]): Promise<string> => {
    const name = `browse-${++buckets}`
    await server.admin.createBucket({ body: { name } })
    for (const key of keys)
      await server.admin.putObjectByQuery({ params: { bucket: name }, query: { key }, body: Buffer.from(key) })
    return name
  }
  type Page = Awaited<ReturnType<Client['browse']>>
  const names = (page: Page) => [...page.common_prefixes, ...page.objects.map(({ key }) => key)]
  async function byCursor(
    client: Client,
    name: string,
    query: { prefix?: string; order?: Order; limit: number; sort?: 'size' },
    from?: Page,
  ) {
    const entries: string[] = from ? names(from) : []
    const skipped = from ? 1 : 0
    let cursor = from?.next_cursor ?? undefined
    let last: Page
    do {
      last = await client.browse({ params: { bucket: name }, query: { ...query, cursor } })
      const page = names(last)
      assert.ok(page.length <= query.limit)
      assert.ok(last.total >= skipped + entries.length + page.length)
      entries.push(...(query.sort ? page : page.sort((a, b) => compareKeys(a, b) * (query.order === 'desc' ? -1 : 1))))
      cursor = last.next_cursor ?? undefined
    } while (cursor)
    assert.deepEqual([last.total, last.total_exact], [skipped + entries.length, true])
    return entries
  }
  async function flatByCursor(client: Client, name: string, query: { prefix?: string; limit: number }) {
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await client.listObjects({ params: { bucket: name }, query: { ...query, cursor } })
      assert.ok(page.items.length <= query.limit)
      found.push(...page.items.map((one) => one.key))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    return found
  }

  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  // Mostly what makes keys meet: few letters, few folders, and keys that are a folder's own prefix.
  const part = fc.constantFrom('a', 'a', 'a', 'b', 'b', '/', '/', 'ä', '😀', '\u0001', '0')
  const text = (minLength: number, maxLength: number) =>
    fc.array(part, { minLength, maxLength }).map((parts) => parts.join(''))
  const inFolder = fc.tuple(fc.constantFrom('a/', 'b/'), text(0, 3)).map((all) => all.join(''))
  const key = fc.oneof(text(1, 5), inFolder)
  const prefix = fc.oneof(fc.constantFrom('', 'a/'), text(0, 2))
  const granted = fc.oneof(fc.constantFrom('a/a', 'a/b', 'b/'), text(0, 3))
  const limit = fc.constantFrom(1, 1, 2, 3, 5)

  it('shows exactly the folder, by cursor and by offset, whatever the keys', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { maxLength: 14 }),
        prefix,
        limit,
        fc.constantFrom<Order>('asc', 'desc'),
        async (keys, prefix, limit, order) => {
          const name = await fill(keys)
          const model = expected(keys, prefix, order)
          assert.deepEqual(await byCursor(server.admin, name, { prefix, order, limit }), model)
          for (let offset = 0; offset <= model.length; offset += limit) {
            const page = await server.admin.browse({
              params: { bucket: name },
              query: { prefix, order, limit, offset },
            })
            const sorted = names(page).sort((a, b) => compareKeys(a, b) * (order === 'desc' ? -1 : 1))
            assert.deepEqual(sorted, model.slice(offset, offset + limit))
            assert.deepEqual([page.total, page.total_exact], [model.length, true])
          }
        },
      ),
      { numRuns: repeats(engine === 'sqlite' ? 30 : 10) },
    )
  })

  it('gives folders before objects where that is asked, and not what only marks the folder', async () => {
    const name = await fill(['a/b/1', 'a/a', 'a/c', 'a/c/1', 'a/d', 'a//x', 'z/full', 'b'])
    const empty = (key: string) =>
      server.admin.putObjectByQuery({ params: { bucket: name }, query: { key }, body: Buffer.from('') })
    await empty('a/')
    await empty('b/')
    await server.admin.putObjectByQuery({ params: { bucket: name }, query: { key: 'z/' }, body: Buffer.from('some') })
    const all = {
      asc: ['a//', 'a/b/', 'a/c/', 'a/a', 'a/c', 'a/d'],
      desc: ['a/c/', 'a/b/', 'a//', 'a/d', 'a/c', 'a/a'],
    }
    for (const order of ['asc', 'desc'] as const)
      for (let limit = 1; limit <= 7; limit++) {
        const query = { prefix: 'a/', order, limit, folders: 'first' } as const
        const entries: string[] = []
        let cursor: string | undefined
        do {
          const page = await server.admin.browse({ params: { bucket: name }, query: { ...query, cursor } })
          assert.deepEqual([page.total, page.total_exact, page.total_folders], [6, true, 3])
          const jumped = await server.admin.browse({
            params: { bucket: name },
            query: { ...query, offset: entries.length },
          })
          assert.deepEqual(names(jumped), names(page))
          entries.push(...names(page))
          cursor = page.next_cursor ?? undefined
        } while (cursor)
        assert.deepEqual(entries, all[order])
      }
    const shown = async (query: { prefix: string; sort?: 'size'; folders?: 'mixed' }) =>
      names(await server.admin.browse({ params: { bucket: name }, query: { folders: 'first', ...query } }))
    assert.deepEqual(await shown({ prefix: '' }), ['a/', 'b/', 'z/', 'b'])
    assert.deepEqual(await shown({ prefix: 'a/', sort: 'size' }), ['a//', 'a/b/', 'a/c/', 'a/a', 'a/c', 'a/d'])
    assert.deepEqual(await shown({ prefix: 'b/' }), [], 'nothing but its marker')
    assert.deepEqual(await shown({ prefix: 'b/', folders: 'mixed' }), ['b/'], 'which is there')
    assert.deepEqual(await shown({ prefix: 'z/' }), ['z/', 'z/full'], 'what holds something is an object')
  })

  it('sorts names as people count: folders first, numbers by size, without regard to capitals and accents', async () => {
    const all = [
      'f1/x',
      'f10/x',
      'f2/x',
      'Big',
      'big2',
      'img-002',
      'img-1',
      'img-10',
      'img-2',
      'Über',
      'zeta',
      'a/b',
      '7',
    ]
    const name = await fill(all.map((key) => `n/${key}`))
    const natural = [
      'a/',
      'f1/',
      'f2/',
      'f10/',
      '7',
      'Big',
      'big2',
      'img-1',
      'img-002',
      'img-2',
      'img-10',
      'Über',
      'zeta',
    ]
    const browse = (query: { order?: Order; offset?: number; cursor?: string; limit?: number }) =>
      server.admin.browse({ params: { bucket: name }, query: { prefix: 'n/', sort: 'natural', ...query } })
    const backwards = [...natural.slice(0, 4).reverse(), ...natural.slice(4).reverse()]
    for (const [order, entries] of [
      ['asc', natural],
      ['desc', backwards],
    ] as const) {
      const page = await browse({ order })
      assert.deepEqual([page.total, page.total_exact, page.total_folders], [13, true, 4])
      assert.deepEqual(
        names(page),
        entries.map((one) => `n/${one}`),
      )
      for (const offset of [0, 3, 4, 9, 12, 13])
        assert.deepEqual(names(await browse({ order, offset, limit: 3 })), names(page).slice(offset, offset + 3))
      const walked: string[] = []
      let cursor: string | undefined
      do {
        const next = await browse({ order, limit: 2, ...(cursor ? { cursor } : {}) })
        walked.push(...names(next))
        cursor = next.next_cursor ?? undefined
      } while (cursor)
      assert.deepEqual(walked, names(page))
    }
    await rejectsWith(browse({ offset: 1, cursor: 'x' }), 'invalid_request')
  })

  it('shows someone exactly what their grants hold, in every order and listing', async () => {
    const email = 'someone@example.com'
    const password = 'password of someone'
    const { id } = await server.admin.createUser({ body: { email, display_name: 'Someone', password } })
    const someone = server.as(await server.login(email, password))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { maxLength: 12 }),
        fc.uniqueArray(granted, { minLength: 1, maxLength: 3 }),
        prefix,
        limit,
        fc.constantFrom<Order>('asc', 'desc'),
        async (keys, prefixes, prefix, limit, order) => {
          const name = await fill(keys)
          const grants = prefixes.map((one) => ({ bucket_pattern: name, prefix: one, actions: ['list' as const] }))
          const group = await server.admin.createGroup({ body: { name, grants } })
          await server.admin.addMembers({ params: { id: group.id }, body: { user_ids: [id] } })
          if (!prefixes.some((one) => one.startsWith(prefix) || prefix.startsWith(one))) {
            for (const query of [{ prefix }, { prefix, offset: 0 }, { prefix, sort: 'size' as const }])
              await rejectsWith(someone.browse({ params: { bucket: name }, query }), 'forbidden')
            await rejectsWith(someone.listObjects({ params: { bucket: name }, query: { prefix } }), 'forbidden')
            await rejectsWith(someone.listTrash({ params: { bucket: name }, query: { prefix } }), 'forbidden')
            return
          }
          const mine = keys.filter((one) => prefixes.some((start) => one.startsWith(start)))
          const model = expected(mine, prefix, order)
          assert.deepEqual(await byCursor(someone, name, { prefix, order, limit }), model)
          const bySize = sorted(model, prefix, order)
          assert.deepEqual(await byCursor(someone, name, { prefix, order, limit, sort: 'size' }), bySize)
          for (let offset = 0; offset <= model.length; offset += limit) {
            const query = { prefix, order, limit, offset }
            const page = await someone.browse({ params: { bucket: name }, query })
            const shown = names(page).sort((a, b) => compareKeys(a, b) * (order === 'desc' ? -1 : 1))
            assert.deepEqual(shown, model.slice(offset, offset + limit))
            assert.deepEqual([page.total, page.total_exact], [model.length, true])
            const jumped = await someone.browse({ params: { bucket: name }, query: { ...query, sort: 'size' } })
            assert.deepEqual(names(jumped), bySize.slice(offset, offset + limit))
          }
          const flat = mine.filter((one) => one.startsWith(prefix)).sort(compareKeys)
          assert.deepEqual(await flatByCursor(someone, name, { prefix, limit }), flat)
          for (const one of keys)
            await server.admin.deleteObjectByQuery({ params: { bucket: name }, query: { key: one } })
          const trash = await someone.listTrash({ params: { bucket: name }, query: { prefix } })
          assert.deepEqual(trash.items.map((item) => item.key).sort(compareKeys), flat)
        },
      ),
      { numRuns: repeats(engine === 'sqlite' ? 20 : 6) },
    )
  })

  it('gives the same entries on pages of every size, folder markers and all', async () => {
    const keys = ['a', 'a/', 'a/b', 'a//', 'a//c', 'a/c/', 'a/c/d', 'ab', 'b/', 'ä/x', '😀']
    const name = await fill(keys)
    for (const prefix of ['', 'a', 'a/', 'a//', 'a/c', 'b/', 'nothing/', '😀'])
      for (const order of ['asc', 'desc'] as const) {
        const whole = await server.admin.browse({ params: { bucket: name }, query: { prefix, order } })
        const model = expected(keys, prefix, order)
        assert.deepEqual(names(whole).toSorted(compareKeys), model.toSorted(compareKeys))
        assert.deepEqual([whole.prefix, whole.total, whole.total_exact], [prefix, model.length, true])
        for (let limit = 1; limit <= 7; limit++) {
          assert.deepEqual(await byCursor(server.admin, name, { prefix, order, limit }), model, `${prefix} ${limit}`)
          const bySize = await byCursor(server.admin, name, { prefix, order, limit, sort: 'size' })
          assert.deepEqual(bySize, sorted(model, prefix, order))
          // From a jump one can read on.
          const jump = await server.admin.browse({
            params: { bucket: name },
            query: { prefix, order, limit, offset: 1 },
          })
          const rest = jump.next_cursor
            ? await byCursor(server.admin, name, { prefix, order, limit }, jump)
            : names(jump)
          assert.deepEqual(new Set(rest), new Set(model.slice(1)))
        }
      }
  })

  it('keeps siblings out of a folder with very many stretches too', async () => {
    const mixed = Array.from({ length: 101 }, (_, i) => [`a${100 + i}`, `a${100 + i}/x`]).flat()
    const name = await fill([...mixed, 'b-secret', 'c'])
    const someone = server.as(
      await server.userWith(
        ...['a', 'c'].map((prefix) => ({ bucket_pattern: name, prefix, actions: ['list' as const] })),
      ),
    )
    const model = expected([...mixed, 'c'], '', 'asc')
    for (const query of [{ limit: 1000 }, { limit: 1000, offset: 0 }, { limit: 1000, sort: 'size' as const }]) {
      const page = await someone.browse({ params: { bucket: name }, query })
      assert.deepEqual(names(page).sort(compareKeys), model)
      assert.deepEqual([page.total, page.total_exact], [model.length, true])
    }
    assert.deepEqual(await byCursor(someone, name, { limit: 60, sort: 'size' }), sorted(model, '', 'asc'))
  })

  itOnce('shows a folder once that two grants lead into', async () => {
    const name = await fill(['team/a', 'team/b', 'team/c/1', 'zed'])
    const grants = ['team/a', 'team/c'].map((prefix) => ({ bucket_pattern: name, prefix, actions: ['list' as const] }))
    const someone = server.as(await server.userWith(...grants))
    for (const query of [
      {},
      { offset: 0 },
      { sort: 'size' as const },
      { sort: 'modified' as const, order: 'desc' as const },
    ]) {
      const top = await someone.browse({ params: { bucket: name }, query })
      assert.deepEqual([names(top), top.total, top.total_exact], [['team/'], 1, true])
      const team = await someone.browse({ params: { bucket: name }, query: { ...query, prefix: 'team/' } })
      assert.deepEqual([names(team).sort(), team.total, team.total_exact], [['team/a', 'team/c/'], 2, true])
    }
  })

  it('sorts by size and time with the folders first', async () => {
    const name = await fill(['f/x', 'bbb', 'a', 'g/y', 'cc', 'dddd'])
    const list = (order: Order, limit: number) => byCursor(server.admin, name, { sort: 'size', order, limit })
    for (const limit of [1, 2, 4, 10]) {
      assert.deepEqual(await list('asc', limit), ['f/', 'g/', 'a', 'cc', 'bbb', 'dddd'])
      assert.deepEqual(await list('desc', limit), ['g/', 'f/', 'dddd', 'bbb', 'cc', 'a'])
    }
    server.clock.advance(1000)
    await server.admin.putObject({ params: { bucket: name, key: 'a' }, body: Buffer.from('new') })
    const page = await server.admin.browse({
      params: { bucket: name },
      query: { sort: 'modified', order: 'desc', limit: 3 },
    })
    assert.deepEqual(names(page), ['g/', 'f/', 'a'])
  })

  it('continues by size and time where it was, whatever has come and gone before', async () => {
    const name = await fill(['b/1', 'd/1', 'ee', 'ggg', 'hhhh'])
    const next = async (cursor: string | undefined) => {
      const page = await server.admin.browse({ params: { bucket: name }, query: { sort: 'size', limit: 1, cursor } })
      return { shown: names(page), cursor: page.next_cursor ?? undefined }
    }
    const put = (key: string) =>
      server.admin.putObjectByQuery({ params: { bucket: name }, query: { key }, body: Buffer.from(key) })
    const first = await next(undefined)
    await put('a/1')
    const second = await next(first.cursor)
    await server.admin.deleteObject({ params: { bucket: name, key: 'd/1' } })
    const third = await next(second.cursor)
    await put('f')
    await server.admin.deleteObject({ params: { bucket: name, key: 'ee' } })
    const fourth = await next(third.cursor)
    const last = await next(fourth.cursor)
    assert.deepEqual(
      [first, second, third, fourth, last].map(({ shown }) => shown),
      [['b/'], ['d/'], ['ee'], ['ggg'], ['hhhh']],
    )
    assert.equal(last.cursor, undefined)
  })

  it('returns any page of a folder of thousands in every order, even with many equal values', async () => {
    const name = await fill(['seed'])
    const seed = await server.database.db
      .selectFrom('objects')
      .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
      .where('buckets.name', '=', name)
      .selectAll('objects')
      .executeTakeFirstOrThrow()
    const day = (n: number) => new Date(Date.UTC(2020, 0, 1 + n)).toISOString()
    const objects = Array.from({ length: 9500 }, (_, n) => ({
      ...seed,
      key: `many/${String(n * 7919).padStart(8, '0')}`,
      size: (n * 31) % 5 === 0 ? 3 : n % 4000,
      last_modified: day((n * 17) % 60),
    }))
    const folders = Array.from({ length: 300 }, (_, n) => ({
      ...seed,
      key: `many/${String(n * 200_003).padStart(8, '0')}-/x`,
    }))
    await server.database.transaction(async (tx) => {
      const all = [...objects, ...folders]
      for (let i = 0; i < all.length; i += 500)
        await tx
          .insertInto('objects')
          .values(all.slice(i, i + 500))
          .execute()
    })
    const folderNames = folders.map(({ key }) => key.slice(0, -1)).sort(compareKeys)
    for (const sort of ['size', 'modified', 'name'] as const)
      for (const order of ['asc', 'desc'] as const) {
        const sign = order === 'asc' ? 1 : -1
        const value = (one: (typeof objects)[number]) => (sort === 'size' ? one.size : Date.parse(one.last_modified))
        const ordered = objects.toSorted((a, b) =>
          sort === 'name'
            ? sign * compareKeys(a.key, b.key)
            : sign * (value(a) - value(b) || compareKeys(a.key, b.key)),
        )
        const entries = [
          ...(order === 'asc' ? folderNames : folderNames.toReversed()),
          ...ordered.map(({ key }) => key),
        ]
        for (const offset of [0, 250, 4321, 9500, 9799]) {
          const query = { prefix: 'many/', sort, order, offset, limit: 700, folders: 'first' as const }
          const page = await server.admin.browse({ params: { bucket: name }, query })
          assert.deepEqual(names(page), entries.slice(offset, offset + 700), `${sort} ${order} ${offset}`)
          assert.deepEqual([page.total, page.total_folders], [9800, 300])
        }
        const from = { prefix: 'many/', sort, order, offset: 4321, limit: 1, folders: 'first' as const }
        let cursor = (await server.admin.browse({ params: { bucket: name }, query: from })).next_cursor ?? undefined
        const rest: string[] = []
        while (cursor) {
          const query = { ...from, offset: undefined, limit: 1000, cursor }
          const page: Page = await server.admin.browse({ params: { bucket: name }, query })
          rest.push(...names(page))
          cursor = page.next_cursor ?? undefined
        }
        assert.deepEqual(rest, entries.slice(4322), `${sort} ${order} by cursor`)
      }
    const mixed = await server.admin.browse({
      params: { bucket: name },
      query: { prefix: 'many/', offset: 9000, limit: 1000 },
    })
    const all = [...folderNames, ...objects.map(({ key }) => key)].sort(compareKeys)
    assert.deepEqual(names(mixed).sort(compareKeys), all.slice(9000))

    // Ranges with many keys, which are found in the order's index, and with few, which are put in order one by one.
    for (const starts of [
      ['0', '3'],
      ['12', '700'],
    ]) {
      const grants = starts.map((start) => ({
        bucket_pattern: name,
        prefix: `many/${start}`,
        actions: ['list' as const],
      }))
      const someone = server.as(await server.userWith(...grants))
      const granted = (key: string) => starts.some((start) => key.startsWith(`many/${start}`))
      for (const sort of ['size', 'modified'] as const)
        for (const order of ['asc', 'desc'] as const) {
          const sign = order === 'asc' ? 1 : -1
          const value = (one: (typeof objects)[number]) => (sort === 'size' ? one.size : Date.parse(one.last_modified))
          const shown = folderNames.filter(granted)
          const entries = [
            ...(order === 'asc' ? shown : shown.toReversed()),
            ...objects
              .filter(({ key }) => granted(key))
              .sort((a, b) => sign * (value(a) - value(b) || compareKeys(a.key, b.key)))
              .map(({ key }) => key),
          ]
          const query = { prefix: 'many/', sort, order, limit: 90 }
          const jump = await someone.browse({ params: { bucket: name }, query: { ...query, offset: 70 } })
          assert.deepEqual(
            [names(jump), jump.total],
            [entries.slice(70, 160), entries.length],
            `${starts} ${sort} ${order}`,
          )
          const first = await someone.browse({ params: { bucket: name }, query })
          const cursor = first.next_cursor ?? undefined
          const second = await someone.browse({ params: { bucket: name }, query: { ...query, cursor } })
          assert.deepEqual([...names(first), ...names(second)], entries.slice(0, 180))
        }
    }
  })

  itOnce('refuses cursors of other lists and offset beside cursor', async () => {
    const name = await fill(['a', 'b', 'c'])
    const { next_cursor } = await server.admin.browse({ params: { bucket: name }, query: { limit: 1 } })
    const cursor = next_cursor ?? ''
    const browse = (query: object) => server.admin.browse({ params: { bucket: name }, query })
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
      names(await someone.browse({ params: { bucket: name }, query: { prefix, offset: 0 } }))
    assert.deepEqual(await see(''), ['team/'])
    assert.deepEqual(await see('team/'), ['team/a/', 'team/ab'])
    assert.deepEqual(await see('team/a/'), ['team/a/1', 'team/a/2'])
    assert.deepEqual(await byCursor(someone, name, { prefix: 'team/', limit: 1 }), ['team/a/', 'team/ab'])
    const { total } = await someone.browse({ params: { bucket: name }, query: { prefix: 'team/', offset: 0 } })
    assert.equal(total, 2)
    for (const prefix of ['team/b', 'public/', 'zoo/'])
      await rejectsWith(someone.browse({ params: { bucket: name }, query: { prefix } }), 'forbidden')
    const flat = await someone.listObjects({ params: { bucket: name } })
    assert.deepEqual(
      flat.items.map((one) => one.key),
      ['team/a/1', 'team/a/2', 'team/ab'],
    )
    await server.admin.deleteObject({ params: { bucket: name, key: 'team/secret' } })
    await someone.deleteObject({ params: { bucket: name, key: 'team/ab' } })
    const trash = await someone.listTrash({ params: { bucket: name } })
    assert.deepEqual(
      trash.items.map((one) => one.key),
      ['team/ab'],
    )
    await rejectsWith(server.as(await server.userWith()).browse({ params: { bucket: name } }), 'forbidden')
  })

  it('lists flat by cursor', async () => {
    const keys = ['a', 'a/b', 'a/c/d', 'ä', '😀']
    const name = await fill(keys)
    for (const limit of [1, 2, 4, 5, 6]) assert.deepEqual(await flatByCursor(server.admin, name, { limit }), keys)
    assert.deepEqual(await flatByCursor(server.admin, name, { prefix: 'a/', limit: 1 }), ['a/b', 'a/c/d'])
    const broken = server.admin.listObjects({ params: { bucket: name }, query: { cursor: 'x' } })
    await rejectsWith(broken, 'invalid_request', 'query.cursor')
    await rejectsWith(server.admin.browse({ params: { bucket: 'no-bucket' } }), 'not_found')
    await rejectsWith(server.admin.listObjects({ params: { bucket: 'no-bucket' } }), 'not_found')
  })
})
