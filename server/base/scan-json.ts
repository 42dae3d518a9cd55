/** Nothing that is read from requests is nested deeper than eight. */
const DEEPEST = 32

const [QUOTE, COMMA, COLON, ARRAY, OBJECT, BACKSLASH, ARRAY_END, OBJECT_END] = Buffer.from(
  '",:[{\\]}',
) as unknown as number[]

/**
 * Finds what is excessive in a JSON text before it is parsed: V8 needs three seconds for 16 MiB of brackets and one for
 * 16 MiB of small fields, and whatever walks through nested values has a stack. Looks at each byte once and skips
 * strings; does not check that the text is valid JSON. `names` is how many fields a valid text has, of all objects and
 * with those that are given twice; too low where something is excessive.
 */
export function scanJson(text: Buffer, most: number): { excess: string | undefined; names: number } {
  let values = 1
  let texts = 0
  let depth = 0
  let names = 0
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (byte === QUOTE) {
      // A field has two texts: name and value.
      texts++
      i = endOfText(text, i + 1)
    } else if (byte === COMMA) values++
    else if (byte === COLON) names++
    else if (byte === ARRAY || byte === OBJECT) {
      values++
      if (++depth > DEEPEST) return { excess: `is nested deeper than ${DEEPEST}`, names }
    } else if (byte === ARRAY_END || byte === OBJECT_END) depth--
    if (values > most || texts > 2 * most) return { excess: `has more than ${most} values`, names }
  }
  return { excess: undefined, names }
}

/** The index of the quotation mark that ends a string, or the text's length without one. */
function endOfText(text: Buffer, start: number): number {
  const quote = text.indexOf('"', start)
  if (quote < 0) return text.length
  if (text[quote - 1] !== BACKSLASH) return quote
  let i = start
  while (i < text.length && text[i] !== QUOTE) i += text[i] === BACKSLASH ? 2 : 1
  return i
}
