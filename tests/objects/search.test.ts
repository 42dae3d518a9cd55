import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { Client } from '../../client/derived.ts'
import { compareKeys } from '../../contract/permissions.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

/** Pairs of letters that are one but for their case; everything else the tests use has none. */
const CASES = [
  ...[...'abcdefghijklmnopqrstuvwxyz'].map((letter) => letter + letter.toUpperCase()),
  'äÄ',
  'éÉ',
  'ßẞ',
  'σΣ',
  'σς',
  'оО',
  'жЖ',
  'აᲐ',
  'ꭰᎠ',
  '𐐨𐐀',
  '𞤢𞤀',
]
const LOWER = new Map(CASES.map((pair) => [...pair].toReversed() as [string, string]))
const fold = (text: string) => [...text].map((one) => LOWER.get(one) ?? one).join('')
/** What a search must find, by its definition. */
const naive = (keys: readonly string[], search: string, prefix = '') =>
  keys
    .filter((key) => key.startsWith(prefix) && fold(key.slice(prefix.length)).includes(fold(search)))
    .toSorted(compareKeys)

describeEngines('search', (engine) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'seed' } })
    await server.admin.putObject({ params: { bucket: 'seed', key: 'seed' }, body: Buffer.from('x') })
  })
  after(() => server.stop())

  /** All pages of a search, put together. Each is at most `limit` long, and says whether there is another. */
  async function find(name: string, search: string, prefix?: string, limit = 1000, client: Client = server.admin) {
    const found: string[] = []
    let cursor: string | null | undefined
    do {
      const query = { search, limit, ...(prefix === undefined ? {} : { prefix }), ...(cursor ? { cursor } : {}) }
      const page = await client.listObjects({ params: { bucket: name }, query })
      assert.ok(page.items.length <= limit)
      found.push(...page.items.map(({ key }) => key))
      cursor = page.next_cursor
    } while (cursor)
    return found
  }
  const open = async (...keys: string[]) => {
    const name = `search-${++buckets}`
    await server.admin.createBucket({ body: { name } })
    await fill(name, keys)
    return name
  }
  /** Makes a bucket hold exactly these keys, each with the bytes of the seed. */
  const fill = (name: string, keys: readonly string[]) =>
    server.database.transaction(async (tx) => {
      const seed = await tx.selectFrom('objects').selectAll().where('key', '=', 'seed').executeTakeFirstOrThrow()
      const { id } = await tx.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
      await tx.deleteFrom('objects').where('bucket_id', '=', id).execute()
      const rows = keys.map((key) => ({ ...seed, bucket_id: id, key }))
      if (rows.length > 0) await tx.insertInto('objects').values(rows).execute()
    })

  it('finds letters whatever their case, in every script, short texts and long ones', async () => {
    const keys = ['Ärger/ÖL.txt', 'STRASSE', 'straße', 'ΟΔΟΣ', 'οδος', 'Σίσυφος 1', 'Жук', '漢字かな交じり', '😀😃 ok']
    const name = await open(...keys, 'GROẞ', 'ᲗᲑᲘᲚᲘᲡᲘ', '𐐔𐐇𐐝', 'İstanbul', 'ıspanak', 'K', 'ﬁsh')
    const cases: [string, string[]][] = [
      ['ä', ['Ärger/ÖL.txt']],
      ['ÄRG', ['Ärger/ÖL.txt']],
      ['ärger/öl', ['Ärger/ÖL.txt']],
      ['öl', ['Ärger/ÖL.txt']],
      ['strasse', ['STRASSE']],
      ['STRAẞE', ['straße']],
      ['groß', ['GROẞ']],
      ['ΟΔΟΣ', ['ΟΔΟΣ', 'οδος']],
      ['οδος', ['ΟΔΟΣ', 'οδος']],
      ['οδοσ', ['ΟΔΟΣ', 'οδος']],
      ['σ', ['Σίσυφος 1', 'ΟΔΟΣ', 'οδος']],
      ['ς', ['Σίσυφος 1', 'ΟΔΟΣ', 'οδος']],
      ['ΣΊΣΥΦΟΣ', ['Σίσυφος 1']],
      ['жУк', ['Жук']],
      ['漢', ['漢字かな交じり']],
      ['字か', ['漢字かな交じり']],
      ['かな交', ['漢字かな交じり']],
      ['漢字かな交じり', ['漢字かな交じり']],
      ['かな字', []],
      ['😀', ['😀😃 ok']],
      ['😀😃 ', ['😀😃 ok']],
      ['\u{1f603} OK', ['😀😃 ok']],
      ['თბილისი', ['ᲗᲑᲘᲚᲘᲡᲘ']],
      ['ᲗᲑ', ['ᲗᲑᲘᲚᲘᲡᲘ']],
      ['𐐼𐐯𐑅', ['𐐔𐐇𐐝']],
      ['İst', ['İstanbul']],
      ['İSTANBUL', ['İstanbul']],
      ['stanbul', ['İstanbul']],
      ['ıSPANAK', ['ıspanak']],
      ['ﬁsh', ['ﬁsh']],
      ['FISH', []],
    ]
    for (const [search, expected] of cases)
      assert.deepEqual(await find(name, search), expected.toSorted(compareKeys), search)
    for (const key of keys)
      for (const part of [key, [...key].slice(1).join(''), [...key].slice(0, 3).join('')])
        assert.ok((await find(name, part)).includes(key), `"${part}" finds "${key}"`)
  })

  it('treats every character literally: nothing is an operator', async () => {
    const keys = [
      'a"b"c',
      'a*b',
      'a%b',
      'a_b',
      'a\\b',
      'a AND b',
      'NEAR(a b, 2)',
      '^abc',
      'key:abc',
      'abc',
      'a--b',
      "a''b",
    ]
    const more = [
      'a OR b',
      '(abc)',
      '{abc}',
      'a+b',
      '-abc',
      '"',
      '""',
      '"""',
      '%%%',
      '___',
      '\\\\\\',
      '***',
      '\n\t',
      '\u0001',
    ]
    const all = [...keys, ...more]
    const name = await open(...all)
    for (const search of [
      ...all,
      '"b"',
      'a"b',
      '*b',
      '%',
      '%b',
      '_b',
      '\\b',
      '\\',
      '\\%',
      ' AND ',
      'and',
      'NEAR',
      'near(',
      '^',
      '^ab',
      'key:',
      ':abc',
      '" OR "',
      '") OR (',
      "'",
      "''b",
      'a"',
      '*',
      '--',
      '(ab',
      'abc)',
      '{',
      'abc*',
      'ab*',
      'a?c',
      '[a-c]',
      '.*',
      'a b',
      'object_search',
      'rank',
      'NOT',
      'abc AND',
      '" AND "',
      '\\"',
      '\\\\',
      '%_%',
      'A%B',
      '\u0001',
    ])
      assert.deepEqual(await find(name, search), naive(all, search), JSON.stringify(search))
    const params = { bucket: name }
    await rejectsWith(server.admin.listObjects({ params, query: { search: '' } }), 'invalid_request', 'query.search')
    await rejectsWith(server.admin.listObjects({ params, query: { search: 'a\0' } }), 'invalid_request', 'query.search')
    const long = 'x'.repeat(201)
    await rejectsWith(server.admin.listObjects({ params, query: { search: long } }), 'invalid_request', 'query.search')
  })

  it('takes 200 characters, all of them different', async () => {
    const text = Array.from({ length: 200 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
    const name = await open(text, `${text.slice(1)}`, `x${text}y`)
    assert.deepEqual(await find(name, text), [`x${text}y`, text])
    assert.deepEqual(await find(name, text.slice(1, 150)), [`x${text}y`, text, text.slice(1)])
  })

  it('looks behind the prefix only', async () => {
    const keys = ['abc', 'abc/', 'abc/abc', 'abc/x/ABC', 'abc/xyz', 'abcabc', 'x/abc', 'Abc/abc']
    const name = await open(...keys)
    for (const prefix of ['', 'a', 'abc', 'abc/', 'abc/x', 'abc/x/', 'A', 'nothing/', 'abc/abc', '/'])
      for (const search of ['a', 'bc', 'abc', 'abc/', 'c/a', '/'])
        for (const limit of [1, 1000])
          assert.deepEqual(
            await find(name, search, prefix, limit),
            naive(keys, search, prefix),
            `${search} in ${prefix}`,
          )
  })

  it('returns exactly the defined results, page by page, in order', async () => {
    const name = await open()
    const letter = fc.constantFrom(
      ...'aAbBiIsStTkKäÄéÉßẞσΣσςоОжЖაᲐꭰᎠ𐐨𐐀𞤢𞤀',
      ...'İı漢字か😀%_\\"*// .(^:1',
      ...['aab', 'AND', 'ssss', '\u0001', '\u{10ffff}', '\u0307'],
    )
    const text = (minLength: number, maxLength: number) =>
      fc.array(letter, { minLength, maxLength }).map((all) => all.join(''))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(text(1, 12), { maxLength: 25 }),
        fc.array(fc.tuple(text(1, 5), fc.nat(), fc.boolean()), { minLength: 4, maxLength: 4 }),
        fc.constantFrom(1, 2, 7, 1000),
        async (keys, searches, limit) => {
          await fill(name, keys)
          for (const [some, at, inKey] of searches) {
            // Half of them are parts of keys, behind a prefix of that key.
            const key = [...(keys[at % (keys.length || 1)] ?? some)]
            const from = at % key.length
            const search = inKey ? key.slice(from, from + 1 + (at % 6)).join('') : some
            const prefix = at % 3 === 0 ? key.slice(0, at % (from + 1)).join('') : undefined
            assert.deepEqual(await find(name, search, prefix, limit), naive(keys, search, prefix))
          }
        },
      ),
      { numRuns: engine === 'sqlite' ? 100 : 50 },
    )
  })

  it('reads to the end with one item a page and with seven', async () => {
    const keys = Array.from({ length: 60 }, (_, i) => `${i % 3 ? 'dir/' : ''}Report-${i}.${i % 2 ? 'PDF' : 'txt'}`)
    const name = await open(...keys)
    for (const search of ['report', 'pdf', 'r', '5', '-1', 'dir', 'none', 't'])
      for (const limit of [1, 7, 60]) assert.deepEqual(await find(name, search, undefined, limit), naive(keys, search))
    // A cursor is a place between keys, whatever happens to the key it was made at.
    const query = { search: 'report', limit: 7 }
    const first = await server.admin.listObjects({ params: { bucket: name }, query })
    const last = first.items.at(-1)?.key ?? ''
    await fill(
      name,
      keys.filter((key) => key !== last),
    )
    const second = await server.admin.listObjects({
      params: { bucket: name },
      query: { ...query, cursor: first.next_cursor ?? '' },
    })
    assert.deepEqual(
      second.items.map(({ key }) => key),
      naive(keys, 'report').slice(7, 14),
    )
    for (const cursor of ['', 'x', 'W10', 'WyJhIiwiYiJd'])
      await rejectsWith(
        server.admin.listObjects({ params: { bucket: name }, query: { ...query, cursor } }),
        'invalid_request',
        'query.cursor',
      )
  })

  it('shows nothing from outside of what the caller may list', async () => {
    const keys = ['a/needle', 'a/x/needle', 'b/needle', 'needle', 'c/needle', 'c/other', 'a', 'ab/needle']
    const [name, other] = [await open(...keys), await open(...keys)]
    const person = server.as(
      await server.userWith(
        { bucket_pattern: name, prefix: 'a/', actions: ['list'] },
        { bucket_pattern: name, prefix: 'c/n', actions: ['list'] },
        { bucket_pattern: name, prefix: 'b/', actions: ['read', 'write', 'delete'] },
      ),
    )
    for (const search of ['needle', 'ne', 'e', 'o'])
      for (const limit of [1, 7]) {
        const mine = ['a/needle', 'a/x/needle', 'c/needle']
        assert.deepEqual(await find(name, search, undefined, limit, person), naive(mine, search))
        assert.deepEqual(await find(name, search, 'a/x', limit, person), naive(['a/x/needle'], search, 'a/x'))
        assert.deepEqual(await find(name, search, 'c/', limit, person), naive(['c/needle'], search, 'c/'))
      }
    // A cursor of someone who sees more leads nowhere else.
    const wide = await server.admin.listObjects({ params: { bucket: name }, query: { search: 'needle', limit: 3 } })
    const query = { search: 'needle', cursor: wide.next_cursor ?? '' }
    const rest = await person.listObjects({ params: { bucket: name }, query })
    assert.deepEqual(
      rest.items.map(({ key }) => key),
      ['c/needle'],
    )
    for (const prefix of ['b/', 'needle', 'c/o'])
      await rejectsWith(
        person.listObjects({ params: { bucket: name }, query: { search: 'needle', prefix } }),
        'forbidden',
      )
    await rejectsWith(person.listObjects({ params: { bucket: other }, query: { search: 'needle' } }), 'forbidden')
    await rejectsWith(
      person.listObjects({ params: { bucket: 'search-absent' }, query: { search: 'needle' } }),
      'forbidden',
    )
    await rejectsWith(
      server.admin.listObjects({ params: { bucket: 'search-absent' }, query: { search: 'x' } }),
      'not_found',
    )
    await rejectsWith(server.as().listObjects({ params: { bucket: name }, query: { search: 'x' } }), 'unauthenticated')
  })

  it('follows every change at once', async () => {
    const [name, second] = [await open(), await open()]
    const { admin } = server
    const params = { bucket: name }
    const where = async (search = 'nadel') => [await find(name, search), await find(second, search)]
    const put = (key: string) => admin.putObject({ params: { bucket: name, key }, body: Buffer.from('x') })
    await put('in/Nadel 1')
    assert.deepEqual(await where(), [['in/Nadel 1'], []])
    await put('in/Nadel 1')
    assert.deepEqual(await where(), [['in/Nadel 1'], []])
    await admin.deleteObject({ params: { bucket: name, key: 'in/Nadel 1' } })
    assert.deepEqual(await where(), [[], []])
    const [item] = (await admin.listTrash({ params })).items
    await admin.restoreTrash({ params, body: { ids: [item?.id ?? ''] } })
    assert.deepEqual(await where(), [['in/Nadel 1'], []])
    const from = { source_bucket: name, source_key: 'in/Nadel 1' }
    await admin.copyObject({ params: { bucket: second }, body: { ...from, dest_key: 'NADEL copy' } })
    await admin.moveObject({ params, body: { ...from, dest_key: 'in/Faden 1' } })
    assert.deepEqual(
      [await where(), await where('faden')],
      [
        [[], ['NADEL copy']],
        [['in/Faden 1'], []],
      ],
    )
    await admin.moveObject({
      params,
      body: { source_bucket: second, source_key: 'NADEL copy', dest_key: 'in/NADEL copy' },
    })
    assert.deepEqual(await where(), [['in/NADEL copy'], []])
    const rename = { kind: 'move' as const, source_bucket: name, prefix: 'in/', dest_bucket: name, dest_prefix: 'aus/' }
    const job = await admin.createJob({ body: rename })
    await server.running.tick()
    assert.deepEqual((await admin.getJob({ params: { id: job.id } })).status, 'succeeded')
    assert.deepEqual(
      [await where(), await where('in/')],
      [
        [['aus/NADEL copy'], []],
        [[], []],
      ],
    )
    await admin.bulkMove({
      params: { bucket: second },
      body: { source_bucket: name, keys: ['aus/NADEL copy', 'aus/Faden 1'] },
    })
    assert.deepEqual(await where('aus'), [[], []])
    assert.deepEqual(
      [await where(), await where('den 1')],
      [
        [[], ['NADEL copy']],
        [[], ['Faden 1']],
      ],
    )
    await admin.bulkDelete({ params: { bucket: second }, body: { keys: ['NADEL copy', 'Faden 1'] } })
    assert.deepEqual(
      [await where(), await where('den 1')],
      [
        [[], []],
        [[], []],
      ],
    )
    // A change that is undone leaves nothing behind.
    await put('Nadel 2')
    const undone = server.database.transaction(async (tx) => {
      await tx.updateTable('objects').set({ key: 'Faden 2' }).where('key', '=', 'Nadel 2').execute()
      throw new Error('undone')
    })
    await assert.rejects(undone, /undone/)
    assert.deepEqual(
      [await where(), await where('faden')],
      [
        [['Nadel 2'], []],
        [[], []],
      ],
    )
  })

  it('finds the few and the many among 25,000, also where another bucket has more of them', async () => {
    const [name, other] = [await open('zz needle', 'key 1', 'Qx/1'), await open()]
    const { id } = await server.database.db
      .selectFrom('buckets')
      .select('id')
      .where('name', '=', other)
      .executeTakeFirstOrThrow()
    await server.database.transaction(async (tx) => {
      // Texts of a fixed width, so that their order is that of their numbers.
      await sql`
        insert into objects (bucket_id, key, blob_id, size, etag, content_type, metadata, created_at, last_modified)
        with recursive n(n) as (select 1 union all select n + 1 from n where n < 25000)
        select ${id}, 'key ' || substr(cast(1000000 + n as text), 2) || case when n % 5000 = 0 then ' Qx' else '' end,
          s.blob_id, s.size, s.etag, s.content_type, s.metadata, s.created_at, s.last_modified
        from n, (select * from objects where key = 'seed') s`.execute(tx)
    })
    const rare = [5000, 10_000, 15_000, 20_000, 25_000].map((n) => `key 0${String(n).padStart(5, '0')} Qx`)
    for (const limit of [2, 1000]) {
      assert.deepEqual(await find(other, 'qx', undefined, limit), rare, 'too short for the index: read in order')
      assert.deepEqual(await find(other, ' qx', undefined, limit), rare, 'from the index')
    }
    assert.deepEqual(await find(name, 'key'), ['key 1'], 'many elsewhere')
    assert.deepEqual(await find(name, 'needle', undefined, 1), ['zz needle'])
    const all = await find(other, 'KEY')
    assert.equal(all.length, 25_000)
    assert.deepEqual(all, all.toSorted(compareKeys))
    assert.equal((await find(other, '00', 'key 024')).length, naive(all, '00', 'key 024').length)
    assert.deepEqual(await find(other, 'absent'), [])
    assert.deepEqual(await find(other, 'q?', undefined, 7), [])
  })

  interface Made {
    key: string
    size?: number
    content_type?: string
    last_modified?: string
  }
  /** A bucket with objects of these traits. */
  async function openWith(made: readonly Made[]) {
    const name = await open()
    await server.database.transaction(async (tx) => {
      const seed = await tx.selectFrom('objects').selectAll().where('key', '=', 'seed').executeTakeFirstOrThrow()
      const { id } = await tx.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
      for (let at = 0; at < made.length; at += 1000)
        await tx
          .insertInto('objects')
          .values(made.slice(at, at + 1000).map((one) => ({ ...seed, ...one, bucket_id: id })))
          .execute()
    })
    return name
  }
  type Query = NonNullable<Parameters<Client['searchObjects']>[0]['query']>
  /** All pages of a sorted search, put together. */
  async function look(name: string, query: Query, client: Client = server.admin) {
    const first = await client.searchObjects({ params: { bucket: name }, query })
    const keys = first.items.map(({ key }) => key)
    for (let cursor = first.next_cursor; cursor !== null; ) {
      const page = await client.searchObjects({ params: { bucket: name }, query: { ...query, cursor } })
      assert.ok(page.items.length <= (query.limit ?? 100))
      assert.deepEqual([page.folders, page.sorted_first], [[], first.sorted_first])
      keys.push(...page.items.map(({ key }) => key))
      cursor = page.next_cursor
    }
    return { ...first, keys }
  }
  const times = ['2020-01-01T00:00:00.000Z', '2024-05-05T05:05:05.005Z', '2026-02-03T04:05:06.007Z']
  const types = ['image/png', 'text/plain; charset=utf-8', 'application/zip', 'video/mp4', 'Image/JPEG', 'x/y']
  const various = Array.from({ length: 60 }, (_, i) => ({
    key: `${i % 4 ? 'dir/' : ''}Report ${i}`,
    size: (i * 7) % 10,
    content_type: types[i % types.length] ?? '',
    last_modified: times[i % 3] ?? '',
  }))

  it('sorts what it finds by name, size, type and time, in both directions, page by page', async () => {
    const name = await openWith([...various, { key: 'other', size: 3 }])
    const bare = (type: string) => type.split(';')[0]?.toLowerCase() ?? ''
    const values = {
      name: () => '',
      size: ({ size }: (typeof various)[0]) => size,
      type: ({ content_type }: (typeof various)[0]) => bare(content_type),
      modified: ({ last_modified }: (typeof various)[0]) => last_modified,
    }
    await server.records([], async () => {
      for (const [sort, sortedBy] of Object.entries(values) as [keyof typeof values, (typeof values)['type']][])
        for (const order of ['asc', 'desc'] as const)
          for (const limit of [7, 1000]) {
            const expected = various
              .filter(({ key }) => fold(key).includes('report'))
              .toSorted((a, b) => {
                const [x, y] = [sortedBy(a), sortedBy(b)]
                return x < y ? -1 : x > y ? 1 : compareKeys(a.key, b.key)
              })
              .map(({ key }) => key)
            if (order === 'desc') expected.reverse()
            const { keys, sorted_first } = await look(name, { search: 'REPORT', sort, order, limit })
            assert.deepEqual(keys, expected, `${sort} ${order} ${limit}`)
            assert.equal(sorted_first, null)
          }
    })
    // By default as it always was: by name.
    assert.deepEqual((await look(name, { search: 'report' })).keys, await find(name, 'report'))
  })

  it('filters what it finds by kind, size and time, on every page', async () => {
    const name = await openWith(various)
    const all = { search: 'report', limit: 7 }
    const keysOf = (fits: (one: (typeof various)[0]) => boolean) =>
      various
        .filter(fits)
        .map(({ key }) => key)
        .toSorted(compareKeys)
    const is = (...some: string[]) => keysOf(({ content_type }) => some.includes(content_type))
    const cases: [Partial<Query>, string[]][] = [
      [{ kind: 'picture' }, is('image/png', 'Image/JPEG')],
      [{ kind: 'video' }, is('video/mp4')],
      [{ kind: 'document' }, is('text/plain; charset=utf-8')],
      [{ kind: 'archive' }, is('application/zip')],
      [{ kind: 'other' }, is('x/y')],
      [{ kind: 'audio' }, []],
      [{ min_size: 0 }, keysOf(() => true)],
      [{ min_size: 5 }, keysOf(({ size }) => size >= 5)],
      [{ min_size: 10 }, []],
      [{ modified_since: times[1] ?? '' }, keysOf(({ last_modified }) => last_modified >= (times[1] ?? ''))],
      // The same moment, as another zone writes it.
      [{ modified_since: '2026-02-03T06:05:06.007+02:00' }, keysOf(({ last_modified }) => last_modified === times[2])],
      [
        { kind: 'picture', min_size: 3, modified_since: times[2] ?? '' },
        keysOf(
          ({ content_type, size, last_modified }) =>
            /^image/i.test(content_type) && size >= 3 && last_modified === times[2],
        ),
      ],
    ]
    for (const [filters, expected] of cases) {
      const what = JSON.stringify(filters)
      assert.deepEqual((await look(name, { ...all, ...filters })).keys, expected, what)
      assert.deepEqual((await look(name, { ...all, ...filters, order: 'desc' })).keys, expected.toReversed(), what)
      const bySize = (await look(name, { ...all, ...filters, sort: 'size' })).keys
      assert.deepEqual(bySize.toSorted(compareKeys), expected, what)
      // Too short for the index.
      const short = await look(name, { ...all, ...filters, search: 'r' })
      assert.deepEqual(short.keys, expected, what)
      assert.deepEqual(short.folders, [], 'folders have none of these')
    }
  })

  it('finds folders by their own name, at every depth, each once', async () => {
    const keys = [
      'Plans/a',
      'Plans/b',
      'old/plans 2025/x/y',
      'old/plans 2025/z',
      'old/plans 2025/replans/1',
      'planning',
      'x/no/plan.txt',
      'empty plans/',
      'old/PLAN//q',
      'İİΣ/deep/q',
    ]
    const name = await open(...keys)
    const folders = async (search: string, more: Partial<Query> = {}, client?: Client) =>
      (await look(name, { search, ...more }, client)).folders
    const all = ['Plans/', 'empty plans/', 'old/PLAN/', 'old/plans 2025/', 'old/plans 2025/replans/']
    for (const search of ['plan', 'PLA', 'pl'])
      for (const sort of ['name', 'size', 'type', 'modified'] as const)
        for (const limit of [1, 100]) {
          assert.deepEqual(await folders(search, { sort, limit }), all.toSorted(compareKeys), `${search} ${sort}`)
          const desc = await folders(search, { sort, limit, order: 'desc' })
          assert.deepEqual(desc, all.toSorted(compareKeys).reverse())
        }
    assert.deepEqual(await folders('plan', { prefix: 'old/' }), all.slice(2))
    assert.deepEqual(await folders('plan', { prefix: 'old/plans 2025/' }), ['old/plans 2025/replans/'])
    assert.deepEqual(await folders('ans', { prefix: 'old/pl' }), ['old/plans 2025/', 'old/plans 2025/replans/'])
    assert.deepEqual(await folders('plan', { prefix: 'x/' }), [])
    assert.deepEqual(await folders('/'), [], 'no name has a slash')
    assert.deepEqual(await folders('d/p'), [])
    assert.deepEqual(await folders('planning'), [], 'an object')
    assert.deepEqual(await folders('deep'), ['İİΣ/deep/'], 'letters that fold into others move nothing')
    assert.deepEqual(await folders('iσ'), [], 'İ is no i')
    assert.deepEqual(await folders('ς'), ['İİΣ/'])

    const person = server.as(
      await server.userWith(
        { bucket_pattern: name, prefix: 'old/plans 2025/x', actions: ['list'] },
        { bucket_pattern: name, prefix: 'Plans/nothing', actions: ['list'] },
        { bucket_pattern: name, prefix: 'empty', actions: ['read'] },
      ),
    )
    for (const search of ['plan', 'pl']) assert.deepEqual(await folders(search, {}, person), ['old/plans 2025/'])
  })

  it('lists at most 100 folders, and says if there are more', async () => {
    const keys = (n: number) => Array.from({ length: n }, (_, i) => `album ${String(i).padStart(3, '0')}/a`)
    for (const [n, isComplete] of [
      [100, true],
      [101, false],
      [700, false],
    ] as const) {
      const name = await open(...keys(n))
      for (const search of ['album', 'al']) {
        const { folders, folders_complete } = await look(name, { search })
        assert.deepEqual([folders.length, folders_complete], [100, isComplete])
        assert.equal(folders[99], 'album 099/')
      }
    }
  })

  it('sorts the first matches only where there are too many, and says so', async () => {
    const name = await openWith(Array.from({ length: 21_000 }, (_, i) => ({ key: `key ${100_000 + i}`, size: i })))
    const params = { bucket: name }
    const many = await server.admin.searchObjects({ params, query: { search: 'key', sort: 'size', order: 'desc' } })
    assert.equal(many.sorted_first, 10_000)
    assert.equal(many.items[0]?.key, 'key 109999')
    // The index has all of the few.
    const few = await server.admin.searchObjects({ params, query: { search: '120999', sort: 'size', order: 'desc' } })
    assert.deepEqual([few.sorted_first, few.items.map(({ key }) => key)], [null, ['key 120999']])
    // Too short for the index, and beyond what is read.
    const short = await server.admin.searchObjects({ params, query: { search: '99', sort: 'size', order: 'desc' } })
    assert.ok(short.sorted_first !== null && short.sorted_first > 0)
    // By name, both directions lead through all of them.
    const query = { search: 'key', limit: 1000, order: 'desc' } as const
    const all = await look(name, query)
    assert.deepEqual([all.keys.length, all.keys[0], all.keys.at(-1)], [21_000, 'key 120999', 'key 100000'])
    const filtered = await look(name, { ...query, min_size: 20_995 })
    assert.deepEqual(filtered.keys.length, 5)
    assert.deepEqual(filtered.keys[0], 'key 120999')
    assert.deepEqual((await look(name, { ...query, order: 'asc', min_size: 20_995 })).keys.length, 5)
  })

  it('finds nothing that the caller may not list, and refuses what it does not understand', async () => {
    const name = await open('a/needle', 'a/x/needle', 'b/needle', 'needle', 'c/needle')
    const params = { bucket: name }
    const person = server.as(await server.userWith({ bucket_pattern: name, prefix: 'a/', actions: ['list'] }))
    for (const sort of ['name', 'size', 'type', 'modified'] as const)
      for (const order of ['asc', 'desc'] as const)
        for (const search of ['needle', 'ne']) {
          const { keys } = await look(name, { search, sort, order, limit: 1 }, person)
          assert.deepEqual(keys.toSorted(compareKeys), ['a/needle', 'a/x/needle'])
        }
    // A cursor of someone who sees more leads nowhere else.
    for (const sort of ['name', 'size'] as const) {
      const query = { search: 'needle', sort, limit: 1 }
      const { next_cursor } = await server.admin.searchObjects({ params, query })
      const rest = await person.searchObjects({ params, query: { ...query, limit: 9, cursor: next_cursor ?? '' } })
      assert.deepEqual(
        rest.items.map(({ key }) => key),
        ['a/x/needle'],
      )
    }
    await rejectsWith(person.searchObjects({ params, query: { search: 'needle', prefix: 'b/' } }), 'forbidden')
    await rejectsWith(person.searchObjects({ params: { bucket: 'absent' }, query: { search: 'x' } }), 'forbidden')
    await rejectsWith(server.admin.searchObjects({ params: { bucket: 'absent' }, query: { search: 'x' } }), 'not_found')
    await rejectsWith(server.as().searchObjects({ params, query: { search: 'x' } }), 'unauthenticated')
    const bad: [string, object][] = [
      ['search', { search: '' }],
      ['search', { search: 'x'.repeat(201) }],
      ['sort', { sort: 'etag' }],
      ['order', { order: 'up' }],
      ['kind', { kind: 'pictures' }],
      ['min_size', { min_size: -1 }],
      ['min_size', { min_size: 1.5 }],
      ['modified_since', { modified_since: 'yesterday' }],
      ['modified_since', { modified_since: '2016-12-31T23:59:60Z' }],
      ['limit', { limit: 1001 }],
      ['cursor', { cursor: 'x' }],
      ['cursor', { cursor: 'WyJhIiwiYiJd' }],
      ['cursor', { sort: 'size', cursor: 'WyJhIiwiYiJd' }],
      ['cursor', { sort: 'modified', cursor: 'WyJhIiwiYiJd' }],
    ]
    for (const [field, wrong] of bad)
      await rejectsWith(
        server.admin.searchObjects({ params, query: { search: 'x', ...wrong } as Query }),
        'invalid_request',
        `query.${field}`,
      )
  })
})
