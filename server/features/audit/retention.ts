import { defaultRetentionDays, settingsInForce } from '../../access/settings/effective.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Row } from '../../db/schema.ts'
import * as chain from './chain.ts'
import { hashRow } from './hashes.ts'
import { isMac, openKeys } from './keys.ts'

const PAGE = 20

/** The retention in days that a record states: a setting, or a purge that applied one. Undefined for other records. */
export function retentionOf({ action, details }: Pick<Row<'audit'>, 'action' | 'details'>): number | undefined {
  if (action !== 'settings_update' && action !== 'audit_purge') return undefined
  const told = JSON.parse(details) as { retention_days?: number; after?: { audit?: { retention_days?: number } } }
  return action === 'audit_purge' ? told.retention_days : told.after?.audit?.retention_days
}

/** 0 means forever. */
export const isShorter = (days: number, than: number): boolean => days !== 0 && (than === 0 || days < than)

/**
 * The retention in days according to the log itself, whose records cannot be forged by someone who can edit the
 * settings: taken from the latest genuine record that states one, or the default if the log is complete and none does.
 * Undefined if that record was purged, which only earlier releases did.
 */
export async function recordedRetention(db: Db, config: Config): Promise<number | undefined> {
  const keys = await openKeys(db, config)
  // Page by page: whoever can edit the database can put any number of other records before the genuine one.
  for (let last: Row<'audit'> | undefined; ; ) {
    const page = await chain.listRetentionRecords(db, last, PAGE)
    for (const record of page) {
      const days = retentionOf(record)
      if (days !== undefined && isMac(keys, hashRow(record), record.mac)) return days
    }
    last = page.at(-1)
    if (page.length < PAGE) break
  }
  const head = await chain.findHead(db)
  return (head?.anchor_seq ?? 0) === 0 ? defaultRetentionDays : undefined
}

/**
 * Reports a purge of records younger than the retention recorded before it; undefined if there is nothing to report.
 */
export function earlyPurge({ action, details, time }: Row<'audit'>, kept: number | undefined): string | undefined {
  if (action !== 'audit_purge' || kept === undefined) return undefined
  const { before } = JSON.parse(details) as { before: string }
  const spared = (Date.parse(time) - Date.parse(before)) / DAY_MS
  if (!isShorter(spared, kept)) return undefined
  return `Records older than ${spared} days were purged; the retention was ${kept === 0 ? 'unlimited' : `${kept} days`}.`
}

/** Reports a retention in the settings that is shorter than the recorded one. The chain does not cover the settings. */
export async function unrecordedRetention(ctx: Ctx): Promise<string | undefined> {
  const { retention_days: asked } = (await settingsInForce(ctx)).audit
  const recorded = await recordedRetention(ctx.db, ctx.config)
  if (recorded === undefined || !isShorter(asked, recorded)) return undefined
  return `audit.retention_days is ${asked} in the settings, but the audit log records ${recorded}.`
}
