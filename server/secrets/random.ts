import { randomBytes } from 'node:crypto'

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 256 random bits in base64url, which nobody can guess: a token, a nonce or a challenge. */
export const randomToken = (): string => randomBytes(32).toString('base64url')

/** A random text of `length` characters of an alphabet of at most 256, each as likely as any other. */
export function randomText(alphabet: string, length: number): string {
  // Bytes from here on would favour the first letters.
  const most = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(2 * length))
      if (byte < most && text.length < length) text += alphabet[byte % alphabet.length]
  return text
}
