// What agents use of their budgets. It is counted in the transaction of what they do, in one row for each agent.
import type { Action } from '../../../contract/actions.ts'
import { type AgentCount, type AgentUse, agentCounts, type BudgetName } from '../../../contract/agents.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { ActingAgent } from '../../iam/acting-agent.ts'
import { type HeldAgent, holdAgent } from './acting.ts'
import * as store from './store.ts'

export const NOTHING: AgentUse = {
  change_objects: 0,
  change_bytes: 0,
  delete_objects: 0,
  delete_bytes: 0,
  read_bytes: 0,
}

/** What actions count for. */
export function costOf(actions: readonly Action[]): AgentUse {
  const cost = { ...NOTHING }
  for (const { name, details, result = 'success' } of actions) {
    if (result !== 'success') continue
    // A move leaves nothing where the object was.
    if (name === 'delete' || name === 'version_delete' || name === 'move') {
      cost.delete_objects++
      cost.delete_bytes += details.size
    }
    if (name === 'upload' || name === 'copy' || name === 'move' || name === 'restore') {
      cost.change_objects++
      cost.change_bytes += details.size
    } else if (name === 'update_object' || name === 'share_create') cost.change_objects++
  }
  return cost
}

/** What an agent has used in the hour that runs, and when that ends; null where none has begun. */
export function hourOf(row: Pick<store.UseRow, 'hour_from' | 'this_hour'>, now: Date) {
  const begun = row.hour_from === null ? Number.NaN : Date.parse(row.hour_from)
  // Also where another process, whose clock is ahead, has begun it.
  const runs = now.getTime() < begun + HOUR_MS
  return {
    use: runs ? (JSON.parse(row.this_hour) as AgentUse) : NOTHING,
    ends: runs ? new Date(begun + HOUR_MS).toISOString() : null,
  }
}

const sum = (a: AgentUse, b: AgentUse): AgentUse =>
  Object.fromEntries(agentCounts.map((one) => [one, a[one] + b[one]])) as AgentUse

/** The cost of actions without the bytes that were counted as parts of uploads arrived. */
export function costNow(actions: readonly Action[]): AgentUse {
  const counted = costOf(actions.filter((one) => one.counted)).change_bytes
  const cost = costOf(actions)
  return { ...cost, change_bytes: cost.change_bytes - counted }
}

/**
 * Step: counts what an agent does. Throws budget_exceeded where that is more than is left of any budget: then nothing of it is
 * counted.
 */
export async function spend(
  { tx, now }: Pick<Upkeep, 'tx' | 'now'>,
  { use: row, agent: { id, budget } }: HeldAgent,
  cost: AgentUse,
): Promise<void> {
  if (agentCounts.every((one) => cost[one] === 0)) return
  const { use, ends } = hourOf(row, now())
  const total = JSON.parse(row.in_all) as AgentUse
  for (const count of agentCounts) {
    if (cost[count] === 0) continue
    const needed = cost[count]
    assertWithin({ budget, name: `${count}_per_hour`, count, used: use[count], needed, renews: ends, now: now() })
    assertWithin({ budget, name: count, count, used: total[count], needed, renews: null, now: now() })
  }
  await store.updateUse(tx, id, {
    hour_from: ends === null ? now().toISOString() : row.hour_from,
    this_hour: JSON.stringify(sum(use, cost)),
    in_all: JSON.stringify(sum(total, cost)),
  })
}

/** Step: counts bytes that an agent reads, or sends as a part of an upload. Throws budget_exceeded; does nothing for others. */
export async function spendBytes(
  step: Pick<Upkeep, 'tx' | 'now' | 'actor'>,
  count: 'read_bytes' | 'change_bytes',
  bytes: number,
): Promise<void> {
  const { agent } = step.actor
  if (agent && bytes > 0) await spend(step, await holdAgent(step, agent), { ...NOTHING, [count]: bytes })
}

/** Throws budget_exceeded before bytes come that would be refused once they are here. */
export const assertBytesLeft = async (
  { actor, upkeep }: Pick<Ctx, 'actor' | 'upkeep'>,
  count: 'read_bytes' | 'change_bytes',
  bytes: number,
): Promise<void> => {
  if (actor.agent && bytes > 0)
    await upkeep(async (step) => {
      await spendBytes(step, count, bytes)
      return step.nothing(undefined)
    })
}

const WHAT: { [count in AgentCount]: string } = {
  change_objects: 'changed objects',
  change_bytes: 'changed bytes',
  delete_objects: 'deleted objects',
  delete_bytes: 'deleted bytes',
  read_bytes: 'read bytes',
}

interface Asked {
  budget: ActingAgent['budget']
  name: BudgetName
  count: AgentCount
  used: number
  needed: number
  /** When the hour ends that runs. */
  renews: string | null
  now: Date
}

function assertWithin({ budget, name, count, used, needed, renews, now }: Asked): void {
  const limit = budget[name]
  if (limit === null || used + needed <= limit) return
  const left = Math.max(0, limit - used)
  const hourly = name !== count
  const until = renews === null ? '' : ` It renews at ${renews}.`
  throw new ServiceError(
    'budget_exceeded',
    `The budget of this agent is ${limit} ${WHAT[count]} ${hourly ? 'per hour' : 'in all'}; ${left} are left, and this needs ${needed}.${until}`,
    {
      extensions: { budget: name, limit, left, needed, renews_at: renews },
      ...(renews === null
        ? {}
        : { headers: { 'retry-after': String(Math.ceil((Date.parse(renews) - now.getTime()) / 1000)) } }),
    },
  )
}

/** Counts bytes of contents before an agent gets them; resolves at once for everyone else. Throws budget_exceeded. */
export async function spendRead({ actor, upkeep }: Pick<Ctx, 'actor' | 'upkeep'>, bytes: number): Promise<void> {
  if (actor.agent && bytes > 0) await upkeep((step) => spendBytes(step, 'read_bytes', bytes), { relaxed: true })
}
