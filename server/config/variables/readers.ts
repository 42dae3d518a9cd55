import fs from 'node:fs'
import { isNeverAllowed, parseRange, type Range } from '../../base/address.ts'
import { trimEndOf } from '../../base/trim-end.ts'

/** Reads a whole number within a range. */
export const integer = (min: number, max: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) throw new Error(`must be a whole number from ${min} to ${max}`)
  return value
}
export const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (text: string) => {
    if (!values.includes(text as T)) throw new Error(`must be one of ${values.join(', ')}`)
    return text as T
  }
/** Accepts texts of a form; `what` describes it. */
export const matching = (pattern: RegExp, what: string) => (text: string) => {
  if (!pattern.test(text)) throw new Error(`must be ${what}`)
  return text
}
/** Splits comma-separated values; drops empty ones. */
export const list = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** A URL of HTTP without a path's last slash. */
export const httpUrl = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new Error('must be an http(s) URL without query, fragment and credentials')
  return trimEndOf(url.href, '/')
}

/** Comma-separated addresses and networks. */
export const ranges = (text: string): Range[] => list(text).map(parseRange)

/** The same, to be allowed: throws on those that never are. */
export const allowedRanges = (text: string): Range[] =>
  list(text).map((one) => {
    const range = parseRange(one)
    const [address = ''] = one.split('/', 1)
    if (isNeverAllowed(address)) throw new Error(`has "${address}", which can never be allowed`)
    return range
  })

/** The contents of a file; null where none is named. */
export const readable = (text: string): string | null => {
  if (text === '') return null
  try {
    return fs.readFileSync(text, 'utf8')
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
