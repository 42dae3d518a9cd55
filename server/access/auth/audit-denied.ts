import type { ServiceError } from '../../../contract/errors.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Ctx } from '../../context.ts'

const floodOf = perSystem(() => countPerMinute(60))

/**
 * Audits that a signed-in caller was denied, in a transaction of its own. Best effort: at most 60 per minute and user
 * in each process, so that a script that keeps trying does not fill the log.
 */
export async function auditDenied(ctx: Ctx, refusal: ServiceError): Promise<void> {
  const { user_id } = ctx.actor
  if (user_id === null || floodOf(ctx.config)(user_id, ctx.now()) > 0) return
  try {
    await ctx.act(async ({ record }) =>
      record({
        name: 'access_denied',
        result: 'denied',
        status_code: 403,
        error_code: refusal.code,
        details: { detail: refusal.message },
      }),
    )
  } catch (error) {
    ctx.log.error({ err: error }, 'could not audit a denied request')
  }
}
