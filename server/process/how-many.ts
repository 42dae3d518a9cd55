import os from 'node:os'
import { ConfigError } from '../config/config.ts'

/** What a process is given of the machine's memory, in bytes: under load it takes a third of it, with images more. */
const MEMORY_EACH = 512 * 1024 ** 2
const MOST = 512

/** How many processes pay on this machine: one for each CPU that this one may use, as far as there is memory for them. */
function thatPay(): number {
  // Without a limit of a container it is 0, or more than there is.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY
  const memory = Math.min(os.totalmem(), limit)
  return Math.max(1, Math.min(os.availableParallelism(), Math.floor(memory / MEMORY_EACH)))
}

/** The number that `--workers` asks for. Throws a ConfigError for what is none. */
export function processesOf(asked: string): number {
  const count = asked === 'auto' ? thatPay() : Number(asked)
  if (!Number.isInteger(count) || count < 1 || count > MOST)
    throw new ConfigError([`--workers must be a number from 1 to ${MOST}, or "auto"`])
  return count
}
