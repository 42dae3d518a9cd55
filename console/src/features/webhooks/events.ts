import { text } from './messages.ts'

const families = [
  ['objects', /^(upload|copy|move|update_object|delete|restore)$/],
  ['buckets', /^(.*_bucket|quota_warning)$/],
  ['attached', /^(scan|scan_confirm|take_over|external_change|external_finding)$/],
  ['users', /^user_/],
  ['groups', /^group_/],
  ['tokens', /^token_/],
  ['shares', /^share_/],
  ['policies', /^policy_/],
  ['settings', /^settings_/],
  ['webhooks', /^(webhook_|ping$)/],
] as const

export interface Family<E> {
  name: string
  events: E[]
}
/** Events by subject; others come last. */
export function inFamilies<E extends { name: string }>(events: readonly E[]): Family<E>[] {
  const all: Family<E>[] = families.map(([name, pattern]) => ({
    name: text[name],
    events: events.filter((event) => pattern.test(event.name)),
  }))
  const others = events.filter(({ name }) => !families.some(([, pattern]) => pattern.test(name)))
  return [...all, { name: text.others, events: others }].filter((family) => family.events.length > 0)
}
