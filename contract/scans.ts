import Type from 'typebox'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, Page, Timestamp } from './shapes.ts'

export const scanStatuses = ['queued', 'running', 'succeeded', 'held', 'superseded'] as const
export const heldReasons = ['many_missing', 'empty', 'listing_failed', 'disordered', 'changed', 'unreadable'] as const
export type HeldReason = (typeof heldReasons)[number]

/**
 * One pass over what an attached bucket shows. Of one that was taken over, `added`, `changed` and `missing` are findings: what
 * others put there, wrote over, and deleted.
 */
export const Scan = Type.Object({
  id: Id,
  bucket: BucketName,
  status: Type.Enum([...scanStatuses], {
    description:
      '`held`: it ended without marking anything as missing; `held_reason` says why. `superseded`: it was held, and a later scan has ended since.',
  }),
  phase: Type.Enum(['reading', 'listing', 'marking'], {
    description:
      '`reading`: before a bucket is taken over, each object is asked for. `listing`: the engine’s list is compared. `marking`: what it lacked is marked as missing, or removed.',
  }),
  trigger: Type.Enum(['attach', 'request', 'schedule', 'take_over'], {
    description: '`take_over`: if it finds nothing changed, the bucket is taken over at its end.',
  }),
  position: Nullable(Type.String(), { description: 'The last key that was compared, or asked for.' }),
  seen: Type.Integer({ description: 'Objects that the engine listed.' }),
  added: Type.Integer(),
  changed: Type.Integer(),
  absent: Type.Integer({
    description: 'Objects that the list lacked, of those that were not marked as missing before.',
  }),
  missing: Type.Integer({ description: 'Objects that were marked as missing.' }),
  removed: Type.Integer({
    description: 'Objects that were removed: missing in two scans, for a day, and by a last look.',
  }),
  refused: Type.Integer({ description: 'Objects that cannot be shown.' }),
  refused_keys: Type.Array(Type.Object({ key: Type.String(), reason: Type.String() }), {
    description: 'The first 100 of them.',
  }),
  held_reason: Nullable(Type.Enum([...heldReasons]), {
    description:
      '`many_missing`: it would mark more than 100 objects and more than 5 %. `empty`: the list was empty. `listing_failed`: the engine did not list to the end. `disordered`: the list was neither in byte order nor folder by folder. `changed`: others changed something, so the bucket was not taken over. `unreadable`: nor was it, because the engine does not give an object away. The first two can be confirmed.',
  }),
  detail: Nullable(Type.String({ description: 'What is wrong, in one sentence.' })),
  created_at: Timestamp,
  created_by: Nullable(Type.String()),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  confirmed_by: Nullable(Type.String()),
})
export type Scan = Type.Static<typeof Scan>

export const Absence = Type.Object({
  key: Type.String(),
  size: Type.Integer(),
  last_modified: Timestamp,
  missing_since: Nullable(Timestamp),
})
export type Absence = Type.Static<typeof Absence>

const common = { tag: 'scans', access: 'signed_in' } as const
const ofBucket = Type.Object({ bucket: BucketName })
const byId = Type.Object({ scan: Id })

export const operations = {
  startScan: route({
    ...common,
    method: 'POST',
    url: '/buckets/{bucket}/scans',
    summary: 'Start a scan of an attached bucket',
    description:
      'It compares the objects with what the engine lists. If one is queued or running already, that is returned. Needs `manage`.',
    status: 202,
    params: ofBucket,
    reply: Scan,
    errors: ['not_found', 'conflict'],
    records: [],
  }),

  listScans: route({
    ...common,
    method: 'GET',
    url: '/buckets/{bucket}/scans',
    summary: 'List the scans of an attached bucket, latest first',
    description: 'Needs `manage`. They are kept for 90 days.',
    status: 200,
    params: ofBucket,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Scan),
    errors: ['not_found', 'conflict'],
  }),

  getScan: route({
    ...common,
    method: 'GET',
    url: '/scans/{scan}',
    summary: 'Get a scan',
    description: 'Needs `manage` on its bucket.',
    status: 200,
    params: byId,
    reply: Scan,
    errors: ['not_found'],
  }),

  listAbsences: route({
    ...common,
    method: 'GET',
    url: '/scans/{scan}/absences',
    summary: 'List the objects that a held scan would mark as missing, in key order',
    description: 'Those that have come back since are left out. Needs `manage` on its bucket.',
    status: 200,
    params: byId,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Absence),
    errors: ['not_found'],
  }),

  confirmScan: route({
    ...common,
    method: 'POST',
    url: '/scans/{scan}/confirm',
    summary: 'Confirm a held scan',
    description:
      'Its absent objects are marked as missing after all, each after a last look at the engine. Only the latest scan of a bucket can be confirmed, and none while another runs (409).',
    access: 'admin',
    status: 202,
    params: byId,
    reply: Scan,
    errors: ['not_found', 'conflict'],
    records: ['scan_confirm'],
  }),
}
