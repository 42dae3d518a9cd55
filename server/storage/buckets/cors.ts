import type { corsMethods } from '../../../contract/bucket-rules.ts'
import { matchesPattern } from '../../../contract/patterns.ts'

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

/** The first rule that allows what is asked, and whether it does so for every origin. */
export function corsAnswer(
  rules: readonly CorsRule[],
  { origin, method, headers }: CorsQuestion,
): { rule: CorsRule; everyone: boolean } | undefined {
  for (const rule of rules) {
    const pattern = rule.origins.find((one) => matchesPattern(one, origin))
    if (pattern === undefined || !rule.methods.some((one) => one === method)) continue
    const allowed = (rule.headers ?? []).map((one) => one.toLowerCase())
    if (headers.every((name) => allowed.some((one) => matchesPattern(one, name))))
      return { rule, everyone: pattern === '*' }
  }
  return undefined
}
