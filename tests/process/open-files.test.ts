import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectionsWithin } from '../../server/base/open-files.ts'

it('accepts no more connections than there are files for, and leaves some for what is read and written', () => {
  assert.equal(connectionsWithin(65_536, 10_000, 256), undefined)
  assert.equal(connectionsWithin(Number.POSITIVE_INFINITY, 0, 256), undefined)
  for (const limit of [256, 400, 1024, 4096]) {
    const most = connectionsWithin(limit, 10_000, 0) ?? assert.fail(`${limit} files are enough for 10,000 connections`)
    assert.ok(most >= 16 && most < limit * 0.75, `${most} connections of ${limit} files`)
  }
  assert.equal(connectionsWithin(1024, 100, 0), undefined)
  assert.equal(connectionsWithin(10, 100, 0), 16)
})
