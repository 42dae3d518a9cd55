import Type from 'typebox'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, Page, Prefix, Timestamp } from './shapes.ts'

/** What is said of an object or version, as a column of that name; those that S3's inventory has are called as there. */
export const inventoryColumns = [
  'bucket',
  'key',
  'version_id',
  'is_latest',
  'is_delete_marker',
  'size',
  'last_modified_date',
  'e_tag',
  'storage_class',
  'is_multipart_uploaded',
  'replication_status',
  'encryption_status',
  'object_lock_retain_until_date',
  'object_lock_mode',
  'object_lock_legal_hold_status',
  'checksum_algorithm',
  'object_owner',
  'sha256',
  'checksums',
  'content_type',
  'created_at',
  'created_by',
  'created_by_email',
  'changed_at',
  'changed_by',
  'changed_by_email',
  'changed_with',
  'changed_how',
  'encryption_key',
  'storage',
  'tags',
  'metadata',
] as const
export type InventoryColumn = (typeof inventoryColumns)[number]
export const inventoryFormats = ['parquet', 'csv'] as const
export const inventorySchedules = ['daily', 'weekly'] as const
const inventoryVersions = ['current', 'all'] as const
const statuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

const INVENTORY_NAME = '^[A-Za-z0-9._-]{1,64}$'
const Name = Type.String({
  pattern: INVENTORY_NAME,
  description:
    '1–64 letters, digits and `. _ -`. No two of a bucket have the same name. It is part of the keys of the files.',
  examples: ['daily'],
})
const Destination = Exactly(
  { bucket: BucketName, prefix: Type.Optional(Prefix) },
  { description: 'Where the files are written. `<prefix>/<bucket>/<name>/<time>/manifest.json` is written last.' },
)
const fields = {
  prefix: Type.Optional({ ...Prefix, description: 'Only keys that start with this.' }),
  versions: Type.Optional(
    Type.Enum([...inventoryVersions], {
      default: 'current',
      description: '`all`: with the versions that are not current, and delete markers.',
    }),
  ),
  format: Type.Optional(
    Type.Enum([...inventoryFormats], {
      default: 'parquet',
      description: '`csv`: compressed with gzip, as S3 writes it.',
    }),
  ),
  columns: Type.Optional(
    Nullable(Type.Array(Type.Enum([...inventoryColumns]), { minItems: 1, maxItems: 64, uniqueItems: true }), {
      description: 'In this order; null: all. `bucket` and `key` are always the first.',
    }),
  ),
  changes: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Whether what was added, changed and deleted since the inventory before is written as well, as a table of its own.',
    }),
  ),
  rows_per_file: Type.Optional(
    Type.Integer({ minimum: 1000, maximum: 10_000_000, default: 1_000_000, description: 'At most.' }),
  ),
  schedule: Type.Optional(
    Nullable(Type.Enum([...inventorySchedules]), {
      description: '`weekly` is on Sundays. Null: only when it is asked for.',
    }),
  ),
  hour: Type.Optional(Type.Integer({ minimum: 0, maximum: 23, default: 1, description: 'Of the schedule, UTC.' })),
  enabled: Type.Optional(Type.Boolean({ default: true, description: 'Whether the schedule counts.' })),
}

export const InventoryRun = Type.Object({
  id: Id,
  inventory_id: Id,
  trigger: Type.Enum(['manual', 'schedule']),
  status: Type.Enum([...statuses]),
  reason: Nullable(Type.String({ description: 'Why it failed, in a sentence.' })),
  moment: Nullable(Type.String(), {
    description: 'What the buckets were at this moment is listed, whatever has changed while it was written.',
  }),
  rows: Type.Integer({ description: 'Written so far.' }),
  bytes: Type.Integer({ description: 'Of all files.' }),
  manifest: Nullable(Type.String(), { description: 'The key of its manifest, in the destination, once it is whole.' }),
  files: Type.Array(
    Type.Object({
      key: Type.String(),
      size: Type.Integer(),
      rows: Type.Integer(),
      of: Type.Enum(['objects', 'changes']),
    }),
  ),
  changes_since: Nullable(Type.String(), {
    description: 'The moment of the inventory that changes are compared with.',
  }),
  no_changes: Nullable(Type.String(), { description: 'Why no changes are listed, in a sentence.' }),
  author_email: Nullable(Type.String({ description: 'Whose permissions it runs with.' })),
  created_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
})
export type InventoryRun = Type.Static<typeof InventoryRun>

export const Inventory = Type.Object({
  id: Id,
  name: Type.String(),
  bucket: Nullable(Type.String({ description: 'Null: all buckets.' })),
  prefix: Type.String(),
  versions: Type.Enum([...inventoryVersions]),
  format: Type.Enum([...inventoryFormats]),
  columns: Nullable(Type.Array(Type.Enum([...inventoryColumns]))),
  changes: Type.Boolean(),
  rows_per_file: Type.Integer(),
  destination: Type.Object({ bucket: Type.String(), prefix: Type.String() }),
  schedule: Nullable(Type.Enum([...inventorySchedules])),
  hour: Type.Integer(),
  enabled: Type.Boolean(),
  next_run_at: Nullable(Timestamp),
  last_run: Nullable(InventoryRun, { description: 'The last that was started.' }),
  author_id: Type.String({ description: 'The user who last changed it: it runs with their permissions.' }),
  author_email: Nullable(Type.String()),
  created_at: Timestamp,
  created_by: Type.String(),
  updated_at: Timestamp,
})
export type Inventory = Type.Static<typeof Inventory>

const common = { tag: 'inventories', access: 'signed_in' } as const
const byId = Type.Object({ id: Id })
const byRun = Type.Object({ id: Id, run_id: Id })
const RIGHTS =
  'Needs `list` and `read` on every key that it lists, and `write` where it is written to; without a bucket, it is for administrators.'

export const operations = {
  createInventory: route({
    ...common,
    method: 'POST',
    url: '/inventories',
    ofAccount: true,
    summary: 'Have what is in a bucket written as a table, on a schedule or when asked',
    description: `${RIGHTS} Every run asks again whether its author has these permissions.`,
    status: 201,
    body: Exactly({
      name: Name,
      bucket: Nullable(BucketName, { description: 'Null: all buckets.' }),
      destination: Destination,
      ...fields,
    }),
    reply: Inventory,
    errors: ['not_found', 'already_exists', 'invalid_request', 'limit_reached'],
    records: ['inventory_create'],
  }),

  listInventories: route({
    ...common,
    method: 'GET',
    url: '/inventories',
    summary: 'List the inventories that you may change, the latest first',
    status: 200,
    query: Exactly({ bucket: Type.Optional(BucketName), limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Inventory),
    errors: ['invalid_request'],
  }),

  getInventory: route({
    ...common,
    method: 'GET',
    url: '/inventories/{id}',
    summary: 'Get an inventory, with its last run',
    status: 200,
    params: byId,
    reply: Inventory,
    errors: ['not_found'],
  }),

  updateInventory: route({
    ...common,
    method: 'PATCH',
    url: '/inventories/{id}',
    ofAccount: true,
    summary: 'Change an inventory; you become its author',
    description: RIGHTS,
    status: 200,
    params: byId,
    body: Exactly({ destination: Type.Optional(Destination), ...fields }),
    reply: Inventory,
    errors: ['not_found', 'invalid_request'],
    records: ['inventory_update'],
  }),

  deleteInventory: route({
    ...common,
    method: 'DELETE',
    url: '/inventories/{id}',
    ofAccount: true,
    summary: 'Delete an inventory; what it has written stays',
    status: 204,
    params: byId,
    errors: ['not_found'],
    records: ['inventory_delete', 'inventory_run'],
  }),

  runInventory: route({
    ...common,
    method: 'POST',
    url: '/inventories/{id}/run',
    ofAccount: true,
    summary: 'Have an inventory written now',
    description: 'Returns at once; the run says how far it is.',
    status: 202,
    params: byId,
    reply: InventoryRun,
    errors: ['not_found', 'conflict'],
    records: ['inventory_run', 'upload'],
  }),

  listInventoryRuns: route({
    ...common,
    method: 'GET',
    url: '/inventories/{id}/runs',
    summary: 'List the runs of an inventory, the latest first',
    status: 200,
    params: byId,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(InventoryRun),
    errors: ['not_found', 'invalid_request'],
  }),

  getInventoryRun: route({
    ...common,
    method: 'GET',
    url: '/inventories/{id}/runs/{run_id}',
    summary: 'Get a run of an inventory: how far it is, and its files',
    status: 200,
    params: byRun,
    reply: InventoryRun,
    errors: ['not_found'],
  }),

  cancelInventoryRun: route({
    ...common,
    method: 'POST',
    url: '/inventories/{id}/runs/{run_id}/cancel',
    summary: 'Cancel a run; files that are written stay, without a manifest',
    status: 200,
    params: byRun,
    reply: InventoryRun,
    errors: ['not_found'],
    records: ['inventory_run'],
  }),
}
