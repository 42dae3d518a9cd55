import type { corsMethods } from '../../../../contract/bucket-rules.ts'
import { matchesOneWildcard } from '../../../../contract/patterns.ts'

/** Which scripts of other origins may ask what of a bucket. Each origin and header may have one `*`. */
export interface CorsRule {
  id?: string
  origins: readonly string[]
  methods: readonly (typeof corsMethods)[number][]
  /** Headers that a request may have. */
  headers?: readonly string[]
  /** Headers of the answer that the script may read. */
  expose?: readonly string[]
  max_age_seconds?: number
}

/** What a browser says of a request before it sends it, or with it. */
export interface CorsQuestion {
  origin: string
  method: string
  /** Headers that the script sets, in lower case. */
  headers: readonly string[]
}

/** Most characters of an origin that a browser sends: a scheme, a host name of at most 253 and a port. */
export const MOST_ORIGIN = 300
/** Most headers that a script can ask for: browsers send 100 at most. */
export const MOST_HEADERS = 100

/**
 * The first rule that allows what is asked, and whether it does so for every origin. No rule allows a longer origin, or
 * more headers, than browsers ask for: anyone may ask, and each is compared with each that the rules name.
 */
export function corsAnswer(
  rules: readonly CorsRule[],
  { origin, method, headers }: CorsQuestion,
): { rule: CorsRule; everyone: boolean } | undefined {
  if (origin.length > MOST_ORIGIN || headers.length > MOST_HEADERS) return undefined
  for (const rule of rules) {
    const pattern = rule.origins.find((one) => matchesOneWildcard(one, origin))
    if (pattern === undefined || !rule.methods.some((one) => one === method)) continue
    const allowed = (rule.headers ?? []).map((one) => one.toLowerCase())
    if (headers.every((name) => allowed.some((one) => matchesOneWildcard(one, name))))
      return { rule, everyone: pattern === '*' }
  }
  return undefined
}
