import type { BucketEncryption } from '../../../contract/encryption.ts'
import type { Job } from '../../../contract/jobs.ts'
import type { Actor } from '../../context.ts'

/** What a job is to do, with defaults filled in. */
export interface CreateJob {
  kind: Job['kind']
  source_bucket: string
  /** The job whose deletions are restored or whose moves are undone. */
  of?: string | undefined
  /** The run of a policy whose deletions are restored. */
  of_run?: { policy_id: string; run_id: string } | undefined
  prefix?: string | undefined
  search?: string | undefined
  exclude?: readonly string[] | undefined
  keys?: readonly string[] | undefined
  dest_bucket?: string | undefined
  dest_prefix?: string | undefined
  if_none_match?: '*' | undefined
  /** The storage to move the bucket to. */
  dest_storage?: string | undefined
  /** How the bucket, or copies, are to be encrypted; undefined: as the bucket says of new contents. */
  encryption?: BucketEncryption | undefined
}

/** What a job stores of its creator in order to act as them later. */
export type JobActor = Pick<Actor, 'auth_method' | 'token_id' | 'session_id' | 'origin'>
