import { ServiceError } from '../../../contract/errors.ts'
import { firstLanguage } from '../../../contract/languages.ts'
import { newId } from '../../base/id.ts'
import { SECOND_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { SmtpFailure } from '../../outbound/smtp-failure.ts'
import { siteName } from '../settings/branding.ts'
import { settingsInForce } from '../settings/effective.ts'
import { mailServerOf } from '../settings/mail.ts'
import { languageOf } from './enqueue.ts'
import { tested, written } from './messages.ts'
import { sendMail } from './send.ts'

const MOST_MS = 10 * SECOND_MS

/** Sends the caller a mail now, in their language, for the settings page. Throws conflict where mail is off, and mail_not_sent. */
export async function testMail(ctx: Ctx): Promise<{ recipient: string }> {
  const { config, actor, log } = ctx
  const settings = await settingsInForce(ctx)
  const server = mailServerOf(settings)
  if (server === null) throw new ServiceError('conflict', 'No mail server is configured.')
  const recipient = actor.email ?? ''
  const site = siteName(settings)
  const language = firstLanguage([await languageOf(ctx.db, actor.user_id)])
  const signal = AbortSignal.timeout(Math.min(MOST_MS, config.mail.timeoutMs))
  try {
    await sendMail(
      config,
      server,
      { id: newId(), recipient, date: ctx.now(), ...written(tested(site), language, { ...config, site }) },
      { signal },
    )
  } catch (error) {
    if (!(error instanceof SmtpFailure)) throw error
    log.warn({ err: error, step: error.step }, 'a test mail was not sent')
    throw new ServiceError('mail_not_sent', error.message, { cause: error })
  }
  return { recipient }
}
