import Type from 'typebox'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Nullable, Page, Timestamp } from './shapes.ts'

export const mailKinds = [
  'token_expiring',
  'access_key_expiring',
  'share_opened',
  'quota_warning',
  'invitation',
  'password_reset',
  'sign_in_changed',
  'approval',
] as const
export type MailKind = (typeof mailKinds)[number]

export const Mail = Type.Object({
  id: Id,
  kind: Type.Enum([...mailKinds]),
  recipient: Type.String(),
  subject: Type.String(),
  status: Type.Enum(['queued', 'sending', 'sent', 'failed', 'unknown'], {
    description: '`unknown`: all of it was sent and the mail server did not answer; it is not sent again.',
  }),
  attempts: Type.Integer(),
  last_error: Nullable(Type.String()),
  created_at: Timestamp,
  next_attempt_at: Nullable(Timestamp),
  sent_at: Nullable(Timestamp),
})
export type Mail = Type.Static<typeof Mail>

export const operations = {
  listMails: route({
    method: 'GET',
    url: '/mails',
    tag: 'settings',
    summary: 'List the mails of the last 30 days, latest first',
    description: 'What was sent, waits or failed; never the texts.',
    access: 'admin',
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Mail),
  }),
}
