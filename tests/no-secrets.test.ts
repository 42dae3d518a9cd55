import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretIn } from './support/server.ts'

const hash = '$2b$10$abcdefgHIJKLMNOPQRSTUeyJNBPtgVvZzuBeTR4XWsJcBgRN.xk.7'
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'

test('the end of a bcrypt hash is not taken for a token, but a token beside one is found', () => {
  assert.equal(hash.length, 60)
  assert.match(hash, /eyJ[\w-]{8,}\.[\w-]+\.[\w-]+/)
  const none = new Set<string>()
  assert.equal(secretIn(`"${hash}"`, none), undefined)
  assert.equal(secretIn(hash + jwt, none), jwt)
  assert.equal(secretIn(`${jwt}${hash}`, none), jwt)
  assert.equal(secretIn(`"${hash}"`, new Set(['HIJKLMN'])), 'HIJKLMN')
})
