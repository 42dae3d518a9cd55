import Type from 'typebox'
import { route } from './route.ts'
import { Exactly, Id, Nullable } from './shapes.ts'

const HttpUrl = Type.String({ maxLength: 2048, pattern: '^https?://[^\\s/?#]+[^\\s?#]*$' })
const Gigabytes = Type.Number({ exclusiveMinimum: 0, maximum: 8_388_608 })
const Megapixels = (options: { default: number; description?: string }) =>
  Type.Number({ exclusiveMinimum: 0, maximum: 1000, ...options })
const Text = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' })
const Secret = Type.String({
  minLength: 1,
  maxLength: 1000,
  format: 'password',
  description: 'Kept encrypted and never shown again; reading gives whether one is set.',
})

/** The fields of each section, as they are written. */
const sections = {
  auth: {
    enable_local: Type.Boolean({ description: 'Login with e-mail and password.', default: true }),
    enable_idp: Type.Boolean({
      description: 'Login through the identity provider, once one is set up.',
      default: true,
    }),
    auto_create_users: Type.Boolean({
      description: 'A first login through the identity provider makes an account, in no group.',
      default: false,
    }),
    refresh_rotation: Type.Boolean({
      description: 'Each refresh replaces the refresh token. Off: the first one works for its 7 days.',
      default: true,
    }),
    idp_require_browser_cookie: Type.Boolean({
      description: 'The browser that finishes a login must be the one that began it.',
      default: true,
    }),
  },
  idp: {
    name: Nullable(Text, { description: 'Shown on the login button.' }),
    issuer_url: Nullable(HttpUrl, { description: 'Issuer of OpenID Connect discovery.' }),
    client_id: Nullable(Text),
    client_secret: Nullable(Secret),
    subject_claim: Nullable(Type.String({ pattern: '^[A-Za-z0-9_.:/-]{1,100}$' }), {
      description: 'The claim that says who it is. Default: `oid` at Entra, else `sub`.',
    }),
    groups_claim: Nullable(Type.String({ pattern: '^[A-Za-z0-9_.:/-]{1,100}$' }), {
      description: 'The claim that lists their groups; null leaves groups to administrators here.',
    }),
    group_mapping: Type.Array(Exactly({ value: Text, group_id: Id }), {
      maxItems: 200,
      description:
        'At each login: members of the provider’s group are put into ours, others are taken out. Groups not named here are left alone.',
    }),
  },
  directory: {
    kind: Nullable(Type.Enum(['msgraph', 'keycloak', 'scim2'])),
    url: Nullable(HttpUrl, { description: 'Graph host, Keycloak base, or what `/Users` follows in SCIM.' }),
    token_url: Nullable(HttpUrl, { description: 'Where application tokens are issued.' }),
    client_id: Nullable(Text, { description: 'Default: that of the identity provider.' }),
    client_secret: Nullable(Secret),
    realm: Nullable(Text, { description: 'Keycloak.' }),
    bearer_token: Nullable(Secret),
    subject_attribute: Type.Enum(['id', 'externalId', 'userName'], { description: 'SCIM.', default: 'id' }),
  },
  quotas: {
    default_bucket_quota_gb: Nullable(Gigabytes, { description: 'Of buckets created without saying. Null: none.' }),
    total_quota_gb: Nullable(Gigabytes, { description: 'All buckets together; held like a bucket’s.' }),
  },
  trash: {
    default_days: Type.Integer({ minimum: 0, maximum: 3650, description: 'Of buckets created without saying.' }),
  },
  tokens: {
    max_lifetime_days: Type.Integer({
      minimum: 0,
      maximum: 3650,
      default: 0,
      description: 'The longest a new personal access token may live; 0: no limit.',
    }),
    cap_child_expiry: Type.Boolean({
      default: false,
      description: 'A token made with a token does not outlive it.',
    }),
  },
  uploads: {
    expire_hours: Type.Integer({
      minimum: 1,
      maximum: 720,
      default: 24,
      description: 'When an upload in parts that was not finished is given up.',
    }),
  },
  shares: {
    default_expires_in: Type.String({ pattern: '^([1-9]\\d{0,8}[smhdw]|never)$', default: '7d' }),
    max_expires_in: Nullable(Type.String({ pattern: '^[1-9]\\d{0,8}[smhdw]$' }), {
      description: 'The longest a new link may live; null: no limit.',
    }),
    require_creator_access: Type.Boolean({
      default: true,
      description:
        'A link ends when its creator is disabled, or may not share or read (of uploads: write) what it is of any more.',
    }),
  },
  images: {
    max_source_mb: Type.Integer({ minimum: 1, maximum: 1024, default: 50, description: 'Bytes of the source.' }),
    max_source_megapixels: Megapixels({ default: 50, description: 'Of all frames together, as the header declares.' }),
    max_progressive_megapixels: Megapixels({ default: 25, description: 'Of progressive and interlaced sources.' }),
    max_avif_source_megapixels: Megapixels({ default: 16 }),
    max_result_megapixels: Megapixels({ default: 16.8, description: 'Of all frames together.' }),
    max_avif_result_megapixels: Megapixels({ default: 4 }),
    max_frames: Type.Integer({ minimum: 1, maximum: 10_000, default: 500, description: 'More are left out.' }),
    timeout_seconds: Type.Integer({
      minimum: 1,
      maximum: 300,
      default: 10,
      description: 'In the queue and rendering.',
    }),
    render_slots: Nullable(Type.Integer({ minimum: 1, maximum: 256 }), {
      description: 'Renders at a time in one process. Null: one for each core. Never more than there are cores.',
    }),
    slots_per_user: Nullable(Type.Integer({ minimum: 1, maximum: 256 }), {
      description: 'How many of them one user may have. Null: three quarters, at least 2.',
    }),
    slots_per_link: Nullable(Type.Integer({ minimum: 1, maximum: 256 }), {
      description: 'How many of them one share link may have. Null: half.',
    }),
    queue_length: Type.Integer({ minimum: 0, maximum: 10_000, default: 256, description: 'Beyond it: 503.' }),
    megapixels_in_flight: Megapixels({ default: 24, description: 'Held by all renders of a process together.' }),
    source_mb_in_flight: Type.Integer({ minimum: 1, maximum: 65_536, default: 64, description: 'The same in bytes.' }),
  },
  audit: {
    retention_days: Type.Integer({ minimum: 0, maximum: 36_500, default: 365, description: '0: for ever.' }),
    log_reads: Type.Boolean({ default: false, description: 'Whether downloads are recorded too.' }),
  },
} as const

/** Fields that are written and never read: reading gives `<field>_set`. */
export const secretSettings = {
  idp: ['client_secret'],
  directory: ['client_secret', 'bearer_token'],
} as const satisfies { [S in keyof typeof sections]?: readonly (keyof (typeof sections)[S])[] }

const secretSet = Type.Boolean({ description: 'Whether one is set.' })
const { client_secret: _idpSecret, ...idp } = sections.idp
const { client_secret: _directorySecret, bearer_token: _bearer, ...directory } = sections.directory

export const Settings = Type.Object({
  auth: Type.Object(sections.auth),
  idp: Type.Object({ ...idp, client_secret_set: secretSet }),
  directory: Type.Object({ ...directory, client_secret_set: secretSet, bearer_token_set: secretSet }),
  quotas: Type.Object(sections.quotas),
  trash: Type.Object(sections.trash),
  tokens: Type.Object(sections.tokens),
  uploads: Type.Object(sections.uploads),
  shares: Type.Object(sections.shares),
  images: Type.Object(sections.images),
  audit: Type.Object(sections.audit),
  fixed: Type.Record(Type.String(), Type.String(), {
    description: 'Fields that environment variables set, like `idp.client_id`, with the variable’s name.',
  }),
})
export type Settings = Type.Static<typeof Settings>

const part = <P extends Type.TProperties>(fields: P) =>
  Type.Optional(Type.Object(Type.Partial(Type.Object(fields)).properties, { additionalProperties: false }))

export const SettingsChange = Type.Object(
  {
    auth: part(sections.auth),
    idp: part(sections.idp),
    directory: part(sections.directory),
    quotas: part(sections.quotas),
    trash: part(sections.trash),
    tokens: part(sections.tokens),
    uploads: part(sections.uploads),
    shares: part(sections.shares),
    images: part(sections.images),
    audit: part(sections.audit),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type SettingsChange = Type.Static<typeof SettingsChange>

export const operations = {
  getSettings: route({
    method: 'GET',
    url: '/settings',
    tag: 'settings',
    summary: 'The runtime settings',
    access: 'admin',
    status: 200,
    reply: Settings,
  }),

  updateSettings: route({
    method: 'PATCH',
    url: '/settings',
    tag: 'settings',
    summary: 'Change runtime settings',
    description:
      'Only what is named changes, on the next request of every replica. What would lock the last administrator out is refused, and so is a field that an environment variable sets.',
    access: 'admin',
    status: 200,
    body: SettingsChange,
    reply: Settings,
    errors: ['last_admin', 'conflict', 'invalid_request'],
    records: ['settings_update'],
  }),

  testIdp: route({
    method: 'POST',
    url: '/settings/test-idp',
    tag: 'settings',
    summary: 'Ask the identity provider for its discovery document, now',
    access: 'admin',
    status: 200,
    reply: Type.Object({
      issuer: Type.String(),
      authorization_endpoint: Type.String(),
      redirect_uri: Type.String({ description: 'What to register at the provider.' }),
    }),
    errors: ['idp_unavailable', 'conflict'],
    records: [],
    rate: 'costly',
  }),
}
