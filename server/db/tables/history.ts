import type { Generated } from 'kysely'
import type { StorageTables } from './storage.ts'

/** What objects were before, and who has changed them. */
export interface HistoryTables {
  /** What objects were before, from `moment` until `ended`, which does not belong to it any more. Written by triggers. */
  former_objects: Omit<StorageTables['objects'], 'moment' | 'author'> & {
    moment: number
    author: number | null
    ended: number
    /** Who made the change that ended it. */
    ended_by: number | null
  }
  /** Up to which moment what a bucket was is not known any more; a row only where something was deleted by age. */
  forgotten_moments: { bucket_id: string; moment: number }
  /** Moments of buckets that have a name: what a bucket was then is kept for as long as the row is there. */
  snapshots: {
    id: string
    bucket_id: string
    name: string
    /** Every change before it is at or before this moment, every one after it later. */
    moment: number
    note: string | null
    created_at: string
    created_by: string | null
    expires_at: string | null
    /** The policy that took it; null for all others. */
    policy_id: Generated<string | null>
  }
  /** Buckets of which a snapshot has ended: what only that needed is to be released. */
  ended_snapshots: { bucket_id: string; ended_at: string }
  /** Contents that nothing has any more but a snapshot of this bucket; written when the collector would delete them. */
  history_contents: {
    bucket_id: string
    blob_id: string
    /** Of one of the objects that they were. */
    key: string
    version_id: string | null
    size: number
    etag: string
    sha256: string | null
    encryption: string | null
  }
  /** Buckets that began as another was. */
  bucket_forks: {
    bucket_id: string
    origin_id: string
    /** As its origin was at this moment, under the prefix. */
    origin_moment: number
    prefix: string
    /** The bucket that has its name until it is whole, and the job that fills it. */
    placeholder_id: string | null
    job_id: string | null
    /** Up to which key it is filled; null before the first. */
    filled_to: string | null
    /** When it was whole; null until then. */
    filled_at: string | null
    objects: Generated<number>
    /** How many objects it could not have, since their contents were erased. */
    erased: Generated<number>
    /** When it is deleted; null: never. */
    expires_at: string | null
  }
  /** What was merged of forks: since then neither side has changed the key while it has the moment that is noted. */
  fork_merges: {
    /** The fork. */
    bucket_id: string
    key: string
    /** Where it is in the origin: the same key, or another name beside what the origin has. */
    origin_key: string
    /** Of what was merged, in the fork; 0 if that was nothing. */
    fork_moment: number
    /** Of what it became in the origin; 0 if that was nothing, null if the origin has something else under the key. */
    origin_moment: number | null
    job_id: string
    /** What the origin's key had for a moment just before. */
    was_moment: Generated<number | null>
    /** What had been merged of the key before, which holds again when this is undone; null if nothing had been. */
    before_job_id: Generated<string | null>
    before_origin_key: Generated<string | null>
    before_fork_moment: Generated<number | null>
    before_origin_moment: Generated<number | null>
  }
  /** Who has changed objects, and by what. */
  change_authors: {
    id: Generated<number>
    /** The rest as JSON, by which it is found. */
    name: string
    kind: string
    user_id: string | null
    /** The token, or the access key's row. */
    credential_id: string | null
    share_id: string | null
    /** The job or policy run. */
    job_id: string | null
  }
}
