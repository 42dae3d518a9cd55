import MailComposer from 'nodemailer/lib/mail-composer'
import { parseRange } from '../../base/address.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Config } from '../../config/config.ts'
import { lookUp } from '../../outbound/resolve.ts'
import type { Route } from '../../outbound/route.ts'
import { sendLetter } from '../../outbound/smtp.ts'
import type { MailServer } from '../settings/mail.ts'

const EVERYWHERE = ['0.0.0.0/0', '::/0'].map(parseRange)

/** How this process reaches mail servers. One that the operator has named may be at any address that is ever allowed. */
const routeOf = perSystem(({ mail, port, fixedSettings }: Config): Route => {
  const allowed = fixedSettings['mail.host'] === undefined ? mail.allowed : EVERYWHERE
  return { allowed, denied: [], ca: mail.ca, proxy: null, resolve: lookUp, ownPort: port }
})

interface Outgoing {
  id: string
  recipient: string
  subject: string
  text: string
  /** Its tag, for readers and programs that look for it (RFC 3282). */
  language: string | undefined
  date: Date
}

/**
 * Sends a mail. `beforeContents` is awaited before any of it goes to the server, which then has no mail yet; its rejection is
 * passed on. Rejects with an SmtpFailure otherwise.
 */
export async function sendMail(
  config: Config,
  { from, ...server }: MailServer,
  mail: Outgoing,
  terms: { signal: AbortSignal; beforeContents?: () => Promise<void> },
): Promise<void> {
  const { hostname } = new URL(config.publicBaseUrl)
  const contents = await compose(mail, from, hostname)
  await sendLetter(
    routeOf(config),
    server,
    { from: from.address, to: mail.recipient, contents },
    { ...terms, name: hostname },
  )
}

/** Headers and body. Addresses are given as parts, so that no name in them can add another. */
const compose = (
  { id, recipient, subject, text, language, date }: Outgoing,
  from: MailServer['from'],
  hostname: string,
) =>
  new MailComposer({
    from,
    to: { name: '', address: recipient },
    subject,
    // The lines of a text end so also where it is encoded (RFC 2045 section 6.8).
    text: text.replace(/\r?\n/g, '\r\n'),
    date,
    messageId: `<${id}@${hostname}>`,
    headers: {
      // Out-of-office replies are not for us (RFC 3834).
      'Auto-Submitted': 'auto-generated',
      ...(language === undefined ? {} : { 'Content-Language': language }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
