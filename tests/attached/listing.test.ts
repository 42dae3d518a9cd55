import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { ExternalSource, ListedObject, RefusedKey } from '../../server/drivers/external.ts'
import { bytesOfKey } from '../../server/drivers/s3/source.ts'
import { readListing } from '../../server/storage/attached/scans/listing.ts'

const byBytes = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b)

it('keys are the same bytes again, however an engine encodes them', () => {
  const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((text) => text.isWellFormed())
  fc.assert(
    fc.property(key, (text) => {
      const encoded = encodeURIComponent(text)
      const lower = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
      for (const one of [encoded, lower, encoded.replaceAll('%20', '+'), encoded.replaceAll('%2F', '/')])
        assert.equal(bytesOfKey(one, true).toString(), text)
      assert.equal(bytesOfKey(text, false).toString(), text)
    }),
  )
  // What is not UTF-8 stays what it is.
  assert.deepEqual([...bytesOfKey('a%FF%c3', true)], [0x61, 0xff, 0xc3])
  assert.equal(bytesOfKey('100%', true).toString(), '100%')
})

interface Entry {
  bytes: Buffer
  bad: boolean
}

/** An engine that lists these entries in pages of random sizes, and fails now and then. */
function engineOf(entries: readonly Entry[], pages: readonly number[], failures: Set<number>): ExternalSource {
  let calls = 0
  const list: ExternalSource['list'] = async (_, { after, next }) => {
    if (failures.has(++calls)) throw new Error('an outage')
    const from =
      next === undefined
        ? entries.findIndex(({ bytes }) => after === undefined || byBytes(bytes, Buffer.from(after)) > 0)
        : Number(next)
    const start = from < 0 ? entries.length : from
    const end = Math.min(entries.length, start + (pages[start % pages.length] as number))
    const some = entries.slice(start, end)
    const listed = ({ bytes }: Entry): ListedObject => ({
      key: bytes.toString(),
      size: 1,
      etag: 'e',
      modified_at: new Date(0),
      storage_class: null,
    })
    const refusal = ({ bytes }: Entry): RefusedKey => ({ bytes, key: bytes.toString(), reason: 'bad' })
    return {
      objects: some.filter(({ bad }) => !bad).map(listed),
      refused: some.filter(({ bad }) => bad).map(refusal),
      next: end < entries.length ? String(end) : undefined,
    }
  }
  const never = () => assert.fail('not asked for')
  return { list, head: never, get: never, tags: never, close: () => {} }
}

it('a list is read whole and once, whatever its pages, the steps, and failures in between', async () => {
  const entry = fc.record({ bytes: fc.string({ minLength: 1, maxLength: 6 }), bad: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(entry, { maxLength: 60, selector: ({ bytes }) => bytes }),
      fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat({ max: 30 }), { maxLength: 8 }),
      async (made, pages, steps, failures) => {
        const entries = made.map(({ bytes, bad }) => ({ bytes: Buffer.from(bytes), bad }))
        entries.sort((a, b) => byBytes(a.bytes, b.bytes))
        const sizes = pages.map((size) => size + 1)
        const engine = engineOf(entries, sizes, new Set(failures))
        const listing = readListing(engine, { prefix: '', after: undefined, order: 'bytes' }, () => new Date(0))
        const objects: string[] = []
        const refused: string[] = []
        for (let step = 0; step < 500; step++) {
          const seen = await listing.peek(steps[step % steps.length] as number).catch(() => undefined)
          if (!seen) continue
          // Where there are many rows of ours, only some are dropped.
          const some = step % 3 === 0 ? Math.min(1, seen.objects.length) : seen.objects.length
          const isAll = some === seen.objects.length
          objects.push(...seen.objects.slice(0, some).map(({ key }) => key))
          const last = seen.objects[some - 1]
          const isBefore = ({ bytes }: RefusedKey) => isAll || (last && byBytes(bytes, Buffer.from(last.key)) <= 0)
          refused.push(...seen.refused.filter(isBefore).map(({ key }) => key))
          listing.drop(seen, some)
          if (seen.last && isAll) break
        }
        const keys = (bad: boolean) => entries.filter((one) => one.bad === bad).map(({ bytes }) => bytes.toString())
        assert.deepEqual([objects, refused], [keys(false), keys(true)])
      },
    ),
  )
})
