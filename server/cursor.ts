import { ServiceError } from '../contract/errors.ts'

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
  const fault = { path: 'query.cursor', message: 'is not a cursor of this list' }
  throw new ServiceError('invalid_request', `${fault.path} ${fault.message}`, { faults: [fault] })
}
