// What the service does with the files of a SQLite database besides using it: no other engine has them.
export { copySqlite, removeFiles } from './sqlite/backup.ts'
export { rowOf } from './sqlite/file.ts'
export { LogFollower, type LogPosition, type PageChanges } from './sqlite/follow.ts'
export { assertFree, assertSound, nameDatabase, RestoredFile } from './sqlite/restore.ts'
export { type PageSet, StandbyFile, Torn } from './sqlite/standby.ts'
