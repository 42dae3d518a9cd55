import { reachesObjects, reachesVersions } from '../../../contract/reach.ts'
import type { Db } from '../../db/schema.ts'
import { listBuckets } from '../../storage/buckets/store.ts'
import { matchObjects } from './match-objects.ts'
import type { Moment, Step } from './match-step.ts'
import { matchVersions } from './match-versions.ts'
import { type RunRule, reachesBucket } from './rule.ts'
import { matchBucket } from './snapshots.ts'

const BUCKETS = 1000

/**
 * The objects and versions that a rule matches, or the buckets of which it takes snapshots, at a moment, bucket by bucket and page by page in key order, first the
 * objects. Those uploaded or changed after that moment are skipped. Memory holds one page, and the newest objects of the
 * folders on its path.
 */
export async function* findMatches(db: Db, rule: RunRule, moment: Moment): AsyncGenerator<Step> {
  for (let after = ''; ; ) {
    const buckets = await listBuckets(db, after, BUCKETS)
    for (const bucket of buckets) {
      // What others keep is not ours to delete.
      if (bucket.mode !== null || !reachesBucket(rule, bucket)) continue
      if (rule.keep_snapshots !== null) yield matchBucket(bucket, rule, moment)
      if (reachesObjects(rule)) yield* matchObjects(db, bucket, rule, moment)
      if (reachesVersions(rule) || rule.expired_markers) yield* matchVersions(db, bucket, rule, moment)
    }
    const last = buckets.at(-1)
    if (buckets.length < BUCKETS || !last) return
    after = last.name
  }
}
