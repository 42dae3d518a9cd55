import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { deriveKey, type Keys, keyId } from './derive.ts'

/** The hash we store of a random secret of at least 128 bits that we issued: it needs no salt and no slow hash. */
export const hashSecret = (text: string): string => hash('sha256', text)

const mac = (secretKey: string, purpose: string, text: string): Buffer =>
  createHmac('sha256', deriveKey(secretKey, purpose)).update(text).digest()

/** Encodes claims for a URL, signed with a key derived from SECRET_KEY for one purpose: `<kid>.<claims>.<HMAC>`. */
export function signClaims(config: Keys, purpose: string, claims: object): string {
  const text = `${keyId(config.secretKey)}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${text}.${mac(config.secretKey, purpose, text).toString('base64url')}`
}

/** The claims of a text that signClaims made for this purpose, else null. Does not check their age. */
export function readClaims<T extends object>(config: Keys, purpose: string, token: string): T | null {
  const [kid = '', body = '', signature = '', ...rest] = token.split('.')
  const key = [config.secretKey, ...config.previousSecretKeys].find((one) => keyId(one) === kid)
  if (key === undefined || rest.length > 0) return null
  const given = Buffer.from(signature, 'base64url')
  const expected = mac(key, purpose, `${kid}.${body}`)
  // Exactly one text per signature: base64url would also accept stray bits.
  if (given.length !== expected.length || given.toString('base64url') !== signature) return null
  if (!timingSafeEqual(given, expected)) return null
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as T
}
