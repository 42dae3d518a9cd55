import { isFull as isFullOnPostgres } from './postgres/errors.ts'
import { isFull as isFullOnSqlite } from './sqlite/errors.ts'

const noted = new WeakSet<Error>()

/** Remembers an error that the engine calls an outage; to be called where errors leave the driver. */
export function noteOutage(error: unknown, isOutage: (error: Error) => boolean): void {
  if (error instanceof Error && isOutage(error)) noted.add(error)
}

/**
 * Whether something failed only because the database could not be reached: before the change was made, or during a
 * commit, after which nobody knows whether it was made.
 */
export const isDatabaseOutage = (error: unknown): boolean =>
  error instanceof Error && (noted.has(error) || isDatabaseOutage(error.cause))

export { isUnreachable } from './postgres/errors.ts'

/** Whether this error, its causes aside, says that the database's disk is full. */
export const isDatabaseFull = (error: Error): boolean => isFullOnSqlite(error) || isFullOnPostgres(error)
