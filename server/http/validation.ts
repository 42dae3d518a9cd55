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

const ajv = (coerceTypes: boolean | 'array') => {
  const one = new Ajv({ coerceTypes, allErrors: true, useDefaults: false, strict: false, removeAdditional: false })
  one.addFormat('date-time', isTimestamp)
  one.addFormat('password', true)
  one.addFormat('object-key', (text: string) => isKeyText(text, 1))
  one.addFormat('key-prefix', (text: string) => isKeyText(text, 0))
  return one
}
const strict = ajv(false)
/** Texts of the URL become numbers, booleans and, where the schema says array, one-element arrays. */
const coercing = ajv('array')

/** Where a value holds a text that PostgreSQL cannot keep: one with NUL or with half a character. */
function brokenText(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, one] of Object.entries(value)) {
    const found = brokenText(one, `${path}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Bodies are taken as they are; parts of the URL are texts and are converted. Headers are not validated here. A schema is
 * compiled when it is first needed: all of them are a fifth of what a start costs.
 */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let validate: ValidateFunction | undefined
  function check(data: unknown): boolean {
    validate ??= (httpPart === 'body' ? strict : coercing).compile(schema)
    const valid = validate(data)
    check.errors = validate.errors
    const instancePath = valid ? brokenText(data) : undefined
    if (instancePath === undefined) return valid
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
