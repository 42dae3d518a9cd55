import type { Scan } from '../../../../contract/scans.ts'
import type { Tone } from '../../ui/values.tsx'
import { scanText as text } from './messages.ts'

const tones: Readonly<Record<Scan['status'], Tone>> = {
  queued: 'idle',
  running: 'note',
  succeeded: 'ok',
  held: 'warn',
  superseded: 'idle',
}
export const toneOf = ({ status }: Scan): Tone => tones[status]

/**
 * `12,400 objects listed · 31 new`: what a scan found, without zeros. Of a bucket that was taken over, what it found are
 * changes by others.
 */
export function resultOf(scan: Scan, takenOverAt: string | null = null): string {
  const { status, seen, added, changed, absent, missing, removed, refused } = scan
  const finds = isOfTakenOver(scan, takenOverAt)
  const found = [
    [added, finds ? text.foreign : text.added],
    [changed, finds ? text.changedByOthers : text.changed],
    // Once it has ended, these are the missing ones.
    [status === 'succeeded' ? 0 : absent, text.absent],
    [missing, text.missing],
    [removed, text.removed],
    [refused, text.refused],
  ] as const
  return [text.listed(seen), ...found.filter(([n]) => n > 0).map(([n, words]) => words(n))].join(' · ')
}

/** Whether a scan compared a bucket that had been taken over by then. */
export const isOfTakenOver = ({ trigger, started_at, created_at }: Scan, takenOverAt: string | null): boolean =>
  takenOverAt !== null &&
  (trigger === 'request' || trigger === 'schedule') &&
  Date.parse(started_at ?? created_at) >= Date.parse(takenOverAt)

/** How long a scan took, in seconds; undefined before it has ended. */
export const secondsOf = ({ started_at, finished_at }: Scan): number | undefined =>
  started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : undefined

/** Whether an administrator can have a held scan mark what it did not find. */
export const isConfirmable = ({ held_reason, trigger }: Scan): boolean =>
  trigger !== 'take_over' && (held_reason === 'many_missing' || held_reason === 'empty')
