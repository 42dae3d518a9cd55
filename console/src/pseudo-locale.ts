const ACCENTED: { readonly [letter: string]: string } = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  c: 'ç',
  n: 'ñ',
  A: 'Á',
  E: 'É',
  O: 'Ö',
  S: 'Š',
}
/** A text with accents on its letters, as the pseudo-locale `en-XA` has it. */
export const accented = (text: string): string => text.replace(/[aeioucnAEOS]/g, (letter) => ACCENTED[letter] ?? letter)

const disguise = (text: string): string => `[${accented(text)}${'·'.repeat(Math.ceil(text.length / 4))}]`

type Texts = { readonly [name: string]: string | ((...given: never[]) => string) }
/** A catalogue in the pseudo-locale `en-XA`: each text accented, in brackets, and a quarter longer. */
export const disguised = <T extends Texts>(texts: T): T =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      typeof text === 'string' ? disguise(text) : (...given: never[]) => disguise(text(...given)),
    ]),
  ) as unknown as T
