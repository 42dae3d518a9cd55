import { ServiceError } from '../../../contract/errors.ts'
import type { Upkeep } from '../../context.ts'
import { findClockDoubt } from './clock.ts'
import { hasEnded, type Locked } from './lock.ts'

/** How a removal meets locks. */
export interface Passage {
  /** Whether locks of mode `governance` on a key do not count: it was asked for, and the right `bypass_lock` checked. */
  bypass?: ((key: string) => boolean) | undefined
}
type Row = Locked & { key: string }

/** Why a version must not be removed at a time; undefined if it may. */
export function lockOn(row: Row, now: Date, { bypass = () => false }: Passage = {}): ServiceError | undefined {
  const what = `A version of "${row.key}" is`
  if (row.legal_hold !== null) return new ServiceError('locked', `${what} on legal hold.`)
  if (row.locked_until === null || hasEnded(row.locked_until, now)) return undefined
  if (row.lock_mode === 'governance' && bypass(row.key)) return undefined
  return new ServiceError('locked', `${what} locked in mode "${row.lock_mode}" until ${row.locked_until}.`)
}

/**
 * Step: those of these versions that must not be removed now, each with the reason. `ends`: their bytes would go too; then
 * what was locked once must not go either while the clock, which ended its lock, is in doubt.
 */
export async function findLocked<R extends Row>(
  step: Pick<Upkeep, 'tx' | 'now'>,
  rows: readonly R[],
  { ends, ...passage }: Passage & { ends: boolean },
): Promise<Map<R, ServiceError>> {
  const now = step.now()
  const found = new Map<R, ServiceError>()
  for (const row of rows) {
    const reason = lockOn(row, now, passage)
    if (reason) found.set(row, reason)
  }
  const former = ends ? rows.filter((row) => row.locked_until !== null && !found.has(row)) : []
  const doubt = former.length > 0 ? await findClockDoubt(step.tx, now) : null
  if (doubt !== null) for (const row of former) found.set(row, new ServiceError('locked', doubt))
  return found
}

/** Step: the gate for everything that removes contents. Throws `locked` if one of them must not be removed now. */
export async function assertRemovable(...args: Parameters<typeof findLocked>): Promise<void> {
  for (const reason of (await findLocked(...args)).values()) throw reason
}
