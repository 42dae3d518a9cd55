import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Step } from './store.ts'

export const STEP_MS = { hour: HOUR_MS, day: DAY_MS } as const
/** How long what was written down is kept. */
export const KEPT_MS = { hour: 35 * DAY_MS, day: 400 * DAY_MS } as const

/** When the hour or day (UTC) of a time begins. */
export const startOf = (step: Step, time: number): string =>
  new Date(Math.floor(time / STEP_MS[step]) * STEP_MS[step]).toISOString()
