import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { TOKEN_PATTERN } from '../../contract/tokens.ts'
import { isTokenValue, newTokenValue, prefixOf } from '../../server/access/tokens/value.ts'
import { hashSecret } from '../../server/secrets/sign.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 44
const published = new RegExp(`^${TOKEN_PATTERN}$`)
const value = fc.noShrink(fc.constant(null).map(() => newTokenValue()))

/** Pearson's statistic of how evenly these counts are spread. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, one) => sum + one, 0) / counts.length
  return counts.reduce((sum, one) => sum + (one - expected) ** 2 / expected, 0)
}

it('every new value has the published form and its own checksum', () => {
  fc.assert(
    fc.property(value, (token) => {
      assert.match(token, published)
      assert.equal(token.length, LENGTH)
      assert.ok(isTokenValue(token))
      assert.match(hashSecret(token), /^[0-9a-f]{64}$/)
      assert.equal(prefixOf(token), token.slice(0, 12))
    }),
    { numRuns: 2000 },
  )
})

it('no value is one after a character was changed, swapped, left out, put in or cut off', () => {
  const at = fc.nat(LENGTH - 1)
  const letter = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...ALPHABET) },
    fc.string({ unit: 'binary', maxLength: 2 }),
  )
  fc.assert(
    fc.property(value, at, letter, (token, i, other) => {
      const [before, after] = [token.slice(0, i), token.slice(i + 1)]
      for (const changed of [
        before + other + after,
        before + after,
        before + other + token.slice(i),
        before,
        token.slice(i + 1),
        token + other,
        other + token,
        before + (token[i + 1] ?? '') + (token[i] ?? '') + token.slice(i + 2),
      ])
        if (changed !== token) assert.equal(isTokenValue(changed), false, `${token} -> ${JSON.stringify(changed)}`)
    }),
    { numRuns: 5000 },
  )
  const token = newTokenValue()
  for (let i = 0; i < LENGTH; i++) {
    assert.equal(isTokenValue(token.slice(0, i)), false)
    for (const other of ALPHABET)
      assert.equal(isTokenValue(token.slice(0, i) + other + token.slice(i + 1)), token[i] === other)
  }
})

it('looks at any text without throwing', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme', maxLength: 100 }).map((rest) => `svc_pat_${rest}`),
    fc.stringMatching(/^svc_pat_[0-9A-Za-z]{34,38}$/),
    fc.string({ minLength: 5000, maxLength: 20_000 }),
  )
  fc.assert(
    fc.property(text, (one) => {
      if (isTokenValue(one)) assert.match(one, published)
    }),
    { numRuns: 3000 },
  )
})

it('of 20,000 values none is like another, and every character is as likely as any at each place', () => {
  const tokens = Array.from({ length: 20_000 }, () => newTokenValue())
  assert.equal(new Set(tokens).size, tokens.length)
  assert.equal(new Set(tokens.map(hashSecret)).size, tokens.length)
  const places = Array.from({ length: 30 }, (_, i) => {
    const counts = new Map<string, number>([...ALPHABET].map((letter) => [letter, 0]))
    for (const token of tokens) {
      const letter = token.charAt(8 + i)
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    return [...counts.values()]
  })
  // 61 degrees of freedom: 61 ± 11. Beyond 150 once in 100 million; bytes modulo 62 would give thousands.
  for (const [i, counts] of places.entries()) assert.ok(chiSquare(counts) < 150, `place ${i}: ${chiSquare(counts)}`)
  const all = [...ALPHABET].map((_, letter) => places.reduce((sum, counts) => sum + (counts[letter] ?? 0), 0))
  assert.ok(chiSquare(all) < 150, `all: ${chiSquare(all)}`)
})
