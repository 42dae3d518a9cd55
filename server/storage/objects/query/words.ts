// The words that objects are found by, as the triggers of the database write them.
import type { ObjectRow } from '../store.ts'

/** Characters of a value that are in a word. */
export const IN_WORD = 200

export const cut = (value: string): string => [...value].slice(0, IN_WORD).join('')

/** A name as words have it, so that its end can be told: a name may have equals signs. */
export const nameInWord = (name: string): string => name.replaceAll('%', '%25').replaceAll('=', '%3D')
export const nameOfWord = (name: string): string => name.replaceAll('%3D', '=').replaceAll('%25', '%')

/** What the words of a tag or of metadata with this name start with; its value follows. */
export const startOfWords = (field: 'tag' | 'meta', name: string): string =>
  `${field === 'tag' ? 't' : 'm'}:${nameInWord(name)}=`

type Worded = Pick<ObjectRow, 'tags' | 'metadata'>

/** The words of an object; none of what cannot be a text of a database. */
export function wordsOf({ tags, metadata }: Worded): string[] {
  const pairs = (json: string | null) => Object.entries(JSON.parse(json ?? '{}') as { [name: string]: string })
  const words = [
    ...pairs(tags).flatMap(([name, value]) => [`k:${nameInWord(name)}`, `t:${nameInWord(name)}=${cut(String(value))}`]),
    ...pairs(metadata).map(([name, value]) => `m:${nameInWord(name)}=${cut(String(value))}`),
  ]
  return words.every((word) => word.isWellFormed() && !word.includes('\0')) ? [...new Set(words)] : []
}
