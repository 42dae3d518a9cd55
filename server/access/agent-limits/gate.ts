import type { Action } from '../../../contract/actions.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { AgentGate } from '../../context.ts'
import { holdAgent } from './acting.ts'
import { approvedRequests, assertApproved } from './approvals/ask.ts'
import { costNow, costOf, spend } from './budget.ts'

/**
 * What all changes of agents pass, whatever front or job they come through: nothing is deleted for good or locked, the budgets hold, and
 * what needs approval has it. What a job does was approved with the job.
 */
export const agentGate: AgentGate = async (step, agent) => {
  const isApproved = step.actor.job_id !== undefined || agent.ofLink === true
  const approved = isApproved ? [] : await approvedRequests(step, agent)
  return async (actions) => {
    for (const action of actions) if ((action.result ?? 'success') === 'success') refuseForGood(action)
    const held = await holdAgent(step, agent)
    await spend(step, held, costNow(actions))
    if (!isApproved) await assertApproved(step, held.agent, { actions, cost: costOf(actions), approved })
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

/** What cannot be taken back before its time, or counts for everybody. */
const BINDING: ReadonlySet<Action['name']> = new Set<Action['name']>(['lock_update', 'legal_hold_update'])

/** Whether a version stays when another one is written: one without an id of its own does not. */
const isKept = ({ version_id }: { version_id?: string }): boolean => version_id !== undefined && version_id !== 'null'

function refuseForGood({ name, details, bucket, key }: Action): void {
  const where = key === undefined ? `bucket "${bucket}"` : `key "${key}" of bucket "${bucket}"`
  if (NEVER.has(name)) throw new ServiceError('forbidden', `Agents delete nothing permanently: ${where}.`)
  if (BINDING.has(name)) throw new ServiceError('forbidden', `Agents lock nothing: ${where}.`)
  if (name === 'update_object' && 'acl' in details.after)
    throw new ServiceError('forbidden', `Agents change no ACL: ${where}.`)
  const deletes = (name === 'delete' || name === 'version_delete') && details.permanent === true
  const overwrites =
    ((name === 'upload' || name === 'copy' || name === 'move') &&
      details.replaced &&
      details.trash_id === undefined &&
      !isKept(details)) ||
    (name === 'restore' && details.replaced === true && details.replaced_trash_id === undefined && !isKept(details))
  if (deletes || overwrites)
    throw new ServiceError(
      'forbidden',
      `Agents delete nothing permanently, and the bucket keeps neither a trash nor versions: ${where}.`,
    )
}
