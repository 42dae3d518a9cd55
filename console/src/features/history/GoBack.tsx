import { Button, Modal, Select, Switch } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import type { RollbackPlan } from '../../../../contract/jobs.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes, formatTime } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { watchJob } from '../browse/background.tsx'
import { beginJob } from '../jobs/begin.ts'
import { isOver } from '../jobs/describe.ts'
import { useDryRun } from '../jobs/useDryRun.ts'
import type { Suspect } from './author.tsx'
import { hasRoom, Planned } from './DryRun.tsx'
import { text } from './messages.ts'

/** Makes a bucket or folder what it was: what would happen is shown first, then it is one click. */
export function GoBack({
  bucket,
  prefix,
  to,
  suspects,
  only = '',
  onClose,
}: {
  bucket: string
  prefix: string
  /** The moment, as the list of changes had it. */
  to: string
  suspects: readonly Suspect[]
  /** Whose changes are chosen at first. */
  only?: string
  onClose: () => void
}) {
  const [keepNew, setKeepNew] = useState(false)
  const [whose, setWhose] = useState(only)
  const [starting, setStarting] = useState(false)
  const by = suspects.find(({ id }) => id === whose)?.by
  const body = {
    kind: 'rollback' as const,
    source_bucket: bucket,
    to,
    ...(prefix === '' ? {} : { prefix }),
    ...(keepNew ? { keep_new: true } : {}),
    ...(by === undefined ? {} : { by }),
  }
  const dry = useDryRun(body)
  const plan = dry.job?.plan ?? null
  const names = useNames(suspects)
  const goBack = async () => {
    setStarting(true)
    try {
      const job = await beginJob({ ...body, ...(dry.job && { planned: dry.job.id }) })
      onClose()
      void watchJob(job, text.went)
    } catch (error) {
      setStarting(false)
      notify.problem(error)
    }
  }
  const isReady = dry.job !== undefined && isOver(dry.job) && plan !== null && changesOf(plan) > 0 && hasRoom(plan)
  return (
    <Modal
      opened
      onClose={onClose}
      title={text.backTitle(legible(prefix === '' ? bucket : `${bucket}/${prefix}`))}
      size="lg"
    >
      <div className="stack">
        <p>{text.backTo(formatTime(to))}</p>
        {suspects.length === 0 ? null : (
          <Select
            label={text.whose}
            description={whose === '' ? undefined : text.whoseHint}
            data={[
              { value: '', label: text.everyones },
              ...suspects.map(({ id, user, means, name }) => ({
                value: id,
                label: text.onlyOf(name ?? ((user !== null && names.get(user)) || text.visitor), means),
              })),
            ]}
            value={whose}
            onChange={(value) => setWhose(value ?? '')}
            allowDeselect={false}
          />
        )}
        <Switch
          label={text.keepNew}
          description={text.keepNewHint}
          checked={keepNew}
          onChange={(event) => setKeepNew(event.currentTarget.checked)}
        />
        <Planned dry={dry} plan={plan} does={plan ? doesOf(plan) : []} leaves={plan ? leavesOf(plan) : []} />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button color="danger" loading={starting} disabled={!isReady} onClick={() => void goBack()}>
            {text.go}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

/** How many objects and links a rollback is to change. */
const changesOf = ({ restored, replaced, deleted, links }: RollbackPlan): number =>
  restored.objects + replaced.objects + deleted.objects + links

const doesOf = ({ restored, replaced, deleted, links }: RollbackPlan) => [
  restored.objects > 0 && text.restored(restored.objects, formatBytes(restored.bytes)),
  replaced.objects > 0 &&
    text.replaced(replaced.objects, formatBytes(replaced.bytes_before), formatBytes(replaced.bytes_after)),
  deleted.objects > 0 && text.removed(deleted.objects, formatBytes(deleted.bytes)),
  links > 0 && text.revoked(links),
]
const leavesOf = ({ erased, by_others, refused }: RollbackPlan) => [
  erased > 0 && text.erased(erased),
  by_others > 0 && text.byOthers(by_others),
  refused > 0 && text.refused(refused),
]

/** What users are called, by id, as far as this one can see it. */
function useNames(suspects: readonly Suspect[]): ReadonlyMap<string, string> {
  const me = useMe()
  const ids = [...new Set(suspects.flatMap(({ user }) => user ?? []))]
  const found = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['user', id],
      queryFn: () => client.getUser({ params: { id } }),
      enabled: id !== me.id && me.managesUsers,
      retry: false,
    })),
  })
  return new Map(ids.map((id, i) => [id, id === me.id ? me.email : (found[i]?.data?.email ?? id)]))
}
