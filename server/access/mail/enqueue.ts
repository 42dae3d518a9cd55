import type { MailKind } from '../../../contract/mail.ts'
import { newId } from '../../base/id.ts'
import type { Upkeep } from '../../context.ts'
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
  /** An active user, an address, or all active administrators. */
  to: { user_id: string } | { address: string } | 'administrators'
  message: Message
}

/**
 * Step: queues a mail in the transaction of the change that is its reason, so that nothing is sent if that is rolled back.
 * Queues nothing where mail is off, nor twice about the same. Returns how many recipients get it.
 */
export async function enqueueMail(
  { tx, config, now }: Pick<Upkeep, 'tx' | 'config' | 'now'>,
  { kind, about, to, message }: NewMail,
): Promise<number> {
  const settings = await settingsInForce({ tx, config })
  if (mailServerOf(settings) === null) return 0
  const { subject, text } = written(message, { ...config, site: siteName(settings) })
  const time = now().toISOString()
  let count = 0
  for (const recipient of await addressesOf(tx, to)) {
    const id = newId()
    const isNew = await store.insertMail(tx, {
      ...{ id, kind, dedupe_key: `${kind}:${about}:${recipient}`, recipient, subject },
      ...{ sealed_body: sealBody(config, id, text), status: 'queued', attempts: 0, last_error: null },
      ...{ created_at: time, next_attempt_at: time, sent_at: null, lease_token: null, lease_until: null },
    })
    if (isNew) count++
  }
  return count
}

async function addressesOf(tx: Upkeep['tx'], to: NewMail['to']): Promise<string[]> {
  if (to === 'administrators') return store.findAdministrators(tx)
  if ('address' in to) return [to.address]
  const address = await store.findAddress(tx, to.user_id)
  return address === undefined ? [] : [address]
}
