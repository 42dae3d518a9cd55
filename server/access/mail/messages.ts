import { counted } from '../../base/counted.ts'
import { formatSize } from '../../base/size.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Config } from '../../config/config.ts'

/** What a mail says. */
export interface Message {
  subject: string
  /** Paragraphs: what happened, and what to do. */
  lines: readonly string[]
  /** The page of the console to do it on. */
  path: string
  /** Why the recipient gets it. */
  reason: string
}

/** Most characters of a name that others chose. */
const MOST_OF_A_NAME = 120
const MOST_OF_A_SUBJECT = 250

/** A text that others chose, on one line and in the direction of ours. */
function named(text: string, most = MOST_OF_A_NAME): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
  const letters = [...line]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : line
}

/** `2026-03-01 09:30 UTC`. */
const moment = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`

/** A message as it is sent: plain text with one link. `site`: what this site calls itself. */
export function written(
  { subject, lines, path, reason }: Message,
  { publicBaseUrl, site }: Pick<Config, 'publicBaseUrl'> & { site: string },
): { subject: string; text: string } {
  const text = [...lines, `${publicBaseUrl}/console${path}`, `-- \n${named(site)}. ${reason}`].join('\n\n')
  return { subject: named(subject, MOST_OF_A_SUBJECT), text: `${text}\n` }
}

/** A token or an access key that expires soon. */
export function credentialExpiring({ table, name, mark, expires_at, now }: Expiring): Message {
  const what = table === 'tokens' ? 'access token' : 'access key'
  const days = Math.max(1, Math.ceil((Date.parse(expires_at) - now.getTime()) / DAY_MS))
  const left = `in ${counted(days, 'day')}`
  return {
    subject: `Your ${what} “${named(name)}” expires ${left}`,
    lines: [
      `Your ${what} “${named(name)}” (${mark}) expires on ${moment(expires_at)}, ${left}.`,
      'Programs that use it are refused from then on. If they are still needed, create another one and let them use that:',
    ],
    path: table === 'tokens' ? '/tokens' : '/access-keys',
    reason: `You get this because the ${what} is yours.`,
  }
}
export interface Expiring {
  table: 'tokens' | 'access_keys'
  name: string
  /** By what its owner recognises it: a prefix or an ID, never its value. */
  mark: string
  expires_at: string
  now: Date
}

/** A share link that was opened for the first time. */
export function shareOpened({ target, bucket, at, took }: Opening): Message {
  const what = named(target)
  return {
    subject: `Your link to “${what}” was opened`,
    lines: [
      `Your ${took ? 'upload link' : 'link'} to “${what}” in the bucket “${named(bucket)}” was opened for the first time, on ${moment(at)}.`,
      'Who opened it since, and everything else about your links:',
    ],
    path: '/shares',
    reason: 'You get this once, because you asked for it when you shared.',
  }
}

export interface Opening {
  target: string
  bucket: string
  at: string
  /** Whether it is an upload link. */
  took: boolean
}

/** A new user, who chooses a password with a link that admits whoever has it. `by`: who invites them. */
export function invitation({
  by,
  token,
  expires_at,
}: {
  by: string | null
  token: string
  expires_at: string
}): Message {
  const who = by === null ? 'An administrator' : named(by)
  return {
    subject: `${who} created an account for you`,
    lines: [
      `${who} created an account for you. Choose a password, and you are in. The link works once, until ${moment(expires_at)}:`,
    ],
    path: `/invitation#${token}`,
    reason: 'If you did not expect this, ignore it: without a password, nobody can use the account.',
  }
}

/** A bucket that has filled to one of the announced levels. */
export function bucketFilling({ bucket, percent, used_bytes, reserved_bytes, quota_gb }: Filling): Message {
  const held = `${formatSize(used_bytes + reserved_bytes)} of ${formatSize(quota_gb * 1024 ** 3)}`
  return {
    subject: `The bucket “${bucket}” is ${percent}% full`,
    lines: [
      `The bucket “${bucket}” has reached ${percent}% of its quota: ${held}, with what is being uploaded.`,
      'Uploads are refused once it is full. Its quota and what it holds:',
    ],
    path: `/b/${bucket}/overview`,
    reason: 'You get this because you are an administrator.',
  }
}
export interface Filling {
  bucket: string
  percent: number
  used_bytes: number
  reserved_bytes: number
  quota_gb: number
}
