import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import { derivedKeysOf, type Keys } from './derive.ts'

/** The hash we store of a random secret of at least 128 bits that we issued: it needs no salt and no slow hash. */
export const hashSecret = (text: string): string => hash('sha256', text)

const mac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** What stands for a text that is not to be stored, and which only this service can compute. */
export const markOf = (config: Keys, purpose: string, text: string): string =>
  mac(derivedKeysOf(config).current.for(purpose), text).toString('base64url')

/** Encodes claims for a URL, signed with a key derived from SECRET_KEY for one purpose: `<kid>.<claims>.<HMAC>`. */
export function signClaims(config: Keys, purpose: string, claims: object): string {
  const { current } = derivedKeysOf(config)
  const text = `${current.id}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${text}.${mac(current.for(purpose), text).toString('base64url')}`
}

/** The claims of a text that signClaims made for this purpose, else null. Does not check their age. */
export function readClaims<T extends object>(config: Keys, purpose: string, token: string): T | null {
  const [kid = '', body = '', signature = '', ...rest] = token.split('.')
  const keys = derivedKeysOf(config).all.find(({ id }) => id === kid)
  if (keys === undefined || rest.length > 0) return null
  const given = Buffer.from(signature, 'base64url')
  const expected = mac(keys.for(purpose), `${kid}.${body}`)
  // Exactly one text per signature: base64url would also accept stray bits.
  if (given.length !== expected.length || given.toString('base64url') !== signature) return null
  if (!timingSafeEqual(given, expected)) return null
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as T
}
