import fc from 'fast-check'
import type { Fault } from './proxy.ts'

/** In a walk through folders, `dir/…` comes before `dir-x`. */
export const KEYS = ['a', 'b c+%41', 'dir/', 'dir/ö', 'dir/z&<"', 'dir-x', '漢'] as const
/** More than the number that may be marked as missing without being confirmed. */
export const MANY = Array.from({ length: 110 }, (_, i) => `many/${String(i).padStart(3, '0')}`)
/** None, some that are read in one piece, and one that is streamed. */
export const SIZES: readonly number[] = [0, 1, 3, 100, 70_000]

const key = fc.constantFrom(...KEYS)
const theirs = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('put' as const),
      key,
      size: fc.constantFrom(...SIZES),
      inParts: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), key }) },
)
const manyOfTheirs = fc.record({ op: fc.constantFrom('putMany' as const, 'deleteMany' as const) })
const way = fc.constantFrom('whole', 'range', 'suffix', 'if-match', 'if-none-match', 'if-range', 'head')
const read = fc.record({ op: fc.constant('read' as const), key, way, pick: fc.nat(20) })
const fault: fc.Arbitrary<Fault> = fc.constantFrom<Fault[]>(
  { kind: 'refuse' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503 },
  { kind: 'cut' },
  { kind: 'empty' },
)
const meanwhile = fc.array(fc.oneof({ weight: 3, arbitrary: theirs }, { weight: 2, arbitrary: read }), { maxLength: 4 })
/** A step of a run. */
export const command = fc.oneof(
  { weight: 14, arbitrary: theirs },
  { weight: 3, arbitrary: manyOfTheirs },
  { weight: 8, arbitrary: read },
  // The engine's answer to its nth request comes late; others write to the same key meanwhile.
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('slowRead' as const),
      key,
      nth: fc.constantFrom(1, 1, 2, 3),
      meanwhile: fc.array(theirs, { minLength: 1, maxLength: 3 }),
      /** What is written meanwhile is as long as what is there. */
      sameSize: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('report' as const), key }) },
  { weight: 3, arbitrary: fc.constant({ op: 'lookAtReports' as const }) },
  { weight: 10, arbitrary: fc.constant({ op: 'scan' as const }) },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('slowScan' as const),
      nth: fc.constantFrom(1, 1, 2, 2, 3, 4, 6, 8),
      meanwhile,
      /** The process gets the answer after all; is taken for dead until another has finished; or is stopped. */
      end: fc.constantFrom('answered' as const, 'killed' as const, 'stopped' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('outage' as const),
      fault,
      key,
      during: fc.constantFrom('scan' as const, 'scan' as const, 'read' as const, 'reports' as const),
      /** Otherwise it is over after a moment, while a scan that tries again has not given up. */
      lasts: fc.nat(7).map((n) => n === 0),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('later' as const), hours: fc.constantFrom(1, 13, 25, 49) }) },
  { weight: 3, arbitrary: fc.constant({ op: 'confirm' as const }) },
)
export type Command = typeof command extends fc.Arbitrary<infer C> ? C : never
export type Theirs = Extract<Command, { op: 'put' | 'delete' | 'putMany' | 'deleteMany' }>
export type Read = Extract<Command, { op: 'read' }>
