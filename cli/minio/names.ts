import { byteLength, isLine } from '../../contract/names.ts'

const MOST_NAME = 100

/** The form in which two names of groups, or two email addresses, count as the same. */
export const folded = (text: string): string => text.trim().normalize('NFKC').toLowerCase()

/** Gives names of at most 100 characters, no two of which count as the same. */
export class Names {
  readonly #taken = new Set<string>()
  /** The name, or where it is in use, one with a number. */
  next(wanted: string): string {
    const letters = [...wanted.trim()]
    for (let i = 1; ; i++) {
      const end = i === 1 ? '' : ` (${i})`
      const name = `${letters
        .slice(0, MOST_NAME - end.length)
        .join('')
        .trim()}${end}`
      if (this.#taken.has(folded(name))) continue
      this.#taken.add(folded(name))
      return name
    }
  }
}

/** Whether a text is one line, well-formed and not too long for a name of ours. */
export const isName = (text: string): boolean =>
  isLine(text) && text.length <= MOST_NAME && text.isWellFormed() && byteLength(text) <= 4 * MOST_NAME

/** A name of MinIO's as ours can have it. */
export const nameOf = (name: string): string =>
  isName(name)
    ? name
    : [...name.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')].slice(0, 80).join('').trim() || '-'
