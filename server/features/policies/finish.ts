import { type Actor, type Step, systemActor } from '../../context.ts'
import { unclaimed } from '../../work/store.ts'
import * as store from './store.ts'

/** Who asked for a run: kept to record it in their name. */
export type Requester = Omit<Actor, 'groups'>

/** What of a run is told: in the audit log, to receivers of events, and in the API. */
export const numbersOf = (run: store.RunRow) => ({
  examined: run.examined,
  matched: run.matched,
  deleted: run.deleted,
  bytes: run.kind === 'dry' ? run.matched_bytes : run.deleted_bytes,
  kept: run.kept,
})

/** In whose name a run is recorded: of who asked for it, else of Strongroom on behalf of the author. */
export function recorderOf({ requester, author_id, author_email }: store.RunRow): Actor {
  if (requester !== null) return { ...(JSON.parse(requester) as Requester), groups: [] }
  return { ...systemActor, user_id: author_id, email: author_email }
}

/** How a run ended, and why where that is not plain. */
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
