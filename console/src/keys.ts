import { legible } from '../../contract/legible.ts'

export { legible }

/** A bucket or a pattern of buckets, and what is below a prefix of it, as it is shown. */
export const placeWords = (pattern: string, prefix: string): string =>
  legible(prefix === '' ? pattern : `${pattern}/${prefix}`)

/** A key's last segment, without a folder's trailing slash. */
export function nameOf(key: string, prefix = ''): string {
  const rest = key.slice(prefix.length)
  return rest.endsWith('/') ? rest.slice(0, -1) : rest
}
/** Whether a path has a name without a letter: it starts with a slash, or has two in a row. */
export const hasEmptyName = (path: string): boolean => path.startsWith('/') || path.includes('//')
export const isFolderKey = (key: string): boolean => key.endsWith('/')
/** The folder of a key or prefix. */
export const parentOf = (key: string): string => key.slice(0, key.lastIndexOf('/', key.length - 2) + 1)
/** The folder that all these keys are in; '' is the bucket itself. */
export function commonParentOf(keys: readonly string[]): string {
  const [first = ''] = keys
  let folder = parentOf(first)
  while (folder !== '' && !keys.every((key) => key.startsWith(folder))) folder = parentOf(folder)
  return folder
}
export const lastSegment = (key: string): string => key.slice(parentOf(key).length)

/** Shorter names are shown whole. */
const SHORT = 20
const END_WIDTH = 10
/** With a longer extension. */
const LONG_END_WIDTH = 13
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)
/** Letters that change with their neighbours: between them nothing can be cut. */
const isJoined = (text: string): boolean =>
  /[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mongolian}\p{scx=Nko}\p{scx=Adlam}]/u.test(text)

/**
 * A name in two parts: where there is no room for all of it, the first is shortened and the second, with the extension,
 * stays in sight. The second is empty if the name is short.
 */
export function cutName(name: string): [head: string, end: string] {
  if (name.length <= SHORT) return [name, '']
  const extension = name.length - name.lastIndexOf('.')
  const width = extension > END_WIDTH - 3 && extension < LONG_END_WIDTH ? LONG_END_WIDTH : END_WIDTH
  const at = cutAt(name, width)
  const isWhole = at === 0 || isJoined(name.slice(Math.max(0, at - 2), at + 2))
  return isWhole ? [name, ''] : [name.slice(0, at), name.slice(at)]
}

/** Where an end of at most this width starts; a character of Chinese or Japanese is as wide as two others. */
function cutAt(name: string, width: number): number {
  // Most names are simple, and dozens are shown in a frame.
  if (isAscii(name.slice(-width - 1))) return name.length - width
  const segments = graphemes.segment(name)
  let at = name.length
  for (let left = width; at > 0; ) {
    const { index = 0, segment = '' } = segments.containing(at - 1) ?? {}
    left -= (segment.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2
    if (left < 0) break
    at = index
  }
  return at
}

/** The path from the bucket to a prefix: each name with its prefix. */
export function stepsTo(prefix: string): { name: string; prefix: string }[] {
  const steps = []
  let from = 0
  for (let slash = prefix.indexOf('/'); slash >= 0; slash = prefix.indexOf('/', from)) {
    steps.push({ name: prefix.slice(from, slash), prefix: prefix.slice(0, slash + 1) })
    from = slash + 1
  }
  if (from < prefix.length) steps.push({ name: prefix.slice(from), prefix })
  return steps
}
