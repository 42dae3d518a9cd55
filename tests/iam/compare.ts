// node tests/iam/compare.ts [PAIRS] [SEED]: the evaluator against the reference on so many random pairs of policies and requests, by default
// 1,000,000. Prints how often each verdict was given; a difference is shrunk and ends it.
import assert from 'node:assert/strict'
import path from 'node:path'
import fc from 'fast-check'
import { readPolicy } from '../../server/iam/document.ts'
import { evaluate } from '../../server/iam/evaluate.ts'
import { policy, request, USERS } from './arbitraries.ts'
import { decideByReference, type ReferenceRequest } from './reference.ts'

/** What the evaluator says of requests, by policies as JSON. */
export function verdictsOf(documents: readonly object[], ofBucket: boolean) {
  const kind = ofBucket ? ({ of: 'bucket', bucket: 'photos', users: USERS } as const) : ({ of: 'identity' } as const)
  const policies = documents.map((document) => readPolicy(JSON.stringify(document), kind))
  return ({ principal: { canonical, ...who }, action, resource, context }: ReferenceRequest) =>
    evaluate(policies, {
      principal: { ...who, canonicalId: () => canonical },
      action,
      resource,
      known: (key) => context[key],
    }).effect
}

/** Compares so many pairs; returns how often each verdict was given. Throws with the smallest pair that differs. */
export function compare(pairs: number, seed?: number): Record<string, number> {
  const counted: Record<string, number> = { allow: 0, deny: 0, none: 0 }
  // One policy is compared with several requests: making it takes longest.
  const perPolicy = 10
  fc.assert(
    fc.property(
      fc
        .boolean()
        .chain((ofBucket) =>
          fc.tuple(fc.constant(ofBucket), fc.array(policy(ofBucket), { minLength: 1, maxLength: 2 })),
        ),
      fc.array(request, { minLength: perPolicy, maxLength: perPolicy }),
      ([ofBucket, documents], requests) => {
        const verdictOf = verdictsOf(documents, ofBucket)
        for (const asked of requests) {
          const expected = decideByReference(documents, asked, USERS)
          assert.equal(verdictOf(asked), expected)
          counted[expected] = (counted[expected] ?? 0) + 1
        }
      },
    ),
    { numRuns: Math.ceil(pairs / perPolicy), ...(seed === undefined ? {} : { seed }) },
  )
  return counted
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === import.meta.filename) {
  const [pairs = '1000000', seed] = process.argv.slice(2)
  console.log(compare(Number(pairs), seed === undefined ? undefined : Number(seed)))
}
