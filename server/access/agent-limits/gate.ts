import type { Action } from '../../../contract/actions.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { AgentGate } from '../../context.ts'
import { approvedRequests, assertApproved } from './approvals/ask.ts'
import { costOf, spend } from './budget.ts'

/**
 * What all changes of agents pass, whatever front or job they come through: nothing is deleted for good, the budgets hold, and
 * what needs approval has it. What a job does was approved with the job.
 */
export const agentGate: AgentGate = async (step, agent) => {
  const inJob = step.actor.job_id !== undefined
  const approved = inJob ? [] : await approvedRequests(step, agent)
  return async (actions) => {
    for (const action of actions) if ((action.result ?? 'success') === 'success') refuseForGood(action)
    const cost = costOf(actions)
    await spend(step, agent, cost)
    if (!inJob) await assertApproved(step, agent, { actions, cost, approved })
  }
}

/** What agents may never do, whatever right they have. */
const NEVER: ReadonlySet<Action['name']> = new Set<Action['name']>([
  'purge',
  'erase',
  'delete_bucket',
  'release_bucket',
  'snapshot_delete',
])

function refuseForGood({ name, details, bucket, key }: Action): void {
  const where = key === undefined ? `bucket "${bucket}"` : `key "${key}" of bucket "${bucket}"`
  if (NEVER.has(name)) throw new ServiceError('forbidden', `Agents delete nothing permanently: ${where}.`)
  const deletes = (name === 'delete' || name === 'version_delete') && details.permanent === true
  const overwrites =
    ((name === 'upload' || name === 'copy' || name === 'move') &&
      details.replaced &&
      details.trash_id === undefined &&
      details.version_id === undefined) ||
    (name === 'restore' &&
      details.replaced === true &&
      details.replaced_trash_id === undefined &&
      details.version_id === undefined)
  if (deletes || overwrites)
    throw new ServiceError(
      'forbidden',
      `Agents delete nothing permanently, and the bucket keeps neither a trash nor versions: ${where}.`,
    )
}
