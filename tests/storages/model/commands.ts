import fc from 'fast-check'

const at = fc.constantFrom(0, 1)
const key = fc.constantFrom('a', 'b/c', 'd')
/** In the database, less than a segment, one and its neighbours, and several. */
const size = fc.constantFrom(0, 900, 5000, 65_535, 65_536, 65_537, 200_000, 600_000)
const small = fc.constantFrom(900, 5000, 70_000, 200_000)

/** What is done to objects of two buckets, on the default storage and on another, and to the copies of these. */
export const command = fc.oneof(
  { weight: 12, arbitrary: fc.record({ op: fc.constant('put' as const), at, key, size }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('parts' as const), at, key, size: small }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('remove' as const), at, key }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('copy' as const), at, key, to: at, toKey: key }) },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('read' as const),
      at,
      key,
      from: fc.nat(400_000),
      length: fc.integer({ min: 1, max: 300_000 }),
      isWhole: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('mirror' as const),
      at,
      to: fc.constantFrom<(0 | 1 | undefined)[]>(0, 0, 1, undefined),
      acknowledge: fc.constantFrom('one' as const, 'both' as const),
      when_down: fc.constantFrom('refuse' as const, 'continue' as const),
      keep_removed_days: fc.constantFrom(0, 3),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('failover' as const), at, accept: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('away' as const), place: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('back' as const), place: fc.nat(3) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('damage' as const),
      at,
      key,
      which: at,
      how: fc.constantFrom('flip' as const, 'cut' as const, 'delete' as const, 'other' as const),
      by: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ op: fc.constant('work' as const), minutes: fc.constantFrom(0, 2, 11) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('scrub' as const) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('collect' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('crash' as const),
      at,
      sizes: fc.array(fc.constantFrom(900, 70_000, 600_000), { minLength: 1, maxLength: 4 }),
      worker: fc.constantFrom<(string | undefined)[]>('mirror-copies', 'scrub', 'blob-collector', undefined),
      afterMs: fc.nat(120),
    }),
  },
)
export type Command = typeof command extends fc.Arbitrary<infer C> ? C : never
