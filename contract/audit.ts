import Type from 'typebox'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Nullable, NumberedPage, Timestamp } from './shapes.ts'
import { Plain } from './texts.ts'

const Text = Nullable(Type.String())

/** With what somebody acts; `sts` are temporary credentials. */
const authMethods = [
  'local',
  'idp',
  'pat',
  'access_key',
  'agent',
  'sts',
  'presigned',
  'share_link',
  'setup',
  'system',
  'cli',
] as const
export type AuthMethod = (typeof authMethods)[number]

export const AuditRecord = Type.Object({
  id: Id,
  time: Timestamp,
  action: Type.String(),
  result: Type.Enum(['success', 'denied', 'failure']),
  status_code: Nullable(Type.Integer()),
  error_code: Text,
  actor: Type.Object({
    user_id: Text,
    email: Text,
    type: Type.Enum(['user', 'role', 'public', 'system', 'cli', 'engine']),
  }),
  auth_method: Text,
  token_id: Nullable(Type.String(), { description: 'The personal access token, access key or agent.' }),
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

const filter = {
  action: Type.Optional(
    Type.Array(ActionNameText, { maxItems: 20, description: 'Repeat to filter by several actions.' }),
  ),
  bucket: Type.Optional(BucketName),
  object_key_prefix: Type.Optional(Type.String({ maxLength: 1024, format: 'key-prefix' })),
  user_id: Type.Optional(Id),
  email: Type.Optional(Plain(320)),
  result: Type.Optional(Type.Enum(['success', 'denied', 'failure'])),
  auth_method: Type.Optional(Type.Enum(authMethods)),
  token_id: Type.Optional(Id),
  resource_id: Type.Optional(
    Plain(128, { minLength: 1, description: 'The policy, user, webhook and so on that it is about.' }),
  ),
  ip: Type.Optional(Plain(64)),
  request_id: Type.Optional(Plain(64)),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
}

const Hash = Type.String({ description: 'SHA-256 in hex.' })
const Seq = Type.Integer({ minimum: 0 })
const Link = Type.Object({ seq: Seq, chain_hash: Hash })

export const AuditFault = Type.Object({
  kind: Type.Enum(['edited', 'missing', 'swapped', 'forged', 'tail', 'gap', 'checkpoint', 'retention'], {
    description:
      'edited: the record differs from what was sealed. missing: the record of a link is gone. swapped: a genuine record is in another record’s place. forged: not written by this service. tail: the end of the chain is gone. gap: links are gone, or a record was kept out of the chain. checkpoint: a checkpoint or the head does not match the chain, or is not signed by this service. retention: records were removed before their recorded time, or the settings ask for that without a record.',
  }),
  seq: Nullable(Seq),
  audit_id: Nullable(Type.String()),
  message: Type.String(),
})
export type AuditFault = Type.Static<typeof AuditFault>

export const AuditVerification = Type.Object({
  ok: Type.Boolean({ description: 'True if no fault was found in the checked range.' }),
  complete: Type.Boolean({
    description: 'True if the check reached the end; otherwise continue with `from=<next_seq>`.',
  }),
  first_seq: Seq,
  last_seq: Seq,
  next_seq: Nullable(Seq),
  checked: Type.Integer({ description: 'Records whose hash and MAC were recomputed.' }),
  checkpoints: Type.Integer({ description: 'Checkpoints whose signature was checked, including those in the file.' }),
  pending: Type.Integer({ description: 'Records not sealed yet.' }),
  anchor: Nullable(Link, { description: 'The last link removed by retention.' }),
  head: Nullable(Link, { description: 'The last link when the check started.' }),
  fault_count: Type.Integer(),
  first_fault: Nullable(AuditFault),
  faults: Type.Array(AuditFault, { description: 'The first hundred.' }),
  keys: Type.Array(Type.Object({ id: Type.String(), public_key: Type.String() }), {
    description: 'Ed25519 public keys (base64url) for verifying the checkpoints elsewhere.',
  }),
})
export type AuditVerification = Type.Static<typeof AuditVerification>

export const operations = {
  listAudit: route({
    method: 'GET',
    url: '/audit',
    tag: 'audit',
    summary: 'Search the audit log, latest first',
    description:
      'Page numbers get more expensive the deeper they are; `cursor` continues from the previous page at constant cost.',
    access: 'admin',
    status: 200,
    query: Exactly({
      ...filter,
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
      page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
      cursor: Type.Optional(Cursor),
    }),
    reply: Type.Object({
      ...NumberedPage(AuditRecord).properties,
      total_is_estimate: Type.Boolean({ description: 'Counting stops at 10,000 matches.' }),
      next_cursor: Nullable(Type.String()),
    }),
  }),

  getAuditRecord: route({
    method: 'GET',
    url: '/audit/{id}',
    tag: 'audit',
    summary: 'Get an audit record',
    access: 'admin',
    status: 200,
    params: Type.Object({ id: Id }),
    reply: AuditRecord,
    errors: ['not_found'],
  }),

  exportAudit: route({
    method: 'GET',
    url: '/audit/export',
    tag: 'audit',
    summary: 'Export matching records, latest first',
    description:
      'Streamed, without a limit: `ndjson` has one JSON record per line, `csv` a header and the details as JSON in the last column; cells that a spreadsheet would read as a formula start with an apostrophe. The export itself is recorded as `audit_export`.',
    access: 'admin',
    status: 200,
    query: Exactly({ ...filter, format: Type.Optional(Type.Enum(['ndjson', 'csv'], { default: 'ndjson' })) }),
    produces: 'bytes',
    media: ['application/x-ndjson', 'text/csv'],
    errors: ['busy'],
    rate: 'costly',
  }),

  verifyAudit: route({
    method: 'GET',
    url: '/audit/verify',
    tag: 'audit',
    summary: 'Verify the integrity of the audit log',
    description:
      'Recomputes every hash for at most `seconds`, a few hundred records at a time so that other requests are not blocked. If the time was too short, `next_seq` says where to continue.',
    access: 'admin',
    status: 200,
    query: Exactly({
      from: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'The first link to check. Default: the oldest one.',
        }),
      ),
      seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, default: 20 })),
    }),
    reply: AuditVerification,
    rate: 'costly',
  }),
}
