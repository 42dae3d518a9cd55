import { isEmail, isLine, MAIL_HOST } from '../../../contract/names.ts'
import { allowedRanges, integer, matching, oneOf, readable } from './readers.ts'

/** The variables of mail. */
export const mailVariables = {
  MAIL_HOST: {
    summary:
      'Mail server (SMTP) through which Strongroom notifies users: a name or an address. Without one here or in the settings, no mail is sent. A server named here may be at any address, one in the settings only at public ones and those of MAIL_ALLOWED_CIDRS.',
    setting: 'mail.host',
    default: '',
    read: matching(new RegExp(`^$|${MAIL_HOST}`), 'a host name or an address'),
  },
  MAIL_PORT: {
    summary: 'Its port: usually 587 with `starttls`, 465 with `tls`, 25 with `none`.',
    setting: 'mail.port',
    default: '587',
    read: integer(1, 65_535),
  },
  MAIL_SECURITY: {
    summary:
      '`starttls`: no mail is sent unless the server offers STARTTLS; `tls`: TLS from the first byte; `none`: not encrypted, for a server on the same machine or network.',
    setting: 'mail.security',
    default: 'starttls',
    read: oneOf('starttls', 'tls', 'none'),
  },
  MAIL_USERNAME: { summary: 'User name at the mail server.', setting: 'mail.username', default: '', read: String },
  MAIL_PASSWORD: {
    secret: true,
    summary: 'Password at the mail server.',
    setting: 'mail.password',
    default: '',
    read: String,
  },
  MAIL_FROM: {
    summary: 'Address that mail is sent from; required with MAIL_HOST.',
    setting: 'mail.from_address',
    default: '',
    read: (text: string) => {
      if (text !== '' && !isEmail(text)) throw new Error('must be an email address')
      return text
    },
  },
  MAIL_FROM_NAME: {
    summary: 'Name that mail is sent from. Default: the site’s.',
    setting: 'mail.from_name',
    default: '',
    read: (text: string) => {
      if (text !== '' && !isLine(text)) throw new Error('must be one line of text')
      return text
    },
  },
  MAIL_ALLOWED_CIDRS: {
    summary:
      'Comma-separated addresses and networks at which a mail server of the settings may be, besides public ones. Link-local addresses and cloud metadata services are always refused.',
    default: '',
    read: allowedRanges,
  },
  MAIL_CA_FILE: {
    summary: 'PEM file of certificate authorities to trust for the mail server, besides the public ones.',
    default: '',
    read: readable,
  },
  MAIL_TIMEOUT_SECONDS: {
    summary: 'Time limit for sending one mail, from the DNS lookup to the server’s last answer.',
    default: '30',
    read: integer(1, 300),
  },
}
