import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid } from '../../base/invalid.ts'

/** The part of JSON Schema by which values are counted. */
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
/** Values that cost nobody anything, whatever the operation takes. */
const FEW = 1000
/** Bytes from which on reading a body and checking it are turns of their own, so that others are answered in between. */
const LARGE = 256 * 1024

/** Most values (of all kinds, at all depths) that a shape allows; `Infinity` where it sets no limit. */
export function mostValues(shape: Shape): number {
  if (shape.anyOf) return Math.max(...shape.anyOf.map(mostValues))
  if (shape.type === 'array') return 1 + (shape.maxItems ?? Number.POSITIVE_INFINITY) * mostValues(shape.items ?? {})
  if (shape.type !== 'object') return 1
  if (shape.patternProperties) return Number.POSITIVE_INFINITY
  return Object.values(shape.properties ?? {}).reduce((sum, one) => sum + mostValues(one), 1)
}

const [QUOTE, COMMA, ARRAY, OBJECT, BACKSLASH, ARRAY_END, OBJECT_END] = Buffer.from('",[{\\]}') as unknown as number[]

/**
 * What is too much in a JSON text, before anything is made of it: 16 MiB of brackets take V8 three seconds to parse, of
 * small fields one. Looks at each byte once and skips what is quoted; a text that is no JSON is not its business.
 */
function excessOf(text: Buffer, most: number): string | undefined {
  let values = 1
  let texts = 0
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (byte === QUOTE) {
      // A field is a name and a value.
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

/** Where the quotation mark is that ends a text; the length of all where there is none. */
function endOfText(text: Buffer, start: number): number {
  const quote = text.indexOf('"', start)
  if (quote < 0) return text.length
  if (text[quote - 1] !== BACKSLASH) return quote
  let i = start
  while (i < text.length && text[i] !== QUOTE) i += text[i] === BACKSLASH ? 2 : 1
  return i
}

/** Reads JSON bodies of no more values than their operation could take. */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    // Twice as many: an array that is somewhat too long is refused by its name, as are a few fields too many.
    const excess = excessOf(body, Math.max(FEW, 2 * (request.routeOptions.config.mostValues ?? 1)))
    if (excess !== undefined) throw invalid('body', excess)
    if (body.length >= LARGE) await nextTurn()
    const value = await new Promise((resolve, reject) => {
      parse(request, body.toString(), (error: Error | null, value?: unknown) =>
        error ? reject(error) : resolve(value),
      )
    })
    if (body.length >= LARGE) await nextTurn()
    return value
  })
}
