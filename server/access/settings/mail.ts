import type { Fault } from '../../../contract/errors.ts'
import { invalidAll } from '../../base/invalid.ts'
import { siteName } from './branding.ts'
import type { EffectiveSettings } from './effective.ts'

/** The mail server of the current settings. */
export interface MailServer {
  host: string
  port: number
  security: 'starttls' | 'tls' | 'none'
  /** Null where the server asks for no login. */
  login: { username: string; password: string } | null
  from: { name: string; address: string }
}

/** The configured mail server; null where mail is off. */
export function mailServerOf(settings: EffectiveSettings): MailServer | null {
  const { host, port, security, username, password, from_address, from_name } = settings.mail
  if (host === null || from_address === null) return null
  const login = username === null ? null : { username, password: password ?? '' }
  return { host, port, security, login, from: { name: from_name ?? siteName(settings), address: from_address } }
}

const isLoopback = (host: string): boolean => /^(127(\.\d+){3}|localhost|::1)$/i.test(host)

/** Throws invalid_request for a mail server that lacks a sender, or would be sent a password in plain text. */
export function assertMailUsable({ mail }: Pick<EffectiveSettings, 'mail'>): void {
  const { host, security, username, from_address } = mail
  if (host === null) return
  const faults: Fault[] = []
  if (from_address === null) faults.push({ path: 'body.mail.from_address', message: 'is required with a host' })
  if (security === 'none' && username !== null && !isLoopback(host))
    faults.push({
      path: 'body.mail.security',
      message: 'must not be none with a user name: the password would be readable on the network',
    })
  if (faults.length > 0) throw invalidAll(faults)
}
