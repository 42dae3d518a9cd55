// A real mail server (smtp-server) in this process, which keeps what it takes.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail that the server took. */
export interface Taken {
  from: string
  to: string[]
  /** Headers by their names in lower case, unfolded but not decoded. */
  headers: Record<string, string>
  /** The text, decoded. */
  body: string
  raw: string
  secure: boolean
  user: string | undefined
}
type Step = 'sender' | 'recipient' | 'message'

/** What the server answers at a step instead of taking it: a code, never, or the end of the connection. */
export type Refusal = number | 'hang' | 'drop'

export interface MailServer {
  port: number
  taken: Taken[]
  /** Connections so far. */
  connections: number
  /** How often all contents of a mail had arrived, whatever was answered then. */
  arrived: number
  /** Asked at each step, until it returns undefined. */
  refuse: (step: Step, address: string) => Refusal | undefined
  /** Settings for it. */
  readonly settings: { host: string; port: number; from_address: string }
  /** Takes what hangs. */
  release(): void
  /** Forgets what it took and what hangs. */
  forget(): void
  stop(): Promise<void>
}

/** Starts a mail server on 127.0.0.1; by default without TLS and logins. */
export async function startMailServer(
  options: SMTPServerOptions & { login?: { username: string; password: string } } = {},
): Promise<MailServer> {
  const { login, ...more } = options
  const hanging = new Set<() => void>()
  /** Answers for a step, once it may. */
  const answer = (step: Step, address: string, done: (error?: Error | null) => void, end: () => void) => {
    const refusal = mail.refuse(step, address)
    if (refusal === undefined) return done()
    if (refusal === 'hang') return void hanging.add(done)
    if (refusal === 'drop') return end()
    done(Object.assign(new Error(`No ${step} today`), { responseCode: refusal }))
  }
  const server: SMTPServer = new SMTPServer({
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    disabledCommands: [...(more.key || more.secure ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
    ...more,
    onConnect: (_session, done) => {
      mail.connections++
      done()
    },
    onAuth: ({ username, password }, _session, done) => {
      if (username === login?.username && password === login?.password) return done(null, { user: username })
      done(Object.assign(new Error('Wrong user name or password'), { responseCode: 535 }))
    },
    onMailFrom: ({ address }, session, done) => answer('sender', address, done, () => drop(session.id)),
    onRcptTo: ({ address }, session, done) => answer('recipient', address, done, () => drop(session.id)),
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope
      const to = rcptTo.map(({ address }) => address)
      const arrive = (raw: string) => {
        mail.arrived++
        const take = (error?: Error | null) => {
          if (!error)
            mail.taken.push({
              from: mailFrom ? mailFrom.address : '',
              to,
              raw,
              ...parsed(raw),
              secure: session.secure,
              user: session.user as string | undefined,
            })
          done(error)
        }
        answer('message', to.join(), take, () => drop(session.id))
      }
      // A connection that ends before the last of the contents has sent no mail.
      void text(stream).then(arrive, () => undefined)
    },
  })
  const drop = (id: string) => {
    for (const connection of server.connections as Iterable<{ id: string; _socket: { destroy(): void } }>)
      if (connection.id === id) connection._socket.destroy()
  }
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const mail: MailServer = {
    port,
    taken: [],
    connections: 0,
    arrived: 0,
    refuse: () => undefined,
    settings: { host: '127.0.0.1', port, from_address: 'strongroom@example.com' },
    release() {
      for (const done of hanging) done()
      hanging.clear()
    },
    forget() {
      mail.taken.length = 0
      mail.arrived = 0
      hanging.clear()
    },
    async stop() {
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return mail
}

function parsed(raw: string): Pick<Taken, 'headers' | 'body'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const headers = Object.fromEntries(
    head
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = rest.join('\r\n\r\n')
  const isQuoted = headers['content-transfer-encoding'] === 'quoted-printable'
  const isBase64 = headers['content-transfer-encoding'] === 'base64'
  return { headers, body: isBase64 ? Buffer.from(body, 'base64').toString() : isQuoted ? unquoted(body) : body }
}

/** Decodes quoted-printable (RFC 2045 section 6.7). */
const unquoted = (body: string): string =>
  Buffer.from(
    body
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

/** A header with its encoded words (RFC 2047) decoded. */
export const decoded = (header = ''): string =>
  header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
      /b/i.test(kind) ? Buffer.from(word, 'base64').toString() : unquoted(word.replaceAll('_', ' ')),
    )

/** Makes an authority and the certificate of a server at this address; undefined without openssl. */
export function makeCertificate(folder: string, address = '127.0.0.1') {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  try {
    openssl('version')
  } catch {
    return undefined
  }
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Own CA', '-days', '30')
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=mail')
  fs.writeFileSync(path.join(folder, 'ext'), `subjectAltName=IP:${address}`)
  openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
    ...['-out', 'server.pem', '-days', '30', '-extfile', 'ext'],
  )
  const read = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8')
  return { key: read('server.key'), cert: read('server.pem'), caFile: path.join(folder, 'ca.pem') }
}
