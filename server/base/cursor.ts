import { ServiceError } from '../../contract/errors.ts'

/** Packs the position a list is read on from into one opaque text. */
export const encodeCursor = (parts: readonly string[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The parts of a cursor of ours, undefined without one; anything else is an invalid_request at `query.cursor`. */
export function decodeCursor(cursor: string | undefined, parts: number): string[] | undefined {
  if (cursor === undefined) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const fits = (part: unknown) => typeof part === 'string' && part.isWellFormed() && !part.includes('\0')
    if (Array.isArray(value) && value.length === parts && value.every(fits)) return value
  } catch {
    // Falls through: not a cursor of ours.
  }
  throw badCursor()
}

/** A count that a cursor holds. */
export function countOf(text: string): number {
  const count = Number(text)
  if (/^\d{1,15}$/.test(text)) return count
  throw badCursor()
}

/** A time that a cursor holds: as we write times, and of a year that both databases keep. */
export function timeOf(text: string): string {
  const time = Date.parse(text)
  if (/^[1-9]\d{3}-/.test(text) && !Number.isNaN(time) && new Date(time).toISOString() === text) return text
  throw badCursor()
}

/**
 * A page of a list that was read one row further than it is long. `next_cursor` reads on after the last row of the page,
 * by what `keyOf` says of it; null where there is no more.
 */
export function pageOf<T>(rows: readonly T[], limit: number, keyOf: (last: T) => readonly string[]) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null }
}

/** What a cursor is refused with that no list of ours gave. */
export function badCursor(): ServiceError {
  const fault = { path: 'query.cursor', message: 'is not a cursor of this list' }
  return new ServiceError('invalid_request', `${fault.path} ${fault.message}`, { faults: [fault] })
}
