// The secret and the token of temporary credentials. They are derived from SECRET_KEY and the public id, so nothing of them is
// stored, and whoever reads the database cannot use any.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { derivedKeysOf, type Keys } from '../../secrets/derive.ts'
import { randomText } from '../../secrets/random.ts'

/** 30 bytes in base64url: 40 characters, as many as the secrets of AWS. */
const SECRET_BYTES = 30
const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new id: 80 random bits. AWS' own begin with `ASIA`. */
export const newTemporaryId = (): string => `STRT${randomText(ID_ALPHABET, 16)}`

/** The key that new credentials are derived from. */
export const currentKeyId = (config: Keys): string => derivedKeysOf(config).current.id

function derive(config: Keys, keyId: string, purpose: string, accessKeyId: string): Buffer | undefined {
  const keys = derivedKeysOf(config).all.find(({ id }) => id === keyId)
  return keys && createHmac('sha256', keys.for(purpose)).update(accessKeyId).digest()
}

/** The secret of credentials; throws where the SECRET_KEY is no longer configured from which they were derived. */
export function secretOf(config: Keys, keyId: string, accessKeyId: string): string {
  const bytes = derive(config, keyId, 'sts-secret', accessKeyId)
  if (!bytes) throw new Error('Temporary credentials were derived from a SECRET_KEY that is no longer configured')
  return bytes.subarray(0, SECRET_BYTES).toString('base64url')
}

/** The session token of credentials; undefined where the SECRET_KEY is no longer configured. */
export const tokenOf = (config: Keys, keyId: string, accessKeyId: string): string | undefined =>
  derive(config, keyId, 'sts-token', accessKeyId)?.toString('base64url')

/** Whether a token is that of the credentials; takes as long whatever it is. */
export function isTokenOf(config: Keys, keyId: string, { accessKeyId, token }: { accessKeyId: string; token: string }) {
  const expected = tokenOf(config, keyId, accessKeyId)
  if (expected === undefined || token.length !== expected.length) return false
  const given = Buffer.from(token)
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected))
}
