import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import buildWriter from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import type { Fault } from '../../contract/errors.ts'
import {
  EMAIL,
  FILE_NAME,
  isKeyText,
  LEGIBLE_LINE,
  LINE,
  LINES,
  PLAIN,
  SOME_LINES,
  TRIMMED_LINE,
} from '../../contract/names.ts'

/** The contract's own formats, unknown to JSON Schema. */
const ownFormats = ['object-key', 'key-prefix'] as const

/** RFC 3339 with an existing day, in the years that both databases and JavaScript write with four digits. */
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
    useDefaults: false,
    strict: false,
    removeAdditional: false,
    // tests/contract checks them: compiling JSON Schema's own schema takes a process a quarter of a second.
    validateSchema: false,
  })
  one.addFormat('date-time', isTimestamp)
  one.addFormat('password', true)
  one.addFormat('object-key', (text: string) => isKeyText(text, 1))
  one.addFormat('key-prefix', (text: string) => isKeyText(text, 0))
  return one
}
/** Two validators each: one stops at the first error, one finds all. */
const strict = { first: ajv(false, false), all: ajv(false, true) }
/** Converts the URL's texts to numbers, booleans and, where the schema says array, one-element arrays. */
const coercing = { first: ajv('array', false), all: ajv('array', true) }

/** Whether the API would accept this value in a body of this shape. */
export const isLegal = (schema: object, value: unknown): boolean => strict.first.validate(schema, value) === true

/** The path to a text that PostgreSQL cannot store: with NUL or a lone surrogate. */
function brokenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? '' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const name of Object.keys(value)) {
    const found = brokenText((value as Record<string, unknown>)[name])
    if (found !== undefined) return `/${name}${found}`
  }
  return undefined
}

/** All errors are only looked for in inputs up to this many values and characters. */
const FEW_VALUES = 500
const FEW_CHARACTERS = 65_536

/** Whether a value is small enough to report all its errors. */
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
 * Bodies are validated as they are; parts of the URL are texts and are converted. Headers are not validated here. A
 * schema is compiled on first use: compiling all of them takes a fifth of startup.
 *
 * The first pass stops at the first error, and checks an array's length before its items: an error object for each of a
 * million invalid items would take seconds and gigabytes. All errors are collected only for small inputs.
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
    const message = 'must not contain NUL or lone surrogates'
    check.errors = [{ instancePath, message, keyword: 'text', schemaPath: '', params: {} }]
    return false
  }
  check.errors = undefined as ErrorObject[] | null | undefined
  return check
}

/** What is wrong with a text, in words, where its form is too long for anyone to read. */
const forms: ReadonlyMap<string | undefined, string> = new Map([
  [LINE, 'must be one line of text, not blank and without control characters'],
  [LEGIBLE_LINE, 'must be one line of text, without characters that nobody sees or that turn the text around'],
  [TRIMMED_LINE, 'must be one line of text, without control characters, and without blanks around it'],
  [FILE_NAME, 'must be one line of text, without slashes and control characters'],
  [PLAIN, 'must be on one line, without control characters'],
  [LINES, 'must have no control characters but tabs and line breaks'],
  [SOME_LINES, 'must not be blank, and have no control characters but tabs and line breaks'],
  [EMAIL, 'must be an email address'],
])

/** A schema's error as the API names it, in what is called `where`. */
export function faultOf(
  where: string,
  { instancePath, params, message }: Pick<ErrorObject, 'instancePath' | 'message'> & { params: object },
): Fault {
  const { missingProperty, additionalProperty, pattern }: { [name: string]: string | undefined } = { ...params }
  const name = missingProperty ?? additionalProperty
  const path = [where, ...instancePath.split('/').slice(1), ...(name ? [name] : [])].join('.')
  return { path, message: additionalProperty ? 'is unknown' : (forms.get(pattern) ?? message ?? 'is invalid') }
}

/**
 * What is wrong with a value: one fault a place, of alternatives that of the first. For those who check bodies themselves.
 */
export function faultsIn(schema: object, value: unknown, where: string): Fault[] {
  const check = validatorCompiler({ schema, httpPart: 'body', method: '', url: '' })
  if (check(value)) return []
  const found = new Map<string, Fault>()
  for (const error of check.errors ?? []) {
    const fault = faultOf(where, error)
    if (!found.has(fault.path)) found.set(fault.path, fault)
  }
  return [...found.values()]
}

type Writer = (body: unknown) => string
const writers = new WeakMap<object, Writer>()
const formats = Object.fromEntries(ownFormats.map((name) => [name, true as const]))

function writerOf(schema: object): Writer {
  const write = writers.get(schema) ?? buildWriter(schema, { ajv: { formats } })
  writers.set(schema, write)
  return write
}

/** Serialises bodies by their schema, dropping unknown fields; also compiled on first use. */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  let write: Writer | undefined
  return (body) => {
    write ??= writerOf(schema)
    return write(body)
  }
}
