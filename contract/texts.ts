import Type from 'typebox'
import { LEGIBLE_LINE, LINE, LINES, PLAIN } from './names.ts'
import { MOST_QUERY } from './query.ts'

/** What a schema may say besides its form. */
interface Said {
  description?: string
  examples?: string[]
}

/** A name, or another text on one line: not blank, and without control characters or line breaks. */
export const Line = (maxLength: number, said: Said = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE, ...said })

/** A name that strangers choose and somebody decides by: it is what it looks like. */
export const Legible = (maxLength: number, said: Said = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: LEGIBLE_LINE, ...said })

/** A text on one line that may be blank, such as one to search for. */
export const Plain = (maxLength: number, said: Said & { minLength?: number } = {}) =>
  Type.String({ maxLength, pattern: PLAIN, ...said })

/** A text of several lines: of control characters, it may only have tabs and line breaks. */
export const Lines = (maxLength: number, said: Said = {}) => Type.String({ maxLength, pattern: LINES, ...said })

/** A value that another system or the service made and nobody reads: printable ASCII without spaces. */
export const Opaque = (maxLength: number, said: Said & { minLength?: number } = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[!-~]*$', ...said })

/** What to search for, in the language of query.ts. */
export const SearchText = (said: Said = {}) =>
  Plain(MOST_QUERY, { examples: ['tag:project=apollo type:image/* size:>10MB modified:<7d'], ...said })
