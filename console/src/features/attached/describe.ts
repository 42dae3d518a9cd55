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

/** `12,400 objects listed · 31 new`: what a scan found, without zeros. */
export function resultOf({ status, seen, added, changed, absent, missing, removed, refused }: Scan): string {
  const found = [
    [added, text.added],
    [changed, text.changed],
    // Once it has ended, these are the missing ones.
    [status === 'succeeded' ? 0 : absent, text.absent],
    [missing, text.missing],
    [removed, text.removed],
    [refused, text.refused],
  ] as const
  return [text.listed(seen), ...found.filter(([n]) => n > 0).map(([n, words]) => words(n))].join(' · ')
}

/** How long a scan took, in seconds; undefined before it has ended. */
export const secondsOf = ({ started_at, finished_at }: Scan): number | undefined =>
  started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : undefined

/** Whether an administrator can have a held scan mark what it did not find. */
export const isConfirmable = ({ held_reason }: Scan): boolean =>
  held_reason === 'many_missing' || held_reason === 'empty'
