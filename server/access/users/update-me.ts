import type { LanguageTag } from '../../../contract/languages.ts'
import type { Ctx } from '../../context.ts'
import { describeCaller } from '../sessions/caller.ts'
import * as store from './store.ts'

/** Sets the language of the caller's account, null for the browser's. Records a change only. */
export async function updateMe(ctx: Ctx, { language }: { language: LanguageTag | null }) {
  await ctx.act(async (step) => {
    const { tx, record } = step
    const row = await store.lockUser(tx, ctx.actor.user_id ?? '')
    if (!row || row.language === language) return step.nothing(undefined)
    await store.updateUser(tx, row.id, { language })
    record({
      name: 'user_update',
      resource: { type: 'user', id: row.id },
      details: { email: row.email, before: { language: row.language }, after: { language } },
    })
    return undefined
  })
  return describeCaller(ctx)
}
