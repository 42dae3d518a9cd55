import type { LanguageTag } from '../../../contract/languages.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Config } from '../../config/config.ts'
import type { CredentialKind, SignInChange, SignInChanger } from './languages/en.ts'
import { type Wording, wordingOf } from './wording.ts'

/** What a mail says, in the language of whoever gets it. */
export type Message = (wording: Wording) => Contents
export interface Contents {
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

/** A message as it is sent: plain text with one link. `site`: what this site calls itself. */
export function written(
  message: Message,
  language: LanguageTag,
  { publicBaseUrl, site }: Pick<Config, 'publicBaseUrl'> & { site: string },
): { subject: string; text: string; language: LanguageTag } {
  const wording = wordingOf(language)
  const { subject, lines, path, reason } = message(wording)
  const signature = `-- \n${wording.texts.signature(named(site), reason)}`
  const text = [...lines, `${publicBaseUrl}/console${path}`, signature].join('\n\n')
  return { subject: named(subject, MOST_OF_A_SUBJECT), text: `${text}\n`, language }
}

/** A token or an access key that expires soon. */
export const credentialExpiring =
  ({ kind, name, mark, expires_at, now }: Expiring): Message =>
  ({ texts, moment, left }) => {
    const days = Math.max(1, Math.ceil((Date.parse(expires_at) - now.getTime()) / DAY_MS))
    const one = { kind, name: named(name), mark, left: left(days), at: moment(expires_at) }
    return {
      subject: texts.expiringSubject(one),
      lines: [texts.expiring(one), texts.expiringHint(kind)],
      path: kind === 'tokens' ? '/tokens' : '/access-keys',
      reason: texts.expiringReason(kind),
    }
  }
export interface Expiring {
  kind: CredentialKind
  name: string
  /** By what its owner recognises it: a prefix or an ID, never its value. */
  mark: string
  expires_at: string
  now: Date
}

/** A share link that was opened for the first time. */
export const shareOpened =
  ({ target, bucket, at, took }: Opening): Message =>
  ({ texts, moment }) => {
    const name = named(target)
    return {
      subject: texts.openedSubject(name),
      lines: [texts.opened({ took, name, bucket: named(bucket), at: moment(at) }), texts.openedHint],
      path: '/shares',
      reason: texts.openedReason,
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
export const invitation =
  ({ by, token, expires_at }: { by: string | null; token: string; expires_at: string }): Message =>
  ({ texts, moment }) => {
    const who = by === null ? null : named(by)
    return {
      subject: texts.invitationSubject(who),
      lines: [texts.invitation(who, moment(expires_at))],
      path: `/invitation#${token}`,
      reason: texts.invitationReason,
    }
  }

/** A forgotten password, which is replaced with a link that admits whoever has it. */
export const passwordReset =
  ({ token, expires_at }: { token: string; expires_at: string }): Message =>
  ({ texts, moment }) => ({
    subject: texts.resetSubject,
    lines: [texts.reset(moment(expires_at))],
    path: `/password-reset#${token}`,
    reason: texts.resetReason,
  })

/** What has changed in how a user signs in. It has no link that admits anybody: it may come from somebody who pretends. */
export const signInChanged =
  ({ changes, by, at, canReset }: ChangedSignIns): Message =>
  ({ texts, moment }) => {
    const said = changes.map(({ change, name = '' }) => texts.signInChanged({ change, name: named(name) }))
    return {
      subject: said.length === 1 ? (said[0] ?? '') : texts.signInSubject,
      lines: [
        ...said.map((one) => `${one}${texts.signInStop}`),
        texts.signInBy({ by, at: moment(at) }),
        canReset ? texts.signInReset : texts.signInAsk,
      ],
      path: '/account',
      reason: texts.signInReason,
    }
  }
export interface ChangedSignIns {
  changes: readonly { change: SignInChange; name?: string }[]
  by: SignInChanger
  at: string
  /** Whether whoever reads the recipient's mail can replace the password. */
  canReset: boolean
}

/** A bucket that has filled to one of the announced levels. */
export const bucketFilling =
  ({ bucket, percent: level, used_bytes, reserved_bytes, history_bytes = 0, quota_gb }: Filling): Message =>
  ({ texts, percent, size }) => {
    const [held, quota] = [size(used_bytes + reserved_bytes + history_bytes), size(quota_gb * 1024 ** 3)]
    return {
      subject: texts.fillingSubject(bucket, percent(level)),
      lines: [texts.filling({ bucket, percent: percent(level), held, quota }), texts.fillingHint],
      path: `/b/${bucket}/overview`,
      reason: texts.fillingReason,
    }
  }
export interface Filling {
  bucket: string
  percent: number
  used_bytes: number
  reserved_bytes: number
  /** What snapshots alone keep, where the quota includes that. */
  history_bytes?: number
  quota_gb: number
}

/** What an agent asks whoever created it to approve. */
export const approvalAsked =
  ({ agent, agent_id, objects, bytes }: AskedApproval): Message =>
  ({ texts, size }) => {
    const name = named(agent)
    return {
      subject: texts.approvalSubject(name),
      lines: [texts.approval({ agent: name, objects, size: size(bytes) }), texts.approvalHint],
      path: `/agents/${agent_id}`,
      reason: texts.approvalReason,
    }
  }
export interface AskedApproval {
  agent: string
  agent_id: string
  objects: number
  bytes: number
}

/** What administrators send themselves from the settings. */
export const tested =
  (site: string): Message =>
  ({ texts }) => ({
    subject: texts.testSubject(site),
    lines: [texts.test(site)],
    path: '/admin/settings?tab=mail',
    reason: texts.testReason,
  })
