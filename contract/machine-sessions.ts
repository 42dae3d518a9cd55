import Type from 'typebox'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Nullable, Page, Timestamp } from './shapes.ts'
import { Opaque } from './texts.ts'

/** A session of temporary credentials. */
export const MachineSession = Type.Object({
  id: Id,
  role: Nullable(Type.String(), { description: 'Null for a session with the permissions of its user.' }),
  session_name: Type.String(),
  user_id: Nullable(Id, { description: 'Who opened it, if they have an account.' }),
  email: Nullable(Type.String()),
  provider: Nullable(Type.String(), {
    description: 'The identity provider whose token opened it, without `https://`.',
  }),
  subject: Nullable(Type.String(), { description: 'Who the identity provider says it is.' }),
  source_identity: Nullable(Type.String()),
  access_key_id: Type.String(),
  ip: Nullable(Type.String()),
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type MachineSession = Type.Static<typeof MachineSession>

export const operations = {
  listMachineSessions: route({
    method: 'GET',
    url: '/sessions/machines',
    tag: 'machine-sessions',
    summary: 'List the sessions of temporary credentials, latest first',
    description: 'Those that have neither expired nor been ended.',
    access: 'admin',
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(MachineSession),
  }),

  endMachineSessions: route({
    method: 'DELETE',
    url: '/sessions/machines',
    tag: 'machine-sessions',
    summary: 'End sessions of temporary credentials',
    description:
      'Those that match everything that is given, with `before` only those that were opened until then; all of them without any, and those that were opened with their credentials. Takes effect on the next request.',
    access: 'admin',
    status: 200,
    query: Exactly({
      id: Type.Optional(Id),
      role: Type.Optional(Type.String({ pattern: '^[\\w+=,.@-]{1,64}$', description: 'The name of a role.' })),
      user_id: Type.Optional(Id),
      provider: Type.Optional(Opaque(255, { description: 'An identity provider, without `https://`.' })),
      before: Type.Optional(Timestamp),
    }),
    reply: Type.Object({ sessions: Type.Integer({ description: 'How many were ended.' }) }),
    errors: ['not_found'],
    records: ['session_revoke'],
  }),
}
