import type { ReplicationRule } from '../../../contract/replication.ts'

/** The rules of a bucket in the order in which they decide. */
export const ordered = (rules: readonly ReplicationRule[]): ReplicationRule[] =>
  rules.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0))

/** What of an object rules ask for. */
export interface Judged {
  key: string
  /** JSON; null without any. */
  tags: string | null
}

/**
 * The rule that decides about an object: the first that it matches. Of a key without an object, whose tags nobody knows any
 * more, those with tags say nothing.
 */
export function ruleFor(
  rules: readonly ReplicationRule[],
  { key, tags }: Judged | { key: string; tags: undefined },
): ReplicationRule | undefined {
  const own = tags ? (JSON.parse(tags) as { [name: string]: string }) : {}
  const hasAll = (wanted: ReplicationRule['tags']) =>
    wanted === undefined ||
    (tags !== undefined &&
      Object.entries(wanted).every(([name, value]) => Object.hasOwn(own, name) && own[name] === value))
  return rules.find(
    ({ enabled = true, prefix = '', tags: wanted }) => enabled && key.startsWith(prefix) && hasAll(wanted),
  )
}

/** The rules as the row of a bucket has them. */
export const readRules = (document: string): readonly ReplicationRule[] => JSON.parse(document) as ReplicationRule[]
