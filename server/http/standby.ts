import { ServiceError } from '../../contract/errors.ts'
import { perSystem } from '../base/per-system.ts'
import type { Config } from '../config/config.ts'
import { readStandbyProgress, standbyLag } from '../db/standby-state.ts'

/** In every answer of a standby: for how many seconds it has not heard from the main service, or `unknown`. */
export const LAG_HEADER = 'x-strongroom-standby-lag'
/** How old what was read from the disk may be, in milliseconds. */
const FRESH_MS = 500

type Of = Pick<Config, 'standbyOf' | 'standbyMaxLagSeconds'>

const progressOf = perSystem(() => ({ at: Number.NEGATIVE_INFINITY, fresh: null as number | null }))

/** How far a standby is behind, in seconds, and whether that is more than it may be; undefined of any other service. */
export function behind(config: Of): { seconds: number | null; isTooFar: boolean } | undefined {
  const { standbyOf, standbyMaxLagSeconds: most } = config
  if (standbyOf === null) return undefined
  const known = progressOf(config)
  const at = performance.now()
  if (at - known.at > FRESH_MS) Object.assign(known, { at, fresh: readStandbyProgress(standbyOf)?.fresh ?? null })
  const seconds = standbyLag(known)
  return { seconds, isTooFar: most > 0 && (seconds === null || seconds > most) }
}

/** The header of a standby's answers; throws if it is too far behind to answer. */
export function headerOfStandby(config: Of, tell: (name: string, value: string) => void, isAnswered = false): void {
  const found = behind(config)
  if (!found) return
  const { seconds, isTooFar } = found
  tell(LAG_HEADER, seconds === null ? 'unknown' : seconds.toFixed(1))
  if (!isTooFar || isAnswered) return
  const since = seconds === null ? 'has not heard from the main service yet' : `is ${Math.round(seconds)} s behind`
  throw standbyRefuses(`This standby ${since}, and may be ${config.standbyMaxLagSeconds} s at most.`)
}

/** The answer to what a standby does not do. */
export const standbyRefuses = (detail: string): ServiceError => new ServiceError('standby', detail)
