import Type from 'typebox'
import { route } from './route.ts'

const Check = Type.Object({ ok: Type.Boolean(), error: Type.Optional(Type.String()) })

export const operations = {
  healthz: route({
    method: 'GET',
    url: '/healthz',
    root: true,
    tag: 'system',
    summary: 'The process is alive',
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
    summary: 'The database and the storage answer',
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
    summary: 'What a Prometheus collects',
    description:
      'In the text format of Prometheus. For `METRICS_TOKEN`, for administrators, and for the machine itself while nothing says that the service is published.',
    access: 'monitor',
    status: 200,
    produces: 'bytes',
    errors: ['not_found'],
  }),
}
