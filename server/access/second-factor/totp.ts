import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What every app supports: RFC 6238 with SHA-1, 6 digits and 30 seconds. */
const STEP_MS = 30_000
const DIGITS = 6
/** Clocks may differ by this many steps. */
const DRIFT = 1
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new key of 160 bits, in base32. */
export const newTotpSecret = (): string => [...randomBytes(32)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')

/** The bytes of a base32 text without padding. */
function decode(base32: string): Buffer {
  const bits = [...base32].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code of a key for a time step (RFC 4226). */
export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', decode(secret)).update(counter).digest()
  const at = mac.readUInt8(mac.length - 1) & 15
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The time step of a moment. */
export const stepAt = (now: Date): number => Math.floor(now.getTime() / STEP_MS)

/** The step around now whose code this is and that comes after `last`; null if there is none. */
export function stepOf(secret: string, otp: string, now: Date, last: number | null): number | null {
  const current = stepAt(now)
  for (let step = current + DRIFT; step >= current - DRIFT; step--)
    if (step > (last ?? 0) && timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(otp))) return step
  return null
}

/** A key as apps read it from a QR code. `issuer` must not contain a colon. */
export function totpUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`
}
