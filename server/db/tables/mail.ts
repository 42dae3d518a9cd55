import type { MailKind } from '../../../contract/mail.ts'

/** Mail on its way, and for a month what became of it. */
export interface MailTables {
  mails: {
    id: string
    kind: MailKind
    /** Names what the mail is about and for whom: a second one is not queued. */
    dedupe_key: string
    recipient: string
    subject: string
    /** The text, encrypted with a key derived from SECRET_KEY; null once the mail is finished. */
    sealed_body: string | null
    /**
     * `sending` from just before the contents go to the server: a mail that stays so was interrupted, and becomes `unknown`,
     * since the server may have it.
     */
    status: 'queued' | 'sending' | 'sent' | 'failed' | 'unknown'
    attempts: number
    last_error: string | null
    created_at: string
    /** Null once the mail is finished. */
    next_attempt_at: string | null
    sent_at: string | null
    /** The attempt in progress: who may write its outcome, and until when no other may start. */
    lease_token: string | null
    lease_until: string | null
  }
}
