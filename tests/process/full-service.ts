import { CreateMultipartUploadCommand, PutBucketCorsCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { type Kysely, sql } from 'kysely'
import { newId } from '../../server/base/id.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import type { Schema } from '../../server/db/schema.ts'
import { s3World } from '../s3/s3.ts'
import { seedDemo } from '../support/demo.ts'
import type { Receiver } from '../support/receiver.ts'
import type { TestServer } from '../support/server.ts'

/** A key with what an engine's text format, its quoting and its collation could get wrong. */
export const ODD_KEY = 'odd/Ünï \\N\\x\t"quoted" \'𝔘\' ß \u001f end'
/** Bytes of every value. */
export const ODD_BYTES = new Uint8Array(Array.from({ length: 1024 }, (_, i) => i % 256))

/**
 * Fills a service with what the product has: the demo's four weeks, and versions, locks, storages, access keys, a CORS
 * configuration and an upload that is half there. `disk` is a folder for a second storage. The S3 key pair is returned.
 */
export async function fillService(server: TestServer, receiver: Receiver, disk: string) {
  const { admin } = server
  await seedDemo(server, receiver)
  await admin.createStorage({ body: { name: 'disk', kind: 'file', folder: disk } })
  await admin.createBucket({ body: { name: 'elsewhere', storage: 'disk' } })
  await admin.createBucket({ body: { name: 'kept', versioning: 'enabled', object_lock: {} } })
  const kept = { bucket: 'kept' }
  for (const body of ['first', 'second', 'third'])
    await admin.putObject({ params: { ...kept, key: 'letter' }, body, headers: { 'content-type': 'text/plain' } })
  await admin.putObject({ params: { ...kept, key: 'gone' }, body: 'gone' })
  await admin.deleteObject({ params: { ...kept, key: 'gone' } })
  await admin.putObject({ params: { ...kept, key: 'held' }, body: 'held' })
  const until = new Date(server.clock.now().getTime() + 86_400_000).toISOString()
  await admin.lockObject({ params: kept, body: { key: 'held', mode: 'governance', until, legal_hold: true } })
  await admin.putObjectByQuery({ params: kept, query: { key: ODD_KEY }, body: ODD_BYTES })
  // Too large for the database.
  await admin.putObject({ params: { bucket: 'elsewhere', key: 'large' }, body: 'x'.repeat(100_000) })

  const { keyOf, clientOf } = s3World(server)
  const pair = await keyOf()
  const s3 = clientOf(pair)
  const Bucket = 'elsewhere'
  const rule = { AllowedMethods: ['GET'], AllowedOrigins: ['https://example.com'] }
  await s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } }))
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }))
  for (const PartNumber of [1, 3])
    await s3.send(new UploadPartCommand({ Bucket, Key: 'parts', UploadId, PartNumber, Body: `part ${PartNumber}` }))
  s3.destroy()
  await server.running.tick()
  return { pair, UploadId }
}

/**
 * Puts a row into each table that only something rare fills: logins at an identity provider, attached buckets, work under
 * way. The rows need not make sense together. Numbers are as large as JavaScript has them, and times at their limits.
 */
export async function fillRareTables(database: Database): Promise<void> {
  const bucket = await database.db.selectFrom('buckets').select(['id']).executeTakeFirstOrThrow()
  const blob = await database.db.selectFrom('blobs').select('id').executeTakeFirstOrThrow()
  const share = await database.db.selectFrom('shares').select('id').executeTakeFirstOrThrow()
  const job = await database.db.selectFrom('jobs').select('id').executeTakeFirstOrThrow()
  const group = await database.db.selectFrom('groups').select('id').executeTakeFirstOrThrow()
  const [policy, credentials, inventory, inventoryRun, agent] = [newId(), newId(), newId(), newId(), newId()]
  const user = await database.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
  const session = await database.db.selectFrom('sessions').select('id').executeTakeFirstOrThrow()
  const storage = await database.db.selectFrom('storages').select('id').executeTakeFirstOrThrow()
  const record = await database.db.selectFrom('audit_sealed').selectAll().executeTakeFirstOrThrow()
  const [early, late] = ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']
  const bytes = Number.MAX_SAFE_INTEGER
  const filled = newId()
  const bucket_id = bucket.id
  const of = { bucket_id, key: ODD_KEY }
  const none = { created_at: early, created_by: null, started_at: null, finished_at: null }
  const counts = { seen: bytes, added: 0, changed: 0, absent: 0, missing: 0, removed: 0, refused: 0, recorded: 0 }
  const file = { version_id: null, etag: '', size: bytes }
  await database.transaction(async (tx) => {
    await Promise.all(
      [
        tx.insertInto('share_servings').values({
          share_id: share.id,
          ip: '::1',
          blob_id: blob.id,
          left_bytes: bytes,
          ends_at: late,
        }),
        tx.insertInto('object_words').values({ bucket_id, word: 't:a=\u{1F600}', key: ODD_KEY }),
        tx.insertInto('share_access_counts').values({ share_id: share.id, shard: 99, count: bytes, last_at: late }),
        tx.insertInto('audit_recent').values({ ...record, id: newId() }),
        tx.insertInto('job_items').values({
          job_id: job.id,
          position: bytes,
          key: ODD_KEY,
          blob_id: null,
          last_modified: late,
          version_id: null,
          kept: 1,
        }),
        tx.insertInto('job_moves').values({
          job_id: job.id,
          position: bytes,
          source_key: ODD_KEY,
          ...of,
          blob_id: blob.id,
          trash_id: null,
        }),
        tx.insertInto('incoming').values({ id: newId(), bucket_id, share_id: null, bytes, expires_at: late }),
        tx.insertInto('blob_sums').values({
          blob_id: blob.id,
          start: bytes,
          size: bytes,
          sums: new Uint8Array([0, 255, 39, 10]),
        }),
        tx.insertInto('mirrors').values({
          storage: 0,
          first: storage.id,
          second: null,
          acknowledge: 'both',
          when_down: 'continue',
          keep_removed_days: 2 ** 31 - 1,
          locks: 1,
          changed_at: early,
          walked_to: '~',
          walked_again_at: late,
        }),
        tx.insertInto('copies_due').values({
          blob_id: newId(),
          place: 0,
          reason: 'unreadable',
          queued_at: early,
          next_at: late,
          attempts: 2 ** 31 - 1,
        }),
        tx.insertInto('copy_removals').values({ blob_id: newId(), place: storage.id, due_at: late }),
        tx.insertInto('scrubs').values({
          place: 0,
          position: '',
          started_at: early,
          finished_at: null,
          leased_until: late,
          checked: 2 ** 31 - 1,
          damaged: 1,
          summed: 0,
        }),
        tx.insertInto('replications').values({
          bucket_id,
          storage_id: storage.id,
          prefix: '',
          encrypted: 'engine',
          role: "'",
          existing: 0,
          configured_at: early,
          walked_to: ODD_KEY,
          walk_before: bytes,
          paused_at: late,
          error: '\n',
          failures: 2 ** 31 - 1,
          retry_at: late,
        }),
        tx.insertInto('inventories').values({
          id: inventory,
          bucket_id,
          name: 'daily',
          prefix: ODD_KEY,
          versions: 'all',
          format: 'csv',
          columns: '["bucket","key"]',
          changes: 1,
          rows_per_file: 1000,
          dest_bucket: 'filled',
          dest_prefix: ODD_KEY,
          schedule: 'weekly',
          hour: 23,
          disabled_at: early,
          next_run_at: late,
          revision: 2 ** 31 - 1,
          author_id: user.id,
          author_email: '\n',
          created_at: early,
          created_by: user.id,
          updated_at: late,
          deleted_at: null,
        }),
        tx.insertInto('inventory_runs').values({
          id: inventoryRun,
          inventory_id: inventory,
          trigger: 'schedule',
          status: 'running',
          reason: '\\.',
          settings: '{"name": "\\u0001"}',
          author_id: user.id,
          author_email: null,
          requester: '{}',
          moment: bytes,
          folder: "it's/",
          buckets: '[]',
          place: '{}',
          files: '[]',
          rows: bytes,
          bytes,
          no_changes: '\t',
          runner: newId(),
          leased_until: early,
          cancel_at: late,
          created_at: early,
          started_at: early,
          finished_at: null,
        }),
        tx.insertInto('inventory_buckets').values({ run_id: inventoryRun, bucket_id, seq: bytes }),
        tx.insertInto('inventory_versions').values({
          run_id: inventoryRun,
          bucket_id,
          key: ODD_KEY,
          seq: bytes,
          version_id: null,
          blob_id: null,
          size: bytes,
          etag: '',
          sha256: null,
          checksums: '[]',
          content_type: '\n',
          metadata: '{}',
          tags: '{"\\u0001": "x"}',
          storage_class: 'STANDARD',
          lock_mode: 'compliance',
          locked_until: late,
          legal_hold: 1,
          encryption: 'AES256',
          created_at: early,
          last_modified: late,
          created_by: user.id,
        }),
        tx.insertInto('replication_queue').values({
          bucket_id,
          key: ODD_KEY,
          version_id: '',
          moment: bytes,
          since: 0,
          size: bytes,
          attempts: 2 ** 31 - 1,
          next_at: late,
          reason: '\\.',
          token: newId(),
          leased_until: early,
        }),
        tx.insertInto('managed_policies').values({
          id: policy,
          name: 'Readers',
          name_key: 'readers',
          path: "/team'/",
          description: ODD_KEY,
          default_version: 1,
          latest_version: 2 ** 31 - 1,
          created_at: early,
          updated_at: late,
        }),
        tx.insertInto('managed_policy_versions').values({
          policy_id: policy,
          version: 1,
          document: '{"Sid": "\\N"}',
          created_at: early,
        }),
        tx.insertInto('inline_policies').values({
          owner_kind: 'group',
          owner_id: group.id,
          name: 'own',
          document: '{}',
          updated_at: late,
        }),
        tx.insertInto('attached_policies').values({
          owner_kind: 'group',
          owner_id: group.id,
          policy,
          attached_at: early,
        }),
        tx.insertInto('agents').values({
          id: agent,
          user_id: user.id,
          name: "Sorter's",
          scope: '[]',
          budget: '{}',
          approval: '{}',
          fork: null,
          token_prefix: 'svc_agent_9QxW',
          token_hash: 'f'.repeat(64),
          access_key_id: 'STRA0000000000000000',
          secret: 'sealed',
          created_at: early,
          expires_at: late,
          revoked_at: null,
          last_used_at: early,
          last_used_ip: '::1',
        }),
        tx.insertInto('oauth_clients').values({
          id: '0123456789abcdefghijkl',
          name: "Sorter's",
          redirect_uris: JSON.stringify(['http://localhost/ä']),
          created_at: early,
          expires_at: null,
        }),
        tx.insertInto('oauth_grants').values({
          agent_id: agent,
          client_id: '0123456789abcdefghijkl',
          client_name: "Sorter's",
          redirect_uri: 'http://localhost:1/',
          code_challenge: 'c',
          code_hash: 'a'.repeat(64),
          code_expires_at: late,
          code_used_at: early,
          access_hash: 'b'.repeat(64),
          access_expires_at: late,
          refreshes: 2 ** 31 - 1,
          refreshed_at: early,
          refresh_expires_at: late,
        }),
        tx.insertInto('agent_uses').values({ agent_id: agent, hour_from: late, this_hour: '{}', in_all: '{}' }),
        tx.insertInto('agent_approvals').values({
          id: newId(),
          agent_id: agent,
          status: 'waiting',
          fingerprint: 'f',
          state: 's',
          places: JSON.stringify([['b', ODD_KEY]]),
          reason: 'delete',
          actions: '[]',
          objects: 2 ** 31 - 1,
          bytes,
          requested_at: early,
          expires_at: late,
          decided_at: null,
          decided_by: null,
          done_at: null,
        }),
        tx.insertInto('plans').values({
          id: newId(),
          user_id: user.id,
          credential: agent,
          change: JSON.stringify({ action: 'delete', bucket: 'b', keys: [ODD_KEY] }),
          state: 'e'.repeat(64),
          expires_at: late,
        }),
        tx.insertInto('roles').values({
          id: 'AROA0000000000000000A',
          name: 'Rare',
          name_key: 'rare',
          path: '/ä/',
          description: '\t',
          trust: '{}',
          tags: '[]',
          max_session_seconds: 43_200,
          created_at: early,
        }),
        tx.insertInto('oidc_providers').values({
          issuer_key: 'id.example.com',
          issuer: 'https://id.example.com',
          audiences: '["sts"]',
          thumbprints: '[]',
          tags: '[]',
          created_at: late,
        }),
        tx.insertInto('temporary_credentials').values({
          id: credentials,
          access_key_id: 'STRT0000000000000000',
          secret_key_id: '00000000',
          kind: 'role',
          role_id: 'AROA0000000000000000A',
          user_id: null,
          issuer_key: 'id.example.com',
          parent_id: null,
          session_name: 'pod',
          subject: ODD_KEY,
          source_identity: null,
          policy: null,
          scope: null,
          tags: '{}',
          claims: '{"sub": "\\u0001"}',
          ip: '127.0.0.1',
          created_at: early,
          expires_at: late,
          revoked_at: null,
        }),
        tx.insertInto('temporary_credential_groups').values({ credential_id: credentials, group_id: group.id }),
        tx.insertInto('forgotten_moments').values({ bucket_id, moment: bytes }),
        tx.insertInto('snapshots').values({
          id: newId(),
          bucket_id,
          name: 'a',
          moment: 1,
          note: '\t\\',
          created_at: early,
          created_by: null,
          expires_at: late,
        }),
        tx.insertInto('ended_snapshots').values({ bucket_id, ended_at: late }),
        tx.insertInto('history_contents').values({
          bucket_id,
          blob_id: blob.id,
          key: ODD_KEY,
          version_id: null,
          size: bytes,
          etag: '',
          sha256: null,
          encryption: null,
        }),
        tx.insertInto('bucket_forks').values({
          bucket_id,
          origin_id: newId(),
          origin_moment: bytes,
          prefix: ODD_KEY,
          placeholder_id: newId(),
          job_id: newId(),
          filled_to: ODD_KEY,
          filled_at: early,
          objects: bytes,
          erased: bytes,
          expires_at: late,
        }),
        tx.insertInto('fork_merges').values([
          {
            bucket_id,
            key: ODD_KEY,
            origin_key: ODD_KEY,
            fork_moment: bytes,
            origin_moment: null,
            job_id: newId(),
            was_moment: bytes,
            before_job_id: newId(),
            before_origin_key: ODD_KEY,
            before_fork_moment: bytes,
            before_origin_moment: bytes,
          },
          { bucket_id, key: 'b', origin_key: 'c', fork_moment: 0, origin_moment: bytes, job_id: newId() },
        ]),
        tx.insertInto('blob_removals').values({ blob_id: newId(), queued_at: early }),
        tx.insertInto('blob_parts').values({ blob_id: blob.id, part_number: 7, size: bytes, md5: '', checksum: null }),
        tx.insertInto('quotas').values({ scope: filled, quota_gb: 0.1 + 0.2, used_bytes: bytes }),
        tx.insertInto('quota_warnings').values({ bucket_id: filled, percent: 95, quota_gb: 0.1 + 0.2 }),
        tx.insertInto('quotas').values({ scope: newId(), quota_gb: 1e300, used_bytes: null }),
        tx.insertInto('idp_logins').values({
          state_hash: 'x',
          cookie_hash: '',
          nonce: '\n',
          code_verifier: '\\.',
          return_to: '\r\n',
          created_at: early,
          expires_at: late,
        }),
        tx.insertInto('handoffs').values({
          code_hash: 'x',
          session_id: session.id,
          refresh_jti: 'x',
          expires_at: late,
          cookie_hash: null,
        }),
        tx.insertInto('second_factors').values({
          id: newId(),
          user_id: user.id,
          kind: 'totp',
          name: ODD_KEY,
          secret: 'v1.x',
          last_step: 2 ** 40,
          credential_id: null,
          public_key: null,
          counter: null,
          transports: null,
          created_at: early,
          last_used_at: late,
        }),
        tx.insertInto('second_factors').values({
          id: newId(),
          user_id: user.id,
          kind: 'passkey',
          name: 'key',
          secret: null,
          last_step: null,
          credential_id: '-_',
          public_key: 'x',
          counter: 2 ** 32 - 1,
          transports: '[]',
          created_at: early,
          last_used_at: null,
        }),
        tx.insertInto('recovery_codes').values({ code_hash: 'x', user_id: user.id, created_at: late }),
        tx.insertInto('invitations').values({
          user_id: user.id,
          token_hash: 'x',
          email_key: ODD_KEY,
          token_version: 1,
          expires_at: late,
        }),
        tx.insertInto('used_passkey_challenges').values({ challenge_hash: 'x', expires_at: late }),
        tx.insertInto('password_reset_requests').values({
          id: newId(),
          email: ODD_KEY,
          email_key: ODD_KEY,
          language: 'de',
          origin: '{}',
          requested_at: early,
        }),
        tx.insertInto('password_resets').values({
          token_hash: 'x',
          user_id: user.id,
          email_key: ODD_KEY,
          token_version: 1,
          expires_at: late,
        }),
        tx.insertInto('second_factor_challenges').values({
          challenge_hash: 'x',
          user_id: user.id,
          purpose: 'login',
          token_version: 1,
          tries: 5,
          passkey_challenge: null,
          secret: '\\.',
          expires_at: late,
        }),
        tx.insertInto('site_logo').values({ id: 1, png: new Uint8Array([0, 255, 39]), hash: 'x', updated_at: late }),
        tx.insertInto('kms_keys').values({
          name: 'vault',
          kind: 'transit',
          endpoint: 'https://vault.example.org',
          region: null,
          key_id: 'strongroom',
          mount: 'transit',
          access_key_id: null,
          secret: 'v1.x.y.z',
          created_at: '2026-01-01T00:00:00.000Z',
          created_by: null,
        }),
        tx.insertInto('mails').values({
          id: newId(),
          kind: 'share_opened',
          dedupe_key: ODD_KEY,
          recipient: 'kim@example.com',
          subject: '\\N',
          sealed_body: 'v1.x',
          status: 'queued',
          attempts: 2 ** 31 - 1,
          last_error: null,
          created_at: early,
          next_attempt_at: late,
          sent_at: null,
          lease_token: null,
          lease_until: null,
        }),
        tx.insertInto('login_throttle').values({
          key: ODD_KEY,
          failures: 2 ** 31 - 1,
          window_started_at: '2024-02-29T23:59:59.100Z',
          blocked_until: null,
        }),
        tx.insertInto('attachments').values({
          bucket_id,
          storage_id: storage.id,
          prefix: ODD_KEY,
          weak: 1,
          as_of: late,
          changed_at: null,
          events_at: null,
          scanned_at: early,
        }),
        tx.insertInto('external_blobs').values({
          blob_id: blob.id,
          ...of,
          ...file,
          storage_class: null,
          modified_at: late,
          tags: '{}',
          hydrated_at: null,
          checked_at: early,
          missing_since: null,
          absences: 3,
          absent_in: null,
        }),
        tx.insertInto('scans').values({
          id: newId(),
          bucket_id,
          status: 'held',
          phase: 'marking',
          started_by: 'request',
          position: ODD_KEY,
          ...counts,
          refused_keys: '[]',
          refused_to: null,
          held_reason: null,
          detail: null,
          runner: null,
          leased_until: late,
          ...none,
          confirmed_at: null,
          confirmed_by: null,
        }),
        tx.insertInto('scan_hints').values({ ...of, hinted_at: late }),
        tx.insertInto('findings').values({
          ...of,
          kind: 'foreign',
          size: bytes,
          etag: null,
          found_at: late,
          seen_in: null,
        }),
        tx.insertInto('external_removals').values({
          blob_id: newId(),
          ...of,
          storage_id: storage.id,
          ...file,
          modified_at: early,
          queued_at: late,
        }),
      ].map((insert) => insert.execute()),
    )
  })
}

/** All rows of all tables of the service as the service reads them, by table: a JSON text each, sorted. */
export async function rowsIn(url: string): Promise<Map<string, string[]>> {
  const database = await openDatabase(url)
  const executor = database.db as Kysely<Schema>
  const tables = url.startsWith('sqlite:')
    ? sql<{ name: string }>`select name from sqlite_schema where type = 'table' order by name`
    : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`
  const found = new Map<string, string[]>()
  try {
    for (const { name } of (await tables.execute(executor)).rows) {
      // The record of migrations, and SQLite's own tables.
      if (/^(kysely_|sqlite_|object_search)/.test(name)) continue
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(executor)
      const texts = rows.map((row) =>
        JSON.stringify(
          Object.keys(row)
            .sort()
            .map((column) => {
              const value = row[column]
              return [column, value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value]
            }),
        ),
      )
      found.set(name, texts.sort())
    }
  } finally {
    await database.close()
  }
  return found
}
