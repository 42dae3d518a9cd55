import Type from 'typebox'
import { route } from './route.ts'
import { BucketName, Exactly, Nullable, ObjectKey, Timestamp, VersionId } from './shapes.ts'

export const lockModes = ['governance', 'compliance'] as const
export type LockMode = (typeof lockModes)[number]

const Mode = Type.Enum([...lockModes], {
  description:
    '`governance`: whoever has `bypass_lock` may remove the version all the same, or shorten the lock. `compliance`: nobody can, not even administrators.',
})
const Days = Type.Integer({ minimum: 1, maximum: 36_500 })
const Years = Type.Integer({ minimum: 1, maximum: 100 })

/** A bucket's Object Lock. */
export const ObjectLock = Type.Object(
  { mode: Nullable(Mode), days: Nullable(Days), years: Nullable(Years) },
  { description: 'How each new version is locked; all null: only as its upload, or a later request, asks.' },
)
export type ObjectLock = Type.Static<typeof ObjectLock>

export const ObjectLockChange = Exactly(
  {
    mode: Type.Optional(Nullable(Mode)),
    days: Type.Optional(Nullable(Days)),
    years: Type.Optional(Nullable(Years)),
  },
  {
    description:
      'Turns Object Lock on in a bucket that keeps versions. It cannot be turned off again. With `mode` and either `days` or `years`, each new version is locked that long. `{}` locks none by itself.',
  },
)

/** The lock of a version. */
export const Lock = Type.Object({
  mode: Nullable(Mode),
  until: Nullable(Timestamp, { description: 'When the lock ends, or ended.' }),
  legal_hold: Type.Boolean({ description: 'Locked until it is released, which needs `manage`.' }),
})
export type Lock = Type.Static<typeof Lock>

export const BypassLock = Type.Boolean({
  description: 'Needs `bypass_lock`: what is locked in mode `governance` does not count as locked. Legal holds do.',
})

export const operations = {
  lockObject: route({
    method: 'PUT',
    url: '/buckets/{bucket}/objects/lock',
    tag: 'versions',
    summary: 'Lock a version, extend its lock, or put it on legal hold',
    description:
      'Of the current version unless `version_id` names another. `mode` and `until` go together; both null end a lock. Needs `write`, and `manage` for `legal_hold`. A lock can always be extended. To shorten, change or end one of mode `governance`, pass `bypass_lock`; one of mode `compliance` cannot be (423). Locked versions can be replaced and marked as deleted, and then stay as versions. (An object with the key `lock` is uploaded with `PUT /buckets/{bucket}/object?key=lock`.)',
    access: 'signed_in',
    status: 200,
    params: Type.Object({ bucket: BucketName }),
    body: Exactly({
      key: ObjectKey,
      version_id: Type.Optional(VersionId),
      mode: Type.Optional(Nullable(Mode)),
      until: Type.Optional(Nullable(Type.String({ format: 'date-time' }))),
      legal_hold: Type.Optional(Type.Boolean()),
      bypass_lock: Type.Optional(BypassLock),
    }),
    reply: Type.Object({ bucket: BucketName, key: ObjectKey, version_id: Type.String(), lock: Lock }),
    errors: ['not_found', 'conflict', 'locked', 'invalid_request'],
    records: ['lock_update', 'legal_hold_update'],
  }),
}
