import type { Logger } from 'pino'
import type { TSchema } from 'typebox'
import { SettingsChange, secretSettings } from '../../../contract/settings.ts'
import { perSystem } from '../../base/per-system.ts'
import { trimEndOf } from '../../base/trim-end.ts'
import type { Config } from '../../config/config.ts'
import type { Db, Tx } from '../../db/schema.ts'
import { isLegal } from '../../http/validation.ts'
import { unseal } from '../../secrets/seal.ts'
import * as store from './store.ts'

type Sections = { [S in keyof SettingsChange]-?: Required<NonNullable<SettingsChange[S]>> }
/** The settings in force, with their secrets in plain text. */
export type EffectiveSettings = { readonly [S in keyof Sections]: Readonly<Sections[S]> }
export type Section = keyof Sections
/** The stored settings, by section and field; secrets are sealed. */
export type Changed = { [S in Section]?: { [field: string]: unknown } }

export const SECRET_PURPOSE = 'settings-secret'

/** Default values. */
export const defaults: EffectiveSettings = {
  auth: {
    enable_local: true,
    enable_idp: true,
    second_factor: 'optional',
    auto_create_users: false,
    refresh_rotation: true,
    idp_require_browser_cookie: true,
  },
  idp: {
    name: null,
    issuer_url: null,
    client_id: null,
    client_secret: null,
    subject_claim: null,
    groups_claim: null,
    scope: null,
    group_mapping: [],
    link_verified_email: false,
  },
  directory: {
    kind: null,
    url: null,
    token_url: null,
    client_id: null,
    client_secret: null,
    realm: null,
    bearer_token: null,
    subject_attribute: 'id',
  },
  mail: {
    host: null,
    port: 587,
    security: 'starttls',
    username: null,
    password: null,
    from_address: null,
    from_name: null,
  },
  quotas: { default_bucket_quota_gb: null, total_quota_gb: null },
  encryption: { new_buckets: null },
  trash: { default_days: 7 },
  tokens: { max_lifetime_days: 0, cap_child_expiry: false },
  uploads: { expire_hours: 24, s3_expire_days: 7, max_lock_days: 3653 },
  s3: { rate_per_key: 0, public_access: false },
  shares: { default_expires_in: '7d', max_expires_in: null, require_creator_access: true, keep_links: true },
  images: {
    max_source_mb: 50,
    max_source_megapixels: 50,
    max_progressive_megapixels: 25,
    max_avif_source_megapixels: 16,
    max_result_megapixels: 16.8,
    max_avif_result_megapixels: 4,
    max_frames: 500,
    timeout_seconds: 10,
    render_slots: null,
    slots_per_user: null,
    slots_per_link: null,
    queue_length: 256,
    megapixels_in_flight: 24,
    source_mb_in_flight: 64,
  },
  audit: { retention_days: 365, log_reads: false, external_changes: 'first_1000' },
  branding: { name: null },
}
/** Default retention of audit records, in days. */
export const defaultRetentionDays = defaults.audit.retention_days
/**
 * Replaces stored values that the API would have rejected, where applying the default could destroy data.
 */
const whenIllegal: { readonly [field: string]: unknown } = { 'audit.retention_days': 0 }

export const sectionNames = Object.keys(defaults) as readonly Section[]

export const isSecret = (section: string, field: string): boolean =>
  (secretSettings as { [section: string]: readonly string[] })[section]?.includes(field) ?? false

/** The stored values that the API would have rejected: something else wrote to the row. */
function illegalIn(changed: Changed): string[] {
  return sectionNames.flatMap((section) => {
    const shapes: { [field: string]: TSchema | undefined } = SettingsChange.properties[section].properties
    return Object.entries(changed[section] ?? {}).flatMap(([field, value]) => {
      const shape = shapes[field]
      // Sealing makes a secret longer, so its length is not checked.
      const isValid = isSecret(section, field)
        ? value === null || typeof value === 'string'
        : shape !== undefined && isLegal(shape, value)
      return isValid ? [] : [`${section}.${field}`]
    })
  })
}

/** The defaults, overridden by valid stored values, overridden by the environment. */
export function merge(config: Config, changed: Changed): EffectiveSettings {
  const illegal = new Set(illegalIn(changed))
  const entries = sectionNames.map((section) => {
    const set = Object.entries(changed[section] ?? {}).flatMap(([field, value]): [string, unknown][] => {
      const name = `${section}.${field}`
      if (!illegal.has(name)) return [[field, value]]
      return name in whenIllegal ? [[field, whenIllegal[name]]] : []
    })
    const fields = Object.entries({ ...defaults[section], ...Object.fromEntries(set) }).map(([field, value]) => {
      const fixed = config.fixedSettings[`${section}.${field}`]
      if (fixed) return [field, fixed.value]
      const sealed = isSecret(section, field) && typeof value === 'string' && section in changed
      return [field, sealed ? unseal(config, SECRET_PURPOSE, value) : value]
    })
    return [section, Object.fromEntries(fields)]
  })
  return Object.fromEntries(entries) as EffectiveSettings
}

/** Issuers are compared without a trailing slash. */
export const issuerKey = (issuer: string): string => trimEndOf(issuer, '/')

interface Read {
  /** As stored. */
  text: string
  settings: EffectiveSettings
  /** Invalid stored values that have not been logged yet. */
  untold: readonly string[]
}
const latestOf = perSystem((): { read?: Read } => ({}))

/**
 * The current settings: a change applies to every replica's next request. They are parsed only when they changed. Logs each invalid stored value once.
 */
export async function settingsInForce(
  from: { config: Config; log?: Logger } & ({ db: Db } | { tx: Tx }),
): Promise<EffectiveSettings> {
  return settingsOf(from, await store.readOverrides('tx' in from ? from.tx : from.db))
}

/** The same from what is stored, for those who have read that already. */
export function settingsOf(from: { config: Config; log?: Logger }, text: string): EffectiveSettings {
  const latest = latestOf(from.config)
  if (latest.read?.text !== text) {
    const changed = JSON.parse(text) as Changed
    latest.read = { text, settings: merge(from.config, changed), untold: illegalIn(changed) }
  }
  const { read } = latest
  if (from.log && read.untold.length > 0) {
    from.log.error({ settings: read.untold }, 'invalid stored settings ignored')
    read.untold = []
  }
  return read.settings
}
