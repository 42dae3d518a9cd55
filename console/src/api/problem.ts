import { ProblemError } from '../../../client/derived.ts'
import { translate } from '../i18n.ts'
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
      detail: inWords(detail),
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
