import Type from 'typebox'
import { route } from './route.ts'
import { Nullable, Timestamp } from './shapes.ts'

const Clock = Type.Object({ now: Timestamp, doubt: Nullable(Type.String()) })
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
    reply: Type.Object({ status: Type.Enum(['ready', 'not_ready']), database: Check, storage: Check }),
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
