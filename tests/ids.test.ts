import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../server/base/id.ts'

const MANY = 100_000
const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

test('ids are UUIDv7, each later than the one before', () => {
  const began = Date.now()
  let before = newId()
  for (let i = 0; i < MANY; i++) {
    const id = newId()
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.ok(id > before, `${id} after ${before}`)
    before = id
  }
  assert.ok(timeOf(before) >= began && timeOf(before) <= Date.now())
})

test('ids stay in order when the clock is set back, and their random part is not repeated', (t) => {
  const first = newId()
  const now = t.mock.method(Date, 'now', () => timeOf(first) - 60_000)
  const ids = Array.from({ length: 10_000 }, () => newId())
  now.mock.restore()
  assert.deepEqual(ids.toSorted(), ids)
  assert.ok((ids[0] ?? '') > first)
  assert.equal(new Set(ids.map((id) => id.slice(-12))).size, ids.length)
})
