import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid } from '../../base/invalid.ts'

/** The part of a JSON Schema needed for counting values. */
interface Shape {
  anyOf?: readonly Shape[]
  properties?: Readonly<Record<string, Shape>>
  patternProperties?: Readonly<Record<string, Shape>>
  additionalProperties?: unknown
  items?: Shape
  maxItems?: number
  type?: string
}

/** Nothing in the contract is nested deeper than five. */
const DEEPEST = 32
/** A number of values that is cheap for any operation. */
const FEW = 1000
/** Bodies of at least this many bytes are read and validated in separate turns of the event loop. */
const LARGE = 256 * 1024

/** Maximum number of values (of all kinds, at all depths) that a schema allows; `Infinity` without a limit. */
export function mostValues(shape: Shape): number {
  if (shape.anyOf) return Math.max(...shape.anyOf.map(mostValues))
  if (shape.type === 'array') return 1 + (shape.maxItems ?? Number.POSITIVE_INFINITY) * mostValues(shape.items ?? {})
  if (shape.type !== 'object') return 1
  if (shape.patternProperties) return Number.POSITIVE_INFINITY
  return Object.values(shape.properties ?? {}).reduce((sum, one) => sum + mostValues(one), 1)
}

const [QUOTE, COMMA, ARRAY, OBJECT, BACKSLASH, ARRAY_END, OBJECT_END] = Buffer.from('",[{\\]}') as unknown as number[]

/**
 * Finds what is excessive in a JSON text before it is parsed: V8 needs three seconds for 16 MiB of brackets and one for
 * 16 MiB of small fields. Looks at each byte once and skips strings; does not check that the text is valid JSON.
 */
function excessOf(text: Buffer, most: number): string | undefined {
  let values = 1
  let texts = 0
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (byte === QUOTE) {
      // A field has two texts: name and value.
      texts++
      i = endOfText(text, i + 1)
    } else if (byte === COMMA) values++
    else if (byte === ARRAY || byte === OBJECT) {
      values++
      if (++depth > DEEPEST) return `is nested deeper than ${DEEPEST}`
    } else if (byte === ARRAY_END || byte === OBJECT_END) depth--
    if (values > most || texts > 2 * most) return `has more than ${most} values`
  }
  return undefined
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

/** Parses JSON bodies with no more values than their operation accepts. */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    // Twice as many, so that validation can name an array that is slightly too long or a few fields too many.
    const excess = excessOf(body, Math.max(FEW, 2 * (request.routeOptions.config.mostValues ?? 1)))
    if (excess !== undefined) throw invalid('body', excess)
    if (body.length >= LARGE) await nextTurn()
    const text = body.toString()
    if (body.length >= LARGE) await nextTurn()
    const value = await new Promise((resolve, reject) => {
      parse(request, text, (error: Error | null, value?: unknown) => (error ? reject(error) : resolve(value)))
    })
    if (body.length >= LARGE) await nextTurn()
    return value
  })
}
