import { Ajv } from 'ajv'
import formatsModule from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { isKeyText } from '../../contract/shapes.ts'

const addFormats = formatsModule.default

/** Formats of the contract that JSON Schema does not know. */
export const ownFormats = ['object-key', 'key-prefix'] as const

const ajv = (coerceTypes: boolean | 'array') => {
  const one = new Ajv({ coerceTypes, allErrors: true, useDefaults: false, strict: false, removeAdditional: false })
  addFormats(one, { mode: 'fast', formats: ['date-time'] })
  one.addFormat('password', true)
  one.addFormat('object-key', (text: string) => isKeyText(text, 1))
  one.addFormat('key-prefix', (text: string) => isKeyText(text, 0))
  return one
}
const strict = ajv(false)
/** Texts of the URL become numbers, booleans and, where the schema says array, one-element arrays. */
const coercing = ajv('array')

/** Bodies are taken as they are; parts of the URL are texts and are converted. Headers are not validated here. */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? strict : coercing).compile(schema)
