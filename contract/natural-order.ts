/** Zeros before a number, which change nothing of its size. */
const NUMBER = /0*(\d+)/g

/**
 * What names are sorted by where people read them: numbers by their size (`img-2` before `img-10`), and capitals and
 * accents like the letters they are made of. Compared by code units, names with the same one by themselves.
 */
export const naturalKey = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    // As many digits as it has come first: of two numbers, the longer one is larger.
    .replace(NUMBER, (_all, digits: string) => `0${String.fromCharCode(0x30 + digits.length)}${digits}`)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The names in natural order, whatever they are in. */
export function sortNaturally<T>(all: readonly T[], nameOf: (one: T) => string): T[] {
  return all
    .map((one) => ({ one, name: nameOf(one), key: naturalKey(nameOf(one)) }))
    .sort((a, b) => compare(a.key, b.key) || compare(a.name, b.name))
    .map(({ one }) => one)
}
