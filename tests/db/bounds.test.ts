import assert from 'node:assert/strict'
import { it } from 'node:test'
import { poorBounds } from '../support/bounds.ts'

it('statements whose second bound of a column is no use are found, and others are not', () => {
  for (const [text, expected] of [
    ['select 1 from o where "b" = ? and "key" >= ? and "key" < ? and "key" > ?', ['two bounds: "key" >']],
    ['select 1 from o where "key" >= ? and ("key", "id") > (?, ?)', ['two bounds: "key" >']],
    ['select 1 from o where ("at" < ? or ("at" = ? and "id" < ?))', ['"at" < … or "at" = …']],
    ['select 1 from o where c.at <= ? and (c.at < ? or (c.at = ? and c.id < ?))', []],
    ['select 1 from o where "key" >= ? and "key" < ?', []],
    ['select 1 from o where key >= ? and exists (select 1 from p where key >= ?) and size > 1', []],
    ['select 1 from o where key >= ? union all select 1 from p where key >= ?', []],
    ['select 1 from o where ((key >= ? and key < ?) or (key >= ? and key < ?))', []],
  ] as const)
    assert.deepEqual(poorBounds(text), expected, text)
})
