// The language of searches: what it understands, what it says of the rest, and that both take no longer than the text.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { kinds } from '../../contract/kinds.ts'
import {
  encryptions,
  fields,
  MOST_QUERY,
  MOST_TERMS,
  parseQuery,
  printQuery,
  QueryError,
  type QueryFault,
  type Term,
} from '../../contract/query.ts'

const DAY = 86_400_000
const one = (query: string): Omit<Term, 'negated'> => {
  const terms = parseQuery(query)
  assert.equal(terms.length, 1, query)
  const [{ negated, ...term } = { negated: true }] = terms
  assert.equal(negated, false)
  return term as Omit<Term, 'negated'>
}
function faultOf(query: string): QueryFault {
  try {
    parseQuery(query)
  } catch (error) {
    assert.ok(error instanceof QueryError)
    return error.fault
  }
  throw new assert.AssertionError({ message: `"${query}" is understood` })
}

describe('the language of searches', () => {
  it('reads words, quotes, negation and every field', () => {
    assert.deepEqual(parseQuery('  '), [])
    assert.deepEqual(parseQuery('tag:project=apollo type:image/* size:>10MB modified:<7d name:*report* -draft'), [
      { field: 'tag', name: 'project', value: { text: 'apollo', glob: false }, negated: false },
      { field: 'type', pattern: { text: 'image/*', glob: true }, negated: false },
      { field: 'size', from: 10 * 1024 ** 2 + 1, to: null, negated: false },
      { field: 'modified', from: { ago: 7 * DAY }, to: null, negated: false },
      { field: 'name', pattern: { text: '*report*', glob: true }, negated: false },
      { field: 'text', text: 'draft', negated: true },
    ])
    assert.deepEqual(one('"two words"'), { field: 'text', text: 'two words' })
    assert.deepEqual(one('"say \\"hi\\" \\\\"'), { field: 'text', text: 'say "hi" \\' })
    assert.deepEqual(one('"*"'), { field: 'text', text: '*' })
    assert.deepEqual(one('*.pdf'), { field: 'name', pattern: { text: '*.pdf', glob: true } })
    assert.deepEqual(one('2026/**/*.pdf'), { field: 'key', pattern: { text: '2026/**/*.pdf', glob: true } })
    assert.deepEqual(one('-'), { field: 'text', text: '-' })
    assert.deepEqual(one('12:30'), { field: 'text', text: '12:30' })
    assert.deepEqual(one('tag:project'), { field: 'tag', name: 'project', value: null })
    assert.deepEqual(one('tag:empty='), { field: 'tag', name: 'empty', value: { text: '', glob: false } })
    assert.deepEqual(one('tag:"a=b"="c d"'), { field: 'tag', name: 'a=b', value: { text: 'c d', glob: false } })
    assert.deepEqual(one('Meta:Camera=Ni*'), { field: 'meta', name: 'camera', value: { text: 'Ni*', glob: true } })
    assert.deepEqual(one('ext:.PDF'), { field: 'ext', text: 'pdf' })
    assert.deepEqual(one('type:image'), { field: 'type', pattern: { text: 'image/*', glob: true } })
    assert.deepEqual(one('kind:Picture'), { field: 'kind', kind: 'picture' })
    assert.deepEqual(one('encrypted:sse-c'), { field: 'encrypted', how: 'SSE-C' })
    assert.deepEqual(one('prefix:"my folder/"'), { field: 'prefix', text: 'my folder/' })
    assert.deepEqual(one('bucket:logs-*'), { field: 'bucket', pattern: { text: 'logs-*', glob: true } })
    assert.deepEqual(one('by:me'), { field: 'by', text: 'me' })
    assert.deepEqual(one('storage:GLACIER'), { field: 'storage', text: 'GLACIER' })
  })

  it('reads sizes and times', () => {
    const sizes: [string, number | null, number | null][] = [
      ['0', 0, 0],
      ['5B', 5, 5],
      ['>1KB', 1025, null],
      ['>=1.5kib', 1536, null],
      ['<1M', null, 1024 ** 2 - 1],
      ['<=2GB', null, 2 * 1024 ** 3],
      ['1KB..2KB', 1024, 2048],
      ['1KB..', 1024, null],
      ['..1TB', null, 1024 ** 4],
    ]
    for (const [text, from, to] of sizes) assert.deepEqual(one(`size:${text}`), { field: 'size', from, to }, text)
    const at = (time: string) => ({ at: Date.parse(time) })
    const times: [string, object | null, object | null][] = [
      ['<7d', { ago: 7 * DAY }, null],
      ['7d', { ago: 7 * DAY }, null],
      ['>1y', null, { ago: 365 * DAY }],
      ['>2mo', null, { ago: 60 * DAY }],
      ['<90m', { ago: 5_400_000 }, null],
      ['2026', at('2026-01-01T00:00:00Z'), at('2026-12-31T23:59:59.999Z')],
      ['2026-11', at('2026-11-01T00:00:00Z'), at('2026-11-30T23:59:59.999Z')],
      ['2026-11-01', at('2026-11-01T00:00:00Z'), at('2026-11-01T23:59:59.999Z')],
      ['>2026-11-01', at('2026-11-02T00:00:00Z'), null],
      ['<2026-11-01', null, at('2026-10-31T23:59:59.999Z')],
      ['2026-11-01T10:00+02:00', at('2026-11-01T08:00:00Z'), at('2026-11-01T08:00:59.999Z')],
      ['2026-10..2026-11', at('2026-10-01T00:00:00Z'), at('2026-11-30T23:59:59.999Z')],
      ['30d..7d', { ago: 30 * DAY }, { ago: 7 * DAY }],
      ['2026-11-01..1d', at('2026-11-01T00:00:00Z'), { ago: DAY }],
    ]
    for (const [text, from, to] of times)
      assert.deepEqual(one(`modified:${text}`), { field: 'modified', from, to }, text)
  })

  it('says what it does not understand, where that is, and what could be meant', () => {
    const cases: [query: string, code: string, span: string, suggestion: string | null][] = [
      ['a tga:x=y b', 'unknown_field', 'tga', 'tag'],
      ['metadata:x', 'unknown_field', 'metadata', 'meta'],
      ['-Sise:>1MB', 'unknown_field', 'Sise', 'size'],
      ['http://example.com/x y', 'unknown_field', 'http://example.com/x', '"http://example.com/x"'],
      ['x name:', 'value_missing', 'name:', 'name:*report*'],
      ['x ""', 'value_missing', '""', null],
      ['tag:=x', 'value_missing', '', 'tag:project=apollo'],
      ['size:big', 'size_unknown', 'big', '>10MB'],
      ['size:5..2', 'size_unknown', '5..2', '>10MB'],
      ['size:<0', 'size_unknown', '<0', '>10MB'],
      ['size:99999999TB', 'size_unknown', '99999999TB', '>10MB'],
      ['modified:yesterday', 'time_unknown', 'yesterday', '<7d'],
      ['modified:2026-02-30', 'time_unknown', '2026-02-30', '<7d'],
      ['modified:>9999', 'time_unknown', '>9999', '<7d'],
      ['created:2026-11..2026-10', 'time_unknown', '2026-11..2026-10', '<7d'],
      ['kind:pictures', 'value_unknown', 'pictures', 'picture'],
      ['encrypted:maybe', 'value_unknown', 'maybe', 'yes'],
      ['a "b c', 'quote_open', '"b c', '"b c"'],
      ['"a"b', 'text_after_quote', 'b', ' b'],
      ['name:*a*b*c*d*e*f*g*h*', 'too_many_wildcards', '*a*b*c*d*e*f*g*h*', null],
    ]
    for (const [query, code, span, suggestion] of cases) {
      const fault = faultOf(query)
      const at = query.slice(fault.position, fault.position + fault.length)
      assert.deepEqual([fault.code, at, fault.suggestion], [code, span, suggestion], query)
      if (suggestion === null) continue
      const repaired = query.slice(0, fault.position) + suggestion + query.slice(fault.position + fault.length)
      if (code !== 'value_missing') assert.doesNotThrow(() => parseQuery(repaired), `${query} → ${repaired}`)
    }
    assert.equal(faultOf('a'.repeat(MOST_QUERY + 1)).code, 'too_long')
    assert.equal(faultOf(`name:${'a'.repeat(1025)}`).code, 'too_long')
    assert.equal(faultOf('a '.repeat(MOST_TERMS + 1)).code, 'too_many_terms')
    assert.equal(parseQuery('a '.repeat(MOST_TERMS)).length, MOST_TERMS)
  })

  const text = fc.oneof(
    fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
    fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'a"\\*?=:-. /') }),
  )
  const piece = fc.string({ maxLength: 6, unit: fc.constantFrom(...'aB1.-=:"/é漢') })
  const glob = fc
    .tuple(piece, fc.array(piece, { minLength: 1, maxLength: 4 }))
    .map(([first, rest]) => ({ text: [first.replace(/^"/, 'q'), ...rest].join('*'), glob: true }))
  const pattern = fc.oneof(
    text.map((literal) => ({ text: literal, glob: false })),
    glob,
  )
  const when = fc.oneof(
    fc.integer({ min: 0, max: 10_000_000 }).map((seconds) => ({ ago: seconds * 1000 })),
    fc
      .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2999-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => ({ at: date.getTime() })),
  )
  const times = fc
    .tuple(fc.option(when), fc.option(when))
    .filter(([from, to]) => from !== null || to !== null)
    .filter(([from, to]) => !from || !to || !('at' in from && 'at' in to) || from.at <= to.at)
    .filter(([from, to]) => !from || !to || !('ago' in from && 'ago' in to) || from.ago >= to.ago)
    .map(([from, to]) => ({ from, to }))
  const sizes = fc
    .tuple(fc.option(fc.nat()), fc.option(fc.nat()))
    .filter(([from, to]) => (from !== null || to !== null) && (to === null || to >= (from ?? 0)))
    .map(([from, to]) => ({ from, to }))
  const filter = fc.oneof(
    text.map((text) => ({ field: 'text' as const, text })),
    fc.tuple(fc.constantFrom('name' as const, 'key' as const, 'bucket' as const), pattern).map(([field, pattern]) => ({
      field,
      pattern,
    })),
    glob.map(({ text }) => ({ field: 'type' as const, pattern: { text: text.toLowerCase(), glob: true } })),
    fc.tuple(fc.constantFrom('prefix' as const, 'storage' as const, 'by' as const), text).map(([field, text]) => ({
      field,
      text,
    })),
    fc.constantFrom(...kinds).map((kind) => ({ field: 'kind' as const, kind })),
    fc.constantFrom(...encryptions).map((how) => ({ field: 'encrypted' as const, how })),
    sizes.map((range) => ({ field: 'size' as const, ...range })),
    fc.tuple(fc.constantFrom('modified' as const, 'created' as const), times).map(([field, range]) => ({
      field,
      ...range,
    })),
    fc
      .tuple(fc.constantFrom('tag' as const, 'meta' as const), text, fc.option(pattern))
      .map(([field, name, value]) => ({ field, name: field === 'meta' ? name.toLowerCase() : name, value })),
  )
  const terms = fc.array(
    fc.tuple(filter, fc.boolean()).map(([filter, negated]): Term => ({ ...filter, negated })),
    { maxLength: 6 },
  )

  it('reads what it writes', () => {
    fc.assert(
      fc.property(terms, (terms) => {
        assert.deepEqual(parseQuery(printQuery(terms)), terms)
      }),
      { numRuns: 2000 },
    )
  })

  it('answers any text with terms that it reads again, or with a fault inside of it', () => {
    const soup = fc
      .array(
        fc.oneof(
          text,
          text.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}" `),
          fc.constantFrom(...fields.map((field) => `${field}:`), ' ', '"', '-', '=', '>', '..', '*'),
        ),
        {
          maxLength: 12,
        },
      )
      .map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(soup, (query) => {
        let terms: Term[]
        try {
          terms = parseQuery(query)
        } catch (error) {
          assert.ok(error instanceof QueryError, String(error))
          const { position, length } = error.fault
          assert.ok(position >= 0 && length >= 0 && position + length <= query.length)
          return
        }
        assert.deepEqual(parseQuery(printQuery(terms)), terms)
      }),
      { numRuns: 3000 },
    )
  })

  it('takes time in proportion to the text', () => {
    for (const query of ['"'.repeat(MOST_QUERY), 'a:'.repeat(1000), '-'.repeat(MOST_QUERY), ' '.repeat(MOST_QUERY)]) {
      const before = performance.now()
      for (let i = 0; i < 100; i++)
        try {
          parseQuery(query)
        } catch {
          // That it is refused is shown above.
        }
      assert.ok(performance.now() - before < 2000, query.slice(0, 10))
    }
  })
})
