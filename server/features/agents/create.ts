import type { OauthClientDetails } from '../../../contract/actions.ts'
import type { Agent, NewAgent } from '../../../contract/agents.ts'
import { type AgentFields, prepareAgent, updateAgent } from '../../access/agents/service.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx, Step } from '../../context.ts'
import { randomText } from '../../secrets/random.ts'
import { moveForkEnd } from '../../storage/forks/end.ts'
import { forkBucket } from '../../storage/jobs/fork/create.ts'

/** Of what there is in names of buckets. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const MOST_OF_A_NAME = 40

/** Whom an agent is made for besides its maker: a client of OAuth, and what is stored of that in the same transaction. */
export interface MadeFor {
  client: OauthClientDetails
  also(step: Step, agent: NewAgent): Promise<void>
}

/** Creates an agent for a client, on a fork if one is asked for. Throws what creating either throws. */
export async function createAgentFor(
  ctx: Ctx,
  { fork, ...fields }: AgentFields & { fork?: { bucket: string } | undefined },
  made: MadeFor,
): Promise<NewAgent> {
  if (fork) return createAgentOnFork(ctx, fields, fork, made)
  const create = prepareAgent(ctx, fields, { client: made.client })
  return ctx.act(async (step) => {
    const agent = await create(step)
    await made.also(step, agent)
    return agent
  })
}

/**
 * Creates an agent that works on a fork of a bucket, which is made first, as the bucket is now. Throws invalid_request unless
 * its scope is about that bucket alone, and what refuses the fork.
 */
export async function createAgentOnFork(
  ctx: Ctx,
  fields: AgentFields,
  { bucket }: { bucket: string },
  made?: MadeFor,
): Promise<NewAgent> {
  for (const [i, entry] of fields.scope.entries())
    if (entry.bucket !== bucket) throw invalid(`body.scope.${i}.bucket`, `must be "${bucket}", which is forked`)
  const name = `${bucket.slice(0, MOST_OF_A_NAME)}-agent-${randomText(LETTERS, 8)}`
  const { expires_at } = fields
  const create = prepareAgent(
    ctx,
    { ...fields, scope: fields.scope.map((entry) => ({ ...entry, bucket: name })) },
    { fork: name, client: made?.client },
  )
  let agent: NewAgent | undefined
  await forkBucket(ctx, { name, from: { bucket }, expires_at: expires_at ?? undefined }, async (step) => {
    agent = await create(step)
    await made?.also(step, agent)
  })
  if (!agent) throw new Error('A fork was made without its agent')
  return agent
}

/** Changes an agent; a fork that was made for it ends when it does. */
export const updateAgentAndFork = (ctx: Ctx, id: string, fields: Partial<AgentFields>): Promise<Agent> =>
  updateAgent(ctx, id, fields, async (step, name, end) => {
    const before = await moveForkEnd(step, name, end)
    if (before === undefined || before === end) return
    step.record({
      name: 'update_bucket',
      bucket: name,
      details: { before: { expires_at: before }, after: { expires_at: end } },
    })
  })
