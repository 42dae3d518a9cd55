import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, newTotpSecret, stepAt, stepOf, totpUri } from '../../server/access/second-factor/totp.ts'
import { appCode } from '../support/second-factor.ts'

/** "12345678901234567890", the key of RFC 6238 appendix B. */
const KEY = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('the codes of RFC 6238 appendix B, their last six digits', () => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const) {
    const at = new Date(seconds * 1000)
    assert.equal(codeOf(KEY, stepAt(at)), code)
    assert.equal(appCode(KEY, at), code, 'what the tests make codes with')
  }
})

test('a code is accepted one step early and late, and only after the last step that was used', () => {
  const now = new Date(1_234_567_890_000)
  const step = stepAt(now)
  for (const [of, found] of [
    [-2, null],
    [-1, step - 1],
    [0, step],
    [1, step + 1],
    [2, null],
  ] as const)
    assert.equal(stepOf(KEY, codeOf(KEY, step + of), now, null), found, String(of))
  assert.equal(stepOf(KEY, codeOf(KEY, step), now, step - 1), step)
  assert.equal(stepOf(KEY, codeOf(KEY, step), now, step), null)
  assert.equal(stepOf(KEY, codeOf(KEY, step - 1), now, step), null)
})

test('keys have 160 bits, and their URIs are what apps read', () => {
  const secret = newTotpSecret()
  assert.match(secret, /^[A-Z2-7]{32}$/)
  assert.notEqual(secret, newTotpSecret())
  const uri = new URL(totpUri(KEY, 'Strongroom (storage.example.com)', 'kim+a@example.com'))
  assert.deepEqual([uri.protocol, uri.host], ['otpauth:', 'totp'])
  assert.equal(decodeURIComponent(uri.pathname), '/Strongroom (storage.example.com):kim+a@example.com')
  assert.deepEqual(Object.fromEntries(uri.searchParams), {
    secret: KEY,
    issuer: 'Strongroom (storage.example.com)',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
