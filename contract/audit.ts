import Type from 'typebox'
import { route } from './route.ts'
import { BucketName, Exactly, Id, Nullable, NumberedPage, Timestamp } from './shapes.ts'

const Text = Nullable(Type.String())

export const AuditRecord = Type.Object({
  id: Id,
  time: Timestamp,
  action: Type.String(),
  result: Type.Enum(['success', 'denied', 'failure']),
  status_code: Nullable(Type.Integer()),
  error_code: Text,
  actor: Type.Object({ user_id: Text, email: Text, type: Type.Enum(['user', 'public', 'system', 'cli']) }),
  auth_method: Text,
  token_id: Text,
  session_id: Text,
  actor_ip: Text,
  user_agent: Text,
  request_id: Text,
  method: Text,
  route: Text,
  bucket: Text,
  object_key: Text,
  resource_type: Text,
  resource_id: Text,
  details: Type.Record(Type.String(), Type.Unknown()),
})
export type AuditRecord = Type.Static<typeof AuditRecord>

const ActionNameText = Type.String({ pattern: '^[a-z_]{1,64}$' })

export const listAudit = route({
  method: 'GET',
  url: '/audit',
  tag: 'audit',
  summary: 'Search the audit log, latest first',
  access: 'admin',
  status: 200,
  query: Exactly({
    action: Type.Optional(
      Type.Array(ActionNameText, { maxItems: 20, description: 'Repeat it to ask for several actions.' }),
    ),
    bucket: Type.Optional(BucketName),
    object_key_prefix: Type.Optional(Type.String({ maxLength: 1024, format: 'key-prefix' })),
    user_id: Type.Optional(Id),
    email: Type.Optional(Type.String({ maxLength: 320 })),
    result: Type.Optional(Type.Enum(['success', 'denied', 'failure'])),
    auth_method: Type.Optional(Type.Enum(['local', 'idp', 'pat', 'share_link', 'system', 'cli'])),
    token_id: Type.Optional(Id),
    ip: Type.Optional(Type.String({ maxLength: 64 })),
    request_id: Type.Optional(Type.String({ maxLength: 64 })),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
    page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  }),
  reply: Type.Object({
    ...NumberedPage(AuditRecord).properties,
    total_is_estimate: Type.Boolean({ description: 'Counting stops at 10,000 matches.' }),
  }),
})
