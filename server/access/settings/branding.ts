import { createHash } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx } from '../../context.ts'
import { type EffectiveSettings, settingsInForce } from './effective.ts'
import * as store from './store.ts'

/** How this site presents itself to users who are not signed in. */
export interface Branding {
  /** Null: Strongroom's own. */
  name: string | null
  /** The logo's path; it changes with the logo. */
  logo: string | null
}

/** What tells a logo from earlier ones, in its address. */
const versionOf = (hash: string): string => hash.slice(0, 22)
const pathOf = (hash: string): string => `/public/logo?v=${versionOf(hash)}`
const noLogo = () => new ServiceError('not_found', 'No logo is set.')

export async function brandingOf(ctx: Pick<Ctx, 'config' | 'db'>): Promise<Branding> {
  const [{ branding }, logo] = await Promise.all([settingsInForce(ctx), logoPath(ctx)])
  return { name: branding.name, logo }
}

/** What this site calls itself. */
export const siteName = ({ branding }: Pick<EffectiveSettings, 'branding'>): string => branding.name ?? 'Strongroom'

export async function logoPath({ db }: Pick<Ctx, 'db'>): Promise<string | null> {
  const hash = await store.readLogoHash(db)
  return hash === undefined ? null : pathOf(hash)
}

/** The logo as a PNG. Throws `not_found` if none is set. */
export async function findLogo({ db }: Ctx): Promise<{ png: Uint8Array; version: string }> {
  const logo = await store.readLogo(db)
  if (!logo) throw noLogo()
  return { png: logo.png, version: versionOf(logo.hash) }
}

/** Sets the logo, a PNG. Returns its path. */
export function setLogo(ctx: Ctx, png: Uint8Array): Promise<string> {
  const hash = createHash('sha256').update(png).digest('hex')
  return ctx.act(async ({ tx, record, now }) => {
    await store.lockOverrides(tx)
    const before = await store.readLogoHash(tx)
    await store.writeLogo(tx, { png, hash, updated_at: now().toISOString() })
    record({ name: 'settings_update', details: changed(before ?? null, hash) })
    return pathOf(hash)
  })
}

/** Removes the logo. Throws `not_found` if none is set. */
export const removeLogo = (ctx: Ctx): Promise<undefined> =>
  ctx.act(async ({ tx, record }) => {
    await store.lockOverrides(tx)
    const before = await store.readLogoHash(tx)
    if (before === undefined) throw noLogo()
    await store.deleteLogo(tx)
    record({ name: 'settings_update', details: changed(before, null) })
    return undefined
  })

const changed = (before: string | null, after: string | null) => ({
  before: { branding: { logo: before } },
  after: { branding: { logo: after } },
})
