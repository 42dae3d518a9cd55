// Names for objects whose own are taken.
import { byteLength, isKeyText } from '../../../contract/names.ts'

const MOST_KEY_BYTES = 1024

/** A key as `stem` and what stays at its end: `.jpg`, or the slash of a folder. */
export function splitKey(key: string): { stem: string; ending: string } {
  const [, stem = key, ending = ''] = /^(.*[^/])(\.[^./]*|\/)$/s.exec(key) ?? []
  return { stem, ending }
}

/** `stem` with its last segment shortened as needed for a valid key; undefined if there is none. */
export function fitted(stem: string, ending: string): string | undefined {
  const at = stem.lastIndexOf('/') + 1
  const letters = [...stem.slice(at)]
  let over = byteLength(stem + ending) - MOST_KEY_BYTES
  while (over > 0 && letters.length > 1) over -= byteLength(letters.pop() ?? '')
  const name = stem.slice(0, at) + letters.join('') + ending
  return isKeyText(name, 1) ? name : undefined
}

/** `photo.jpg` as `photo (2).jpg`, and a folder `photos/` as `photos (2)/`; undefined if that makes no valid key. */
export function numbered(key: string, n: number): string | undefined {
  const { stem, ending } = splitKey(key)
  return fitted(stem, ` (${n})${ending}`)
}
