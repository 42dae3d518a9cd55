import { LaterChange } from '../moments.ts'

/** SQLSTATE: the server is shutting down (57P01–57P03), has no connection left (53300), or lost one (class 08). */
const OUTAGE_STATES = /^(57P0[123]|53300|08[0-9A-Z]{3})$/
/** Codes of the socket and of the look-up of the host's name. */
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** Messages of the pool and its connections, which have no code. */
const OUTAGE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')

/** Whether an error says that the server cannot be reached. */
export const isOutage = (error: Error): boolean =>
  OUTAGE_STATES.test(codeOf(error)) || SOCKET.has(codeOf(error)) || OUTAGE_MESSAGES.test(error.message)

/** The same of an attempt to connect, which may have failed for each of several addresses. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof AggregateError ? error.errors.every(isUnreachable) : error instanceof Error && isOutage(error)

/**
 * SQLSTATE of a transaction that may have failed only because of another one: serialization_failure, deadlock_detected,
 * foreign_key_violation and unique_violation (a row came or went between our read and our write).
 */
const RETRYABLE = new Set(['40001', '40P01', '23503', '23505'])
/** Whether the transaction may succeed when it runs again. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof LaterChange ||
  (error instanceof Error && RETRYABLE.has(codeOf(error))) ||
  isStalePlan(error) ||
  isForgotten(error)

/** Whether a prepared statement returns other columns than when it was prepared ("cached plan must not change result type"). */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof Error && codeOf(error) === '0A000' && 'routine' in error && error.routine === 'RevalidateCachedQuery'

/**
 * Whether a prepared statement is not there although this connection prepared it, or is there although it did not
 * (invalid_sql_statement_name, duplicate_prepared_statement): a pooler has changed the server's connection.
 */
export const isForgotten = (error: unknown): boolean =>
  error instanceof Error && (codeOf(error) === '26000' || codeOf(error) === '42P05')

/** Whether a statement was refused only because an earlier one of its transaction failed (in_failed_sql_transaction). */
export const isAfterFailure = (error: unknown): boolean => error instanceof Error && codeOf(error) === '25P02'

/** Whether the server's disk is full (disk_full). */
export const isFull = (error: Error): boolean => codeOf(error) === '53100'

/** Whether a lock could not be had in the time allowed (lock_not_available). */
export const isLocked = (error: Error): boolean => codeOf(error) === '55P03'

/** The moment of the change that came first, where one was refused because that is later than its own. */
export function momentOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || codeOf(error) !== '40001' || !('detail' in error)) return undefined
  const moment = Number(error.detail)
  return Number.isSafeInteger(moment) ? moment : undefined
}

/** Whether a table is not there (undefined_table). */
export const isMissingTable = (error: unknown): boolean => error instanceof Error && codeOf(error) === '42P01'
