import { enqueueMail } from '../../access/mail/enqueue.ts'
import { shareOpened } from '../../access/mail/messages.ts'
import { type EffectiveSettings, settingsInForce } from '../../access/settings/effective.ts'
import { mailServerOf } from '../../access/settings/mail.ts'
import { invalid } from '../../base/invalid.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import * as accessStore from './accesses/store.ts'
import { nameOf } from './listing.ts'
import { accessRow, type OpenLink } from './open.ts'
import * as store from './store.ts'

/** Within this time, the same browser at the same address is the same visit. */
const VISIT_MS = HOUR_MS

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

/**
 * Records that a visitor saw what a link holds, after the response: the mail of the first opening, and an access. A page asks
 * again while it is open, so a visitor's next one within an hour is the same.
 */
export function noteSeen(ctx: Ctx, link: OpenLink): void {
  if (ctx.actor.origin.method === 'HEAD') return
  noteOpened(ctx, link)
  ctx.background(noteVisit(ctx, link.row))
}

async function noteVisit(ctx: Ctx, row: store.ShareRow): Promise<void> {
  const access = accessRow(ctx, row, 'opened', { key: null })
  const since = new Date(ctx.now().getTime() - VISIT_MS)
  if (await accessStore.hasOpened(ctx.db, access, since)) return
  await ctx.upkeep(
    async ({ tx }) => {
      // Of requests at the same time, one is recorded.
      if ((await store.lockShare(tx, row.id)) && !(await accessStore.hasOpened(tx, access, since)))
        await accessStore.insertAccess(tx, access)
    },
    { relaxed: true },
  )
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
