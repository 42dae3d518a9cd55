import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { compileGlob } from '../../contract/patterns.ts'
import { newId } from '../../server/base/id.ts'
import { findMatches } from '../../server/features/policies/match.ts'
import { keepNewest } from '../../server/features/policies/match-objects.ts'
import type { Rule } from '../../server/features/policies/rule.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const DAY = 86_400_000
const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** What a glob means, as the documentation says it: piece by piece, every reading tried. */
function reads(glob: readonly string[], text: readonly string[], atName = true): boolean {
  const [piece, ...rest] = glob
  const [character, ...others] = text
  if (piece === undefined) return text.length === 0
  if (piece === '*') {
    const stars = glob.findIndex((one) => one !== '*')
    const run = stars < 0 ? glob.length : stars
    const after = glob.slice(run)
    if (run === 1)
      return reads(after, text, false) || (character !== undefined && character !== '/' && reads(glob, others, false))
    if (atName && after[0] === '/') {
      if (reads(after.slice(1), text, true)) return true
      return text.some((one, i) => one === '/' && reads(after.slice(1), text.slice(i + 1), true))
    }
    return Array.from({ length: text.length + 1 }, (_, i) => text.slice(i)).some((left) => reads(after, left, false))
  }
  if (character === undefined) return false
  if (piece === '?' ? character === '/' : piece !== character) return false
  return reads(rest, others, piece === '/')
}

const alphabet = fc.constantFrom('a', 'b', '/', '漢', '😀', '.')
const pieces = fc.constantFrom('a', 'b', '/', '*', '**', '**/', '?', '漢', '😀', '.', '*', '/**')

it('glob: agrees with a model that tries every reading', () => {
  let matched = 0
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), fc.array(alphabet, { maxLength: 8 }), (glob, text) => {
      const pattern = glob.join('')
      const expected = reads([...pattern], text)
      matched += Number(expected)
      assert.equal(compileGlob(pattern)(text.join('')), expected, `${pattern} on ${text.join('')}`)
    }),
    { numRuns: 20_000 },
  )
  assert.ok(matched > 500, `only ${matched} of the pairs matched`)
})

it('glob: what the documentation says', () => {
  const cases: [string, string[], string[]][] = [
    ['*.tmp', ['a.tmp', '.tmp'], ['a/b.tmp', 'a.tmp2', 'A.TMP']],
    ['**/*.tmp', ['a.tmp', 'a/b.tmp', 'a/b/c.tmp', '/x.tmp'], ['a.tmpx']],
    ['logs/**', ['logs/', 'logs/a', 'logs/a/b'], ['logs', 'xlogs/a']],
    ['logs/**/x', ['logs/x', 'logs/a/x', 'logs/a/b/x'], ['logs/ax', 'logsx']],
    ['a**b', ['ab', 'a/x/b', 'acb'], ['a/x/c']],
    ['?', ['a', '漢', '😀', '*'], ['', '/', 'ab']],
    ['[a-z]+(x){1}\\*', ['[a-z]+(x){1}\\', '[a-z]+(x){1}\\zz'], ['ax']],
    ['**', ['', 'a', 'a/b/'], []],
  ]
  for (const [glob, yes, no] of cases) {
    for (const text of yes) assert.ok(compileGlob(glob)(text), `${glob} matches ${text}`)
    for (const text of no) assert.ok(!compileGlob(glob)(text), `${glob} does not match ${text}`)
  }
})

it('glob: no pattern takes long', (t) => {
  const text = 'a'.repeat(1024)
  const spent = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let slowest = 0
  const rest = 'a'.repeat(200)
  for (const stars of ['*a', '**a', '**/', '?*', '*/**/', '**/a']) {
    const matches = compileGlob(`${stars.repeat(16).slice(0, 55)}${rest}b`)
    const began = spent()
    for (let i = 0; i < 100; i++) matches(text)
    slowest = Math.max(slowest, (spent() - began) / 100)
  }
  t.diagnostic(`slowest of 256 × 1024: ${slowest.toFixed(2)} ms of processor time`)
  assert.ok(slowest < 3)
})

interface Thing {
  key: string
  size: number
  last_modified: string
  tags: string | null
}
/** keep_newest as one would do it by hand: by folder, sorted, all but the first. */
function surplus(things: readonly Thing[], count: number): Thing[] {
  const folders = Map.groupBy(things, ({ key }) => JSON.stringify(key.split('/').slice(0, -1)))
  return [...folders.values()].flatMap((some) =>
    some.toSorted((a, b) => b.last_modified.localeCompare(a.last_modified) || bytewise(b.key, a.key)).slice(count),
  )
}
const START = Date.parse('2026-01-01T00:00:00.000Z')
const keyText = fc
  .array(fc.constantFrom('a', 'b', '/', 'a/', 'b/', '0', '.', 'é', '😀'), { minLength: 1, maxLength: 6 })
  .map((all) => all.join(''))
const things = fc.uniqueArray(
  fc.record({
    key: keyText,
    size: fc.integer({ min: 0, max: 5 }),
    last_modified: fc.integer({ min: 0, max: 8 }).map((days) => new Date(START - days * DAY).toISOString()),
    tags: fc.constantFrom(null, '{"a":"1"}', '{"a":"2","b":"1"}', '{"b":"1","a":"1"}'),
  }),
  { selector: ({ key }) => key, maxLength: 60, size: '+1' },
)
const keys = (some: readonly { key: string }[]) => some.map(({ key }) => key).sort(bytewise)

it('keep_newest: agrees with sorting each folder', () => {
  fc.assert(
    fc.property(things, fc.integer({ min: 1, max: 4 }), (some, count) => {
      const newest = keepNewest<Thing>(count)
      const out = some.toSorted((a, b) => bytewise(a.key, b.key)).flatMap((one) => newest.add(one) ?? [])
      assert.deepEqual(keys(out), keys(surplus(some, count)))
    }),
    { numRuns: 3000 },
  )
})

describeEngines('policies: matching against a model', (engine) => {
  let server: TestServer
  let seed: { bucket_id: string }
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'seed' } })
    await server.admin.putObject({ params: { bucket: 'seed', key: 'seed' }, body: 'x' })
    seed = await server.database.db.selectFrom('objects').selectAll().executeTakeFirstOrThrow()
  })
  after(() => server.stop())

  it('finds exactly what the model does, whatever the rule', async (t) => {
    const nullable = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null, freq: 2 })
    const rules = fc.record({
      prefix: fc.constantFrom('', '', '', 'a', 'b/'),
      glob: nullable(
        fc.oneof(
          fc.constantFrom('**', '**/*a*', 'a**', '*/**'),
          fc.array(pieces, { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
        ),
      ),
      older_than_days: nullable(fc.integer({ min: 0, max: 6 })),
      min_size: nullable(fc.integer({ min: 1, max: 4 })),
      max_size: nullable(fc.integer({ min: 0, max: 4 })),
      tags: fc.constantFrom<Rule['tags'][]>(null, null, null, { a: '1' }, { a: '1', b: '1' }),
      date: fc.constantFrom(null, null, null, new Date(START).toISOString(), new Date(START + 1).toISOString()),
      keep_newest: nullable(fc.integer({ min: 1, max: 3 })),
    })
    let total = 0
    let round = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(things, { minLength: 1, maxLength: 2, size: 'max' }),
        rules,
        async (buckets, conditions) => {
          const stem = `m${++round}-`
          const names = buckets.map((_, i) => `${stem}${i}`)
          for (const [i, name] of names.entries()) {
            await server.admin.createBucket({ body: { name } })
            const { id } = await server.database.db
              .selectFrom('buckets')
              .select('id')
              .where('name', '=', name)
              .executeTakeFirstOrThrow()
            const rows = (buckets[i] ?? []).map((one) => ({ ...seed, ...one, bucket_id: id, etag: newId() }))
            if (rows.length > 0)
              await server.database.transaction((tx) =>
                tx
                  .insertInto('objects')
                  .values(rows as never)
                  .execute(),
              )
          }
          const rule: Rule = {
            bucket_patterns: [`${stem}*`],
            ...conditions,
            noncurrent_days: null,
            keep_versions: null,
            keep_snapshots: null,
            expired_markers: false,
            max_deletes: null,
            max_delete_percent: null,
          }
          const cutoff = new Date(START)
          const found: string[] = []
          let examined = 0
          let excluded = 0
          for await (const step of findMatches(server.database.db, rule, { cutoff, day: DAY })) {
            found.push(...step.matches.map(({ bucket, key }) => `${bucket} ${key}`))
            examined += step.examined
            excluded += Object.values(step.excluded).reduce((sum, one) => sum + one, 0)
          }
          const { prefix, glob, older_than_days, min_size, max_size, tags, date, keep_newest } = conditions
          const hasTags = (text: string | null) => {
            const given = new Map(Object.entries(JSON.parse(text ?? '{}')))
            return Object.entries(tags ?? {}).every(([name, value]) => given.get(name) === value)
          }
          const expected = buckets.flatMap((some, i) => {
            const named = some.filter(
              ({ key, size, tags: tagsOf }) =>
                key.startsWith(prefix) &&
                (glob === null || reads([...glob], [...key.slice(prefix.length)])) &&
                (min_size === null || size >= min_size) &&
                (max_size === null || size <= max_size) &&
                hasTags(tagsOf),
            )
            return (keep_newest === null ? named : surplus(named, keep_newest))
              .filter(({ last_modified }) => START - Date.parse(last_modified) >= (older_than_days ?? 0) * DAY)
              .filter(() => date === null || START >= Date.parse(date))
              .map(({ key }) => `${names[i]} ${key}`)
          })
          total += expected.length
          assert.deepEqual(found.toSorted(bytewise), expected.toSorted(bytewise))
          assert.equal(examined, buckets.flat().filter(({ key }) => key.startsWith(prefix)).length)
          assert.equal(examined - excluded, found.length)
        },
      ),
      { numRuns: 60 },
    )
    t.diagnostic(`${total} matches in ${round} rounds`)
    assert.ok(total > 10, `${total}`)
  })
})
