import type { Generated } from 'kysely'

/** Work on many objects. */
export interface JobTables {
  jobs: {
    id: string
    kind:
      | 'copy'
      | 'move'
      | 'delete'
      | 'empty_bucket'
      | 'restore'
      | 'migrate'
      | 'release'
      | 'fork'
      | 'encrypt'
      | 'decrypt'
      | 'rollback'
      | 'merge'
      | 'tag'
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
    /** JSON: what was asked for, but for the lists of keys. */
    request: string
    /** JSON: the keys that are named and those left out, and decisions about some, which may be megabytes. */
    selection: string
    /** JSON: who asked, with what credential, from where. */
    actor: string
    created_by: string
    created_by_email: string | null
    /**
     * The objects are written down in job_items first; up to which key that has come, and when it was done. A restore
     * writes none down: job_moves and the trash say what is to be done, and this is how far that has come.
     */
    listed_to: string | null
    listed_at: string | null
    total: number
    /** Up to which item the work is done. */
    position: number
    done: number
    failed: number
    /** How many of the failed had changed since they were listed. */
    changed: Generated<number>
    /** JSON: the first 100. */
    errors: string
    detail: string | null
    /** JSON: what a rollback or merge is to do, as far as it is listed. */
    plan: Generated<string | null>
    /** The process that works on it, and when its lease ends unless renewed. */
    runner: string | null
    leased_until: string | null
    cancel_at: string | null
    created_at: string
    started_at: string | null
    finished_at: string | null
  }
  /**
   * The version of an object that a job listed and is to work on; null stands for whatever is there, the nil UUID as
   * `blob_id` for a key under which there was nothing.
   */
  job_items: {
    job_id: string
    position: number
    key: string
    blob_id: string | null
    last_modified: string | null
    /** The version that is to go, as it is called; null where it is about the key's object. */
    version_id: string | null
    /** The moment to which a rollback takes the key; of a merge, that of the fork's object, 0 if it has none. */
    moment: Generated<number | null>
    /**
     * Of a rollback: since when the key had been what it was when it was listed; null if there was nothing under it. Of a
     * merge the same, in the origin.
     */
    seen: Generated<number | null>
    /** Of a merge: the other name under which the object comes; null for its own. */
    dest_key: Generated<string | null>
    /** Of a merge: whether it is a conflict that was decided for the origin, of which nothing changes. */
    kept: Generated<1 | null>
  }
  /**
   * What a job moved, by the position of its item, until that is undone or too long ago: `source_key` is where it was,
   * `trash_id` what it took the place of.
   */
  job_moves: {
    job_id: string
    position: number
    source_key: string
    bucket_id: string
    key: string
    blob_id: string
    trash_id: string | null
  }
}
