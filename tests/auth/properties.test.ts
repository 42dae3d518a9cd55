import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { matchesPattern } from '../../contract/patterns.ts'
import {
  afterPrefix,
  allowedRanges,
  type BucketAction,
  bucketActions,
  compareKeys,
  covers,
  decide,
  type GrantingGroup,
  prefixesIn,
  presetOf,
  presets,
  reasons,
} from '../../contract/permissions.ts'
import { decodeCursor, encodeCursor } from '../../server/base/cursor.ts'
import {
  evaluateConditions,
  matchesStrongly,
  matchesWeakly,
  parseRanges,
  rangeApplies,
  readEntityTags,
} from '../../server/http/conditions.ts'

const bytes = (text: string) => Buffer.from(text)
const letter = fc.constantFrom('a', 'b', '/', 'ä', '\uffff', '😀', '\u{10ffff}', '\u0001')
const text = (maxLength: number) => fc.array(letter, { maxLength }).map((all) => all.join(''))

it('a pattern matches as its naive definition says', () => {
  const naive = (pattern: string, name: string): boolean => {
    if (pattern === '') return name === ''
    if (pattern[0] === '*') return naive(pattern.slice(1), name) || (name !== '' && naive(pattern, name.slice(1)))
    return name[0] === pattern[0] && naive(pattern.slice(1), name.slice(1))
  }
  const of = (...all: string[]) => fc.array(fc.constantFrom(...all), { maxLength: 8 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(of('a', 'b', '.', '*'), of('a', 'b', '.'), (pattern, name) => {
      assert.equal(matchesPattern(pattern, name), naive(pattern, name))
    }),
    { numRuns: 3000 },
  )
})

it('keys compare as their bytes, and a prefix is the range up to afterPrefix', () => {
  fc.assert(
    fc.property(text(6), text(3), (key, prefix) => {
      const other = prefix + key
      assert.equal(Math.sign(compareKeys(key, prefix)), Math.sign(Buffer.compare(bytes(key), bytes(prefix))))
      for (const one of [key, other]) {
        const end = afterPrefix(prefix)
        const inside = compareKeys(one, prefix) >= 0 && (end === null || compareKeys(one, end) < 0)
        assert.equal(inside, one.startsWith(prefix))
      }
    }),
    { numRuns: 3000 },
  )
})

const someGroups = fc.array(
  fc.record({
    id: fc.constantFrom('g1', 'g2'),
    name: fc.constant('G'),
    global: fc.subarray(['admin', 'users.manage'] as const, { maxLength: 1 }).filter((all) => !all.includes('admin')),
    grants: fc.array(
      fc.record(
        {
          id: fc.uuid(),
          bucket_pattern: fc.constantFrom('*', 'a*', '*a', 'ab', 'a*b', 'a*b*'),
          prefix: fc.constantFrom('', 'x', 'x/', 'x/y'),
          exact: fc.constant(true),
          actions: fc.subarray([...bucketActions] as BucketAction[], { minLength: 1, maxLength: 3 }),
        },
        { requiredKeys: ['id', 'bucket_pattern', 'prefix', 'actions'] },
      ),
      { maxLength: 3 },
    ),
  }),
  { maxLength: 3 },
) as fc.Arbitrary<GrantingGroup[]>
const someAsk = fc.tuple(
  fc.constantFrom(...bucketActions),
  fc.constantFrom('a', 'b', 'ab', 'ba', 'aab', 'abb', 'aba'),
  fc.constantFrom('', 'x', 'x/', 'x/y', 'x/yz', 'z'),
)

it('whoever covers others is allowed everything they are allowed', () => {
  let covered = 0
  fc.assert(
    fc.property(someGroups, someGroups, fc.array(someAsk, { minLength: 5, maxLength: 20 }), (own, other, asks) => {
      if (!covers(own, other)) return
      covered++
      for (const ask of asks) if (decide(other, ...ask).allowed) assert.ok(decide(own, ...ask).allowed, ask.join())
    }),
    { numRuns: 5000 },
  )
  assert.ok(covered > 500, `only ${covered} cases said anything`)
  fc.assert(fc.property(someGroups, (groups) => covers(groups, groups)))
})

it('the gate allows exactly what has a reason, and more groups never allow less', () => {
  fc.assert(
    fc.property(someGroups, someGroups, someAsk, (groups, more, ask) => {
      assert.equal(decide(groups, ...ask).allowed, [...reasons(groups, ...ask)].length > 0)
      if (decide(groups, ...ask).allowed) assert.ok(decide([...more, ...groups], ...ask).allowed)
      const admin: GrantingGroup = { id: 'a', name: 'A', global: ['admin'], grants: [] }
      assert.ok(decide([...groups, admin], ...ask).allowed)
    }),
    { numRuns: 2000 },
  )
})

it('a preset is recognized by its actions, in any order', () => {
  for (const [name, actions] of Object.entries(presets)) assert.equal(presetOf([...actions].reverse()), name)
  assert.equal(presetOf(['list']), null)
  assert.equal(presetOf([]), null)
})

it('the ranges one may list hold exactly the keys that the gate allows', () => {
  const grant = fc.record(
    {
      id: fc.constant('g'),
      bucket_pattern: fc.constantFrom('*', 'photos', 'p*', 'other'),
      prefix: text(3),
      exact: fc.constant(true),
      actions: fc.subarray<BucketAction>([...bucketActions], { minLength: 1 }),
    },
    { requiredKeys: ['id', 'bucket_pattern', 'prefix', 'actions'] },
  )
  const group = fc.record({
    id: fc.constant('x'),
    name: fc.constant('x'),
    global: fc.constantFrom<GrantingGroup['global']>([], [], [], ['users.manage'], ['admin']),
    grants: fc.array(grant, { maxLength: 4 }),
  })
  fc.assert(
    fc.property(
      fc.array(group, { maxLength: 3 }),
      text(3),
      fc.array(text(6), { maxLength: 10 }),
      (groups, prefix, keys) => {
        const ranges = allowedRanges(groups, 'list', 'photos', prefix)
        for (const key of [...keys, ...keys.map((one) => prefix + one)]) {
          const holding = ranges.filter(
            ({ from, to }) => compareKeys(from, key) <= 0 && (to === null || compareKeys(key, to) < 0),
          )
          const allowed = key.startsWith(prefix) && decide(groups, 'list', 'photos', key).allowed
          assert.equal(holding.length, allowed ? 1 : 0, `${key} in ${JSON.stringify(ranges)}`)
        }
        assert.deepEqual(
          ranges,
          ranges.toSorted((a, b) => compareKeys(a.from, b.from)),
        )
      },
    ),
    { numRuns: 2000 },
  )
})

it('ten thousand prefixes are as many ranges, but for those inside of another', () => {
  const prefixes = Array.from({ length: 10_000 }, (_, i) => `customers/${i}/`)
  const grantOf = (prefix: string, exact?: true) => ({
    ...{ id: prefix, bucket_pattern: 'photos', prefix, actions: ['list' as const] },
    ...(exact && { exact }),
  })
  const inside = prefixes.flatMap((one, i) => (i % 100 === 0 ? [grantOf(`${one}a/`), grantOf(`${one}b`, true)] : []))
  const grants = [...inside, ...prefixes.map((one) => grantOf(one)), grantOf('alone', true)]
  const groups = [{ id: 'g', name: 'g', global: [], grants }]
  const names = ['alone', ...prefixes].sort(compareKeys)
  assert.deepEqual(
    allowedRanges(groups, 'list', 'photos', '').map(({ from }) => from),
    names,
  )
  assert.deepEqual(prefixesIn(groups, 'photos'), names)
})

it('ranges name exactly the bytes that the header asks for', () => {
  const spec = fc.oneof(
    fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]) => ({
      text: `${Math.min(a, b)}-${Math.max(a, b)}`,
      has: (i: number) => i >= Math.min(a, b) && i <= Math.max(a, b),
    })),
    fc.nat(30).map((a) => ({ text: `${a}-`, has: (i: number) => i >= a })),
    fc.nat(30).map((n) => ({ text: `-${n}`, has: (i: number, size: number) => i >= size - n })),
  )
  fc.assert(
    fc.property(fc.array(spec, { minLength: 1, maxLength: 6 }), fc.nat(25), (specs, size) => {
      const wanted = Array.from({ length: size }, (_, i) => i).filter((i) => specs.some(({ has }) => has(i, size)))
      const ranges = parseRanges(`bytes=${specs.map((one) => one.text).join(', ')}`, size)
      if (ranges === 'unsatisfiable') return assert.deepEqual(wanted, [])
      const named = (ranges ?? []).flatMap(({ start, end }) =>
        Array.from({ length: end - start + 1 }, (_, i) => start + i),
      )
      assert.deepEqual(
        named.toSorted((a, b) => a - b),
        wanted,
      )
    }),
    { numRuns: 3000 },
  )
  fc.assert(fc.property(fc.string(), fc.nat(100), (header, size) => void parseRanges(header, size)))
  assert.equal(parseRanges(`bytes=${Array(33).fill('0-1').join()}`, 10), undefined)
  for (const header of [
    undefined,
    '',
    'bytes',
    'bytes=',
    'items=0-1',
    'bytes=-',
    'bytes=1',
    'bytes=2-1',
    'bytes=0-1,x',
  ])
    assert.equal(parseRanges(header, 10), undefined, header)
  assert.equal(parseRanges('bytes=-0', 10), 'unsatisfiable')
  assert.equal(parseRanges('bytes=-1', 0), undefined)
})

const tagsOf = (list: string) => readEntityTags(list) ?? []

it('entity tags match as they are written', () => {
  for (const list of ['"a"', 'W/"a"', '"x", "a"', '*', ' * ', '"x",W/"a"', 'a'])
    assert.equal(matchesWeakly(tagsOf(list), 'a'), true, list)
  for (const list of ['"b"', '', '"aa"', 'W/"b"']) assert.equal(matchesWeakly(tagsOf(list), 'a'), false, list)
  for (const list of ['"a"', '"x", "a"', '*', 'W/"a", "a"'])
    assert.equal(matchesStrongly(tagsOf(list), 'a'), true, list)
  for (const list of ['W/"a"', '"x",W/"a"', '"b"', '']) assert.equal(matchesStrongly(tagsOf(list), 'a'), false, list)
})

it('conditions come to what RFC 9110 section 13.2.2 says, in its order', () => {
  const last_modified = new Date('2026-01-01T00:00:05.678Z')
  const [before, same, later] = [4, 5, 6].map((s) => new Date(Date.UTC(2026, 0, 1, 0, 0, s)).toUTCString())
  const tag = fc.constantFrom(undefined, '*', '"a"', '"b"', 'W/"a"', '"b", "a"')
  const time = fc.constantFrom(undefined, before, same, later, 'nonsense')
  fc.assert(
    fc.property(tag, time, tag, time, (ifMatch, ifUnmodified, ifNoneMatch, ifModified) => {
      const headers = {
        'if-match': ifMatch,
        'if-unmodified-since': ifUnmodified,
        'if-none-match': ifNoneMatch,
        'if-modified-since': ifModified,
      }
      const failed = ifMatch ? ['"b"', 'W/"a"'].includes(ifMatch) : ifUnmodified === before
      const unchanged = ifNoneMatch ? ifNoneMatch !== '"b"' : ifModified === same || ifModified === later
      const expected = failed ? 412 : unchanged ? 304 : 200
      assert.equal(evaluateConditions(headers, { etag: 'a', last_modified }), expected, JSON.stringify(headers))
    }),
    { numRuns: 3000 },
  )
  for (const [ifRange, applies] of [
    [undefined, true],
    ['"a"', true],
    [same, true],
    ['W/"a"', false],
    ['"b"', false],
    ['*', false],
    [before, false],
    [later, false],
  ] as const)
    assert.equal(rangeApplies({ 'if-range': ifRange }, { etag: 'a', last_modified }), applies, ifRange)
})

it('a cursor survives a round trip, and nothing else is accepted as one', () => {
  const part = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'))
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
      assert.deepEqual(decodeCursor(encodeCursor(parts), parts.length), parts)
      assert.throws(() => decodeCursor(encodeCursor(parts), parts.length + 1), /is not a cursor/)
    }),
  )
  fc.assert(
    fc.property(fc.string(), (garbage) => void assert.throws(() => decodeCursor(garbage, 1), /is not a cursor/)),
  )
})
