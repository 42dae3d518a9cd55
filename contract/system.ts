import Type from 'typebox'
import { route } from './route.ts'

const Check = Type.Object({ ok: Type.Boolean(), error: Type.Optional(Type.String()) })

export const healthz = route({
  method: 'GET',
  url: '/healthz',
  root: true,
  tag: 'system',
  summary: 'The process is alive',
  access: 'public',
  status: 200,
  reply: Type.Object({ status: Type.Literal('ok') }),
})

export const readyz = route({
  method: 'GET',
  url: '/readyz',
  root: true,
  tag: 'system',
  summary: 'The database and the storage answer',
  access: 'public',
  status: 200,
  otherStatus: [503],
  reply: Type.Object({ status: Type.Enum(['ready', 'not_ready']), database: Check, storage: Check }),
})
