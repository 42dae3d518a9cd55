/**
 * Conditions of statements: whether what a request has under a key is what a policy says. What of a request is not known
 * yet, as the tags of an object before its row was read, makes a condition neither true nor false.
 */
import { keyOf } from './condition-keys.ts'
import { malformed, within } from './malformed.ts'
import { type Comparison, operatorNamed } from './operators.ts'
import type { ValuesOf } from './patterns.ts'

/** The values of a key; undefined where a request does not have it, `later` where that is not known yet. */
export type Known = readonly string[] | undefined | 'later'

/** One key under one operator. */
export interface Condition {
  /** As the policy writes them. */
  operator: string
  name: string
  key: string
  values: readonly string[]
  holds(given: readonly string[] | undefined, valuesOf: ValuesOf): boolean
}

const QUALIFIED = /^(ForAllValues|ForAnyValue):(.+)$/i

const MOST_CONDITIONS = 200

type Json = { readonly [name: string]: unknown }
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The conditions of a statement, all of which have to hold. Throws MalformedPolicy. */
export function compileConditions(element: unknown, variables: boolean): Condition[] {
  if (element === undefined) return []
  if (!isObject(element)) throw malformed('Syntax errors in policy: Condition is not an object')
  const conditions = Object.entries(element).flatMap(([operator, keys]) =>
    within(operator, () => {
      if (!isObject(keys)) throw malformed(`Syntax errors in policy: Condition ${operator} is not an object`)
      // Of an operator that there is none of, nothing is ignored, be it without keys.
      holdsFor(operator, [], variables)
      return Object.entries(keys).map(([name, values]) =>
        within(name, () => compile(operator, name, textsOf(operator, values), variables)),
      )
    }),
  )
  if (conditions.length > MOST_CONDITIONS) throw malformed('The policy has too many conditions')
  return conditions
}

/** The values of a condition: JSON's numbers and booleans count as their texts. */
function textsOf(operator: string, values: unknown): string[] {
  return (Array.isArray(values) ? values : [values]).map((value) => {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    if (typeof value === 'string') return value
    throw malformed(`Syntax errors in policy: invalid value in Condition ${operator}`)
  })
}

function compile(operator: string, name: string, values: string[], variables: boolean): Condition {
  const key = keyOf(name)
  if (key === undefined) throw malformed(`Policy has an invalid condition key: ${name}`)
  return { operator, name, key, values, holds: holdsFor(operator, values, variables) }
}

function holdsFor(operator: string, values: readonly string[], variables: boolean): Condition['holds'] {
  if (operator.toLowerCase() === 'null') return absence(values)
  const [, qualifier, rest = operator] = QUALIFIED.exec(operator) ?? []
  const ifExists = /.IfExists$/i.test(rest)
  const found = operatorNamed(ifExists ? rest.slice(0, -'IfExists'.length) : rest)
  if (!found) throw malformed(`Invalid Condition type : ${operator}`)
  const { negated } = found
  const wanted = values.map((text) => found.compile(text, variables))
  const isWanted = (value: string, valuesOf: ValuesOf) => wanted.some((one: Comparison) => one(value, valuesOf))
  switch (qualifier?.toLowerCase()) {
    case 'forallvalues':
      return (given = [], valuesOf) => given.every((value) => isWanted(value, valuesOf) !== negated)
    case 'foranyvalue':
      return (given, valuesOf) =>
        given === undefined ? ifExists : given.some((value) => isWanted(value, valuesOf) !== negated)
    default:
      return (given, valuesOf) =>
        given === undefined ? ifExists || negated : given.some((value) => isWanted(value, valuesOf)) !== negated
  }
}

/** `Null`: whether a request does not have the key, or has it without a value. */
function absence(values: readonly string[]): Condition['holds'] {
  const wanted = values.map((text) => {
    const value = text.toLowerCase()
    if (value !== 'true' && value !== 'false') throw malformed(`Invalid boolean in a condition: ${text}`)
    return value === 'true'
  })
  return (given) => wanted.includes(given === undefined || given.length === 0)
}
