import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { ActionDetails, EventName } from './actions.ts'
import { lockModes } from './locks.ts'
import { Nullable } from './shapes.ts'

const Text = Type.String()
const Count = Type.Integer()
const Flag = Type.Boolean()
const Texts = Type.Unsafe<readonly string[]>(Type.Array(Text))
const Optional = Type.Optional
/** The changed fields, with their values before and after. */
const Fields = Type.Object({})
const Scope = Nullable(Type.Unsafe<readonly object[]>(Type.Array(Fields)))
const change = { before: Fields, after: Fields }
/** Of what S3 clients can do too. */
const fronted = { via: Optional(Type.Literal('s3')) }

const bulk = { bulk_id: Optional(Text), job_id: Optional(Text) }
const placed = {
  size: Count,
  etag: Text,
  replaced: Flag,
  trash_id: Optional(Text),
  version_id: Optional(Text),
  ...fronted,
}
const transferred = { ...placed, ...bulk, source: Type.Object({ bucket: Text, key: Text }) }
const Retained = Type.Object({ mode: Type.Enum([...lockModes]), until: Text })
const group = { name: Text, global: Texts, grants: Type.Unsafe<readonly object[]>(Type.Array(Fields)) }
const token = { name: Text, token_prefix: Text }
const accessKey = { name: Text, access_key_id: Text }
const policy = { name: Text, rule: Fields, ...fronted }
const inventory = { inventory_id: Text, name: Text, settings: Fields, ...fronted }
const identityPolicy = {
  name: Text,
  of: Nullable(Type.Object({ kind: Type.Enum(['user', 'group', 'role']), id: Text, name: Text })),
}
const oauthClient = { client_id: Text, client_name: Text, redirect_uri: Text }
const approval = { approval_id: Text, agent_id: Text, agent: Text, reason: Text, objects: Count, bytes: Count }
const named = { webhook_id: Text, name: Text }
const storage = {
  name: Text,
  kind: Type.Enum(['s3', 'file']),
  endpoint: Nullable(Text),
  region: Nullable(Text),
  bucket: Nullable(Text),
  prefix: Text,
  folder: Nullable(Text),
  access_key_id: Nullable(Text),
}
const webhook = { ...named, url: Text, events: Texts, bucket: Nullable(Text), prefix: Nullable(Text) }

const event = <const D extends TObject>(summary: string, details: D) => ({ summary, details })

/** Every event: its description and the shape of its `details`. TypeScript reports an action that is missing here. */
export const events = {
  upload: event(
    'An object was stored, new or replacing another.',
    Type.Object({
      ...placed,
      content_type: Text,
      parts: Optional(Count),
      share_id: Optional(Text),
      sender_name: Optional(Text),
      sender_message: Optional(Text),
    }),
  ),
  copy: event('An object was copied; `bucket` and `object_key` are the destination.', Type.Object(transferred)),
  move: event(
    'An object was moved or renamed; `bucket` and `object_key` are the destination.',
    Type.Object(transferred),
  ),
  update_object: event(
    'The content type, metadata or tags of an object changed.',
    Type.Object({ ...change, version_id: Optional(Text), ...bulk, ...fronted }),
  ),
  delete: event(
    'An object was deleted: to the trash, behind a delete marker or permanently.',
    Type.Object({
      size: Count,
      permanent: Flag,
      trash_id: Optional(Text),
      policy_id: Optional(Text),
      version_id: Optional(Text),
      marker: Optional(Text),
      ...bulk,
      ...fronted,
    }),
  ),
  version_delete: event(
    'One version of an object, or a delete marker, was deleted.',
    Type.Object({
      size: Count,
      version_id: Text,
      permanent: Optional(Flag),
      trash_id: Optional(Text),
      policy_id: Optional(Text),
      bypassed: Optional(Retained),
      marker: Optional(Type.Literal(true)),
      ...bulk,
      ...fronted,
    }),
  ),
  lock_update: event(
    'The lock of a version changed.',
    Type.Object({
      version_id: Text,
      before: Nullable(Retained),
      after: Nullable(Retained),
      bypassed: Optional(Type.Literal(true)),
      ...fronted,
    }),
  ),
  legal_hold_update: event(
    'A version was put on legal hold, or released.',
    Type.Object({ version_id: Text, legal_hold: Flag, ...fronted }),
  ),
  restore: event(
    'An object was restored from the trash, or from an earlier version, or is again what it was at a moment.',
    Type.Object({
      size: Count,
      to: Optional(Text),
      trash_id: Optional(Text),
      of_version: Optional(Text),
      version_id: Optional(Text),
      original_key: Optional(Text),
      replaced: Optional(Flag),
      replaced_trash_id: Optional(Text),
      ...bulk,
    }),
  ),
  create_bucket: event(
    'A bucket was created.',
    Type.Object({
      quota_gb: Nullable(Type.Number()),
      history_quota_gb: Optional(Nullable(Type.Number())),
      quota_includes_history: Optional(Type.Boolean()),
      trash_days: Type.Number(),
      versioning: Optional(Text),
      object_lock: Optional(Nullable(Fields)),
      encryption: Optional(Nullable(Fields)),
      storage: Optional(Text),
      mode: Optional(Type.Literal('read_only')),
      prefix: Optional(Text),
      from: Optional(Type.Object({ bucket: Text, moment: Text, prefix: Text })),
      expires_at: Optional(Nullable(Text)),
      ...fronted,
    }),
  ),
  update_bucket: event(
    'A bucket’s quota, trash days, versioning, storage or configuration for S3 clients changed.',
    Type.Object({ ...change, ...fronted }),
  ),
  snapshot_create: event(
    'A moment of a bucket was named, and is kept.',
    Type.Object({ name: Text, moment: Text, note: Optional(Text), expires_at: Nullable(Text) }),
  ),
  snapshot_delete: event(
    'A snapshot of a bucket was deleted, or ended by itself.',
    Type.Object({ name: Text, moment: Text, reason: Type.Enum(['requested', 'expired', 'policy']) }),
  ),
  delete_bucket: event(
    'A bucket was deleted.',
    Type.Object({
      trash_bytes: Count,
      bucket_id: Text,
      reason: Optional(Type.Enum(['expired', 'unfinished'])),
      ...fronted,
    }),
  ),
  quota_warning: event(
    'A bucket reached 80 or 95 percent of its quota, with what open uploads have reserved, and `history_bytes` where the quota includes what snapshots alone keep.',
    Type.Object({
      percent: Count,
      used_bytes: Count,
      reserved_bytes: Count,
      history_bytes: Optional(Count),
      quota_gb: Type.Number(),
    }),
  ),
  user_create: event(
    'A user was created; `auto`: by their first login.',
    Type.Object({
      email: Text,
      display_name: Text,
      group_ids: Texts,
      auto: Optional(Type.Literal(true)),
      is_active: Optional(Type.Literal(false)),
      idp_subject: Optional(Text),
      must_change_password: Optional(Type.Literal(true)),
      service_account: Optional(Type.Literal(true)),
    }),
  ),
  user_update: event('A user changed.', Type.Object({ email: Text, ...change })),
  user_delete: event('A user was deleted.', Type.Object({ email: Text, display_name: Text, group_ids: Texts })),
  user_import: event(
    'A user was imported from the directory.',
    Type.Object({ email: Text, display_name: Text, external_id: Text }),
  ),
  group_create: event('A group was created.', Type.Object(group)),
  group_update: event('A group, its permissions or its members changed.', Type.Object({ name: Text, ...change })),
  group_delete: event('A group was deleted.', Type.Object({ ...group, member_count: Count, members: Texts })),
  identity_policy_create: event(
    'A policy in the language of AWS was created: one `of` a user, group or role, or a managed one.',
    Type.Object({ ...identityPolicy, document: Text }),
  ),
  identity_policy_update: event('Such a policy changed.', Type.Object({ ...identityPolicy, ...change })),
  identity_policy_delete: event('Such a policy was deleted.', Type.Object(identityPolicy)),
  identity_policy_attach: event('A managed policy was attached to a user, group or role.', Type.Object(identityPolicy)),
  identity_policy_detach: event('A managed policy was detached.', Type.Object(identityPolicy)),
  token_create: event(
    'A personal access token was created.',
    Type.Object({ ...token, scope: Scope, expires_at: Nullable(Text), created_by_token_id: Nullable(Text) }),
  ),
  token_revoke: event(
    'A token was revoked; `cascade`: together with the token that created it.',
    Type.Object({ ...token, reason: Type.Enum(['requested', 'cascade']), user_id: Text }),
  ),
  token_rotate: event(
    'A token was rotated: its value was replaced.',
    Type.Object({ ...token, previous_prefix: Text, grace_seconds: Count }),
  ),
  access_key_create: event(
    'An access key was created; `imported`: with a pair that another system made.',
    Type.Object({
      ...accessKey,
      scope: Scope,
      expires_at: Nullable(Text),
      created_by_token_id: Nullable(Text),
      user_id: Text,
      imported: Optional(Type.Literal(true)),
      policy: Optional(Text),
    }),
  ),
  access_key_update: event(
    'An access key was changed by a configuration: its name, scope, policy, expiry or secret.',
    Type.Object({ ...accessKey, user_id: Text, ...change, secret_changed: Optional(Type.Literal(true)) }),
  ),
  access_key_revoke: event(
    'An access key was revoked; `cascade`: together with the token that created it.',
    Type.Object({ ...accessKey, reason: Type.Enum(['requested', 'cascade']), user_id: Text }),
  ),
  access_key_rotate: event(
    'An access key was rotated: its secret was replaced.',
    Type.Object({ ...accessKey, grace_seconds: Count }),
  ),
  agent_create: event(
    'An agent was made.',
    Type.Object({
      ...accessKey,
      token_prefix: Text,
      scope: Type.Unsafe<readonly object[]>(Type.Array(Fields)),
      budget: Fields,
      approval: Fields,
      expires_at: Nullable(Text),
      fork: Nullable(Text),
      client: Optional(Type.Object(oauthClient)),
    }),
  ),
  agent_update: event('An agent was changed.', Type.Object({ name: Text, user_id: Text, ...change })),
  agent_revoke: event(
    'An agent was revoked; `reason`: by the service or its client.',
    Type.Object({
      ...token,
      user_id: Text,
      reason: Optional(Type.Enum(['code_reuse', 'refresh_reuse', 'requested_by_client', 'not_connected'])),
    }),
  ),
  agent_connect: event(
    'A client of the MCP server got the tokens of an agent.',
    Type.Object({ name: Text, user_id: Text, client: Type.Object(oauthClient) }),
  ),
  approval_request: event(
    'An agent asked for what a user has to approve.',
    Type.Object({ ...approval, actions: Type.Unsafe<readonly object[]>(Type.Array(Fields)) }),
  ),
  approval_approve: event('A user approved what an agent asked for.', Type.Object(approval)),
  approval_reject: event('A user rejected what an agent asked for.', Type.Object(approval)),
  share_create: event(
    'A share link was created.',
    Type.Object({
      share_id: Text,
      kind: Text,
      prefix: Optional(Text),
      keys: Optional(Count),
      object_keys: Optional(Texts),
      expires_at: Nullable(Text),
    }),
  ),
  share_update: event('The limits of a share link changed.', Type.Object({ share_id: Text, ...change })),
  share_revoke: event('A share link was revoked.', Type.Object({ share_id: Text })),
  policy_create: event('A cleanup policy was created.', Type.Object(policy)),
  policy_update: event('A cleanup policy changed.', Type.Object({ name: Text, ...change, ...fronted })),
  policy_delete: event('A cleanup policy was deleted.', Type.Object(policy)),
  policy_run: event(
    'A cleanup policy’s run ended, whatever its outcome; each object it deleted has its own `delete`.',
    Type.Object({
      policy_id: Text,
      name: Text,
      run_id: Text,
      dry_run: Flag,
      trigger: Type.Enum(['manual', 'schedule']),
      status: Text,
      reason: Nullable(Text),
      examined: Count,
      matched: Count,
      deleted: Count,
      bytes: Count,
      kept: Count,
      author: Type.Object({ user_id: Text, email: Nullable(Text) }, { description: 'Whose permissions it ran with.' }),
    }),
  ),
  inventory_create: event('An inventory was set up.', Type.Object(inventory)),
  inventory_update: event(
    'An inventory was changed.',
    Type.Object({ inventory_id: Text, name: Text, ...change, ...fronted }),
  ),
  inventory_delete: event('An inventory was deleted.', Type.Object(inventory)),
  inventory_run: event(
    'An inventory was written, or could not be: `manifest` is its key in the bucket `destination`.',
    Type.Object({
      inventory_id: Text,
      name: Text,
      run_id: Text,
      trigger: Type.Enum(['manual', 'schedule']),
      status: Text,
      reason: Nullable(Text),
      moment: Nullable(Text),
      destination: Text,
      manifest: Nullable(Text),
      files: Count,
      rows: Count,
      bytes: Count,
      author: Type.Object({ user_id: Text, email: Nullable(Text) }),
    }),
  ),
  settings_update: event('Runtime settings changed.', Type.Object(change)),
  storage_create: event('A storage was registered.', Type.Object(storage)),
  storage_update: event(
    'How a storage is reached or mirrored changed, or it was turned off or on.',
    Type.Object({
      name: Text,
      ...change,
      secret_changed: Optional(Type.Literal(true)),
      events_token: Optional(Type.Enum(['created', 'deleted'])),
    }),
  ),
  storage_delete: event('A storage was forgotten.', Type.Object(storage)),
  storage_failover: event(
    'The mirror of a storage became the place that is read and written first.',
    Type.Object({ name: Text, before: Text, after: Text, copies_missing: Count }),
  ),
  release_bucket: event(
    'An attached bucket was detached.',
    Type.Object({ storage: Text, prefix: Text, objects: Count, bucket_id: Text }),
  ),
  scan: event(
    'A scan of an attached bucket ended.',
    Type.Object({
      scan_id: Text,
      trigger: Type.Enum(['attach', 'request', 'schedule', 'take_over']),
      status: Type.Enum(['succeeded', 'held']),
      held_reason: Nullable(Text),
      seen: Count,
      added: Count,
      changed: Count,
      absent: Count,
      missing: Count,
      removed: Count,
      refused: Count,
    }),
  ),
  scan_confirm: event(
    'An administrator confirmed what a held scan of an attached bucket would mark as missing.',
    Type.Object({ scan_id: Text, absent: Count, held_reason: Text }),
  ),
  external_change: event(
    'Others changed an object of an attached bucket.',
    Type.Object({
      change: Type.Enum(['added', 'changed', 'missing', 'returned', 'removed']),
      size: Count,
      etag: Text,
      before: Optional(Type.Object({ size: Count, etag: Text })),
      scan_id: Optional(Text),
    }),
  ),
  take_over: event(
    'A read-only bucket was taken over.',
    Type.Object({
      scan_id: Text,
      storage: Text,
      prefix: Text,
      new_storage: Text,
      objects: Count,
      bytes: Count,
      quiet_hours: Count,
      asked_by: Nullable(Text),
      left_out: Optional(Count),
    }),
  ),
  external_finding: event(
    'Others changed something where a bucket was taken over.',
    Type.Object({
      finding: Type.Enum(['changed', 'missing', 'foreign']),
      size: Nullable(Count),
      etag: Nullable(Text),
      scan_id: Optional(Text),
    }),
  ),
  clock_confirm: event(
    'An administrator confirmed a clock that was in doubt.',
    Type.Object({ now: Text, doubt: Text }),
  ),
  webhook_create: event('A webhook endpoint was registered.', Type.Object(webhook)),
  webhook_update: event(
    'A webhook endpoint changed.',
    Type.Object({ webhook_id: Text, ...change, secret_changed: Optional(Type.Literal(true)) }),
  ),
  webhook_delete: event('A webhook endpoint was deleted.', Type.Object(webhook)),
  webhook_disabled: event(
    'A webhook endpoint was disabled automatically: its receiver is gone or failed for too long.',
    Type.Object({ ...named, reason: Text }),
  ),
  webhook_rotate: event(
    'A webhook endpoint got a new secret, which takes over after the grace period.',
    Type.Object({ ...named, grace_seconds: Count }),
  ),
  webhook_promote: event('The new secret of a webhook endpoint took over.', Type.Object(named)),
  ping: event('A test of this endpoint. Needs no subscription.', Type.Object({ ...named, delivery_id: Text })),
} satisfies { [N in EventName]: { summary: string; details: TSchema } }

/** A compile error names the event whose shape here differs from its action's. */
type Details<N extends EventName> = Static<(typeof events)[N]['details']>
type Described = {
  [N in EventName]: [ActionDetails[N], keyof ActionDetails[N]] extends [Details<N>, keyof Details<N>]
    ? true
    : { described_wrong: N }
}
type AllTrue<T extends { [N in EventName]: true }> = T
export type EventsAreDescribed = AllTrue<Described>

export const eventNames = Object.keys(events) as readonly EventName[]

const part = Type.Object(
  {
    id: Type.String({ description: 'The id of the change’s first audit record, the same in all its parts.' }),
    number: Type.Integer({ minimum: 1 }),
    of: Type.Integer({ minimum: 2 }),
    continues: Optional(
      Type.Array(Text, { description: 'Path to the text or list element at the end that continues in the next part.' }),
    ),
  },
  { description: 'Short fields are in every part, everything else in exactly one: concatenate lists to join them.' },
)

/** JSON Schema of an event's body. Fields may be added to `details`, never removed. */
export const bodySchema = (name: EventName) => {
  const text = (description: string) => Nullable(Text, { description })
  return Type.Object({
    event: Type.Literal(name),
    timestamp: Type.String({ format: 'date-time', description: 'Time of the event, with a numeric offset.' }),
    actor: Type.Object({
      user_id: text('Null: Strongroom itself, or someone without an account.'),
      email: text('The email at that time.'),
    }),
    bucket: text('Null if the event concerns no bucket.'),
    object_key: text('Null if the event concerns no object.'),
    details: Type.Union([
      events[name].details,
      Type.Object(
        { ...Type.Partial(events[name].details as TObject).properties, part },
        { description: 'Details too long for one delivery are split into several, one per audit record.' },
      ),
    ]),
  })
}
