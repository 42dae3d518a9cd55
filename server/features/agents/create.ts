import type { NewAgent } from '../../../contract/agents.ts'
import { type AgentFields, createAgent } from '../../access/agents/service.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import { randomText } from '../../secrets/random.ts'
import { forkBucket } from '../../storage/jobs/fork/create.ts'

/** Of what there is in names of buckets. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const MOST_OF_A_NAME = 40

/**
 * Creates an agent that works on a fork of a bucket, which is made first, as the bucket is now. Throws invalid_request unless
 * its scope is about that bucket alone, and what refuses the fork.
 */
export async function createAgentOnFork(
  ctx: Ctx,
  fields: AgentFields,
  { bucket }: { bucket: string },
): Promise<NewAgent> {
  for (const [i, entry] of fields.scope.entries())
    if (entry.bucket !== bucket) throw invalid(`body.scope.${i}.bucket`, `must be "${bucket}", which is forked`)
  const name = `${bucket.slice(0, MOST_OF_A_NAME)}-agent-${randomText(LETTERS, 8)}`
  const { expires_at } = fields
  await forkBucket(ctx, { name, from: { bucket }, expires_at: expires_at ?? undefined })
  return createAgent(ctx, { ...fields, scope: fields.scope.map((entry) => ({ ...entry, bucket: name })) }, name)
}
