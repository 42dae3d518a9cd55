/**
 * The operators of conditions
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html). Each compares
 * one value of a request with one of the policy; what is said of several is in `conditions.ts`.
 */
import { isIP } from 'node:net'
import { isWithin, parseRange } from '../base/address.ts'
import { isoTime } from '../base/dates.ts'
import { malformed } from './malformed.ts'
import { compileTemplate, matches, patternOf, type Template, type ValuesOf } from './patterns.ts'

/** Whether a value of a request is what the policy says; false where the policy's variables have no values. */
export type Comparison = (value: string, valuesOf: ValuesOf) => boolean

export interface Operator {
  /** The comparison with one value of a policy. Throws MalformedPolicy. */
  compile(text: string, variables: boolean): Comparison
  /** `Not…`: true where no value of the policy is the request's. */
  negated: boolean
}

/** With a text in which variables may stand. */
const withText =
  (compare: (value: string, text: string) => boolean, wildcards = false): Operator['compile'] =>
  (text, variables) => {
    const template: Template = compileTemplate(text, { wildcards, variables })
    return (value, valuesOf) => {
      const wanted = patternOf(template, valuesOf)
      return wanted !== undefined && compare(value, wanted)
    }
  }

const NUMBER = /^[+-]?\d{1,30}(\.\d{1,30})?$/
const numberOf = (text: string): number | undefined => (NUMBER.test(text.trim()) ? Number(text) : undefined)

/** A time as ISO 8601 or seconds since 1970 give it, in milliseconds. */
const timeOf = (text: string): number | undefined => {
  const seconds = numberOf(text)
  return seconds === undefined ? isoTime(text.trim())?.getTime() : seconds * 1000
}

/** With a number, or a time. */
const withNumber =
  (
    read: (text: string) => number | undefined,
    what: string,
    compare: (value: number, wanted: number) => boolean,
  ): Operator['compile'] =>
  (text) => {
    const wanted = read(text)
    if (wanted === undefined) throw malformed(`Invalid ${what} in a condition: ${text}`)
    return (value) => {
      const number = read(value)
      return number !== undefined && compare(number, wanted)
    }
  }

const lower = (text: string): string => text.toLowerCase()

const bool: Operator['compile'] = (text) => {
  const wanted = lower(text)
  if (wanted !== 'true' && wanted !== 'false') throw malformed(`Invalid boolean in a condition: ${text}`)
  return (value) => lower(value) === wanted
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const binary: Operator['compile'] = (text) => {
  if (!BASE64.test(text)) throw malformed(`Invalid binary in a condition: ${text}`)
  return (value) => value === text
}

/** Whether a text is an address as it is written out: libraries also read `10` or `0x7f.1` as one. */
const isAddress = (text: string): boolean => isIP(text) !== 0

const address: Operator['compile'] = (text) => {
  const invalid = () => malformed(`Invalid IP address in a condition: ${text}`)
  if (!isAddress(text.split('/', 1)[0] ?? '')) throw invalid()
  try {
    const ranges = [parseRange(text)]
    const inRanges = (value: string) => isAddress(value) && isWithin(value, ranges)
    // One address asks again and again.
    let latest = { value: '', is: false }
    return (value) => {
      if (latest.value !== value) latest = { value, is: inRanges(value) }
      return latest.is
    }
  } catch {
    throw invalid()
  }
}

/** The six parts of an ARN; undefined for what is none. */
function partsOf(arn: string): string[] | undefined {
  const parts: string[] = []
  let from = 0
  for (let i = 0; i < 5; i++) {
    const colon = arn.indexOf(':', from)
    if (colon < 0) return undefined
    parts.push(arn.slice(from, colon))
    from = colon + 1
  }
  return [...parts, arn.slice(from)]
}

const arn: Operator['compile'] = withText((value, wanted) => {
  const parts = partsOf(value)
  return parts !== undefined && (partsOf(wanted)?.every((part, i) => matches(part, parts[i] ?? '')) ?? false)
}, true)

const equals = <T>(a: T, b: T): boolean => a === b
const positive: { readonly [name: string]: Operator['compile'] } = {
  StringEquals: withText(equals),
  StringEqualsIgnoreCase: withText((value, wanted) => lower(value) === lower(wanted)),
  StringLike: withText((value, wanted) => matches(wanted, value), true),
  NumericEquals: withNumber(numberOf, 'number', equals),
  NumericLessThan: withNumber(numberOf, 'number', (value, wanted) => value < wanted),
  NumericLessThanEquals: withNumber(numberOf, 'number', (value, wanted) => value <= wanted),
  NumericGreaterThan: withNumber(numberOf, 'number', (value, wanted) => value > wanted),
  NumericGreaterThanEquals: withNumber(numberOf, 'number', (value, wanted) => value >= wanted),
  DateEquals: withNumber(timeOf, 'date', equals),
  DateLessThan: withNumber(timeOf, 'date', (value, wanted) => value < wanted),
  DateLessThanEquals: withNumber(timeOf, 'date', (value, wanted) => value <= wanted),
  DateGreaterThan: withNumber(timeOf, 'date', (value, wanted) => value > wanted),
  DateGreaterThanEquals: withNumber(timeOf, 'date', (value, wanted) => value >= wanted),
  Bool: bool,
  BinaryEquals: binary,
  IpAddress: address,
  ArnEquals: arn,
  ArnLike: arn,
}
const NEGATED: { readonly [name: string]: string } = {
  StringNotEquals: 'StringEquals',
  StringNotEqualsIgnoreCase: 'StringEqualsIgnoreCase',
  StringNotLike: 'StringLike',
  NumericNotEquals: 'NumericEquals',
  DateNotEquals: 'DateEquals',
  NotIpAddress: 'IpAddress',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
}

const byName = new Map<string, Operator>([
  ...Object.entries(positive).map(([name, compile]): [string, Operator] => [lower(name), { compile, negated: false }]),
  ...Object.entries(NEGATED).map(([name, of]): [string, Operator] => [
    lower(name),
    { compile: positive[of] as Operator['compile'], negated: true },
  ]),
])

/** The operator of this name, in whatever case; undefined if there is none. `Null` compares no values, and is not here. */
export const operatorNamed = (name: string): Operator | undefined => byName.get(lower(name))

/** Every operator by the name that AWS writes. */
export const operatorNames: readonly string[] = [...Object.keys(positive), ...Object.keys(NEGATED)]
