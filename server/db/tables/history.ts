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
