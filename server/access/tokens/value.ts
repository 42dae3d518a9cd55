import { crc32 } from 'node:zlib'
import { BASE62, randomText } from '../../secrets/random.ts'

/** The prefix of every personal access token, which distinguishes it from other credentials. */
export const TOKEN_START = 'svc_pat_'
/** The prefix of the token of an agent. */
export const AGENT_TOKEN_START = 'svc_agent_'
/** The prefix of the access token of a client that a user gave access to the MCP server. */
export const MCP_TOKEN_START = 'svc_mcp_'
const RANDOM_LENGTH = 30
const CHECK_LENGTH = 6
/** How much of a token may be shown besides what all begin with. */
const SHOWN_LENGTH = 4
const SHAPE = /^svc_(pat|agent|mcp)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** A new token: 178 random bits in base62, and their CRC-32, which distinguishes a mistyped token from a real one. */
export function newTokenValue(start = TOKEN_START): string {
  const random = randomText(BASE62, RANDOM_LENGTH)
  return start + random + checksum(random)
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
  const [, , random, check] = SHAPE.exec(text) ?? []
  return random !== undefined && checksum(random) === check
}

/** The part of a token that may be shown. */
export const prefixOf = (value: string): string =>
  value.slice(0, (value.startsWith(TOKEN_START) ? TOKEN_START : AGENT_TOKEN_START).length + SHOWN_LENGTH)
