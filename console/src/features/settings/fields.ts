import type { SettingsChange } from '../../../../contract/settings.ts'

export type Section = keyof SettingsChange
type FieldsOf<S extends Section> = Required<NonNullable<SettingsChange[S]>>
export type FieldName = { [S in Section]: `${S}.${keyof FieldsOf<S> & string}` }[Section]

/** How a field is edited. With `empty`, an empty input means null. */
export type Field =
  | { kind: 'switch' }
  | { kind: 'text'; empty?: boolean; mono?: boolean }
  | {
      kind: 'number'
      empty?: boolean
      whole?: boolean
      min?: number
      max: number
      unit?: 'gb' | 'days' | 'hours' | 'seconds' | 'mb' | 'megapixels'
    }
  | { kind: 'choice'; empty?: boolean; choices: readonly string[] }
  | { kind: 'secret' }
  | { kind: 'mapping' }
  | { kind: 'encryption' }

const on = { kind: 'switch' } as const
const text = { kind: 'text', empty: true, mono: true } as const
const secret = { kind: 'secret' } as const
const whole = (min: number, max: number) => ({ kind: 'number', whole: true, min, max }) as const
const megapixels = { kind: 'number', max: 1000, unit: 'megapixels' } as const
const gigabytes = { kind: 'number', empty: true, max: 8_388_608, unit: 'gb' } as const

/** All fields of all sections, in the form's order. A field of the contract that is missing here does not compile. */
export const fields: { readonly [S in Section]: { readonly [F in keyof FieldsOf<S>]: Field } } = {
  auth: {
    enable_local: on,
    enable_idp: on,
    second_factor: { kind: 'choice', choices: ['optional', 'administrators', 'everyone'] },
    auto_create_users: on,
    idp_require_browser_cookie: on,
    refresh_rotation: on,
  },
  idp: {
    name: { kind: 'text', empty: true },
    issuer_url: text,
    client_id: text,
    client_secret: secret,
    subject_claim: text,
    groups_claim: text,
    scope: text,
    group_mapping: { kind: 'mapping' },
    link_verified_email: on,
  },
  directory: {
    kind: { kind: 'choice', empty: true, choices: ['msgraph', 'keycloak', 'scim2'] },
    url: text,
    realm: text,
    token_url: text,
    client_id: text,
    client_secret: secret,
    bearer_token: secret,
    subject_attribute: { kind: 'choice', choices: ['id', 'externalId', 'userName'] },
  },
  mail: {
    host: text,
    port: whole(1, 65_535),
    security: { kind: 'choice', choices: ['starttls', 'tls', 'none'] },
    username: text,
    password: secret,
    from_address: text,
    from_name: { kind: 'text', empty: true },
  },
  quotas: { default_bucket_quota_gb: gigabytes, total_quota_gb: gigabytes },
  encryption: { new_buckets: { kind: 'encryption' } },
  trash: { default_days: { ...whole(0, 3650), unit: 'days' } },
  tokens: { max_lifetime_days: { ...whole(0, 3650), unit: 'days' }, cap_child_expiry: on },
  uploads: {
    expire_hours: { ...whole(1, 720), unit: 'hours' },
    s3_expire_days: { ...whole(1, 3650), unit: 'days' },
    max_lock_days: { ...whole(1, 36_500), empty: true, unit: 'days' },
  },
  s3: { rate_per_key: whole(0, 10_000_000), public_access: on },
  shares: {
    default_expires_in: { kind: 'text', mono: true },
    max_expires_in: text,
    require_creator_access: on,
    keep_links: on,
  },
  images: {
    max_source_mb: { ...whole(1, 1024), unit: 'mb' },
    max_source_megapixels: megapixels,
    max_progressive_megapixels: megapixels,
    max_avif_source_megapixels: megapixels,
    max_result_megapixels: megapixels,
    max_avif_result_megapixels: megapixels,
    max_frames: whole(1, 10_000),
    timeout_seconds: { ...whole(1, 300), unit: 'seconds' },
    render_slots: { ...whole(1, 256), empty: true },
    slots_per_user: { ...whole(1, 256), empty: true },
    slots_per_link: { ...whole(1, 256), empty: true },
    queue_length: whole(0, 10_000),
    megapixels_in_flight: megapixels,
    source_mb_in_flight: { ...whole(1, 65_536), unit: 'mb' },
  },
  audit: {
    retention_days: { ...whole(0, 36_500), unit: 'days' },
    log_reads: on,
    external_changes: { kind: 'choice', choices: ['off', 'first_1000', 'all'] },
  },
  branding: { name: { kind: 'text', empty: true } },
}
export const sectionNames = Object.keys(fields) as readonly Section[]

/** A section's unsaved changes, by field. */
export type Draft = Readonly<Record<string, unknown>>
export const isEmptyDraft = (draft: Draft | undefined): boolean => !draft || Object.keys(draft).length === 0

/** A field's changed value; none if it equals the saved one. */
export function withValue(draft: Draft, name: string, value: unknown, saved: unknown): Draft {
  const { [name]: _old, ...rest } = draft
  return JSON.stringify(value) === JSON.stringify(saved) ? rest : { ...rest, [name]: value }
}
