import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import {
  actionsOn,
  allowedRanges,
  type BucketAction,
  bucketActions,
  decide,
  type GrantingGroup,
  type ScopeEntry,
  withinScope,
} from '../../contract/permissions.ts'

const bucket = fc.constantFrom('aaa', 'aab', 'aba', 'bab', 'bbb')
const pattern = fc.constantFrom('*', 'a*', '*a', 'a*a', 'aab', '*b*')
const key = fc.stringMatching(/^[xy/]{0,4}$/)
const actions = fc.subarray([...bucketActions], { minLength: 1 })
const group = fc.record({
  id: fc.constant('g'),
  name: fc.constant('g'),
  global: fc.subarray(['admin', 'users.manage'] as const),
  grants: fc.array(
    fc.record(
      { id: fc.constant('r'), bucket_pattern: pattern, prefix: key, exact: fc.constant(true), actions },
      { requiredKeys: ['id', 'bucket_pattern', 'prefix', 'actions'] },
    ),
    { maxLength: 3 },
  ),
}) satisfies fc.Arbitrary<GrantingGroup>
const scope = fc.array(fc.record({ bucket: fc.constantFrom('*', 'a*', 'aa*', 'aab', 'bbb'), prefix: key, actions }), {
  minLength: 1,
  maxLength: 3,
}) satisfies fc.Arbitrary<ScopeEntry[]>

const scopeAllows = (entries: readonly ScopeEntry[], action: BucketAction, name: string, text: string) =>
  entries.some(
    (entry) =>
      entry.actions.includes(action) &&
      text.startsWith(entry.prefix) &&
      (entry.bucket.endsWith('*') ? name.startsWith(entry.bucket.slice(0, -1)) : name === entry.bucket),
  )
const inside = (ranges: readonly { from: string; to: string | null }[], text: string) =>
  ranges.some(({ from, to }) => text >= from && (to === null || text < to))

it('a scope allows what both it and the owner allow, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(group, { maxLength: 3 }), scope, bucket, key, (groups, entries, name, text) => {
      const narrowed = withinScope(groups, entries)
      for (const action of bucketActions) {
        const expected = decide(groups, action, name, text).allowed && scopeAllows(entries, action, name, text)
        assert.equal(decide(narrowed, action, name, text).allowed, expected, action)
        assert.equal(inside(allowedRanges(narrowed, action, name, ''), text), expected, action)
        if (expected) assert.ok(actionsOn(narrowed, name).includes(action))
      }
      assert.ok(narrowed.every(({ global }) => global.length === 0))
    }),
    { numRuns: 3000 },
  )
})
