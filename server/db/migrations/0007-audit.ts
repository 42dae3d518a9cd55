import { hash } from 'node:crypto'
import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

const BATCH = 1000

/** Recent and sealed audit records, the chain over them, its checkpoints and keys; indexes for every filter. */
export const audit = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema.alterTable('audit').addColumn('mac', t.bytewise).execute()
    await db.schema.alterTable('audit').renameTo('audit_sealed').execute()
    await db.schema
      .createTable('audit_chain')
      .addColumn('seq', t.bigint, (c) => c.primaryKey())
      .addColumn('audit_id', t.id, (c) => c.notNull().unique())
      .addColumn('row_hash', t.bytewise, (c) => c.notNull())
      .addColumn('chain_hash', t.bytewise, (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('audit_head')
      .addColumn('id', t.integer, (c) => c.primaryKey())
      .addColumn('seq', t.bigint, (c) => c.notNull())
      .addColumn('chain_hash', t.bytewise, (c) => c.notNull())
      .addColumn('anchor_seq', t.bigint, (c) => c.notNull())
      .addColumn('anchor_hash', t.bytewise, (c) => c.notNull())
      .addColumn('checkpoints', t.bigint, (c) => c.notNull())
      .addColumn('distrusted_seq', t.bigint)
      .addColumn('mac', t.bytewise)
      .execute()
    await db.schema
      .createTable('audit_checkpoints')
      .addColumn('n', t.bigint, (c) => c.primaryKey())
      .addColumn('seq', t.bigint, (c) => c.notNull())
      .addColumn('chain_hash', t.bytewise, (c) => c.notNull())
      .addColumn('time', t.timestamp, (c) => c.notNull())
      .addColumn('prev_checkpoint', t.bytewise)
      .addColumn('key_id', t.bytewise, (c) => c.notNull())
      .addColumn('signature', t.bytewise, (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('audit_keys')
      .addColumn('id', t.id, (c) => c.primaryKey())
      .addColumn('sealed', t.text, (c) => c.notNull())
      .addColumn('created_at', t.timestamp, (c) => c.notNull())
      .execute()
    for (const lead of ['actor_email', 'actor_ip', 'auth_method', 'object_key'])
      await db.schema
        .createIndex(`audit_${lead}`)
        .on('audit_sealed')
        .columns([lead, 'time', 'id'] as never[])
        .execute()
    await db.schema
      .createIndex('audit_request')
      .on('audit_sealed')
      .columns(['request_id', 'time', 'id'] as never[])
      .execute()
    await db.schema
      .createIndex('audit_token')
      .on('audit_sealed')
      .columns(['token_id', 'time', 'id'] as never[])
      .where(sql.ref('token_id'), 'is not', null)
      .execute()
    await db.schema
      .createIndex('audit_result')
      .on('audit_sealed')
      .columns(['result', 'time', 'id'] as never[])
      .where(sql.ref('result'), '<>', sql.lit('success'))
      .execute()
    await t.guardAudit(db)
    await linkOldRecords(db)
  },
})

type Text = string | null
/** The columns as they were then. What is live may change; what this upgrade writes may not. */
interface OldRecord {
  id: string
  time: string
  action: string
  result: string
  status_code: number | null
  error_code: Text
  actor_user_id: Text
  actor_email: Text
  actor_type: string
  auth_method: Text
  token_id: Text
  session_id: Text
  actor_ip: Text
  user_agent: Text
  request_id: Text
  method: Text
  route: Text
  bucket: Text
  object_key: Text
  resource_type: Text
  resource_id: Text
  details: string
}
interface Tables {
  audit_sealed: OldRecord
  audit_chain: { seq: number; audit_id: string; row_hash: string; chain_hash: string }
  audit_head: {
    id: number
    seq: number
    chain_hash: string
    anchor_seq: number
    anchor_hash: string
    checkpoints: number
    distrusted_seq: number | null
    mac: Text
  }
}

const GENESIS = '0'.repeat(64)
const FIELDS = [
  ...([
    'action',
    'actor_email',
    'actor_ip',
    'actor_type',
    'actor_user_id',
    'auth_method',
    'bucket',
    'details',
  ] as const),
  ...(['error_code', 'id', 'method', 'object_key', 'request_id', 'resource_id', 'resource_type', 'result'] as const),
  ...(['route', 'session_id', 'status_code', 'time', 'token_id', 'user_agent'] as const),
]
/** Canonical JSON (RFC 8785): the names are in order. */
const hashRow = (row: OldRecord): string =>
  hash('sha256', JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, row[field]]))))
const hashLink = (previous: string, rowHash: string): string => hash('sha256', previous + rowHash)

/** Records from before there was a chain become its first links, so that they cannot be changed from here on. */
async function linkOldRecords(old: Kysely<never>): Promise<void> {
  const db = old as unknown as Kysely<Tables>
  let seq = 0
  let chain_hash = GENESIS
  for (let after = ''; ; ) {
    const rows: OldRecord[] = await db
      .selectFrom('audit_sealed')
      .selectAll()
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute()
    const last = rows.at(-1)
    if (!last) break
    after = last.id
    const links = rows.map((row) => {
      const row_hash = hashRow(row)
      chain_hash = hashLink(chain_hash, row_hash)
      return { seq: ++seq, audit_id: row.id, row_hash, chain_hash }
    })
    await db.insertInto('audit_chain').values(links).execute()
  }
  await db
    .insertInto('audit_head')
    .values({
      id: 1,
      seq,
      chain_hash,
      anchor_seq: 0,
      anchor_hash: GENESIS,
      checkpoints: 0,
      distrusted_seq: null,
      mac: null,
    })
    .execute()
}
