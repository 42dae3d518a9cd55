import type { Backup } from '../../../contract/system.ts'
import type { Ctx } from '../../context.ts'
import { readProgress } from '../../db/backup-state.ts'
import { databaseFile } from '../../db/engine.ts'
import { readStandbyProgress, standbyLag } from '../../db/standby-state.ts'

const OFF: Backup = {
  state: 'off',
  place: null,
  moment: null,
  lag_seconds: null,
  error: null,
  base: null,
  waiting_bytes: 0,
  standby: null,
}

/** How far the copy of the database at the backup place is, as whoever stores it says; the same in every process. */
export function describeBackup({ config, now }: Pick<Ctx, 'config' | 'now'>): Backup {
  const lagOf = (moment: string | null) =>
    moment === null ? null : Math.max(0, (now().getTime() - Date.parse(moment)) / 1000)
  if (config.standbyOf !== null) {
    const told = readStandbyProgress(config.standbyOf)
    if (!told) return OFF
    const { state, from, moment, error } = told
    return { ...OFF, standby: { state, from, moment, lag_seconds: standbyLag(told), error } }
  }
  const database = databaseFile(config.databaseUrl)
  if (config.backup === null || database === undefined) return OFF
  const told = readProgress(database)
  if (!told) return { ...OFF, state: 'copying', place: config.backup.url }
  const { state, url: place, moment, error, base, waiting } = told
  return { ...OFF, state, place, moment, lag_seconds: lagOf(moment), error, base, waiting_bytes: waiting }
}
