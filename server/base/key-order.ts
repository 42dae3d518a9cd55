import { compareKeys } from '../../contract/permissions.ts'

/**
 * How an engine orders the keys of a list: by their bytes, as S3 does, or by their path segments, as a walk through folders
 * does. There `a/b` comes before `a b.txt` and `a-`, since the segment `a` does.
 */
export type KeyOrder = 'bytes' | 'segments'

const SLASH = 0x2f

/** The other order than this one. */
export const otherOrder = (order: KeyOrder): KeyOrder => (order === 'bytes' ? 'segments' : 'bytes')

/**
 * A text of the same length whose place in byte order is that of the key by segments: the slash becomes the smallest
 * character, and those before it move up by one. The key must not contain NUL.
 */
export const sortKeyOf = (key: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys may contain them.
  key.replace(/[\u0001-/]/g, (found) => (found === '/' ? '\u0001' : String.fromCharCode(found.charCodeAt(0) + 1)))

/** Compares two keys in an order; negative if the first one comes first. */
export const compareIn = (order: KeyOrder, a: string, b: string): number =>
  order === 'bytes' ? compareKeys(a, b) : compareKeys(sortKeyOf(a), sortKeyOf(b))

/** Like `compareIn`, for the bytes of keys, which need not be UTF-8. */
export function compareBytesIn(order: KeyOrder, a: Uint8Array, b: Uint8Array): number {
  if (order === 'bytes') return Buffer.compare(a, b)
  const common = Math.min(a.length, b.length)
  let at = 0
  while (at < common && a[at] === b[at]) at++
  if (at === common) return a.length - b.length
  return weightOf(a[at] as number) - weightOf(b[at] as number)
}

/** Less than that of any other byte for a slash. */
const weightOf = (byte: number): number => (byte === SLASH ? -1 : byte)
