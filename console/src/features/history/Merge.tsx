import { Button, Modal, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MergePlan, Side } from '../../../../contract/jobs.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { watchJob } from '../browse/background.tsx'
import { beginJob } from '../jobs/begin.ts'
import { isOver } from '../jobs/describe.ts'
import { useDryRun } from '../jobs/useDryRun.ts'
import { hasRoom, Planned } from './DryRun.tsx'
import { text } from './messages.ts'

/** Conflicts that are decided one by one; the rest is decided together. */
const SINGLY = 100
const sides = ['fork', 'origin', 'both'] as const

/** Takes what a fork has changed into the bucket it was forked from: what would happen first, then by one click. */
export function Merge({ fork, origin, onClose }: { fork: string; origin: string; onClose: () => void }) {
  const [rest, setRest] = useState<Side>()
  const [singly, setSingly] = useState<ReadonlyMap<string, Side>>(new Map())
  const [starting, setStarting] = useState(false)
  const conflicts = useQuery({
    queryKey: ['changes', fork, 'conflicts'],
    queryFn: () => client.listForkChanges({ params: { bucket: fork }, query: { only: 'conflicts', limit: SINGLY } }),
    refetchOnWindowFocus: false,
  })
  const decisions = [...singly].map(([key, take]) => ({ key, take }))
  const body = {
    kind: 'merge' as const,
    source_bucket: fork,
    ...(rest === undefined ? {} : { on_conflict: rest }),
    ...(decisions.length === 0 ? {} : { decisions }),
  }
  const dry = useDryRun(body)
  const plan = dry.job?.merge_plan ?? null
  const merge = async () => {
    setStarting(true)
    try {
      const job = await beginJob({ ...body, ...(dry.job && { planned: dry.job.id }) })
      onClose()
      void watchJob(job)
    } catch (error) {
      setStarting(false)
      notify.problem(error)
    }
  }
  const choices = sides.map((value) => ({ value, label: text.takes(value) }))
  const isReady = dry.job !== undefined && isOver(dry.job) && plan !== null && changesOf(plan) > 0 && hasRoom(plan)
  const items = conflicts.data?.items ?? []
  return (
    <Modal opened onClose={onClose} title={text.mergeTitle(fork, origin)} size="lg">
      <div className="stack">
        <p className="dim">{text.mergeHint}</p>
        {items.length === 0 ? null : (
          <>
            <Select
              label={text.conflictsRest}
              data={[{ value: '', label: text.takes('none') }, ...choices]}
              value={rest ?? ''}
              onChange={(value) => setRest(sides.find((one) => one === value))}
              allowDeselect={false}
            />
            <ul className="history-conflicts" aria-label={text.conflicts}>
              {items.map(({ key }) => (
                <li key={key}>
                  <bdi>{legible(key)}</bdi>
                  <Select
                    aria-label={text.conflictOf(legible(key))}
                    data={[{ value: '', label: text.takes('rest') }, ...choices]}
                    value={singly.get(key) ?? ''}
                    onChange={(value) => {
                      const next = new Map(singly)
                      const side = sides.find((one) => one === value)
                      if (side) next.set(key, side)
                      else next.delete(key)
                      setSingly(next)
                    }}
                    allowDeselect={false}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
        <Planned dry={dry} plan={plan} does={plan ? doesOf(plan) : []} leaves={plan ? leavesOf(plan) : []} />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button loading={starting} disabled={!isReady} onClick={() => void merge()}>
            {text.merge}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

/** How many objects a merge is to change, or decides to leave. */
const changesOf = ({ added, replaced, deleted, beside, kept }: MergePlan): number =>
  added.objects + replaced.objects + deleted.objects + beside.objects + kept

const doesOf = ({ added, replaced, deleted, beside }: MergePlan) => [
  added.objects > 0 && text.mergeAdds(added.objects, formatBytes(added.bytes)),
  replaced.objects > 0 &&
    text.mergeChanges(replaced.objects, formatBytes(replaced.bytes_before), formatBytes(replaced.bytes_after)),
  deleted.objects > 0 && text.mergeDeletes(deleted.objects, formatBytes(deleted.bytes)),
  beside.objects > 0 && text.mergeBeside(beside.objects, formatBytes(beside.bytes)),
]
const leavesOf = ({ kept, conflicts, refused }: MergePlan) => [
  kept > 0 && text.mergeKeeps(kept),
  conflicts > 0 && text.mergeConflicts(conflicts),
  refused > 0 && text.refused(refused),
]
