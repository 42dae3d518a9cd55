import { firstLanguage } from '../../../contract/languages.ts'
import type { MailKind } from '../../../contract/mail.ts'
import { newId } from '../../base/id.ts'
import type { Upkeep } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { siteName } from '../settings/branding.ts'
import { settingsInForce } from '../settings/effective.ts'
import { mailServerOf } from '../settings/mail.ts'
import { sealBody } from './body.ts'
import { type Message, written } from './messages.ts'
import * as store from './store.ts'

/** A mail to one or more users. */
export interface NewMail {
  kind: MailKind
  /** What it is about: each recipient gets one of this kind about it. */
  about: string
  /** An active user, an address and the language for it, or all active administrators. */
  to: { user_id: string } | { address: string; language?: string | null } | 'administrators'
  message: Message
}

/**
 * Step: queues a mail in the transaction of the change that is its reason, so that nothing is sent if that is rolled back.
 * Each recipient gets it in the language of their account, those who have chosen none in English.
 * Queues nothing where mail is off, nor twice about the same. Returns how many recipients get it.
 */
export async function enqueueMail(
  { tx, config, now }: Pick<Upkeep, 'tx' | 'config' | 'now'>,
  { kind, about, to, message }: NewMail,
): Promise<number> {
  const settings = await settingsInForce({ tx, config })
  if (mailServerOf(settings) === null) return 0
  const site = siteName(settings)
  const time = now().toISOString()
  let count = 0
  for (const { email: recipient, language } of await recipientsOf(tx, to)) {
    const id = newId()
    const { subject, ...body } = written(message, firstLanguage([language]), { ...config, site })
    const isNew = await store.insertMail(tx, {
      id,
      kind,
      dedupe_key: `${kind}:${about}:${recipient}`,
      recipient,
      subject,
      sealed_body: sealBody(config, id, body),
      status: 'queued',
      attempts: 0,
      last_error: null,
      created_at: time,
      next_attempt_at: time,
      sent_at: null,
      lease_token: null,
      lease_until: null,
    })
    if (isNew) count++
  }
  return count
}

async function recipientsOf(tx: Upkeep['tx'], to: NewMail['to']): Promise<store.Recipient[]> {
  if (to === 'administrators') return store.findAdministrators(tx)
  if ('address' in to) return [{ email: to.address, language: to.language ?? null }]
  const recipient = await store.findRecipient(tx, to.user_id)
  return recipient === undefined ? [] : [recipient]
}

/** The language that a user has chosen for the console and for mail; null for none, and where there is no user. */
export const languageOf = async (db: Db, userId: string | null): Promise<string | null> =>
  userId === null ? null : ((await store.findLanguage(db, userId)) ?? null)
