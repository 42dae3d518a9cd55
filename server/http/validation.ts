import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import buildWriter from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import { isKeyText } from '../../contract/names.ts'

/** Formats of the contract that JSON Schema does not know. */
const ownFormats = ['object-key', 'key-prefix'] as const

/** RFC 3339 with a day that exists, between the years that both databases and JavaScript write with four digits. */
function isTimestamp(text: string): boolean {
  const day = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.exec(text)?.[1]
  if (day === undefined) return false
  const time = Date.parse(text)
  const sameDay = Date.parse(day)
  return time >= Date.UTC(1000, 0) && time < Date.UTC(9999, 0) && new Date(sameDay).toISOString().startsWith(day)
}

const ajv = (coerceTypes: boolean | 'array', allErrors: boolean) => {
  const one = new Ajv({
    coerceTypes,
    allErrors,
    ...{ useDefaults: false, strict: false, removeAdditional: false },
    // tests/contract checks them: compiling JSON Schema's own schema takes a process a quarter of a second.
    validateSchema: false,
  })
  one.addFormat('date-time', isTimestamp)
  one.addFormat('password', true)
  one.addFormat('object-key', (text: string) => isKeyText(text, 1))
  one.addFormat('key-prefix', (text: string) => isKeyText(text, 0))
  return one
}
/** Each in two readings: one that ends at the first fault, and one that finds them all. */
const strict = { first: ajv(false, false), all: ajv(false, true) }
/** Texts of the URL become numbers, booleans and, where the schema says array, one-element arrays. */
const coercing = { first: ajv('array', false), all: ajv('array', true) }

/** Whether the API would take a value of this shape in a body. */
export const isLegal = (schema: object, value: unknown): boolean => strict.first.validate(schema, value) === true

/** Where a value holds a text that PostgreSQL cannot keep: one with NUL or with half a character. */
function brokenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? '' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const name of Object.keys(value)) {
    const found = brokenText((value as Record<string, unknown>)[name])
    if (found !== undefined) return `/${name}${found}`
  }
  return undefined
}

/** Most values, and most characters of its texts and names, of what all faults are looked for in. */
const FEW_VALUES = 500
const FEW_CHARACTERS = 65_536

/** Whether a value is so small that every fault of it can be told. */
function isSmall(value: unknown): boolean {
  let values = 0
  let characters = 0
  const waiting = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (++values > FEW_VALUES) return false
    if (typeof one === 'string') characters += one.length
    if (typeof one === 'object' && one !== null) {
      if (Array.isArray(one) && one.length > FEW_VALUES) return false
      for (const name in one) {
        characters += name.length
        waiting.push((one as Record<string, unknown>)[name])
        if (waiting.length > FEW_VALUES) return false
      }
    }
    if (characters > FEW_CHARACTERS) return false
  }
  return true
}

/**
 * Bodies are taken as they are; parts of the URL are texts and are converted. Headers are not validated here. A schema is
 * compiled when it is first needed: all of them are a fifth of what a start costs.
 *
 * The first reading ends at the first fault, and looks at the length of an array before its items: an error object for
 * each of a million wrong items would be seconds and gigabytes. All faults are looked for only in what is small.
 */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const readings = httpPart === 'body' ? strict : coercing
  let first: ValidateFunction | undefined
  let all: ValidateFunction | undefined
  function check(data: unknown): boolean {
    first ??= readings.first.compile(schema)
    if (!first(data)) {
      check.errors = first.errors
      if (!isSmall(data)) return false
      all ??= readings.all.compile(schema)
      if (!all(data)) check.errors = all.errors
      return false
    }
    const instancePath = brokenText(data)
    if (instancePath === undefined) return true
    const message = 'must not contain NUL or half a character'
    check.errors = [{ instancePath, message, keyword: 'text', schemaPath: '', params: {} }]
    return false
  }
  check.errors = undefined as ErrorObject[] | null | undefined
  return check
}

type Writer = (body: unknown) => string
const writers = new WeakMap<object, Writer>()
const formats = Object.fromEntries(ownFormats.map((name) => [name, true as const]))

function writerOf(schema: object): Writer {
  const write = writers.get(schema) ?? buildWriter(schema, { ajv: { formats } })
  writers.set(schema, write)
  return write
}

/** Writes bodies as their schema has them, without what it does not know; also compiled when first needed. */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  let write: Writer | undefined
  return (body) => {
    write ??= writerOf(schema)
    return write(body)
  }
}
