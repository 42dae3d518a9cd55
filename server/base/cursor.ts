import { ServiceError } from '../../contract/errors.ts'

/** Encodes a list position as one opaque text. */
export const encodeCursor = (parts: readonly string[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Decodes a cursor; undefined without one. Throws invalid_request at `query.cursor` for anything we did not encode. */
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

/** A count read from a cursor. */
export function countOf(text: string): number {
  const count = Number(text)
  if (/^\d{1,15}$/.test(text)) return count
  throw badCursor()
}

/** A time read from a cursor: in our format, and of a year that both databases can store. */
export function timeOf(text: string): string {
  const time = Date.parse(text)
  if (/^[1-9]\d{3}-/.test(text) && !Number.isNaN(time) && new Date(time).toISOString() === text) return text
  throw badCursor()
}

/**
 * A page of a list that was read with one row more than the limit. `next_cursor` continues after the page's last row,
 * whose position `keyOf` returns; null on the last page.
 */
export function pageOf<T>(rows: readonly T[], limit: number, keyOf: (last: T) => readonly string[]) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null }
}

/** The items of a list, read page by page. */
export async function* itemsOf<T>(
  list: (cursor: string | undefined) => Promise<{ items: readonly T[]; next_cursor: string | null }>,
): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const { items, next_cursor } = await list(cursor)
    yield* items
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
}

/** The error for a cursor that no list of ours returned. */
export function badCursor(): ServiceError {
  const fault = { path: 'query.cursor', message: 'is not a cursor of this list' }
  return new ServiceError('invalid_request', `${fault.path} ${fault.message}`, { faults: [fault] })
}
