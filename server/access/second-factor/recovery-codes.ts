import type { Step } from '../../context.ts'
import { randomText } from '../../secrets/random.ts'
import { hashSecret } from '../../secrets/sign.ts'
import * as store from './store.ts'

/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const CODES = 10
const GROUPS = 4

const plain = (code: string): string => code.toLowerCase().replaceAll(/[\s-]/g, '')

/** A code's hash. It has 79 random bits, and its owner's id serves as the salt: nobody can try them all for one user. */
export const hashCode = (userId: string, code: string): string => hashSecret(`${userId}:${plain(code)}`)

const newCode = (): string => Array.from({ length: GROUPS }, () => randomText(ALPHABET, 4)).join('-')

/** Step: gives a user ten new recovery codes in place of those they have; returns them, and records it. */
export async function replaceRecoveryCodes(
  { tx, record, now }: Step,
  user: { id: string; email: string },
): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  const created_at = now().toISOString()
  await store.deleteCodes(tx, user.id)
  await store.insertCodes(
    tx,
    codes.map((code) => ({ code_hash: hashCode(user.id, code), user_id: user.id, created_at })),
  )
  record({
    name: 'recovery_codes_create',
    resource: { type: 'user', id: user.id },
    details: { email: user.email, codes: CODES },
  })
  return codes
}
