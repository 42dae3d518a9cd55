import { systemActor } from '../../access/actors.ts'
import type { Actor, Step } from '../../context.ts'
import { unclaimed } from '../../work/store.ts'
import * as store from './store.ts'

/** Who requested a run, stored so that it is recorded in their name. */
export type Requester = Omit<Actor, 'groups'>

/** A run's numbers as the audit log, webhooks and the API show them. */
export const numbersOf = (run: store.RunRow) => ({
  examined: run.examined,
  matched: run.matched,
  deleted: run.deleted,
  bytes: run.kind === 'dry' ? run.matched_bytes : run.deleted_bytes,
  kept: run.kept,
})

/** Who a run is recorded as: whoever requested it, otherwise Strongroom on the author's behalf. */
export function recorderOf({ requester, author_id, author_email }: store.RunRow): Actor {
  if (requester !== null) return { ...(JSON.parse(requester) as Requester), groups: [] }
  return { ...systemActor, user_id: author_id, email: author_email }
}

/** A run's final status, with a reason unless it succeeded. */
export interface Ending {
  status: 'succeeded' | 'stopped' | 'failed' | 'cancelled'
  reason: string | null
}

/** Step: ends a locked run and records it, once. */
export async function finishStep(
  step: Step,
  run: store.RunRow,
  name: string,
  { status, reason }: Ending,
): Promise<void> {
  const { tx, record } = step
  const finished_at = step.now().toISOString()
  await store.updateRun(tx, run.id, { status, reason, finished_at, ...unclaimed })
  record({
    name: 'policy_run',
    resource: { type: 'policy', id: run.policy_id },
    details: {
      policy_id: run.policy_id,
      name,
      run_id: run.id,
      dry_run: run.kind === 'dry',
      trigger: run.trigger,
      status,
      reason,
      ...numbersOf(run),
      author: { user_id: run.author_id, email: run.author_email },
    },
  })
}
