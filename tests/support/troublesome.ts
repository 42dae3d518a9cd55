/**
 * What parsers, expressions and matchers have trouble with: each is repeated. Those of one character are what trims, lists
 * and wildcards look for, the longer ones what tokens, references, paths, credentials and brackets start with.
 */
export const fragments: readonly string[] = [
  'a',
  ' ',
  '\t',
  '"',
  '\\',
  '\\"',
  '=',
  ',',
  ';',
  '*',
  '/',
  '%41',
  '%',
  '&',
  '../',
  '://',
  '<a/>',
  '&#65;',
  'eyJ',
  '[',
  '{"a":',
  '-',
  '?*',
  'a=',
  'a,',
  'é',
  '"":',
]

/** A fragment again and again, up to a number of characters. */
export const run = (fragment: string, length: number): string => fragment.repeat(Math.floor(length / fragment.length))

/**
 * What a place is filled with: the run alone, and after the start of a value with an end that nothing expects, so that what
 * looks for a match tries again.
 */
export const fillings = (fragment: string, length: number): string[] => [
  run(fragment, length),
  `id=a${run(fragment, length)}"x`,
]
