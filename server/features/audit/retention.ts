import { defaultRetentionDays, settingsInForce } from '../../access/settings/effective.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Row } from '../../db/schema.ts'
import * as chain from './chain.ts'
import { hashRow } from './hashes.ts'
import { isMac, openKeys } from './keys.ts'

/** What a record says about how long records are kept: that it was set, or that older ones were removed by it. */
export function retentionOf({ action, details }: Pick<Row<'audit'>, 'action' | 'details'>): number | undefined {
  if (action !== 'settings_update' && action !== 'audit_purge') return undefined
  const told = JSON.parse(details) as { retention_days?: number; after?: { audit?: { retention_days?: number } } }
  return action === 'audit_purge' ? told.retention_days : told.after?.audit?.retention_days
}

/** 0 is for ever. */
export const isShorter = (days: number, than: number): boolean => days !== 0 && (than === 0 || days < than)

/**
 * How long records are kept according to the log itself, whose records cannot be written by whoever can write to the
 * settings: by the latest genuine record that tells, or the default where the log is whole and none does. Undefined
 * where what set it was removed, which only purges of earlier releases leave behind.
 */
export async function recordedRetention(db: Db, config: Config): Promise<number | undefined> {
  const keys = await openKeys(db, config)
  for (const record of await chain.listRetentionRecords(db)) {
    const days = retentionOf(record)
    // Records of before there were keys have no MAC.
    if (days !== undefined && (record.mac === null || isMac(keys, hashRow(record), record.mac))) return days
  }
  const head = await chain.findHead(db)
  return (head?.anchor_seq ?? 0) === 0 ? defaultRetentionDays : undefined
}

/** What is wrong with a purge that took records which were to be kept for so many days by what was recorded before it. */
export function earlyPurge({ action, details, time }: Row<'audit'>, kept: number | undefined): string | undefined {
  if (action !== 'audit_purge' || kept === undefined) return undefined
  const { before } = JSON.parse(details) as { before: string }
  const spared = (Date.parse(time) - Date.parse(before)) / DAY_MS
  if (!isShorter(spared, kept)) return undefined
  return `Records older than ${spared} days were removed, which were to be kept ${kept === 0 ? 'for ever' : `${kept} days`}.`
}

/** What is wrong with the settings, which are no part of the chain: a shorter time than was recorded is nobody's. */
export async function unrecordedRetention(ctx: Ctx): Promise<string | undefined> {
  const { retention_days: asked } = (await settingsInForce(ctx)).audit
  const recorded = await recordedRetention(ctx.db, ctx.config)
  if (recorded === undefined || !isShorter(asked, recorded)) return undefined
  return `audit.retention_days is ${asked} in the settings; the log records ${recorded}.`
}
