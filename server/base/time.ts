/** Units in milliseconds. */
export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The last midnight UTC at or before a time. */
export const lastMidnight = (time: Date): Date => new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS)
/** The first midnight UTC at or after a time. */
export const nextMidnight = (time: Date): Date => new Date(Math.ceil(time.getTime() / DAY_MS) * DAY_MS)

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const

/** Seconds of `<n>[smhdw]`, of digits or of a number. */
export function secondsOf(duration: string | number): number {
  if (typeof duration === 'number') return duration
  const unit = SECONDS[duration.slice(-1) as keyof typeof SECONDS] as number | undefined
  return unit === undefined ? Number(duration) : Number(duration.slice(0, -1)) * unit
}
