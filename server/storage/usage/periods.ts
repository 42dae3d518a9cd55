import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Step } from './store.ts'

export const STEP_MS = { hour: HOUR_MS, day: DAY_MS } as const
/** How long history is kept. */
export const KEPT_MS = { hour: 35 * DAY_MS, day: 400 * DAY_MS } as const

/** The start of the hour or day (UTC) containing a time. */
export const startOf = (step: Step, time: number): string =>
  new Date(Math.floor(time / STEP_MS[step]) * STEP_MS[step]).toISOString()
