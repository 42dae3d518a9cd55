import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { element, longResult, result } from '../../server/fronts/s3/answers/xml.ts'

it('a long document has the bytes of the same one that is made as a text, whatever its length and characters', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const times = fc.constantFrom(0, 1, 500, 5000, 20_000)
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1, maxLength: 4 }), times, (name, texts, count) => {
      const head = [element('Name', name), element('Prefix', undefined)]
      const many = Array.from({ length: count }, (_, i) => element('Key', texts[i % texts.length]))
      const bytes = longResult('ListBucketResult', head, many)
      assert.ok(bytes.equals(Buffer.from(result('ListBucketResult', ...head, ...many))))
      // Nothing of the next document is in this one, although they share their memory while they are made.
      const before = Buffer.from(bytes)
      longResult('ListBucketResult', [], [element('Key', 'x'.repeat(bytes.length))])
      assert.ok(bytes.equals(before))
    }),
    { numRuns: 40 },
  )
})
