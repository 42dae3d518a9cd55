import { randomBytes } from 'node:crypto'
import * as bcrypt from '@node-rs/bcrypt'
import { ServiceError } from '../../contract/errors.ts'
import { invalid } from '../base/invalid.ts'

const MAX_BYTES = 72
const MIN_BYTES = 8
const SLOTS = 2
const QUEUE = 50

/** The form in which a password is hashed and compared. */
const normalise = (password: string): string => password.normalize('NFKC')

/** Throws invalid_request at `path` unless the password is acceptable: bcrypt would silently truncate a longer one. */
export function assertSettable(password: string, path: string): void {
  const text = normalise(password)
  const bytes = Buffer.byteLength(text)
  const message =
    bytes < MIN_BYTES || bytes > MAX_BYTES
      ? `must have ${MIN_BYTES} to ${MAX_BYTES} bytes of UTF-8 (it has ${bytes})`
      : text.includes('\0') || !text.isWellFormed()
        ? 'must not contain NUL or lone surrogates'
        : null
  if (message) throw invalid(path, message)
}

let running = 0
const waiting: (() => void)[] = []

/**
 * Runs at most two hashes at a time, so that file reads and logins do not block each other in the thread pool; up to 50
 * are queued, then it throws `busy`.
 */
async function inSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= SLOTS) {
    if (waiting.length >= QUEUE)
      throw new ServiceError('busy', 'Too many logins at once. Try again in a moment.', {
        headers: { 'retry-after': '2' },
      })
    await new Promise<void>((resume) => void waiting.push(resume))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

/** The bcrypt hash (`$2b$`) of a password that passed assertSettable. */
export const hashPassword = (password: string, cost: number): Promise<string> =>
  inSlot(() => bcrypt.hash(normalise(password), { cost, version: '2b', rejectLongPasswords: true }))

const decoys = new Map<number, Promise<string>>()
/**
 * A valid hash of this cost that no password matches: compared where there is none, so that both take the same time.
 */
function decoy(cost: number): Promise<string> {
  let hash = decoys.get(cost)
  if (!hash) {
    hash = hashPassword(randomBytes(32).toString('base64'), cost)
    decoys.set(cost, hash)
  }
  return hash
}

/** Makes the decoy before the first login asks for it, so that this login takes no longer than others. */
export const warmUp = async (cost: number): Promise<void> => void (await decoy(cost))

/**
 * Whether `password` is the one behind `hash`. Without a hash, or with a password no account can have, it takes as long
 * and says no.
 */
export async function verifyPassword(password: string, hash: string | null, cost: number): Promise<boolean> {
  const text = normalise(password)
  const possible = Buffer.byteLength(text) <= MAX_BYTES && !text.includes('\0') && text.isWellFormed()
  const against = hash !== null && possible ? hash : await decoy(cost)
  const matches = await inSlot(() => bcrypt.verify(possible ? text : 'impossible', against))
  return matches && hash !== null && possible
}

/** Whether a hash should be renewed at the next login: another version or a lower cost than wanted. */
export function isOutdated(hash: string, cost: number): boolean {
  const match = /^\$(2[aby])\$(\d\d)\$/.exec(hash)
  return match?.[1] !== '2b' || Number(match[2]) < cost
}
