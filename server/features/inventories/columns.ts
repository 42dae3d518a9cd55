// The columns of inventories, and of the changes between two of them.
import type { InventoryColumn } from '../../../contract/inventories.ts'
import { inventoryColumns } from '../../../contract/inventories.ts'
import type { Checksum } from '../../../contract/shapes.ts'
import type { DifferenceRow } from '../../storage/history/former/changes-store.ts'
import { versionName } from '../../storage/history/retire.ts'
import type { Author, People } from './people.ts'
import type { ListedRow } from './rows.ts'
import type { Cell, ColumnKind, TableColumn, TablePage } from './tables/table.ts'

/** The bucket that rows are of. */
export interface BucketOfRows {
  name: string
  storage: string
  versioning: 'enabled' | 'suspended' | null
}
/** A row with what is known besides. */
interface Row {
  row: ListedRow
  /** Whether no later version of the key was there. */
  isLatest: boolean
  bucket: BucketOfRows
  people: People
  author: Author | undefined
}
interface Column<R> {
  kind: ColumnKind
  distinct?: true
  of(row: R): Cell
}

const text = <R>(of: (row: R) => string | null): Column<R> => ({ kind: 'text', of })
const distinct = <R>(of: (row: R) => string | null): Column<R> => ({ kind: 'text', distinct: true, of })
const isMarker = ({ blob_id }: ListedRow): boolean => blob_id === null
/** Of what has contents: a delete marker has none. */
const ofContents =
  (of: (row: ListedRow) => string | null) =>
  ({ row }: Row) =>
    isMarker(row) ? null : of(row)

const encryptionStatus = (encryption: string | null): string =>
  encryption === null
    ? 'NOT-SSE'
    : encryption === 'AES256'
      ? 'SSE-S3'
      : encryption === 'SSE-C'
        ? 'SSE-C'
        : encryption.startsWith('aws:kms:dsse')
          ? 'DSSE-KMS'
          : 'SSE-KMS'

const algorithms = ({ checksums }: ListedRow): string | null =>
  checksums === null
    ? null
    : (JSON.parse(checksums) as Checksum[]).map(({ algorithm }) => algorithm.toUpperCase()).join('|')

function endOfLock({ row }: Row): string | null {
  return row.locked_until
}

/** JSON that says nothing is no value. */
const unlessEmpty = (json: string | null): string | null => (json === '{}' ? null : json)

const columns: { readonly [name in InventoryColumn]: Column<Row> } = {
  bucket: text(({ bucket }) => bucket.name),
  key: distinct(({ row }) => row.key),
  version_id: distinct(({ row, bucket }) => versionName(bucket.versioning, row.version_id) ?? null),
  is_latest: { kind: 'flag', of: ({ isLatest }) => isLatest },
  is_delete_marker: { kind: 'flag', of: ({ row }) => isMarker(row) },
  size: { kind: 'integer', of: ({ row }) => (isMarker(row) ? null : Number(row.size)) },
  last_modified_date: { kind: 'time', of: ({ row }) => row.last_modified },
  e_tag: distinct(ofContents(({ etag }) => etag)),
  storage_class: text(ofContents(({ storage_class }) => storage_class ?? 'STANDARD')),
  is_multipart_uploaded: { kind: 'flag', of: ({ row }) => (isMarker(row) ? null : row.etag.includes('-')) },
  replication_status: text(() => null),
  encryption_status: text(ofContents(({ encryption }) => encryptionStatus(encryption))),
  object_lock_retain_until_date: { kind: 'time', of: endOfLock },
  object_lock_mode: text(({ row }) => row.lock_mode?.toUpperCase() ?? null),
  object_lock_legal_hold_status: text(ofContents(({ legal_hold }) => (legal_hold === null ? 'Off' : 'On'))),
  checksum_algorithm: text(({ row }) => algorithms(row)),
  object_owner: text(({ row, people }) => people.owner(row.created_by)),
  sha256: distinct(({ row }) => row.sha256),
  checksums: distinct(({ row }) => row.checksums),
  content_type: text(ofContents(({ content_type }) => content_type)),
  created_at: { kind: 'time', of: ({ row }) => row.created_at },
  created_by: text(({ row }) => row.created_by),
  created_by_email: text(({ row, people }) => people.email(row.created_by)),
  changed_at: { kind: 'moment', of: ({ row }) => row.moment },
  changed_by: text(({ author }) => author?.user_id ?? null),
  changed_by_email: text(({ author, people }) => people.email(author?.user_id ?? null)),
  changed_with: text(({ author }) => author?.credential_id ?? author?.share_id ?? author?.job_id ?? null),
  changed_how: text(({ author }) => author?.kind ?? null),
  encryption_key: text(({ row }) => row.encryption?.split(' ')[1] ?? null),
  storage: text(ofContentsOf(({ bucket }) => bucket.storage)),
  tags: text(({ row }) => unlessEmpty(row.tags)),
  metadata: text(({ row }) => unlessEmpty(row.metadata)),
}
function ofContentsOf(of: (row: Row) => string): (row: Row) => string | null {
  return (row) => (isMarker(row.row) ? null : of(row))
}

/** The chosen columns, in their order; null are all. A key says nothing without its bucket. */
export const chosenColumns = (chosen: readonly InventoryColumn[] | null): readonly InventoryColumn[] =>
  chosen === null ? inventoryColumns : [...new Set<InventoryColumn>(['bucket', 'key', ...chosen])]

export const objectTable = (chosen: readonly InventoryColumn[]): TableColumn[] =>
  chosen.map((name) => ({
    name,
    kind: columns[name].kind,
    ...(columns[name].distinct && { distinct: true as const }),
  }))

/** Rows of a bucket, in the order of keys, as a page of its table; `before` is the key of the row before them. */
export function pageOfRows(
  rows: readonly ListedRow[],
  chosen: readonly InventoryColumn[],
  { bucket, people, before }: { bucket: BucketOfRows; people: People; before: string | null },
): TablePage {
  const all = rows.map(
    (row, i): Row => ({
      row,
      bucket,
      people,
      isLatest: row.key !== (i === 0 ? before : rows[i - 1]?.key),
      author: people.author(row.author),
    }),
  )
  return pageOf(
    all,
    chosen.map((name) => columns[name]),
  )
}

/** A key that differs between two moments, and its bucket. */
export interface ChangedRow {
  bucket: string
  row: DifferenceRow
  people: People
}
const changeColumns: { readonly [name: string]: Column<ChangedRow> } = {
  bucket: text(({ bucket }) => bucket),
  key: distinct(({ row }) => row.key),
  change: text(({ row }) => (row.before_size === null ? 'added' : row.after_size === null ? 'deleted' : 'changed')),
  size_before: { kind: 'integer', of: ({ row }) => numberOrNull(row.before_size) },
  size_after: { kind: 'integer', of: ({ row }) => numberOrNull(row.after_size) },
  e_tag_before: distinct(({ row }) => row.before_etag),
  e_tag_after: distinct(({ row }) => row.after_etag),
  content_type_before: text(({ row }) => row.before_type),
  content_type_after: text(({ row }) => row.after_type),
  changed_at: { kind: 'moment', of: ({ row }) => Number(row.moment) },
  changed_by: text(({ row, people }) => people.author(row.author)?.user_id ?? null),
  changed_by_email: text(({ row, people }) => people.email(people.author(row.author)?.user_id ?? null)),
  changed_with: text(({ row, people }) => {
    const author = people.author(row.author)
    return author?.credential_id ?? author?.share_id ?? author?.job_id ?? null
  }),
  changed_how: text(({ row, people }) => people.author(row.author)?.kind ?? null),
}
const numberOrNull = (count: number | null): number | null => (count === null ? null : Number(count))

export const changeTable: readonly TableColumn[] = Object.entries(changeColumns).map(([name, { kind, distinct }]) => ({
  name,
  kind,
  ...(distinct && { distinct }),
}))
export const pageOfChanges = (rows: readonly ChangedRow[]): TablePage => pageOf(rows, Object.values(changeColumns))

function pageOf<R>(rows: readonly R[], wanted: readonly Column<R>[]): TablePage {
  return {
    rows: rows.length,
    columns: wanted.map(({ of }) => {
      const cells = rows.map(of)
      const [first = null] = cells
      // Most columns have one value in many rows: that is all that has to be sent to a thread.
      return cells.every((cell) => cell === first) ? first : cells
    }),
  }
}
