import type { Lock, ObjectLock } from '../../../../contract/locks.ts'
import { text } from './messages.ts'

/** `90 days`, `7 years`. */
export const periodOf = ({ days, years }: Pick<ObjectLock, 'days' | 'years'>): string =>
  years === null ? text.daysOf(days ?? 0) : text.yearsOf(years)

/** Whether a version's lock has not ended. */
export const isLocked = ({ until }: Pick<Lock, 'until'>): boolean => until !== null && Date.parse(until) > Date.now()
