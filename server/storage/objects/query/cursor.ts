import { badCursor, decodeCursor, encodeCursor } from '../../../base/cursor.ts'
import { type Keys, seal, unseal } from '../../../secrets/seal.ts'

const PURPOSE = 'search-cursor'

/** Like `encodeCursor`, and tells nothing: a search continues after keys that its caller may not know of. */
export const sealCursor = (config: Keys, parts: readonly string[]): string =>
  Buffer.from(seal(config, PURPOSE, encodeCursor(parts))).toString('base64url')

/** Decodes such a cursor; undefined without one. Throws invalid_request for anything else. */
export function openCursor(config: Keys, cursor: string | undefined, parts: number): string[] | undefined {
  if (cursor === undefined) return undefined
  let text: string
  try {
    text = unseal(config, PURPOSE, Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw badCursor()
  }
  return decodeCursor(text, parts)
}
