import { type Fault, ServiceError } from '../../../contract/errors.ts'
import { PUBLIC_GROUP } from '../../../contract/public-access.ts'
import type { Settings, SettingsChange } from '../../../contract/settings.ts'
import { differenceOf } from '../../base/difference.ts'
import { invalidAll } from '../../base/invalid.ts'
import { issuerUrl, isThisMachine } from '../../config/variables.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { assertComplete, holdKeyKnown } from '../../encryption/default.ts'
import { isSealedWithCurrent, seal, unseal } from '../../secrets/seal.ts'
import { assertAdminRemains, lockAdministration } from './administration.ts'
import { logoPath } from './branding.ts'
import {
  type Changed,
  type EffectiveSettings,
  isSecret,
  merge,
  SECRET_PURPOSE,
  type Section,
  sectionNames,
} from './effective.ts'
import { idpInForce, redirectUri } from './idp.ts'
import { assertMailUsable } from './mail.ts'
import * as store from './store.ts'

/** The settings for administrators, without secrets. */
export async function getSettings(ctx: Ctx): Promise<Settings> {
  const overrides = JSON.parse(await store.readOverrides(ctx.db)) as Changed
  return describe(ctx, merge(ctx.config, overrides), await logoPath(ctx))
}

/** What follows from a change of settings elsewhere, in its transaction. */
export interface SettingsEffects {
  /** When the quota over all buckets changes: GiB, null for none. */
  applyTotalQuota(tx: Tx, quota_gb: number | null): Promise<void>
  /** When the identity provider of this issuer is turned off or replaced by another one. */
  endProvider(step: Step, issuer: string): Promise<void>
}

/**
 * Changes the given fields. Throws conflict for settings fixed by the environment and last_admin if nobody could
 * administer the service any more.
 */
export async function updateSettings(
  ctx: Ctx,
  change: SettingsChange,
  { applyTotalQuota, endProvider }: SettingsEffects,
): Promise<Settings> {
  assertChangeable(ctx, change)
  return ctx.act(async (step) => {
    const { tx, record } = step
    const changed = JSON.parse(await lockAdministration(tx)) as Changed
    await assertGroupsExist(tx, change)
    await holdKeyKnown(tx, change.encryption?.new_buckets, 'body.encryption.new_buckets')
    const before = merge(ctx.config, changed)
    for (const section of sectionNames)
      if (change[section]) changed[section] = { ...changed[section], ...sealSecrets(ctx, section, change[section]) }
    await store.writeOverrides(tx, JSON.stringify(changed))
    const after = merge(ctx.config, changed)
    if (before.quotas.total_quota_gb !== after.quotas.total_quota_gb)
      await applyTotalQuota(tx, after.quotas.total_quota_gb)
    if (change.auth || change.idp) await assertAdminRemains(tx, after)
    const issuer = idpInForce(before)?.issuer
    if (issuer !== undefined && idpInForce(after)?.issuer !== issuer) await endProvider(step, issuer)
    if (change.mail) assertMailUsable(after)
    record({ name: 'settings_update', details: differences(before, after) })
    return describe(ctx, after, await logoPath({ db: tx }))
  })
}

const sealSecrets = (ctx: Ctx, section: Section, fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      isSecret(section, field) && typeof value === 'string' ? seal(ctx.config, SECRET_PURPOSE, value) : value,
    ]),
  )

/** Throws on fields that the environment sets and on unusable values. */
function assertChangeable(ctx: Ctx, change: SettingsChange): void {
  for (const [section, fields] of Object.entries(change))
    for (const field of Object.keys(fields)) {
      const fixed = ctx.config.fixedSettings[`${section}.${field}`]
      if (!fixed) continue
      const fault = { path: `body.${section}.${field}`, message: `is set by ${fixed.variable}` }
      throw new ServiceError('conflict', `${section}.${field} is set by the environment variable ${fixed.variable}.`, {
        faults: [fault],
      })
    }
  assertUsable(ctx, change)
}

/** Throws invalid_request naming every value that could not be used. */
export function assertUsable(ctx: Ctx, change: SettingsChange): void {
  const faults: Fault[] = []
  const forNew = change.encryption?.new_buckets
  if (forNew) assertComplete(forNew, 'body.encryption.new_buckets')
  try {
    const issuer = issuerUrl(change.idp?.issuer_url ?? '')
    // Only the operator may name an issuer on this machine (IDP_ISSUER_URL), unless the service itself is only local.
    if (issuer && isThisMachine(new URL(issuer)) && !isThisMachine(new URL(ctx.config.publicBaseUrl)))
      throw new Error('must not be on this machine unless set by the variable IDP_ISSUER_URL')
  } catch (error) {
    faults.push({ path: 'body.idp.issuer_url', message: (error as Error).message })
  }
  for (const [field, url] of Object.entries({ url: change.directory?.url, token_url: change.directory?.token_url }))
    if (url && !URL.canParse(url)) faults.push({ path: `body.directory.${field}`, message: 'must be a URL' })
  if (faults.length > 0) throw invalidAll(faults)
}

async function assertGroupsExist(tx: Tx, change: SettingsChange): Promise<void> {
  const mapping = change.idp?.group_mapping ?? []
  if (mapping.length === 0) return
  const named = mapping.map(({ group_id }) => group_id)
  const known = new Set(await store.findGroupIds(tx, named))
  const faults = mapping.flatMap(({ group_id }, i) => {
    const message = group_id === PUBLIC_GROUP ? 'has no members' : known.has(group_id) ? undefined : 'does not exist'
    return message === undefined ? [] : [{ path: `body.idp.group_mapping.${i}.group_id`, message }]
  })
  if (faults.length > 0) throw invalidAll(faults)
}

/** The fields that differ, for lists the items that do; a secret only shows that it changed. */
function differences(before: EffectiveSettings, after: EffectiveSettings): { before: object; after: object } {
  const sides = { before: {} as Changed, after: {} as Changed }
  const put = (side: Changed, section: Section, field: string, value: unknown) => {
    side[section] ??= {}
    side[section][field] = isSecret(section, field) && value !== null ? '***' : value
  }
  for (const section of sectionNames)
    for (const [field, value] of Object.entries(after[section])) {
      const old = (before[section] as { [field: string]: unknown })[field]
      if (JSON.stringify(old) === JSON.stringify(value)) continue
      const isList = Array.isArray(old) && Array.isArray(value)
      const { lost, gained } = isList ? differenceOf(old, value) : { lost: old, gained: value }
      put(sides.before, section, field, lost)
      put(sides.after, section, field, gained)
    }
  return sides
}

function describe({ config }: Ctx, settings: EffectiveSettings, logo_url: string | null): Settings {
  const { client_secret: idpSecret, ...idp } = settings.idp
  const { client_secret, bearer_token, ...directory } = settings.directory
  const { password, ...mail } = settings.mail
  return {
    ...settings,
    idp: { ...idp, client_secret_set: idpSecret !== null },
    directory: { ...directory, client_secret_set: client_secret !== null, bearer_token_set: bearer_token !== null },
    mail: { ...mail, password_set: password !== null },
    fixed: Object.fromEntries(Object.entries(config.fixedSettings).map(([field, { variable }]) => [field, variable])),
    redirect_uri: redirectUri({ config }),
    logo_url,
  }
}

/** Re-encrypts stored secrets that still use a previous SECRET_KEY; returns how many. */
export async function resealSettings(ctx: Ctx): Promise<number> {
  return ctx.upkeep(async ({ tx }) => {
    const changed = JSON.parse(await lockAdministration(tx)) as Changed
    let count = 0
    for (const section of sectionNames) {
      const fields = changed[section] ?? {}
      for (const [field, value] of Object.entries(fields)) {
        if (!isSecret(section, field) || typeof value !== 'string' || isSealedWithCurrent(ctx.config, value)) continue
        const opened = unseal(ctx.config, SECRET_PURPOSE, value)
        fields[field] = seal(ctx.config, SECRET_PURPOSE, opened)
        count++
      }
    }
    if (count > 0) await store.writeOverrides(tx, JSON.stringify(changed))
    return count
  })
}

/** Enables login with email and password, whatever the settings say. */
export const enableLocalLogin = (ctx: Ctx): Promise<void> =>
  ctx.act(async ({ tx, record }) => {
    const changed = JSON.parse(await lockAdministration(tx)) as Changed
    const before = merge(ctx.config, changed)
    changed.auth = { ...changed.auth, enable_local: true }
    await store.writeOverrides(tx, JSON.stringify(changed))
    record({ name: 'settings_update', details: differences(before, merge(ctx.config, changed)) })
  })
