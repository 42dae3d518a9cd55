import net from 'node:net'
import { Readable } from 'node:stream'
import tls from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { rejectOnAbort } from './abort.ts'
import { openSocket } from './dial.ts'
import { hostOf, type Route } from './route.ts'
import { asSmtpFailure, noLogin, timedOut, unanswered, unreachable } from './smtp-failure.ts'

/** A mail server, and how to log in to it. */
export interface SmtpServer {
  host: string
  port: number
  /** `starttls`: required. */
  security: 'starttls' | 'tls' | 'none'
  login: { username: string; password: string } | null
}

/** A message, ready to be sent. */
export interface Letter {
  from: string
  to: string
  /** Headers and body (RFC 5322). */
  contents: Buffer
}

interface Terms {
  /** The name or address by which we introduce ourselves. */
  name: string
  signal: AbortSignal
  /**
   * Awaited when the server has agreed to the sender and the recipient and waits for the contents. If it rejects, nothing is
   * sent, and that is the error.
   */
  beforeContents?: () => Promise<void>
}

/** How long a server has to close its side, in milliseconds. */
const CLOSING_MS = 1000
/** Longer than any signal, which is the one time limit. */
const NEVER_MS = 3_600_000

/** Sends one message over a guarded connection of its own. Rejects with an SmtpFailure, also when aborted. */
export async function sendLetter(route: Route, server: SmtpServer, letter: Letter, terms: Terms): Promise<void> {
  const connection = await connect(route, server, terms)
  try {
    await exchange(connection, server, letter, terms)
    connection.quit()
  } finally {
    connection.close()
  }
}

async function connect(route: Route, { host, port, security }: SmtpServer, { name, signal }: Terms) {
  const target = { hostname: host, port }
  const opening = openSocket(route, target, { progress: { phase: 'dns', ip: null }, signal })
  // Resolving a name ignores the signal.
  const socket = await rejectOnAbort(signal, opening).catch((error: unknown) => {
    opening.then(
      (late) => late.destroy(),
      () => undefined,
    )
    throw signal.aborted ? timedOut('connect', error) : unreachable(error)
  })
  const connection = new SMTPConnection({
    connection: socket,
    host: hostOf(host),
    port,
    name: literal(name),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: NEVER_MS,
    greetingTimeout: NEVER_MS,
    socketTimeout: NEVER_MS,
    socketCloseTimeout: CLOSING_MS,
    tls: { minVersion: 'TLSv1.2', ...(route.ca === null ? {} : { ca: [...tls.rootCertificates, route.ca] }) },
  })
  // A late error of a connection that is given up would otherwise end the process.
  connection.on('error', () => undefined)
  return connection
}

/** An address as EHLO takes it (RFC 5321 section 4.1.3). */
function literal(name: string): string {
  const kind = net.isIP(hostOf(name))
  return kind === 0 ? name : `[${kind === 6 ? 'IPv6:' : ''}${hostOf(name)}]`
}

async function exchange(
  connection: SMTPConnection,
  { login }: SmtpServer,
  { from, to, contents }: Letter,
  { signal, beforeContents }: Terms,
): Promise<void> {
  let step: 'connect' | 'login' | 'message' = 'connect'
  let stopped: { reason: unknown } | undefined
  /** From here on the server may have the message, whatever happens to the connection. */
  let isHandedOver = false
  async function* read() {
    try {
      await beforeContents?.()
    } catch (reason) {
      stopped = { reason }
      // nodemailer writes to the errors that it passes on.
      throw new Error('The contents are not sent')
    }
    isHandedOver = true
    yield contents
  }
  const stream = Readable.from(read())
  try {
    await answered(connection, signal, (done) => connection.connect(done))
    if (login) {
      step = 'login'
      if (!connection.allowsAuth) throw noLogin()
      const { username: user, password: pass } = login
      await answered(connection, signal, (done) => connection.login({ user, pass }, done))
    }
    step = 'message'
    const envelope = { from, to: [to], size: contents.length }
    await answered(connection, signal, (done) => connection.send(envelope, stream, done))
  } catch (error) {
    if (stopped) throw stopped.reason
    const failure = asSmtpFailure(step, error)
    if (failure.isAnswer) throw failure
    if (isHandedOver) throw unanswered(error)
    throw signal.aborted ? timedOut(step, error) : failure
  } finally {
    stream.destroy()
  }
}

/** Waits for one callback of the connection, an error of it, or the signal. */
async function answered(
  connection: SMTPConnection,
  signal: AbortSignal,
  ask: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  connection.on('error', reject)
  ask((error) => (error ? reject(error) : resolve()))
  await rejectOnAbort(signal, promise).finally(() => connection.removeListener('error', reject))
}
