import type { MergePlan } from '../../../../contract/jobs.ts'
import { type HeldBucket, roomOf } from '../../buckets/service.ts'
import { isKept } from '../../history/retire.ts'
import { addTurn } from '../changed.ts'
import type { Decided, Turn } from './decide.ts'

const nothing = (): MergePlan => ({
  added: { objects: 0, bytes: 0 },
  replaced: { objects: 0, bytes_before: 0, bytes_after: 0 },
  deleted: { objects: 0, bytes: 0 },
  beside: { objects: 0, bytes: 0 },
  kept: 0,
  conflicts: 0,
  refused: 0,
  growth_bytes: 0,
  room_bytes: null,
})

/** By how many bytes an origin grows with a turn; negative if it shrinks. */
export const growthOf = (origin: HeldBucket, { wanted, current }: Pick<Turn, 'wanted' | 'current'>): number =>
  (wanted?.size ?? 0) - (current && !isKept(origin, current) ? current.size : 0)

/** A job's plan with what one step of its list adds. */
export function extended(plan: string | null, origin: HeldBucket, { turns, kept, errors }: Decided): MergePlan {
  const sum = plan === null ? nothing() : (JSON.parse(plan) as MergePlan)
  sum.kept += kept.length
  for (const turn of turns) {
    const { key, dest } = turn
    sum.growth_bytes += growthOf(origin, turn)
    addTurn(sum, dest === key ? sum.added : sum.beside, turn)
  }
  for (const { code } of errors)
    if (code === 'conflict') sum.conflicts++
    else sum.refused++
  return { ...sum, room_bytes: roomOf(origin) }
}
