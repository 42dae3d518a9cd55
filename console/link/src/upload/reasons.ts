import { Refused, type ShareInfo } from '../api.ts'
import { acceptedWords } from '../kinds.ts'
import { text } from '../language.ts'
import { formatBytes } from '../numbers.ts'
import { english } from '../texts/en.ts'
import { Unreadable } from './in-parts.ts'

/** Why a file cannot be accepted, before it is sent. */
export function refusalOf(file: File, { max_file_bytes, content_types }: ShareInfo): string | undefined {
  if (max_file_bytes !== null && file.size > max_file_bytes) return text.tooLarge(formatBytes(max_file_bytes))
  const type = (file.type || 'application/octet-stream').toLowerCase()
  const fits = content_types?.some((one) => (one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one))
  // The server goes by the name if the browser knows no type.
  return fits === false && file.type !== '' ? wrongType(content_types) : undefined
}

const wrongType = (types: ShareInfo['content_types']) => text.wrongType(acceptedWords(types ?? []))

/** Why the server did not take a file, in plain words, and whether it may take it later. */
export function reasonOf(error: unknown, { content_types }: ShareInfo): { note: string; again: boolean } {
  if (error instanceof Unreadable) return { note: text.unreadable, again: false }
  if (!(error instanceof Refused)) return { note: text.unanswered, again: true }
  const { status, code } = error
  if (status === 0) return { note: text.lost, again: true }
  if (status === 401) return { note: text.passwordAgain, again: false }
  if (status === 410) return { note: text.goneTitle, again: false }
  if (status === 415) return { note: wrongType(content_types), again: false }
  if (code === 'too_large') return { note: text.tooMuch, again: true }
  if (code === 'limit_reached') return { note: text.noMoreFiles, again: true }
  if (code === 'quota_exceeded') return { note: text.noRoom, again: true }
  if (code === 'rate_limited') return { note: text.tooMany, again: true }
  return { note: text === english && error.message ? error.message : text.unanswered, again: status >= 500 }
}
