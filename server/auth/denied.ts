import type { ServiceError } from '../../contract/errors.ts'
import type { Ctx } from '../context.ts'

const PER_MINUTE = 60
const counts = new Map<string, { minute: number; count: number }>()

/**
 * Records that a signed-in caller was refused, in a transaction of its own (A3): best effort, at most 60 a minute and
 * person in each process, so that a script that keeps asking does not fill the log.
 */
export async function auditDenied(ctx: Ctx, refusal: ServiceError): Promise<void> {
  const { user_id } = ctx.actor
  if (user_id === null) return
  const minute = Math.floor(ctx.now().getTime() / 60_000)
  const seen = counts.get(user_id)
  if (seen?.minute === minute && seen.count >= PER_MINUTE) return
  if (counts.size >= 10_000) counts.clear()
  counts.set(user_id, { minute, count: seen?.minute === minute ? seen.count + 1 : 1 })
  try {
    await ctx.act(async (_tx, record) =>
      record({
        name: 'access_denied',
        result: 'denied',
        status_code: 403,
        error_code: refusal.code,
        details: { detail: refusal.message },
      }),
    )
  } catch (error) {
    ctx.log.error({ err: error }, 'a refusal could not be audited')
  }
}
