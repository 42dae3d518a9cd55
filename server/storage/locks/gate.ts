import { ServiceError } from '../../../contract/errors.ts'
import type { Upkeep } from '../../context.ts'
import { type Endings, judgeLocks } from './clock.ts'
import { isAhead, isOver, type Locked, type Retention, retentionOf } from './lock.ts'

/** How a removal meets locks. */
export interface LockBypass {
  /** Whether locks of mode `governance` on a key do not count: it was asked for, and the right `bypass_lock` checked. */
  bypass?: ((key: string) => boolean) | undefined
}
type Row = Locked & { key: string }

/** Why a version must not be removed; undefined if it may. */
export function lockOn(
  row: Row,
  endings: Endings,
  { bypass = () => false }: LockBypass = {},
): ServiceError | undefined {
  if (row.legal_hold !== null) return new ServiceError('locked', `A version of "${row.key}" is on legal hold.`)
  const retention = activeLock(row, endings)
  if (!retention || (retention.mode === 'governance' && bypass(row.key))) return undefined
  return lockedBy(retention, endings, `A version of "${row.key}"`)
}

/** The retention of a version that is not over; undefined without one. */
export function activeLock(row: Locked, endings: Endings): Retention | undefined {
  const retention = retentionOf(row)
  return retention && !isOver(retention.until, endings) ? retention : undefined
}

/** The refusal of what a lock that is not over prevents: if it is over by the clock alone, says what is wrong with that. */
export const lockedBy = (retention: Retention, { doubt, now }: Endings, what: string): ServiceError =>
  new ServiceError(
    'locked',
    doubt !== null && !isAhead(retention, new Date(now))
      ? doubt
      : `${what} is locked in mode "${retention.mode}" until ${retention.until}.`,
  )

/**
 * Step: those of these versions that must not be removed now, each with the reason. `ends`: their bytes would go too; then
 * no lock is bypassed while the clock is in doubt.
 */
export async function findLocked<R extends Row>(
  step: Pick<Upkeep, 'tx' | 'now'>,
  rows: readonly R[],
  { ends, bypass }: LockBypass & { ends: boolean },
): Promise<Map<R, ServiceError>> {
  const endings = await lockEndings(step, rows)
  const found = new Map<R, ServiceError>()
  for (const row of rows) {
    const reason = lockOn(row, endings, { bypass })
    if (reason) found.set(row, reason)
    else if (ends && endings.doubt !== null && activeLock(row, endings))
      found.set(row, new ServiceError('locked', endings.doubt))
  }
  return found
}

/** Step: judges the locks of versions: where none has an end, nobody looks at the clock. */
export const lockEndings = async (
  { tx, now }: Pick<Upkeep, 'tx' | 'now'>,
  rows: readonly Pick<Locked, 'locked_until'>[],
): Promise<Endings> =>
  rows.some(({ locked_until }) => locked_until !== null)
    ? judgeLocks(tx, now())
    : { endedBy: null, doubt: null, now: now().toISOString() }

/** Step: the gate for everything that removes contents. Throws `locked` if one of them must not be removed now. */
export async function assertRemovable(...args: Parameters<typeof findLocked>): Promise<void> {
  for (const reason of (await findLocked(...args)).values()) throw reason
}
