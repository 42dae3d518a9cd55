// Whether a run may go on: checked with its rule and its author's rights of the moment.
import { ServiceError } from '../../../contract/errors.ts'
import { systemActor } from '../../access/actors.ts'
import { actorOfUser } from '../../access/sessions/service.ts'
import type { Actor, Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { LeaseLost } from '../../work/lease.ts'
import { allowOnAll, type RunRule, rightOf } from './rule.ts'
import * as store from './store.ts'

/** Ends the run for a reason that is not an error. */
export class RunEnded extends Error {
  readonly status: 'stopped' | 'cancelled'
  constructor(status: 'stopped' | 'cancelled', reason: string) {
    super(reason)
    this.status = status
  }
}

/**
 * Checked at every step: the run was not cancelled, the policy has not changed, and its author is active and has both
 * rights on everything it reaches. Returns the actor to act as.
 */
export async function assertMayContinue(db: Db, { now }: Pick<Ctx, 'now'>, run: store.RunRow): Promise<Actor> {
  if (run.cancel_at !== null) throw new RunEnded('cancelled', 'The run was cancelled.')
  const policy = await store.findPolicy(db, run.policy_id)
  if (!policy) throw new LeaseLost()
  if (policy.revision !== run.revision) throw new RunEnded('stopped', 'The policy was changed during the run.')
  const author = await actorOfUser({ db, now, actor: systemActor }, run.author_id, null)
  if (!author) throw new ServiceError('forbidden', "The policy's author no longer has an active account.")
  const rule = ruleOfRun(run)
  allowOnAll(author.groups, ['policy', rightOf(rule)], rule, "The policy's author lacks")
  return { ...author, type: 'system', auth_method: 'system' }
}

/** A run's rule; runs of earlier releases know fewer conditions. */
export const ruleOfRun = ({ rule }: Pick<store.RunRow, 'rule'>): RunRule => ({
  ...laterConditions,
  ...(JSON.parse(rule) as Omit<RunRule, keyof typeof laterConditions>),
})

const laterConditions = {
  max_size: null,
  tags: null,
  date: null,
  noncurrent_days: null,
  keep_versions: null,
  expired_markers: false,
  keep_snapshots: null,
}
