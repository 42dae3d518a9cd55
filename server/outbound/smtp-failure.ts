import { OutboundFailure } from './failure.ts'

/** What failed: reaching the server, its TLS, the login, or what it says of sender, recipient and message. */
export type SmtpStep = 'connect' | 'tls' | 'login' | 'sender' | 'recipient' | 'message'

/**
 * `temporary`: the server surely does not have the message, and may take it later. `permanent`: it never will. `unknown`: all
 * of it was sent and no answer came, so the server may have it.
 */
export type SmtpVerdict = 'temporary' | 'permanent' | 'unknown'

/** Why a mail server did not take a message: the error's text is a sentence for administrators. */
export class SmtpFailure extends Error {
  readonly step: SmtpStep
  readonly verdict: SmtpVerdict
  /** Whether the server said so. */
  readonly isAnswer: boolean
  constructor(
    { step, verdict = 'temporary', isAnswer = false }: { step: SmtpStep; verdict?: SmtpVerdict; isAnswer?: boolean },
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
    this.step = step
    this.verdict = verdict
    this.isAnswer = isAnswer
  }
}

/** How much of an answer or error is shown. */
const MOST_SHOWN = 300
const shown = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MOST_SHOWN)
    .toWellFormed()
    .replace(/\.$/, '')

export const timedOut = (step: SmtpStep, cause: unknown) =>
  new SmtpFailure({ step }, 'The mail server did not answer in time.', cause)

export const unreachable = (cause: unknown) =>
  new SmtpFailure(
    { step: 'connect' },
    cause instanceof OutboundFailure && cause.kind === 'blocked'
      ? 'The mail server is at an address that is not allowed.'
      : `The mail server cannot be reached: ${shown((cause as Error).message)}.`,
    cause,
  )

export const noLogin = () =>
  new SmtpFailure(
    { step: 'login', isAnswer: true },
    'The mail server does not offer a login, so leave out the user name.',
  )

export const unanswered = (cause: unknown) =>
  new SmtpFailure(
    { step: 'message', verdict: 'unknown' },
    'The connection ended after the message was sent and before the mail server answered, so it may have taken it.',
    cause,
  )

/** The fields of nodemailer's errors that are used. */
type SmtpError = Error & {
  command?: string
  code?: string
  /** The system's code, where `code` is nodemailer's. */
  originalCode?: string
  /** The server's answer and its number; missing if it gave none. */
  response?: string
  responseCode?: number
}

/**
 * What an error of nodemailer's means. A refused login or sender is temporary, like everything that another setting can
 * correct: mail that waits is sent once it is right.
 */
export function asSmtpFailure(step: 'connect' | 'login' | 'message', error: unknown): SmtpFailure {
  if (error instanceof SmtpFailure) return error
  const { message, command = '', code, response, responseCode } = error as SmtpError
  const isAnswer = responseCode !== undefined
  const said = shown(response ?? message)
  const failure = (of: SmtpStep, text: string, verdict: SmtpVerdict = 'temporary') =>
    new SmtpFailure({ step: of, verdict, isAnswer }, `${text}: ${said}.`, error)
  if (command === 'STARTTLS') return failure('tls', 'The mail server does not offer STARTTLS')
  if (code === 'ETLS' || isOfTls(error as SmtpError)) return failure('tls', 'TLS with the mail server failed')
  if (code === 'EAUTH') return failure('login', 'The mail server refused the user name or the password')
  if (responseCode === 530) return failure('login', 'The mail server requires a login')
  if (code === 'EENVELOPE' && !isAnswer) return failure('recipient', 'The address cannot be used', 'permanent')
  if (!isAnswer) return failure(step, 'The connection to the mail server failed')
  if (step !== 'message') return failure(step, 'The mail server refused the connection')
  if (command === 'MAIL FROM') return failure('sender', 'The mail server refused the sender')
  const verdict = responseCode >= 500 ? 'permanent' : 'temporary'
  if (command === 'RCPT TO') return failure('recipient', 'The mail server refused the recipient', verdict)
  return failure('message', 'The mail server refused the message', verdict)
}

const isOfTls = ({ originalCode = '', message }: SmtpError): boolean =>
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(originalCode) ||
  /certificate|handshake/.test(message)
