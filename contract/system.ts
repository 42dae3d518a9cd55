import Type from 'typebox'
import { route } from './route.ts'
import { Nullable, Timestamp } from './shapes.ts'

const Clock = Type.Object({ now: Timestamp, doubt: Nullable(Type.String()) })

export const Disk = Type.Object({
  of: Type.Enum(['database', 'storage'], {
    description: '`database`: that of a SQLite database. `storage`: that of the default storage’s files.',
  }),
  state: Type.Enum(['room', 'nearly_full', 'short'], {
    description:
      '`nearly_full`: less than a tenth is free. `short`: less than `kept_bytes` is, so uploads are refused with 507 until there is room.',
  }),
  free_bytes: Type.Integer(),
  size_bytes: Type.Integer(),
  kept_bytes: Type.Integer({ description: 'What is kept free for signing in and deleting (`DISK_RESERVE_BYTES`).' }),
})
export type Disk = Type.Static<typeof Disk>

export const Backup = Type.Object({
  state: Type.Enum(['off', 'copying', 'following', 'failing', 'fenced'], {
    description:
      '`off`: no backup place is configured. `copying`: the first copy is not whole yet. `failing`: the place cannot be written. `fenced`: another instance has taken over.',
  }),
  place: Nullable(Type.String({ description: 'Where: `file:<folder>` or `s3://…`.' })),
  moment: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Everything that was acknowledged until then can be recovered. Null while nothing can.',
    }),
  ),
  lag_seconds: Nullable(Type.Number({ description: 'How long ago that is.' })),
  error: Nullable(Type.String()),
  base: Nullable(
    Type.Object(
      { moment: Timestamp, bytes: Type.Integer() },
      { description: 'The newest whole copy of the database.' },
    ),
  ),
  waiting_bytes: Type.Integer({ description: 'Bytes of the database’s log that are not at the place yet.' }),
  standby: Nullable(
    Type.Object(
      {
        state: Type.Enum(['copying', 'following', 'waiting', 'failing', 'promoting', 'promoted'], {
          description:
            '`copying`: a whole copy is being fetched. `waiting`: what comes next is damaged or missing, and a new copy is awaited. `failing`: the place cannot be read.',
        }),
        from: Type.String({ description: 'The place that is followed.' }),
        moment: Nullable(
          Type.String({
            format: 'date-time',
            description: 'Everything that the main service acknowledged until then is here.',
          }),
        ),
        lag_seconds: Nullable(
          Type.Number({
            description:
              'For how long it has not heard from the main service, or not had everything, by its own clock. Null if it has not since it was started.',
          }),
        ),
        error: Nullable(Type.String()),
      },
      { description: 'Of a standby that serves reads: how far it has followed. Null otherwise.' },
    ),
  ),
})
export type Backup = Type.Static<typeof Backup>

const Check = Type.Object({ ok: Type.Boolean(), error: Type.Optional(Type.String()) })

export const operations = {
  getClock: route({
    method: 'GET',
    url: '/system/clock',
    tag: 'system',
    summary: 'Get the clock, and why it is in doubt',
    description:
      'Locks end by the clock. If it is more than ten minutes from the newest time on record, because it was changed or the service was off, what was locked counts as locked until an administrator confirms it, unless its lock had ended before.',
    access: 'admin',
    status: 200,
    reply: Clock,
  }),

  confirmClock: route({
    method: 'POST',
    url: '/system/clock/confirm',
    tag: 'system',
    summary: 'Confirm that the clock is right',
    access: 'admin',
    status: 200,
    reply: Clock,
    records: ['clock_confirm'],
  }),

  listDisks: route({
    method: 'GET',
    url: '/system/disks',
    tag: 'system',
    summary: 'List the disks of the service’s own files, and how full they are',
    description:
      'None with PostgreSQL and a default storage on an S3 engine. As of the process that answers, measured a few seconds ago at most.',
    access: 'admin',
    status: 200,
    reply: Type.Object({ items: Type.Array(Disk) }),
  }),

  getBackup: route({
    method: 'GET',
    url: '/system/backup',
    tag: 'system',
    summary: 'Get how the copy of the database at the backup place is getting on',
    description:
      'Of a SQLite database, with `BACKUP_URL`, or of a standby. As of a second ago at most while the service works.',
    access: 'admin',
    status: 200,
    reply: Backup,
  }),

  healthz: route({
    method: 'GET',
    url: '/healthz',
    root: true,
    tag: 'system',
    summary: 'Liveness: the process is running',
    access: 'public',
    status: 200,
    reply: Type.Object({ status: Type.Literal('ok') }),
    rate: 'none',
  }),

  readyz: route({
    method: 'GET',
    url: '/readyz',
    root: true,
    tag: 'system',
    summary: 'Readiness: the database and the storage respond',
    access: 'public',
    status: 200,
    otherStatus: [503],
    reply: Type.Object({
      status: Type.Enum(['ready', 'not_ready']),
      database: Check,
      storage: Check,
      standby: Type.Optional(
        Type.Object(
          { ok: Type.Boolean(), lag_seconds: Nullable(Type.Number()) },
          { description: 'Of a standby: whether it is at most `STANDBY_MAX_LAG_SECONDS` behind.' },
        ),
      ),
    }),
    rate: 'none',
  }),

  metrics: route({
    method: 'GET',
    url: '/metrics',
    root: true,
    tag: 'system',
    summary: 'Prometheus metrics',
    description:
      'In the Prometheus text format. Available with `METRICS_TOKEN`, to administrators, and from this machine as long as the service is not configured as public.',
    access: 'monitor',
    status: 200,
    produces: 'bytes',
    media: ['text/plain'],
    errors: ['not_found'],
  }),
}
