import { type SettingsChange, secretSettings } from '../../contract/settings.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/schema.ts'
import { unseal } from '../sealed.ts'
import * as store from './store.ts'

type Sections = { [S in keyof SettingsChange]-?: Required<NonNullable<SettingsChange[S]>> }
/** The settings as they are in force, with their secrets. */
export type EffectiveSettings = { readonly [S in keyof Sections]: Readonly<Sections[S]> }
export type Section = keyof Sections
/** What was set, by section and field; secrets in it are sealed. */
export type Changed = { [S in Section]?: { [field: string]: unknown } } & {
  /** Of the setup link's token, while there is one: no setting, but under the lock of the settings. */
  setup?: string
}

export const SECRET_PURPOSE = 'settings-secret'

/** What holds where nothing was set. */
const defaults: EffectiveSettings = {
  auth: {
    enable_local: true,
    enable_idp: true,
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
    group_mapping: [],
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
  quotas: { default_bucket_quota_gb: null, total_quota_gb: null },
  trash: { default_days: 7 },
  tokens: { max_lifetime_days: 0, cap_child_expiry: false },
  uploads: { expire_hours: 24 },
  shares: { default_expires_in: '7d', max_expires_in: null, require_creator_access: true },
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
  audit: { retention_days: 365, log_reads: false },
}
export const sectionNames = Object.keys(defaults) as readonly Section[]

export const isSecret = (section: string, field: string): boolean =>
  (secretSettings as { [section: string]: readonly string[] })[section]?.includes(field) ?? false

/** Defaults, over them what was set, over that what the environment fixes. */
export function merge(config: Config, changed: Changed): EffectiveSettings {
  const entries = sectionNames.map((section) => {
    const fields = Object.entries({ ...defaults[section], ...changed[section] }).map(([field, value]) => {
      const fixed = config.fixedSettings[`${section}.${field}`]
      if (fixed) return [field, fixed.value]
      const sealed = isSecret(section, field) && typeof value === 'string' && section in changed
      return [field, sealed ? unseal(config, SECRET_PURPOSE, value) : value]
    })
    return [section, Object.fromEntries(fields)]
  })
  return Object.fromEntries(entries) as EffectiveSettings
}

const latest = new WeakMap<Config, { text: string; settings: EffectiveSettings }>()

/**
 * The settings in force now: read each time, so that a change acts on the next request of every replica, and made into
 * values only when they changed.
 */
export async function settingsInForce({ db, config }: { db: Db; config: Config }): Promise<EffectiveSettings> {
  const text = await store.readChanged(db)
  const known = latest.get(config)
  if (known?.text === text) return known.settings
  const settings = merge(config, JSON.parse(text) as Changed)
  latest.set(config, { text, settings })
  return settings
}
