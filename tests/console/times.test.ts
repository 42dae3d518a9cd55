// Times that the console shows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAttempt } from '../../console/src/features/webhooks/next.ts'
import { formatAgo } from '../../console/src/i18n.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test('relative times are rounded, in the largest unit that says enough', () => {
  for (const [seconds, words] of [
    [0, 'now'],
    [-59, 'now'],
    [90, 'in 2 minutes'],
    [-HOUR, '1 hour ago'],
    [HOUR - 1, 'in 1 hour'],
    [DAY, 'in 1 day'],
    [DAY - 1, 'in 1 day'],
    [-23 * HOUR, '23 hours ago'],
    [7 * DAY, 'in 7 days'],
    [7 * DAY - 1, 'in 7 days'],
    [-6.4 * DAY, '6 days ago'],
    [45 * DAY, 'in 45 days'],
    [90 * DAY - 1, 'in 3 months'],
    [-365 * DAY, '12 months ago'],
    [3 * 365 * DAY, 'in 3 years'],
  ] as const)
    assert.equal(formatAgo(seconds * 1000, 0), words)
})

test('a delivery’s next attempt is when it will be sent: not before an endpoint has cooled down', () => {
  const [due, cooled] = ['2026-01-01T10:00:00.000Z', '2026-01-01T10:30:00.000Z']
  const first = { event: 'upload', attempts: 0, next_attempt_at: due }
  const cooling = { enabled: true, cooling_until: cooled }
  assert.equal(nextAttempt(cooling, first), cooled)
  assert.equal(nextAttempt(cooling, { ...first, attempts: 1 }), due, 'retries continue')
  assert.equal(nextAttempt(cooling, { ...first, event: 'ping' }), due)
  assert.equal(nextAttempt({ enabled: true, cooling_until: null }, first), due)
  assert.equal(nextAttempt({ enabled: false, cooling_until: null }, first), null)
  assert.equal(nextAttempt(cooling, { ...first, next_attempt_at: null }), null)
})
