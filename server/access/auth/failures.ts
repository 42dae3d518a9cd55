import type { Ctx } from '../../context.ts'

/** Records a failed login; `email` is what was typed, null if nothing was. `method`: how, unless the caller is signed in. */
export async function recordFailure(
  ctx: Ctx,
  email: string | null,
  reason: string,
  more: { userId: string | undefined; status_code?: number; error_code?: string; method?: 'local' | 'idp' | 'setup' },
): Promise<void> {
  const { userId, status_code = 401, error_code = 'invalid_grant', method = 'local' } = more
  const { actor } = ctx
  await ctx.as({ ...actor, auth_method: actor.auth_method ?? method }).act(async ({ record }) =>
    record({
      name: 'login_failed',
      result: 'failure',
      status_code,
      error_code,
      ...(userId === undefined ? {} : { resource: { type: 'user', id: userId } }),
      details: { email: email?.slice(0, 320) ?? null, reason },
    }),
  )
}
