import Type from 'typebox'
import { BucketEncryption } from './encryption.ts'
import { IDP_SCOPE, MAIL_HOST, SECRET_SETTINGS, TRIMMED_LINE } from './names.ts'
import { route } from './route.ts'
import { Exactly, Id, Nullable } from './shapes.ts'
import { Line, Opaque } from './texts.ts'
import { Email } from './users.ts'

const HttpUrl = Type.String({ maxLength: 2048, pattern: '^https?://[^\\s/?#][^\\s?#]*$' })
const Gigabytes = Type.Number({ exclusiveMinimum: 0, maximum: 8_388_608 })
const Megapixels = (options: { default: number; description?: string }) =>
  Type.Number({ exclusiveMinimum: 0, maximum: 1000, ...options })
const Text = Line(500)
const Secret = Type.String({
  minLength: 1,
  maxLength: 1000,
  format: 'password',
  description: 'Stored encrypted and never returned; `<field>_set` says whether it is set.',
})

/** The fields of each section, as they are written. */
const sections = {
  auth: {
    enable_local: Type.Boolean({ description: 'Login with email and password.', default: true }),
    enable_idp: Type.Boolean({
      description: 'Login through the identity provider, if one is configured.',
      default: true,
    }),
    second_factor: Type.Enum(['optional', 'administrators', 'everyone'], {
      description:
        'Who needs a second factor to log in with a password. Those who have none set one up at their next login, and their sessions end.',
      default: 'optional',
    }),
    auto_create_users: Type.Boolean({
      description: 'A first login through the identity provider creates an account that is in no group.',
      default: false,
    }),
    refresh_rotation: Type.Boolean({
      description: 'Each refresh replaces the refresh token. If off, the first one works for its 7 days.',
      default: true,
    }),
    idp_require_browser_cookie: Type.Boolean({
      description: 'A login must finish in the browser that started it.',
      default: true,
    }),
  },
  idp: {
    name: Nullable(Text, { description: 'Name shown on the login button.' }),
    issuer_url: Nullable(HttpUrl, { description: 'OpenID Connect issuer.' }),
    client_id: Nullable(Text),
    client_secret: Nullable(Secret),
    subject_claim: Nullable(Type.String({ pattern: '^[A-Za-z0-9_.:/-]{1,100}$' }), {
      description: 'Claim that identifies the user. Default: `oid` with Entra, else `sub`.',
    }),
    groups_claim: Nullable(Type.String({ pattern: '^[A-Za-z0-9_.:/-]{1,100}$' }), {
      description: 'Claim that lists the user’s groups; null: only administrators manage group membership.',
    }),
    scope: Nullable(Type.String({ pattern: IDP_SCOPE, maxLength: 500 }), {
      description:
        'What a login asks the provider for: `openid`, and names separated by spaces. Default: `openid profile email`. Some providers send groups only with a scope of their own.',
    }),
    group_mapping: Type.Array(Exactly({ value: Text, group_id: Id }), {
      maxItems: 200,
      description:
        'At each login, members of the provider’s group are added to ours and others are removed. Groups not listed here do not change.',
    }),
    link_verified_email: Type.Boolean({
      description:
        'A first login whose id_token says `"email_verified": true` is linked to the account with that email address, if it is active and linked to no identity. Whoever controls an address at the provider gets into its account. Never with Entra.',
      default: false,
    }),
  },
  directory: {
    kind: Nullable(Type.Enum(['msgraph', 'keycloak', 'scim2'])),
    url: Nullable(HttpUrl, { description: 'Graph host, Keycloak base URL, or SCIM base URL (without `/Users`).' }),
    token_url: Nullable(HttpUrl, { description: 'Token endpoint for directory access.' }),
    client_id: Nullable(Text, { description: 'Default: the identity provider’s.' }),
    client_secret: Nullable(Secret),
    realm: Nullable(Text, { description: 'Keycloak.' }),
    bearer_token: Nullable(Secret),
    subject_attribute: Type.Enum(['id', 'externalId', 'userName'], {
      description: 'SCIM attribute that the subject claim contains.',
      default: 'id',
    }),
  },
  mail: {
    host: Nullable(Type.String({ maxLength: 255, pattern: MAIL_HOST }), {
      description: 'Mail server (SMTP): a name or an address. Null: no mail is sent.',
    }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 587 }),
    security: Type.Enum(['starttls', 'tls', 'none'], {
      description:
        '`starttls`: refused unless the server offers it. `tls`: from the first byte, usually on port 465. `none`: not encrypted.',
      default: 'starttls',
    }),
    username: Nullable(Text, { description: 'Null: the server asks for no login.' }),
    password: Nullable(Secret),
    from_address: Nullable(Email, { description: 'The sender of every mail. Required with `host`.' }),
    from_name: Nullable(Line(200), {
      description: 'The sender’s name. Null: the site’s.',
    }),
  },
  quotas: {
    default_bucket_quota_gb: Nullable(Gigabytes, { description: 'Default quota of new buckets. Null: none.' }),
    total_quota_gb: Nullable(Gigabytes, { description: 'Quota for all buckets together; enforced like a bucket’s.' }),
  },
  encryption: {
    new_buckets: Nullable(BucketEncryption, {
      description:
        'Encryption of new buckets, where whoever creates one says nothing of it. Null: none. Existing buckets do not change.',
    }),
  },
  trash: {
    default_days: Type.Integer({ minimum: 0, maximum: 3650, description: 'Default trash days of new buckets.' }),
  },
  tokens: {
    max_lifetime_days: Type.Integer({
      minimum: 0,
      maximum: 3650,
      default: 0,
      description: 'Maximum lifetime of new personal access tokens; 0: no limit.',
    }),
    cap_child_expiry: Type.Boolean({
      default: false,
      description: 'A token created with another token does not outlive it.',
    }),
  },
  uploads: {
    expire_hours: Type.Integer({
      minimum: 1,
      maximum: 720,
      default: 24,
      description: 'When an unfinished multipart upload is discarded.',
    }),
    s3_expire_days: Type.Integer({
      minimum: 1,
      maximum: 3650,
      default: 7,
      description: 'When an unfinished multipart upload of an S3 client is discarded, after its last part.',
    }),
    max_lock_days: Nullable(Type.Integer({ minimum: 1, maximum: 36_500 }), {
      description:
        'For how long whoever may write and not manage can lock a version in a bucket with Object Lock. Default: 3653, ten years. Null: no limit. Defaults of buckets and locks that exist are not affected.',
    }),
  },
  s3: {
    rate_per_key: Type.Integer({
      minimum: 0,
      maximum: 10_000_000,
      default: 0,
      description: 'Requests that S3 clients may make with one access key in a minute, to each process. 0: no limit.',
    }),
    public_access: Type.Boolean({
      default: false,
      description:
        'Whether buckets and objects can be public at the S3 endpoint: by a bucket policy, by an ACL, or by a grant of the group of everyone. Off: every request needs a credential.',
    }),
  },
  shares: {
    default_expires_in: Type.String({ pattern: '^([1-9]\\d{0,8}[smhdw]|never)$', default: '7d' }),
    max_expires_in: Nullable(Type.String({ pattern: '^[1-9]\\d{0,8}[smhdw]$' }), {
      description: 'Maximum lifetime of new links; null: no limit.',
    }),
    require_creator_access: Type.Boolean({
      default: true,
      description:
        'A link ends when its creator is disabled or loses the permission to share or read (upload links: write) its objects.',
    }),
    keep_links: Type.Boolean({
      default: true,
      description:
        'New links are stored, encrypted, so that their creators can get them again. Off: only their hashes are stored, and the links stored before are deleted within an hour.',
    }),
  },
  images: {
    max_source_mb: Type.Integer({ minimum: 1, maximum: 1024, default: 50, description: 'Maximum size of the source.' }),
    max_source_megapixels: Megapixels({
      default: 50,
      description: 'Maximum of all frames together, as declared in the header.',
    }),
    max_progressive_megapixels: Megapixels({
      default: 25,
      description: 'Maximum of progressive and interlaced sources.',
    }),
    max_avif_source_megapixels: Megapixels({ default: 16 }),
    max_result_megapixels: Megapixels({ default: 16.8, description: 'Maximum of all frames together.' }),
    max_avif_result_megapixels: Megapixels({ default: 4 }),
    max_frames: Type.Integer({ minimum: 1, maximum: 10_000, default: 500, description: 'Further frames are dropped.' }),
    timeout_seconds: Type.Integer({
      minimum: 1,
      maximum: 300,
      default: 10,
      description: 'Time limit for queueing and rendering.',
    }),
    render_slots: Nullable(Type.Integer({ minimum: 1, maximum: 256 }), {
      description: 'Concurrent renders per process. Null: one per core. Never more than there are cores.',
    }),
    slots_per_user: Nullable(Type.Integer({ minimum: 1, maximum: 256 }), {
      description: 'Concurrent renders per user. Null: three quarters of them, at least 2.',
    }),
    slots_per_link: Nullable(Type.Integer({ minimum: 1, maximum: 256 }), {
      description: 'Concurrent renders per share link. Null: half of them.',
    }),
    queue_length: Type.Integer({ minimum: 0, maximum: 10_000, default: 256, description: 'When it is full: 503.' }),
    megapixels_in_flight: Megapixels({ default: 24, description: 'Maximum for all renders of a process together.' }),
    source_mb_in_flight: Type.Integer({
      minimum: 1,
      maximum: 65_536,
      default: 64,
      description: 'Maximum source size for all renders of a process together.',
    }),
  },
  audit: {
    retention_days: Type.Integer({ minimum: 0, maximum: 36_500, default: 365, description: '0: forever.' }),
    log_reads: Type.Boolean({ default: false, description: 'Whether to record downloads too.' }),
    external_changes: Type.Enum(['off', 'first_1000', 'all'], {
      default: 'first_1000',
      description:
        'Which changes by others in attached buckets are recorded one by one, and sent to webhooks: none, the first 1,000 that a scan finds, or all. Those that the first scan finds never are.',
    }),
  },
  branding: {
    name: Nullable(Type.String({ minLength: 1, maxLength: 60, pattern: TRIMMED_LINE }), {
      description:
        'Shown instead of “Strongroom” on the sign-in page, on the pages of share links and in their previews.',
    }),
  },
} as const

/** Write-only fields: reading returns `<field>_set`. */
export const secretSettings = SECRET_SETTINGS satisfies {
  [S in keyof typeof sections]?: readonly (keyof (typeof sections)[S])[]
}

const secretSet = Type.Boolean({ description: 'Whether it is set.' })
const { client_secret: _idpSecret, ...idp } = sections.idp
const { client_secret: _directorySecret, bearer_token: _bearer, ...directory } = sections.directory
const { password: _mailPassword, ...mail } = sections.mail

const LogoUrl = Nullable(Type.String(), { description: 'The logo’s path; null: none is set.' })

export const Settings = Type.Object({
  auth: Type.Object(sections.auth),
  idp: Type.Object({ ...idp, client_secret_set: secretSet }),
  directory: Type.Object({ ...directory, client_secret_set: secretSet, bearer_token_set: secretSet }),
  mail: Type.Object({ ...mail, password_set: secretSet }),
  quotas: Type.Object(sections.quotas),
  encryption: Type.Object(sections.encryption),
  trash: Type.Object(sections.trash),
  tokens: Type.Object(sections.tokens),
  uploads: Type.Object(sections.uploads),
  s3: Type.Object(sections.s3),
  shares: Type.Object(sections.shares),
  images: Type.Object(sections.images),
  audit: Type.Object(sections.audit),
  branding: Type.Object(sections.branding),
  fixed: Type.Record(Type.String(), Type.String(), {
    description: 'Fields set by environment variables, such as `idp.client_id`, with the variable’s name.',
  }),
  redirect_uri: Type.String({ description: 'The redirect URI to register at the identity provider.' }),
  logo_url: LogoUrl,
})
export type Settings = Type.Static<typeof Settings>

const part = <P extends Type.TProperties>(fields: P) =>
  Type.Optional(Type.Object(Type.Partial(Type.Object(fields)).properties, { additionalProperties: false }))

/** The sections, with the fields that are to change. */
export const settingsFields = {
  auth: part(sections.auth),
  idp: part(sections.idp),
  directory: part(sections.directory),
  mail: part(sections.mail),
  quotas: part(sections.quotas),
  encryption: part(sections.encryption),
  trash: part(sections.trash),
  tokens: part(sections.tokens),
  uploads: part(sections.uploads),
  s3: part(sections.s3),
  shares: part(sections.shares),
  images: part(sections.images),
  audit: part(sections.audit),
  branding: part(sections.branding),
}
export const SettingsChange = Type.Object(settingsFields, { additionalProperties: false, minProperties: 1 })
export type SettingsChange = Type.Static<typeof SettingsChange>

export const operations = {
  getSettings: route({
    method: 'GET',
    url: '/settings',
    tag: 'settings',
    summary: 'Get the runtime settings',
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
      'Changes only the given fields, effective on the next request on every replica. Changes that would lock out the last administrator and fields set by environment variables are refused.',
    access: 'admin',
    status: 200,
    body: SettingsChange,
    reply: Settings,
    errors: ['last_admin', 'conflict', 'invalid_request'],
    records: ['settings_update'],
  }),

  setLogo: route({
    method: 'PUT',
    url: '/settings/logo',
    tag: 'settings',
    summary: 'Set the logo of the sign-in page and of the pages of share links',
    description:
      'A PNG, JPEG, WebP, AVIF or GIF of at most 1 MiB. It is stored as a PNG that fits into 480 × 160 pixels.',
    access: 'admin',
    status: 200,
    consumes: 'bytes',
    body: Type.String({ contentMediaType: 'application/octet-stream' }),
    reply: Type.Object({ logo_url: LogoUrl }),
    errors: ['too_large', 'unsupported_media_type', 'invalid_request'],
    records: ['settings_update'],
    rate: 'costly',
  }),

  deleteLogo: route({
    method: 'DELETE',
    url: '/settings/logo',
    tag: 'settings',
    summary: 'Remove the logo',
    access: 'admin',
    status: 204,
    errors: ['not_found'],
    records: ['settings_update'],
  }),

  getLogo: route({
    method: 'GET',
    root: true,
    url: '/public/logo',
    tag: 'settings',
    summary: 'Get the logo of the sign-in page and of the pages of share links',
    access: 'public',
    status: 200,
    query: Exactly({
      v: Type.Optional(Opaque(64, { description: 'Its hash: with it the response never changes.' })),
    }),
    produces: 'bytes',
    media: ['image/png'],
    errors: ['not_found'],
  }),

  testIdp: route({
    method: 'POST',
    url: '/settings/test-idp',
    tag: 'settings',
    summary: 'Fetch the identity provider’s discovery document now',
    access: 'admin',
    status: 200,
    reply: Type.Object({
      issuer: Type.String(),
      authorization_endpoint: Type.String(),
      redirect_uri: Type.String({ description: 'The redirect URI to register at the provider.' }),
    }),
    errors: ['idp_unavailable', 'conflict'],
    records: [],
    rate: 'costly',
  }),

  testMail: route({
    method: 'POST',
    url: '/settings/test-mail',
    tag: 'settings',
    summary: 'Send a test mail to your own address now',
    description: 'Takes at most ten seconds. What went wrong is in `detail` of the problem.',
    access: 'admin',
    status: 200,
    reply: Type.Object({
      recipient: Type.String({ description: 'Your address, for which the server took the mail.' }),
    }),
    errors: ['mail_not_sent', 'conflict'],
    records: [],
    rate: 'costly',
  }),
}
