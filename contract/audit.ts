import Type from 'typebox'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Nullable, NumberedPage, Timestamp } from './shapes.ts'

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

const filter = {
  action: Type.Optional(
    Type.Array(ActionNameText, { maxItems: 20, description: 'Repeat it to ask for several actions.' }),
  ),
  bucket: Type.Optional(BucketName),
  object_key_prefix: Type.Optional(Type.String({ maxLength: 1024, format: 'key-prefix' })),
  user_id: Type.Optional(Id),
  email: Type.Optional(Type.String({ maxLength: 320 })),
  result: Type.Optional(Type.Enum(['success', 'denied', 'failure'])),
  auth_method: Type.Optional(Type.Enum(['local', 'idp', 'pat', 'presigned', 'share_link', 'setup', 'system', 'cli'])),
  token_id: Type.Optional(Id),
  ip: Type.Optional(Type.String({ maxLength: 64 })),
  request_id: Type.Optional(Type.String({ maxLength: 64 })),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
}

const Hash = Type.String({ description: 'SHA-256 in hex.' })
const Seq = Type.Integer({ minimum: 0 })
const Link = Type.Object({ seq: Seq, chain_hash: Hash })

export const AuditFault = Type.Object({
  kind: Type.Enum(['edited', 'missing', 'swapped', 'forged', 'tail', 'gap', 'checkpoint', 'retention'], {
    description:
      'edited: not what was sealed. missing: the record of a link is gone. swapped: a genuine record stands at another’s place. forged: not written by this service. tail: the end of the chain is gone. gap: links are gone, or a record was kept out of the chain. checkpoint: a checkpoint or the head does not fit the chain, or is not signed by this service. retention: records were removed before their recorded time, or the settings ask for that without a record.',
  }),
  seq: Nullable(Seq),
  audit_id: Nullable(Type.String()),
  message: Type.String(),
})
export type AuditFault = Type.Static<typeof AuditFault>

export const AuditVerification = Type.Object({
  ok: Type.Boolean({ description: 'Nothing was found in what was looked at.' }),
  complete: Type.Boolean({ description: 'It was looked at to the end; else go on with `from=<next_seq>`.' }),
  first_seq: Seq,
  last_seq: Seq,
  next_seq: Nullable(Seq),
  checked: Type.Integer({ description: 'Records whose hash and MAC were computed anew.' }),
  checkpoints: Type.Integer({ description: 'Checkpoints whose signature was checked, those of the file included.' }),
  pending: Type.Integer({ description: 'Records that wait to be sealed.' }),
  anchor: Nullable(Link, { description: 'The last link that retention has removed.' }),
  head: Nullable(Link, { description: 'The last link, when it began.' }),
  fault_count: Type.Integer(),
  first_fault: Nullable(AuditFault),
  faults: Type.Array(AuditFault, { description: 'The first hundred.' }),
  keys: Type.Array(Type.Object({ id: Type.String(), public_key: Type.String() }), {
    description: 'Ed25519 keys (base64url) of the checkpoints, for who checks them elsewhere.',
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
      'Pages by number cost more the deeper they are; `cursor` reads on from the page before at the cost of one.',
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
    summary: 'One record',
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
    summary: 'The matching records as a file, latest first',
    description:
      'Streamed however many there are: `ndjson` has one JSON record a line, `csv` a header and the details as JSON in the last column; cells that a spreadsheet would take for a formula begin with an apostrophe. An export is recorded as `audit_export`.',
    access: 'admin',
    status: 200,
    query: Exactly({ ...filter, format: Type.Optional(Type.Enum(['ndjson', 'csv'], { default: 'ndjson' })) }),
    produces: 'bytes',
    errors: ['busy'],
    rate: 'costly',
  }),

  verifyAudit: route({
    method: 'GET',
    url: '/audit/verify',
    tag: 'audit',
    summary: 'Whether anyone changed the audit log',
    description:
      'Computes every hash anew, a few hundred records at a time so that other requests go on, for at most `seconds`. Where that was not enough, `next_seq` says where to go on.',
    access: 'admin',
    status: 200,
    query: Exactly({
      from: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'The first link to look at. Default: the first there is.',
        }),
      ),
      seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, default: 20 })),
    }),
    reply: AuditVerification,
    rate: 'costly',
  }),
}
