import Type from 'typebox'
import { route } from './route.ts'

const Check = Type.Object({ ok: Type.Boolean(), error: Type.Optional(Type.String()) })

export const operations = {
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
    errors: ['not_found'],
  }),
}
