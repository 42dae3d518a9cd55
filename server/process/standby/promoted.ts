import { removeFiles, rowOf } from '../../db/sqlite-files.ts'
import {
  forgetStandby,
  readStandby,
  readStandbyProgress,
  standbyFiles,
  writeStandbyProgress,
} from '../../db/standby-state.ts'

/** Leaves of a standby that was promoted only that it was. */
export function leavePromoted(
  database: string,
  { from, moment, number }: { from: string; moment: string | null; number: number },
): void {
  const told = { state: 'promoted', from, moment, number, fresh: null, error: null } as const
  // First: without it, who is started next would not know that this database is that of a standby.
  writeStandbyProgress(database, told, { synced: true })
  forgetStandby(database)
}

/** Whether a database that exists is that of a standby which was promoted; finishes that where a process was killed in the middle. */
export function wasPromoted(database: string): boolean {
  const [state, files] = [readStandby(database), standbyFiles(database)]
  if (state?.promoting) {
    const own = rowOf<{ epoch_holder: string | null }>(database, 'select epoch_holder from instance')
    if (own?.epoch_holder !== state.promoting.holder) return false
    leavePromoted(database, state)
  }
  if (readStandbyProgress(database)?.state !== 'promoted') return false
  // Another name of the same file, if it is there.
  removeFiles(files.database)
  return true
}
