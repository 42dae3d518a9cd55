import { createHash } from 'node:crypto'
import type { RollbackPlan } from '../../../../contract/jobs.ts'
import { type HeldBucket, roomOf } from '../../buckets/service.ts'
import { isKept } from '../../history/retire.ts'
import type { ItemError } from '../../objects/item-error.ts'
import { addTurn } from '../changed.ts'
import { isInPlace, type Turn } from './decide.ts'

const nothing = (): RollbackPlan => ({
  restored: { objects: 0, bytes: 0 },
  replaced: { objects: 0, bytes_before: 0, bytes_after: 0 },
  deleted: { objects: 0, bytes: 0 },
  erased: 0,
  by_others: 0,
  refused: 0,
  links: 0,
  growth_bytes: 0,
  room_bytes: null,
})

/** What the plan of a rollback starts with: how many links are revoked with it, and which, as a digest; null for none. */
export const planOfLinks = (ids: readonly string[]): string | null =>
  ids.length === 0
    ? null
    : JSON.stringify({
        ...nothing(),
        links: ids.length,
        link_digest: createHash('sha256').update(JSON.stringify(ids.toSorted())).digest('hex'),
      })

/** By how many bytes of its quota a bucket grows with a turn; negative if it shrinks. */
export function growthOf(bucket: HeldBucket, turn: Turn): number {
  if (isInPlace(bucket, turn)) return 0
  const { current, wanted, freed } = turn
  const leaving = current && !isKept(bucket, current) ? current.size : 0
  return (wanted?.size ?? 0) - leaving - freed
}

/** A job's plan with what one step of its list adds. */
export function extended(
  plan: string | null,
  bucket: HeldBucket,
  { turns, errors }: { turns: readonly Turn[]; errors: readonly ItemError[] },
): RollbackPlan {
  const sum = plan === null ? nothing() : (JSON.parse(plan) as RollbackPlan)
  for (const turn of turns) {
    sum.growth_bytes += growthOf(bucket, turn)
    addTurn(sum, sum.restored, turn)
  }
  for (const { code } of errors)
    if (code === 'erased') sum.erased++
    else if (code === 'conflict') sum.by_others++
    else sum.refused++
  return { ...sum, room_bytes: roomOf(bucket) }
}
