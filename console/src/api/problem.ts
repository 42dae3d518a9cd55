import { ProblemError } from '../../../client/derived.ts'
import { locale, translate } from '../i18n.ts'
import { legible } from '../keys.ts'
import { text } from './messages.ts'
import { isUnreachable } from './reach.ts'

export { ProblemError }

/** A problem's title in the page's language. */
export const titleOf = (code: string, english: string): string => translate('problems.titles', code, english)

/** The refusals that users meet most, in the page's language; others are the server's English. */
function inWords(detail: string): string {
  const [, right, key, bucket] =
    /^You need the "([\w.]+)" permission(?: on (?:key "(.*)" of )?bucket "([^"]*)")?\.$/s.exec(detail) ?? []
  if (right === undefined) return legible(detail)
  return text.needs(right, bucket === undefined ? undefined : `${bucket}/${legible(key ?? '')}`)
}

/** Codes that leave open what is wrong: the server's words say it. */
const vague: readonly string[] = ['invalid_request', 'malformed', 'conflict', 'not_found']

/**
 * What to show those who have not signed in, as a sentence of their language: in English the server's own words, else what
 * the code means.
 */
export function sentenceOf(error: unknown): string {
  const { title, detail } = describeProblem(error)
  const code = codeOf(error)
  if (locale === 'en' || code === undefined || vague.includes(code)) return detail
  return code === 'rate_limited' ? `${text.sentence(title)} ${text.later}` : text.sentence(title)
}

/** What to show for any error: the server's own words, or why there are none. */
export function describeProblem(error: unknown): {
  title: string
  detail: string
  requestId?: string
  status?: number
} {
  if (error instanceof ProblemError) {
    const { code, title, detail, request_id } = error.problem
    return {
      title: titleOf(code, title),
      detail: code === 'rate_limited' && locale !== 'en' ? text.later : inWords(detail),
      requestId: request_id,
      status: error.response.status,
    }
  }
  if (isUnreachable(error)) return { title: text.unreachable, detail: text.unreachableHint }
  return { title: text.broken, detail: error instanceof Error ? error.message : String(error) }
}

/** A form's errors by field name (`body.name` becomes `name`). */
export function faultsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ProblemError)) return {}
  const faults = error.problem.errors ?? []
  return Object.fromEntries(faults.map(({ path, message }) => [path.replace(/^(body|query|params)\./, ''), message]))
}
export const statusOf = (error: unknown): number | undefined =>
  error instanceof ProblemError ? error.response.status : undefined
export const codeOf = (error: unknown): string | undefined =>
  error instanceof ProblemError ? error.problem.code : undefined
