import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paceOf } from '../../server/http/body.ts'

const SPAN = 30_000
/** How many periods a body survives that delivers these bytes in them, the last number repeated; at most 1000. */
function kept(...bytes: number[]): number {
  const keeps = paceOf(SPAN)
  let total = 0
  for (let span = 0; span < 1000; span++) {
    total += bytes[Math.min(span, bytes.length - 1)] ?? 0
    if (!keeps(total)) return span
  }
  return 1000
}

test('a body must deliver a kilobyte per period', () => {
  assert.equal(kept(1023), 0)
  assert.equal(kept(1_000_000, 1023), 1)
  assert.equal(kept(1024), 38, 'a trickle is over after twenty minutes')
})

test('a large reservation requires a faster pace, at most 4 KiB a second', () => {
  const aSecond = (rate: number) => (rate * SPAN) / 1000
  assert.equal(kept(9_900_000, 1024), 4, 'two minutes, where a kilobyte in half a minute held it for months')
  assert.equal(kept(9_900_000, aSecond(4000)), 4)
  assert.equal(kept(9_900_000, aSecond(4096)), 1000)
  assert.equal(kept(5e12, aSecond(4096)), 1000)
  assert.equal(kept(1_000_000, aSecond(900)), 4)
  assert.ok(kept(1_000_000, aSecond(1000)) > 4)
})

test('a pause is tolerated if the rest makes up for it', () => {
  assert.equal(kept(0x100000 * 16, 1024, 1024, 1024, 4096 * 30 * 4), 1000)
  assert.equal(kept(0x100000 * 16, 0x100000, 1024, 1024, 1024), 5)
})
