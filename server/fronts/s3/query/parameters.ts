import { S3Error } from '../errors.ts'
import { readQuery } from '../requests/target.ts'
import { QueryError } from './query-error.ts'

/** What a parameter may be. */
export interface ParameterRule {
  /** Characters. */
  most: number
  least?: number
  pattern?: RegExp
}

const MOST_PARAMETERS = 1000
const AMPERSAND = 0x26

const malformed = (message: string) => new QueryError('MalformedQueryString', message)
const invalid = (name: string, must: string) =>
  new QueryError(
    'ValidationError',
    `1 validation error detected: Value at '${name}' failed to satisfy constraint: ${must}`,
  )

/** The parameters of a request, by name; those of lists are `Name.member.1` and so on. */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>
  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values
  }

  /** A parameter; undefined without one. Throws ValidationError for one that breaks its rule. */
  optional(name: string, { most, least = 1, pattern }: ParameterRule): string | undefined {
    const value = this.#values.get(name)
    if (value === undefined) return undefined
    if (value.length > most) throw invalid(name, `Member must have length less than or equal to ${most}`)
    if (value.length < least) throw invalid(name, `Member must have length greater than or equal to ${least}`)
    if (pattern && !pattern.test(value))
      throw invalid(name, `Member must satisfy regular expression pattern: ${pattern.source}`)
    return value
  }

  /** A parameter that has to be there. Throws ValidationError. */
  required(name: string, rule: ParameterRule): string {
    const value = this.optional(name, rule)
    if (value === undefined) throw invalid(name, 'Member must not be null')
    return value
  }

  /** One of these texts; undefined without one. Throws ValidationError. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.#values.get(name)
    const found = choices.find((one) => one === value)
    if (value === undefined || found !== undefined) return found
    throw invalid(name, `Member must satisfy enum value set: [${choices.join(', ')}]`)
  }

  /** A whole number; undefined without one. Throws ValidationError. */
  number(name: string, { least, most }: { least: number; most: number }): number | undefined {
    const text = this.#values.get(name)
    if (text === undefined) return undefined
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) throw invalid(name, `Member must be between ${least} and ${most}`)
    return value
  }

  /** Whether a parameter is `true`; undefined without one. Throws ValidationError. */
  flag(name: string): boolean | undefined {
    const value = this.choice(name, ['true', 'false'])
    return value === undefined ? undefined : value === 'true'
  }

  /** The members of a list, in order; undefined without any. Throws ValidationError for one too many or out of order. */
  list(name: string, { of, most }: { of: ParameterRule; most: number }): string[] | undefined {
    const start = `${name}.member.`
    const members = this.#count(start)
    // An empty list is sent as an empty text.
    if (members === 0) return this.#values.get(name) === '' ? [] : undefined
    if (members > most) throw invalid(name, `Member must have length less than or equal to ${most}`)
    return Array.from({ length: members }, (_, i) => this.required(`${start}${i + 1}`, of))
  }

  /** How many members a list of structures has; numbered from 1. Throws ValidationError for one too many. */
  structures(name: string, most: number): number {
    const start = `${name}.member.`
    const numbers = new Set<string>()
    for (const one of this.#values.keys())
      if (one.startsWith(start)) numbers.add(one.slice(start.length).split('.', 1)[0] ?? '')
    if (numbers.size > most) throw invalid(name, `Member must have length less than or equal to ${most}`)
    return numbers.size
  }

  /** The names of all parameters, each once and without the numbers of members. */
  names(): string[] {
    return [...new Set([...this.#values.keys()].map((name) => name.split('.', 1)[0] ?? ''))]
  }

  #count(start: string): number {
    let count = 0
    for (const name of this.#values.keys()) if (name.startsWith(start)) count++
    return count
  }
}

/**
 * Reads a form's parameters (application/x-www-form-urlencoded). Throws MalformedQueryString for what is no form, for too
 * many parameters and for one that is given twice.
 */
export function readParameters(body: Buffer): Parameters {
  let count = 1
  for (const byte of body)
    if (byte === AMPERSAND && ++count > MOST_PARAMETERS) throw malformed('The form has too many parameters.')
  const values = new Map<string, string>()
  for (const [name, value] of pairsOf(body)) {
    if (values.has(name)) throw malformed(`The parameter ${name.slice(0, 100)} is given more than once.`)
    values.set(name, value)
  }
  return new Parameters(values)
}

function pairsOf(body: Buffer) {
  try {
    return readQuery(body.toString('latin1'))
  } catch (error) {
    if (error instanceof S3Error) throw malformed('The form is not UTF-8 in percent-encoding, or has a NUL in it.')
    throw error
  }
}
