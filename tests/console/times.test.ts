// Relative times of the console.
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
