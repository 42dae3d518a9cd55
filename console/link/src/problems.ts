import { Refused } from './api.ts'
import { text } from './language.ts'
import { english } from './texts/en.ts'

/** Why something was refused, as a sentence in the visitor's language; the server's own words are English. */
export function reasonWords(error: unknown): string {
  const { status, message } = error instanceof Refused ? error : { status: 0, message: '' }
  if (status === 0) return text.offline
  if (status === 401) return text.passwordAgain
  if (status === 404) return text.missingHint
  if (status === 410) return text.goneTitle
  if (status === 429) return text.tooManyTries
  return text === english && message !== '' ? message : text.serverFailed
}
