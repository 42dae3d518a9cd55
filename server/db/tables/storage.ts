import type { Generated } from 'kysely'
import type { Checksum, ChecksumAlgorithm } from '../../../contract/shapes.ts'

/** Buckets, objects and their bytes. */
export interface StorageTables {
  buckets: {
    id: string
    /** A deleted bucket's is `~` and its id, which is no valid name, so that its own is free again. */
    name: string
    /** A deleted bucket's name before that; null for a live one. */
    former_name: Generated<string | null>
    trash_days: number
    /** Whether contents that stop being current are kept as versions; null if that was never turned on. */
    versioning: 'enabled' | 'suspended' | null
    /** JSON: how new versions are locked; null if nothing can be locked. */
    object_lock: string | null
    /** Where its new bytes go, or those of its objects are; null is the storage of STORAGE_URL. */
    storage_id: Generated<number | null>
    /**
     * Null: its objects are our own. `read_only`: it shows what others keep on that storage. `taken_over`: it did, and these
     * are its own now. `releasing`: the same, while they are written to another place and nothing of it changes. `filling`: it
     * is empty, and has the name of a fork until that is whole.
     */
    mode: Generated<'read_only' | 'taken_over' | 'releasing' | 'filling' | null>
    /** JSON: how contents are encrypted of which nobody says; null if they are not. */
    encryption: Generated<string | null>
    /** JSON: the rules by which its objects are replicated, the first that decides first; null if none are. */
    replication: Generated<string | null>
    /** GiB that snapshots alone may keep before no more are taken; null for no limit. */
    history_quota_gb: Generated<number | null>
    /** Whether what snapshots alone keep takes room of its quota. */
    quota_includes_history: Generated<0 | 1>
    created_at: string
    created_by: string | null
    deleted_at: string | null
  }
  /** What else is configured of a bucket, by kind; `document` is JSON. */
  bucket_config: {
    bucket_id: string
    kind: 'cors' | 'lifecycle' | 'tagging' | 'policy' | 'acl' | 'ownership' | 'public_access_block' | 'website'
    document: string
    updated_at: string
    updated_by: string | null
  }
  /**
   * A row only where a quota is set: locking it serialises just the writers that must be counted one by one. `scope` is
   * a bucket, or the nil UUID: all buckets together, whose use is counted in the row itself.
   */
  quotas: { scope: string; quota_gb: number; used_bytes: number | null }
  /** The sum over the shards is exact; several rows so that one bucket's writers need not wait for each other. */
  bucket_usage: {
    bucket_id: string
    shard: number
    /** Of objects and versions. */
    bytes: number
    objects: number
    trash_bytes: number
    /** The part of `bytes` that are not an object's, but of a version before it. */
    version_bytes: Generated<number>
    /** The parts of `bytes` and `objects` that are encrypted. */
    encrypted_bytes: Generated<number>
    encrypted_objects: Generated<number>
    /** Of contents that only snapshots keep. */
    history_bytes: Generated<number>
    /** Bytes that open uploads in parts will take. */
    reserved: Generated<number>
  }
  /** The current version of each key that has one. */
  objects: {
    bucket_id: string
    key: string
    /** Null for the `null` version: written while its bucket kept none. */
    version_id: string | null
    blob_id: string
    size: number
    etag: string
    /** As in its blob's row; here too, so that a listing need not read the rows of a thousand blobs. */
    sha256: string | null
    checksums: string | null
    content_type: string
    /** JSON: the response headers sent with it. */
    headers: string | null
    /** JSON: Record<string, string> */
    metadata: string
    /** JSON: Record<string, string> */
    tags: string | null
    storage_class: string | null
    /** Both null if it was never locked; a time that is over has ended the lock. */
    lock_mode: 'governance' | 'compliance' | null
    locked_until: string | null
    /** Whether it is on legal hold. */
    legal_hold: 1 | null
    /** JSON: whom its ACL lets read it; null if only its owner is in it. */
    acl: string | null
    /** How its bytes are encrypted: the kind, and after a space the name of the key of a key service; null if they are not. */
    encryption: string | null
    created_at: string
    last_modified: string
    created_by: string | null
    /** Since when it has been so, in microseconds since 1970; what was before is in `former_objects`. */
    moment: Generated<number>
    /** Who made it so; null for those who are not known. */
    author: Generated<number | null>
  }
  /**
   * What an object is found by: `k:project` and `t:project=apollo` of a tag, `m:camera=nikon` of metadata; long values are cut, and
   * names escaped. Written by triggers; `instance.words_to` says whether all are.
   */
  object_words: { bucket_id: string; word: string; key: string }
  /**
   * Of buckets that keep versions, or did: what is no longer current, and all delete markers. `seq`: the later a version
   * of a key was current, the higher.
   */
  versions: Omit<StorageTables['objects'], 'blob_id'> & {
    seq: Generated<number>
    /** Null for a delete marker, which has no contents. */
    blob_id: string | null
    /** When it was replaced or deleted; of a marker, when that was made. */
    noncurrent_at: string
    /** The job or policy run that made the marker. */
    job_id: Generated<string | null>
  }
  trash: StorageTables['objects'] & {
    id: string
    reason: 'deleted' | 'overwritten'
    deleted_at: string
    deleted_by: string | null
    /** The job or policy run that put it here. */
    job_id: string | null
  }
  /**
   * `check_after`: when the collector asks whether anything points here; null once it was found in use. `inline`: 1 if its
   * bytes are in `bodies`, 0 if they are, or will be, in the storage. The rest is what is known of the bytes: nulls until
   * something points at them, and in rows of earlier versions.
   */
  blobs: {
    id: string
    check_after: string | null
    inline: Generated<number>
    size: number | null
    /** Hex; null if they came in parts. */
    md5: string | null
    /** Hex; null unless it was computed. */
    sha256: string | null
    /** JSON: a list of { algorithm, type, value } */
    checksums: string | null
    /** Where its bytes are, or will be, as its id says; null is the storage of STORAGE_URL. */
    storage_id: Generated<number | null>
    /** JSON: how its bytes are encrypted, and their key, itself encrypted; null if they are stored as they were sent. */
    envelope: Generated<string | null>
    /** The version of the service key that encrypts the one in the envelope; null if none does. */
    service_key: Generated<number | null>
    /** The CRC-32 of each segment of what is stored, if these are few; null if `blob_sums` has them, or nobody. */
    sums: Generated<Uint8Array | null>
  }
  /** The parts in which a blob's bytes came. */
  blob_parts: {
    blob_id: string
    part_number: number
    size: number
    /** Hex. */
    md5: string
    /** Base64, by the algorithm of the blob's checksum; null without one. */
    checksum: string | null
  }
  /** The bytes of small blobs. */
  bodies: { blob_id: string; bytes: Uint8Array }
  /** Bytes that no row points at any more, to be removed from the storage. */
  blob_removals: { blob_id: string; queued_at: string }
  /** Uploads in parts: open while `completed_at` is null, kept for a while after that for those who ask again. */
  uploads: {
    id: string
    bucket_id: string
    key: string
    /** Null once it is completed: then the object holds the blob. */
    blob_id: string | null
    /** The storage's name for it. */
    handle: string
    content_type: string
    /** JSON: the response headers sent with it. */
    headers: string | null
    /** JSON: Record<string, string> */
    metadata: string
    /** JSON: Record<string, string> */
    tags: string | null
    storage_class: string | null
    /** JSON: the lock that was asked for the object. */
    lock: Generated<string | null>
    /** JSON: the ACL that was asked for the object. */
    acl: Generated<string | null>
    /** How its parts are encrypted, as the object's row will have it. */
    encryption: Generated<string | null>
    /** JSON: the envelope that its blob will have, without the parts. */
    envelope: Generated<string | null>
    /** `planned`: all parts but the last have `part_size` bytes. `free`: any size, and those not named at the end are dropped. */
    kind: Generated<'planned' | 'free'>
    file_size: number | null
    /** 0 if free. */
    part_size: number
    /** The checksum that was asked for the object; both null without one. */
    checksum_algorithm: ChecksumAlgorithm | null
    checksum_type: Checksum['type'] | null
    /** Bytes it takes of the quotas. */
    reserved: number
    created_at: string
    created_by: string | null
    /** The token that started it; its URLs stop working when that ends. */
    created_with: string | null
    /** The share link that it comes through, whose visitors have no rights of their own. */
    share_id: Generated<string | null>
    /** JSON: what its sender says of themselves. */
    sender: Generated<string | null>
    /** SHA-256, in hex, of what its sender chose to ask for it again. */
    attempt_hash: Generated<string | null>
    expires_at: string
    completed_at: string | null
    /** JSON: the object it became. */
    result: string | null
    /** Since when it reserves only what has arrived, because nothing arrived for too long. */
    lapsed_at: Generated<string | null>
  }
  /** What a request in flight has reserved in a bucket, and of the link it came through; ends unless renewed. */
  incoming: { id: string; bucket_id: string; share_id: string | null; bytes: number; expires_at: string }
  upload_parts: {
    upload_id: string
    part_number: number
    size: number
    /** Hex MD5. */
    etag: string
    /** Base64, by the upload's algorithm, or the default one if nobody asked; null if it is not known. */
    checksum: string | null
    /** JSON { algorithm, value }: one by another algorithm that came with it and was right, where nobody asked for one. */
    brought: Generated<string | null>
    /** The storage's name for it. */
    ref: string
    /** Distinguishes it from what was encrypted before as the same part, in hex; null if it is not encrypted. */
    salt: Generated<string | null>
    /** The CRC-32 of each segment of what is stored, after the bytes of its MD5; null if they are not known. */
    sums: Generated<Uint8Array | null>
    received_at: string
  }
}
