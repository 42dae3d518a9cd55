import type { EffectiveSettings } from '../../access/settings/effective.ts'
import { invalid } from '../../base/invalid.ts'
import { secondsOf } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'

const TEN_YEARS_SECONDS = 315_360_000

/** Null for `never`. */
function secondsIn(expiresIn: string | number): number | null {
  if (expiresIn === 'never') return null
  const seconds = secondsOf(expiresIn)
  if (seconds > TEN_YEARS_SECONDS) throw invalid('body.expires_in', 'must not be more than ten years')
  return seconds
}

/**
 * How long a link lasts that is created now, in seconds, and until when; null for ever. From the request, the default, and the
 * longest lifetime that the settings allow.
 */
export function lifetimeOf(
  ctx: Pick<Ctx, 'now'>,
  { shares }: Pick<EffectiveSettings, 'shares'>,
  expiresIn: string | number | undefined,
): { expires_in: number | null; expires_at: string | null } {
  const longest = shares.max_expires_in === null ? null : secondsIn(shares.max_expires_in)
  const wanted = secondsIn(expiresIn ?? shares.default_expires_in)
  if (expiresIn !== undefined && longest !== null && (wanted === null || wanted > longest))
    throw invalid('body.expires_in', `must not be more than ${shares.max_expires_in}, the limit in the settings`)
  const expires_in = longest === null ? wanted : Math.min(wanted ?? longest, longest)
  return {
    expires_in,
    expires_at: expires_in === null ? null : new Date(ctx.now().getTime() + expires_in * 1000).toISOString(),
  }
}
