import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Row } from '../../console/src/features/browse/listing.ts'
import {
  add,
  countOf,
  everything,
  isSelected,
  nothing,
  type Selection,
  toggle,
} from '../../console/src/features/browse/selection.ts'

const rowOf = (key: string): Row => ({ key, object: null })
/** What a search has found: folders and what is in them. */
const found = ['a/', 'a/b/', 'a/b/x', 'a/b/y', 'a/z', 'c'].map(rowOf)
const selectedIn = (selection: Selection) => {
  const keys = found.filter(({ key }) => isSelected(selection, key)).map(({ key }) => key)
  assert.equal(countOf(selection, found.length, found), keys.length)
  return keys
}
const without = (...keys: string[]) => keys.reduce((selection, key) => toggle(selection, rowOf(key), found), everything)

describe('the selection of what a search has found', () => {
  it('is without a folder and what is in it', () => {
    assert.deepEqual(selectedIn(everything), ['a/', 'a/b/', 'a/b/x', 'a/b/y', 'a/z', 'c'])
    assert.deepEqual(selectedIn(without('a/b/')), ['a/', 'a/z', 'c'])
    assert.deepEqual(selectedIn(without('a/b/x', 'a/b/')), ['a/', 'a/z', 'c'])
    assert.deepEqual(selectedIn(without('a/')), ['c'])
    assert.deepEqual(selectedIn(without('a/', 'a/')), ['a/', 'a/b/', 'a/b/x', 'a/b/y', 'a/z', 'c'])
  })

  it('takes one thing out of a folder that was left out', () => {
    assert.deepEqual(selectedIn(without('a/', 'a/b/x')), ['a/', 'a/b/', 'a/b/x', 'c'])
    assert.deepEqual(selectedIn(without('a/', 'a/b/')), ['a/', 'a/b/', 'a/b/x', 'a/b/y', 'c'])
    assert.deepEqual(selectedIn(add(without('a/'), ['a/b/y', 'a/z'].map(rowOf), found)), [
      'a/',
      'a/b/',
      'a/b/y',
      'a/z',
      'c',
    ])
    // Where more is in it than is known, all of it is taken.
    assert.deepEqual(
      selectedIn(toggle(without('a/'), rowOf('a/z'), [])),
      found.map(({ key }) => key),
    )
  })

  it('is of single rows otherwise', () => {
    const one = toggle(nothing, rowOf('a/'), found)
    assert.deepEqual(selectedIn(one), ['a/'])
    assert.deepEqual(selectedIn(add(one, [rowOf('c')], found)), ['a/', 'c'])
    assert.deepEqual(selectedIn(toggle(one, rowOf('a/'), found)), [])
  })
})
