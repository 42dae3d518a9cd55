import type { BucketEncryption } from '../../../contract/encryption.ts'
import type { ChangedBy, Decision, Job, Side, TagChange } from '../../../contract/jobs.ts'
import type { Actor } from '../../context.ts'

/** What a job is to do, with defaults filled in. */
export interface CreateJob {
  kind: Job['kind']
  source_bucket: string
  /** The ids of both buckets, since another one may get the name of one that is deleted. */
  source_id?: string | undefined
  dest_id?: string | undefined
  /** The job whose deletions are restored or whose moves are undone. */
  of?: string | undefined
  /** The run of a policy whose deletions are restored. */
  of_run?: { policy_id: string; run_id: string } | undefined
  prefix?: string | undefined
  search?: string | undefined
  /** Only objects that this finds; as of when it was asked, which decides what `modified:<7d` means. */
  query?: string | undefined
  asked_at?: string | undefined
  exclude?: readonly string[] | undefined
  keys?: readonly string[] | undefined
  dest_bucket?: string | undefined
  dest_prefix?: string | undefined
  if_none_match?: '*' | undefined
  /** Whether what arrives where a key is taken goes beside it. */
  keep_both?: boolean | undefined
  /** The storage to move the bucket to. */
  dest_storage?: string | undefined
  /** The moment that a rollback goes back to; of a restore, that of the rollback which it undoes. */
  to?: string | undefined
  /** Whether a rollback leaves what was not there. */
  keep_new?: boolean | undefined
  /** Whose changes alone a rollback undoes. */
  by?: ChangedBy | undefined
  /** What a merge does with conflicts: of these keys, and of others. */
  decisions?: readonly Decision[] | undefined
  on_conflict?: Side | undefined
  /** What becomes of the tags of objects. */
  tags?: TagChange | undefined
  /** What a user has approved that the job of an agent does; it does that, or nothing. */
  approved?: string | undefined
  /** The keys that are needed: a deletion is about all other objects. */
  needed?: Needed | undefined
  /** Whether only the list is made. */
  dry_run?: boolean | undefined
  /** The dry run that planned it, whose plan it must still be. */
  planned?: string | undefined
  /** How the bucket, or copies, are to be encrypted; undefined: as the bucket says of new contents. */
  encryption?: BucketEncryption | undefined
}

/** The request body. */
export type JobBody = Omit<
  CreateJob,
  'source_bucket' | 'source_id' | 'dest_id' | 'asked_at' | 'approved' | 'needed'
> & {
  source_bucket?: string | undefined
  needed?: NeededBody | undefined
}

/** A list of keys, which is an object. */
export interface NeededBody {
  bucket?: string | undefined
  key: string
  as_of?: string | undefined
  report?: { bucket?: string | undefined; prefix?: string | undefined } | undefined
}
/** The same, with the contents that it had then. */
export interface Needed {
  bucket: string
  key: string
  blob_id: string
  as_of: string
  report?: { bucket: string; prefix: string }
}

/** What of it is stored apart, since it may be megabytes. */
export type Selection = Pick<CreateJob, 'keys' | 'exclude' | 'decisions'>

/** What a job stores of its creator in order to act as them later. */
export type JobActor = Pick<Actor, 'auth_method' | 'token_id' | 'session_id' | 'origin'>

/** Whether a job takes keys back to moments: a rollback, or a restore that undoes what is known by them. */
export const goesBack = ({ kind, to }: CreateJob): boolean => kind === 'rollback' || to !== undefined
