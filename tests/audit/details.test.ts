import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { ActionDetails, ActionName, EventName } from '../../contract/actions.ts'
import { joinDetails, type PartialDetails } from '../../contract/details.ts'
import { bodySchema, eventNames } from '../../contract/events.ts'
import { splitDetails } from '../../server/features/audit/details.ts'

const FIRST = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'
const partsOf = (details: object, most?: number) => splitDetails(JSON.stringify(details), FIRST, most)

test('details of any length can be reassembled from their parts, each within the limit', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const long = fc.tuple(text, fc.nat(150)).map(([one, times]) => one.repeat(times))
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.oneof(text, long, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 5, size: 'max' }),
      fc.dictionary(fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('__proto__', '0', '12')), tie('value'), {
        maxKeys: 4,
      }),
    ),
  }))
  const names = fc.constantFrom('name', 'before', 'after', 'grants', 'members', '__proto__')
  const details = fc.dictionary(names, value).filter((one) => !('part' in one))
  fc.assert(
    fc.property(details, fc.constantFrom(1500, 3000, 8192), (whole, most) => {
      const texts = partsOf(whole, most)
      for (const one of texts) assert.ok(Buffer.byteLength(one) <= most)
      if (texts.length === 1) return assert.equal(texts[0], JSON.stringify(whole))
      const parts = texts.map((one) => JSON.parse(one) as PartialDetails)
      for (const [i, { part }] of parts.entries())
        assert.deepEqual([part.id, part.number, part.of], [FIRST, i + 1, parts.length])
      assert.deepEqual(joinDetails(parts), JSON.parse(JSON.stringify(whole)))
    }),
    { numRuns: 300 },
  )
})

/** The longest JSON text for a field of this length: six bytes per character. */
const control = (length: number) => '\u0001'.repeat(length)
const id = FIRST
const name = control(100)
const key = control(1024)
const list = <T>(length: number, of: (i: number) => T): T[] => Array.from({ length }, (_, i) => of(i))
const placed = { size: Number.MAX_SAFE_INTEGER, etag: 'e'.repeat(40), replaced: true, trash_id: id }
const bulk = { bulk_id: id, job_id: id }
const source = { bucket: 'b'.repeat(63), key }
const actions = ['list', 'read', 'write', 'delete', 'move', 'share', 'policy', 'manage']
const grants = list(100, () => ({ id, bucket_pattern: '*'.padEnd(63, 'x'), prefix: key, actions, preset: null }))
const group = { name, global: ['admin', 'users.manage'], grants }
const email = control(320)
const user = { email, display_name: control(200), group_ids: list(1000, () => id) }
const rule = {
  bucket_patterns: list(20, () => 'x'.repeat(63)),
  prefix: key,
  glob: control(256),
  cron: '*'.repeat(200),
  timezone: 'z'.repeat(64),
}
const inventory = {
  prefix: key,
  versions: 'current',
  columns: list(64, () => 'c'.repeat(32)),
  destination: { bucket: 'b'.repeat(63), prefix: key },
}
const token = { name, token_prefix: 'svc_pat_1234' }
const accessKey = { name, access_key_id: 'a'.repeat(128) }
const oauthClient = { client_id: 'c'.repeat(512), client_name: name, redirect_uri: 'r'.repeat(512) }
const approval = { approval_id: id, agent_id: id, agent: name, reason: 'above_objects', objects: 1, bytes: 1 }
const scope = list(20, () => ({ bucket: 'b'.repeat(63), prefix: key, actions: list(8, () => 'a'.repeat(8)) }))
const webhook = {
  name,
  url: `https://${'"'.repeat(2040)}`,
  events: list(40, () => 'e'.repeat(64)),
  bucket: null,
  prefix: key,
}
const object = (one: string) => ({
  content_type: control(255),
  metadata: { a: one.repeat(4080), ['b'.repeat(100)]: '' },
})
const settings = (one: string) => ({
  idp: { name: control(500), group_mapping: list(200, () => ({ value: one.repeat(500), group_id: id })) },
  directory: { url: 'u'.repeat(2048), token_url: 'u'.repeat(2048) },
})
const limits = { filename: '"'.repeat(255), disposition: 'attachment', max_downloads: 1, expires_at: '2026-01-01' }
const webhook_id = id
const storage = {
  name: 's'.repeat(63),
  kind: 's3' as const,
  endpoint: `https://${'e'.repeat(504)}`,
  region: 'r'.repeat(64),
  bucket: 'b'.repeat(63),
  prefix: 'p'.repeat(513),
  folder: `/${control(1023)}`,
  access_key_id: 'a'.repeat(128),
}
const kmsKey = {
  name: 'k'.repeat(63),
  kind: 'transit' as const,
  endpoint: `https://${'e'.repeat(504)}`,
  region: 'r'.repeat(64),
  key_id: 'k'.repeat(256),
  mount: 'm'.repeat(128),
  access_key_id: 'a'.repeat(128),
}
const time = '2026-01-01T00:00:00.000Z'
const identityPolicy = { name: 'n'.repeat(128), of: { kind: 'group' as const, id, name: 'n'.repeat(128) } }

/** The longest details that a service lets each action have, or longer ones. */
const longest: { [N in ActionName]: ActionDetails[N] } = {
  upload: {
    ...placed,
    content_type: control(255),
    parts: 10_000,
    share_id: id,
    sender_name: control(100),
    sender_message: control(500),
  },
  copy: { ...placed, ...bulk, source },
  move: { ...placed, ...bulk, source },
  update_object: { before: object('"'), after: object('\\') },
  delete: { size: 1, permanent: false, trash_id: id, policy_id: id, version_id: id, marker: id, ...bulk },
  version_delete: {
    size: 1,
    version_id: id,
    permanent: false,
    trash_id: id,
    policy_id: id,
    ...bulk,
    bypassed: { mode: 'governance', until: time },
  },
  lock_update: {
    version_id: id,
    before: { mode: 'governance', until: time },
    after: { mode: 'compliance', until: time },
    bypassed: true,
  },
  legal_hold_update: { version_id: id, legal_hold: true },
  clock_confirm: { now: time, doubt: 'd'.repeat(300) },
  restore: { size: 1, trash_id: id, version_id: id, ...bulk },
  create_bucket: {
    quota_gb: 0.000_001,
    trash_days: 3650,
    storage: 's'.repeat(63),
    mode: 'read_only',
    prefix: 'p'.repeat(512),
  },
  release_bucket: { storage: 's'.repeat(63), prefix: 'p'.repeat(512), objects: 1, bucket_id: id },
  scan: {
    scan_id: id,
    trigger: 'schedule',
    status: 'held',
    held_reason: 'listing_failed',
    seen: 1,
    added: 1,
    changed: 1,
    absent: 1,
    missing: 1,
    removed: 1,
    refused: 1,
  },
  scan_confirm: { scan_id: id, absent: 1, held_reason: 'many_missing' },
  external_change: { change: 'changed', size: 1, etag: id, before: { size: 1, etag: id }, scan_id: id },
  take_over: {
    scan_id: id,
    storage: 's'.repeat(63),
    prefix: 'p'.repeat(512),
    new_storage: 's'.repeat(63),
    objects: 1,
    bytes: 1,
    quiet_hours: 1,
    asked_by: id,
  },
  external_finding: { finding: 'changed', size: 1, etag: id, scan_id: id },
  update_bucket: { before: { quota_gb: 1 }, after: { quota_gb: null } },
  delete_bucket: { trash_bytes: 1, bucket_id: id },
  snapshot_create: { name: id, moment: id, note: control(500), expires_at: id },
  snapshot_delete: { name: id, moment: id, reason: 'requested' },
  quota_warning: { percent: 95, used_bytes: 1, reserved_bytes: 1, quota_gb: 0.000_001 },
  user_create: { ...user, auto: true },
  user_update: { email, before: user, after: user },
  user_delete: user,
  user_import: { email, display_name: control(200), external_id: control(255) },
  group_create: group,
  group_update: { name, before: { ...group, description: control(1000) }, after: { ...group, added: user.group_ids } },
  identity_policy_create: { ...identityPolicy, document: 'd'.repeat(131_072) },
  identity_policy_update: {
    ...identityPolicy,
    before: { document: 'd'.repeat(131_072) },
    after: { document: 'd'.repeat(131_072) },
  },
  identity_policy_delete: identityPolicy,
  identity_policy_attach: identityPolicy,
  identity_policy_detach: identityPolicy,
  group_delete: { ...group, member_count: 1000, members: list(2000, () => id) },
  token_create: { ...token, scope, expires_at: time, created_by_token_id: id },
  token_revoke: { ...token, reason: 'cascade', user_id: id },
  token_rotate: { ...token, previous_prefix: 'svc_pat_1234', grace_seconds: 1 },
  access_key_create: {
    ...accessKey,
    scope,
    expires_at: time,
    created_by_token_id: id,
    user_id: id,
    imported: true,
  },
  access_key_update: { ...accessKey, user_id: id, before: { name }, after: { name }, secret_changed: true },
  access_key_revoke: { ...accessKey, reason: 'cascade', user_id: id },
  access_key_rotate: { ...accessKey, grace_seconds: 1 },
  access_key_expiring: { ...accessKey, expires_at: time, days: 7 },
  access_key_denied: { access_key_id: accessKey.access_key_id, reason: 'wrong signature' },
  role_create: {
    name: 'r'.repeat(64),
    path: `/${'p'.repeat(510)}/`,
    description: control(1000),
    trust: control(4096),
    max_session_seconds: 43_200,
  },
  role_update: {
    name: 'r'.repeat(64),
    before: { trust: control(4096) },
    after: { trust: control(4096) },
  },
  role_delete: { name: 'r'.repeat(64), path: `/${'p'.repeat(510)}/` },
  oidc_provider_create: { issuer: 'i'.repeat(255), audiences: list(100, () => 'a'.repeat(255)) },
  oidc_provider_update: {
    issuer: 'i'.repeat(255),
    before: { audiences: list(100, () => 'a'.repeat(255)) },
    after: { audiences: list(100, () => 'a'.repeat(255)) },
  },
  oidc_provider_delete: { issuer: 'i'.repeat(255), audiences: list(100, () => 'a'.repeat(255)), sessions: 1 },
  session_open: {
    role: 'r'.repeat(64),
    session_name: 's'.repeat(64),
    user_id: id,
    issuer: 'i'.repeat(512),
    subject: 's'.repeat(255),
    access_key_id: accessKey.access_key_id,
    policy: control(2048),
    tags: Object.fromEntries(list(50, (i) => [`${'t'.repeat(120)}${i}`, ['v'.repeat(256)]])),
    source_identity: 's'.repeat(64),
    expires_at: time,
  },
  session_revoke: { sessions: 1, role: 'r'.repeat(64), user_id: id, issuer: 'i'.repeat(255), before: time },
  session_denied: { role: 'r'.repeat(2048), session_name: 's'.repeat(64), reason: control(512) },
  share_create: {
    share_id: id,
    kind: 'selection',
    prefix: key,
    keys: 300,
    object_keys: list(300, () => key),
    expires_at: time,
  },
  share_update: { share_id: id, before: limits, after: limits },
  share_revoke: { share_id: id },
  share_link_read: { share_id: id },
  policy_create: { name, rule },
  policy_update: { name, before: { name, ...rule }, after: { name, ...rule } },
  agent_create: {
    name,
    token_prefix: 'p'.repeat(14),
    access_key_id: 'k'.repeat(20),
    scope: list(20, () => ({
      bucket: 'b'.repeat(63),
      prefix: key,
      actions: ['list', 'read', 'write', 'delete', 'share'],
    })),
    budget: { change_objects: 1 },
    approval: { actions: ['share'] },
    expires_at: time,
    fork: 'b'.repeat(63),
    client: oauthClient,
  },
  agent_update: { name, user_id: id, before: { name }, after: { name } },
  agent_revoke: { name, token_prefix: 'p'.repeat(14), user_id: id, reason: 'requested_by_client' },
  client_register: { ...oauthClient, redirect_uri: list(10, () => 'r'.repeat(512)).join(' ') },
  agent_connect: { name, user_id: id, client: oauthClient },
  approval_request: {
    ...approval,
    actions: list(100, () => ({ action: 'delete', bucket: 'b'.repeat(63), key, size: 1, details: {} })),
  },
  approval_approve: approval,
  approval_reject: approval,
  policy_delete: { name, rule },
  inventory_create: { inventory_id: id, name, settings: inventory },
  inventory_update: { inventory_id: id, name, before: inventory, after: inventory },
  inventory_delete: { inventory_id: id, name, settings: inventory },
  inventory_run: {
    inventory_id: id,
    name,
    run_id: id,
    trigger: 'manual',
    status: 'failed',
    reason: control(1000),
    moment: id,
    destination: name,
    manifest: 'k'.repeat(1024),
    files: 1,
    rows: 1,
    bytes: 1,
    author: { user_id: id, email },
  },
  policy_run: {
    policy_id: id,
    name,
    run_id: id,
    dry_run: true,
    trigger: 'manual',
    status: 'stopped',
    reason: control(1000),
    examined: 1,
    matched: 1,
    deleted: 1,
    bytes: 1,
    kept: 1,
    author: { user_id: id, email },
  },
  storage_create: storage,
  storage_update: {
    name: storage.name,
    before: storage,
    after: storage,
    secret_changed: true,
    events_token: 'created',
  },
  storage_delete: storage,
  storage_failover: { name: storage.name, before: storage.name, after: storage.name, copies_missing: 1 },
  settings_update: { before: settings('\u0001'), after: settings('"') },
  webhook_create: { webhook_id, ...webhook },
  webhook_update: { webhook_id, before: webhook, after: webhook },
  webhook_delete: { webhook_id, ...webhook },
  webhook_disabled: { webhook_id, name, reason: control(500) },
  webhook_rotate: { webhook_id, name, grace_seconds: 1 },
  webhook_promote: { webhook_id, name },
  webhook_resend: { webhook_id, delivery_id: id, event: 'e'.repeat(64) },
  webhook_recover: { webhook_id, deliveries: 1, since: time, until: time },
  ping: { webhook_id, name, delivery_id: id },
  mail_failed: { mail_id: id, kind: 'access_key_expiring', recipient: email, outcome: 'unknown', error: control(400) },
  login: { auth_method: 'idp' },
  login_failed: { email, reason: control(500) },
  logout: { session_id: id },
  invitation_create: { email, expires_at: time },
  invitation_revoke: { email },
  invitation_accept: { email },
  password_reset_request: { email, reason: 'login_disabled' },
  password_reset: { email },
  second_factor_add: { email, factor_id: id, kind: 'passkey', name },
  second_factor_update: { email, factor_id: id, before: { name }, after: { name } },
  second_factor_remove: { email, factor_id: id, kind: 'passkey', name },
  second_factor_reset: { email, factors: 20 },
  recovery_codes_create: { email, codes: 10 },
  recovery_code_use: { email, left: 9 },
  refresh_reuse: { session_id: id },
  token_expiring: { ...token, expires_at: time, days: 1 },
  token_reuse: token,
  access_denied: { detail: `You need the "write" permission on key "${key}" of bucket "${source.bucket}".` },
  list_export: { format: 'csv', query: 'q'.repeat(2000), prefix: key },
  audit_export: { format: 'csv', filter: { action: list(20, () => 'a'.repeat(64)), object_key_prefix: key, email } },
  audit_purge: { first_seq: 1, last_seq: 2, records: 2, before: time, chain_hash: 'f'.repeat(64), faults: 0 },
  object_read: { size: 1, via: 'download', complete: true, share_id: id },
  erase: { size: 1, blob_id: id, version_id: id },
  read_damaged: { blob_id: id, reason: 'changed', detail: 'd'.repeat(200), version_id: id },
  kms_key_create: kmsKey,
  kms_key_update: { name: kmsKey.name, before: kmsKey, after: kmsKey, secret_changed: true },
  kms_key_delete: kmsKey,
  heal: { blob_id: id, storage: storage.name, reason: 'unreadable' },
  scrub_damaged: { blob_id: id, storage: storage.name, reason: 'unreadable' },
  encryption_key_rotate: { version: 1, blobs: 1 },
  purge: { reason: 'requested', objects: 1, bytes: 1, trash_id: id },
}

test('the longest details of every action are recorded whole, and each part has the shape of its event', () => {
  // Their receivers and readers look for these in one place.
  const single = ['move', 'copy', 'ping', 'delete', 'upload', 'access_denied', 'webhook_disabled']
  for (const [action, details] of Object.entries(longest)) {
    const texts = partsOf(details)
    const parts = texts.map((text) => JSON.parse(text) as PartialDetails)
    for (const text of texts) assert.ok(Buffer.byteLength(text) <= 8192, action)
    if (single.includes(action)) assert.equal(parts.length, 1, action)
    assert.deepEqual(parts.length === 1 ? parts[0] : joinDetails(parts), JSON.parse(JSON.stringify(details)), action)
    if (!eventNames.includes(action as EventName)) continue
    const { details: shape } = bodySchema(action as EventName).properties
    const isOfShape = new Ajv2020({ strict: false }).compile(JSON.parse(JSON.stringify(shape)))
    for (const part of parts) assert.ok(isOfShape(part), `${action}: ${JSON.stringify(isOfShape.errors)}`)
  }
})
