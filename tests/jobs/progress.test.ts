import assert from 'node:assert/strict'
import { it } from 'node:test'
import { progressOf } from '../../server/storage/jobs/progress.ts'
import type { JobRow } from '../../server/storage/jobs/store.ts'

it('a job that an earlier release began goes on where it was', () => {
  const at = { walk: 2, table: 'versions', after: { id: 'v' } }
  const read = (progress: object) => progressOf({ listed_to: JSON.stringify(progress) } as JobRow)
  assert.deepEqual(read({ ...at, moved: 7 }), { ...at, changed: 7 })
  assert.deepEqual(read({ ...at, changed: 3 }), { ...at, changed: 3 })
  assert.deepEqual(progressOf({ listed_to: null } as JobRow), { walk: 1, table: 'objects', after: null, changed: 0 })
})
