import type { Agent, AgentCount } from '../../../../contract/agents.ts'
import { formatBytes, formatCount } from '../../i18n.ts'
import { text } from './messages.ts'

/** What is counted, in the order in which it is shown. */
export const counts = [
  'change_objects',
  'change_bytes',
  'delete_objects',
  'delete_bytes',
  'read_bytes',
] as const satisfies readonly AgentCount[]

export const countTitles: { [count in AgentCount]: string } = {
  change_objects: text.changeObjects,
  change_bytes: text.changeBytes,
  delete_objects: text.deleteObjects,
  delete_bytes: text.deleteBytes,
  read_bytes: text.readBytes,
}

export const amountOf = (count: AgentCount, amount: number): string =>
  count.endsWith('_bytes') ? formatBytes(amount) : formatCount(amount)

/** An amount, and its limit if there is one. */
export const usedOf = (count: AgentCount, used: number, limit: number | null): string =>
  limit === null ? amountOf(count, used) : text.usedOf(amountOf(count, used), amountOf(count, limit))

/** What an agent has used of what is limited by the hour. */
export const usedWords = ({ budget, used_this_hour }: Agent): string[] =>
  counts.flatMap((count) => {
    const limit = budget[`${count}_per_hour`]
    return limit === null ? [] : [`${countTitles[count]}: ${usedOf(count, used_this_hour[count], limit)}`]
  })
