// What a tool is: what models are told of it, and the function that does it.
import type { Static, TObject } from 'typebox'
import { ServiceError } from '../../../contract/errors.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import { faultsIn } from '../../http/validation.ts'

/** An object that a result refers to, so that clients can read it as a resource. */
export interface LinkedObject {
  bucket: string
  key: string
  content_type: string
  size: number
}

/** What a tool found or did: data in the shape of its output, and what clients can show besides. */
export interface Answer<T> {
  data: T
  objects?: readonly LinkedObject[]
  picture?: { type: string; bytes: Uint8Array }
}

/** How clients may treat a tool: the protocol's hints. */
interface Hints {
  readOnlyHint: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
}

interface Declared<I extends TObject, O extends TObject> {
  name: string
  title: string
  /** For models. Never has names or contents of objects in it. */
  description: string
  input: I
  output: O
  hints: Hints
  run(ctx: Ctx, input: Static<I>): Promise<Answer<Static<O>>>
}

/** A tool of any shape. */
export interface Tool {
  name: string
  /** Whether it changes nothing. */
  reads: boolean
  /** As `tools/list` has it. */
  listed: { [field: string]: unknown }
  /** Checks the arguments, and does it. Throws invalid_request, and what the core throws. */
  call(ctx: Ctx, given: unknown): Promise<Answer<object>>
}

/** Formats of our own, which mean nothing to clients. */
const OWN_FORMATS: ReadonlySet<unknown> = new Set(['object-key', 'key-prefix', 'date-time'])

/** A schema as clients get it. */
function published(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(published)
  if (typeof schema !== 'object' || schema === null) return schema
  const fields = Object.entries(schema).filter(([name, value]) => !(name === 'format' && OWN_FORMATS.has(value)))
  return Object.fromEntries(fields.map(([name, value]) => [name, published(value)]))
}

/** Declares a tool. */
export const tool = <I extends TObject, O extends TObject>({
  input,
  output,
  hints,
  run,
  ...said
}: Declared<I, O>): Tool => ({
  name: said.name,
  reads: hints.readOnlyHint,
  listed: {
    ...said,
    inputSchema: published(input),
    outputSchema: published(output),
    annotations: { title: said.title, openWorldHint: false, ...hints },
  },
  call(ctx, given) {
    const faults = faultsIn(input, given, 'arguments')
    if (faults.length === 0) return run(ctx, given as Static<I>)
    const detail = faults.map(({ path, message }) => `${path} ${message}`).join('; ')
    throw new ServiceError('invalid_request', detail, { faults })
  },
})

export const invalidArgument = (name: string, message: string) => invalid(`arguments.${name}`, message)
