import type { Ctx } from '../../context.ts'
import type { ObjectRow } from '../../db/schema.ts'
import * as lookups from './lookups.ts'
import { readRules, ruleFor } from './rules.ts'

/**
 * How far the replication of an object is, as S3 calls it; undefined if it is not replicated. `rules` are those of its bucket,
 * as its row has them: without any, nothing is looked up.
 */
export async function replicationStatus(
  { db, past }: Ctx,
  row: ObjectRow,
  rules: string | null,
): Promise<'PENDING' | 'COMPLETED' | 'FAILED' | undefined> {
  if (rules === null || past || !ruleFor(readRules(rules), row)) return undefined
  const found = await lookups.findState(db, row)
  if (!found) return undefined
  if (found.key !== null) return found.reason === null ? 'PENDING' : 'FAILED'
  const { existing, configured_at, walked_to } = found
  // Only what is current is replicated of what was there before, and nothing where that is not asked for.
  if (existing === 0) return row.last_modified < configured_at ? undefined : 'COMPLETED'
  const isWalked = walked_to === null || row.key <= walked_to
  return isWalked || row.last_modified > configured_at ? 'COMPLETED' : 'PENDING'
}
