import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import { invalid } from '../../base/invalid.ts'
import { scanJson } from '../../base/scan-json.ts'

/** The part of a JSON Schema needed for counting values. */
interface Shape {
  anyOf?: readonly Shape[]
  properties?: Readonly<Record<string, Shape>>
  patternProperties?: Readonly<Record<string, Shape>>
  additionalProperties?: unknown
  items?: Shape
  maxItems?: number
  maxProperties?: number
  type?: string
}

/** A number of values that is cheap for any operation. */
const FEW = 1000
/** Bodies of at least this many bytes are read and validated in separate turns of the event loop. */
const LARGE = 256 * 1024

/** Maximum number of values (of all kinds, at all depths) that a schema allows; `Infinity` without a limit. */
export function mostValues(shape: Shape): number {
  if (shape.anyOf) return Math.max(...shape.anyOf.map(mostValues))
  if (shape.type === 'array') return 1 + (shape.maxItems ?? Number.POSITIVE_INFINITY) * mostValues(shape.items ?? {})
  if (shape.type !== 'object') return 1
  if (shape.patternProperties) {
    const { patternProperties, maxProperties = Number.POSITIVE_INFINITY } = shape
    return 1 + maxProperties * Math.max(...Object.values(patternProperties).map(mostValues))
  }
  return Object.values(shape.properties ?? {}).reduce((sum, one) => sum + mostValues(one), 1)
}

/** Parses JSON bodies with no more values than their operation accepts. */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    // Twice as many, so that validation can name an array that is slightly too long or a few fields too many.
    const { excess } = scanJson(body, Math.max(FEW, 2 * (request.routeOptions.config.mostValues ?? 1)))
    if (excess !== undefined) throw invalid('body', excess)
    if (body.length >= LARGE) await nextTurn()
    // Decoded nonetheless, what is not UTF-8 would be replaced.
    if (!isUtf8(body)) throw new ServiceError('malformed', 'The body is not UTF-8.')
    const text = body.toString()
    if (body.length >= LARGE) await nextTurn()
    const value = await new Promise((resolve, reject) => {
      parse(request, text, (error: Error | null, value?: unknown) => (error ? reject(error) : resolve(value)))
    })
    if (body.length >= LARGE) await nextTurn()
    return value
  })
}
