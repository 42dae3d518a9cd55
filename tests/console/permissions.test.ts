import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf, newRow } from '../../console/src/features/groups/changes.ts'

test('a new row of a group’s permissions changes nothing until it has a bucket', () => {
  const before = { global: [], grants: [] }
  assert.deepEqual(changesOf(before, { global: [], rows: [newRow()] }), [])
  const at = { bucket_pattern: 'photos', prefix: '' }
  assert.deepEqual(changesOf(before, { global: [], rows: [newRow(at)] }), [
    { kind: 'adds', right: 'list', at },
    { kind: 'adds', right: 'read', at },
  ])
})
