// Where in a query one types, and what of the term is typed: what suggestions go by.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { termAt } from '../../console/src/features/search/term.ts'

/** The term at `|` in a query, as what is asked for, what is typed of it, and the text that would be replaced. */
function at(marked: string) {
  const position = marked.indexOf('|')
  const query = marked.replace('|', '')
  const term = termAt(query, position)
  if (!term) return undefined
  const { field, name, begun, sign, start, end } = term
  return [field, name, begun, sign, query.slice(start, end)]
}

test('a word may be the start of a field, from two letters on', () => {
  assert.deepEqual(at('ta|'), [undefined, undefined, 'ta', '', 'ta'])
  assert.deepEqual(at('report -Mod|'), [undefined, undefined, 'mod', '-', '-Mod'])
  assert.equal(at('t|'), undefined)
  assert.equal(at('ta.pdf|'), undefined)
  assert.equal(at('|'), undefined)
  assert.equal(at('tag:project |'), undefined)
})

test('a field has values, and a tag has a name and values', () => {
  assert.deepEqual(at('type:image/|'), ['type', undefined, 'image/', '', 'type:image/'])
  assert.deepEqual(at('-TAG:|'), ['tag', undefined, '', '-', '-TAG:'])
  assert.deepEqual(at('a tag:proj|'), ['tag', undefined, 'proj', '', 'tag:proj'])
  assert.deepEqual(at('tag:project=ap| size:>1MB'), ['tag', 'project', 'ap', '', 'tag:project=ap'])
  assert.deepEqual(at('meta:a=b=c|'), ['meta', 'a', 'b=c', '', 'meta:a=b=c'])
  assert.equal(at('http:|'), undefined)
})

test('quotation marks hold a term together, also while the second is not typed', () => {
  assert.deepEqual(at('x tag:"year of|'), ['tag', undefined, 'year of', '', 'tag:"year of'])
  assert.deepEqual(at('tag:"year of it"="20|'), ['tag', 'year of it', '20', '', 'tag:"year of it"="20'])
  assert.deepEqual(at('tag:"a \\"b=\\" c"=1|'), ['tag', 'a "b=" c', '1', '', 'tag:"a \\"b=\\" c"=1'])
})

test('inside of a term nothing is suggested', () => {
  assert.equal(at('ta|g:project'), undefined)
  assert.equal(at('tag:pro|ject=apollo'), undefined)
  assert.deepEqual(at('ta| more'), [undefined, undefined, 'ta', '', 'ta'])
})
