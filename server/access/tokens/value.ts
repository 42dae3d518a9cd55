import { crc32 } from 'node:zlib'
import { BASE62, randomText } from '../../secrets/random.ts'

/** The prefix of every personal access token, which distinguishes it from other credentials. */
export const TOKEN_START = 'svc_pat_'
const RANDOM_LENGTH = 30
const CHECK_LENGTH = 6
const PREFIX_LENGTH = 12
const SHAPE = /^svc_pat_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** A new token: 178 random bits in base62, and their CRC-32, which distinguishes a mistyped token from a real one. */
export function newTokenValue(): string {
  const random = randomText(BASE62, RANDOM_LENGTH)
  return TOKEN_START + random + checksum(random)
}

/** The CRC-32 of a text in base62, six characters with leading zeros. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < CHECK_LENGTH) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Whether a text can be a token at all: its form and its checksum. It says nothing about whether it exists. */
export function isTokenValue(text: string): boolean {
  const [, random, check] = SHAPE.exec(text) ?? []
  return random !== undefined && checksum(random) === check
}

/** The part of a token that may be shown. */
export const prefixOf = (value: string): string => value.slice(0, PREFIX_LENGTH)
