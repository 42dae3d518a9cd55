import { enqueueMail } from '../../access/mail/enqueue.ts'
import { shareOpened } from '../../access/mail/messages.ts'
import { type EffectiveSettings, settingsInForce } from '../../access/settings/effective.ts'
import { mailServerOf } from '../../access/settings/mail.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import { nameOf } from './listing.ts'
import type { OpenLink } from './open.ts'
import * as store from './store.ts'

/** Throws invalid_request for a link whose creator wants a mail that nobody would send. */
export function assertNotifiable(settings: EffectiveSettings, notify: boolean | undefined): void {
  if (notify && mailServerOf(settings) === null)
    throw invalid('body.notify', 'must not be true: mail is not set up in the settings')
}

/**
 * Queues the mail for which a link's creator asked, after the response: once, when a visitor first sees what the link holds.
 * Requests for headers alone, which programs make of any link they find, do not count.
 */
export function noteOpened(ctx: Ctx, link: OpenLink): void {
  const { row } = link
  if (row.notify === 0 || row.notified_at !== null || ctx.actor.origin.method === 'HEAD') return
  ctx.background(mailCreator(ctx, link))
}

async function mailCreator(ctx: Ctx, link: OpenLink): Promise<void> {
  if (mailServerOf(await settingsInForce(ctx)) === null) return
  const { id, kind, bucket, created_by } = link.row
  await ctx.upkeep(async (step) => {
    const { tx, now } = step
    if (!(await store.claimNotice(tx, id, now()))) return
    const opening = { target: nameOf(link), bucket, at: now().toISOString(), took: kind === 'upload' }
    await enqueueMail(step, {
      kind: 'share_opened',
      about: id,
      to: { user_id: created_by },
      message: shareOpened(opening),
    })
  })
}
