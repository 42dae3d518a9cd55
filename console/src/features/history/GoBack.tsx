import { Button, Loader, Modal, Select, Switch } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Job } from '../../../../contract/jobs.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes, formatTime } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { watchJob } from '../browse/background.tsx'
import { beginJob } from '../jobs/begin.ts'
import { isOver } from '../jobs/describe.ts'
import type { Suspect } from './author.tsx'
import { text } from './messages.ts'

const POLL_MS = 500

/** Makes a bucket or folder what it was: what would happen is shown first, then it is one click. */
export function GoBack({
  bucket,
  prefix,
  to,
  suspects,
  onClose,
}: {
  bucket: string
  prefix: string
  /** The moment, as the list of changes had it. */
  to: string
  suspects: readonly Suspect[]
  onClose: () => void
}) {
  const [keepNew, setKeepNew] = useState(false)
  const [whose, setWhose] = useState('')
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
  // Every question is a job of its own, which only lists.
  const begun = useQuery({
    queryKey: ['jobs', 'dry', body],
    queryFn: () => client.createJob({ body: { ...body, dry_run: true } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const id = begun.data?.id ?? ''
  const followed = useQuery({
    queryKey: ['jobs', 'one', id],
    queryFn: () => client.getJob({ params: { id } }),
    enabled: id !== '',
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : POLL_MS),
  })
  const dry = followed.data
  const names = useNames(suspects)
  const goBack = async () => {
    setStarting(true)
    try {
      const job = await beginJob(body)
      onClose()
      void watchJob(job, text.went)
    } catch (error) {
      setStarting(false)
      notify.problem(error)
    }
  }
  const isReady = dry !== undefined && isOver(dry) && dry.plan !== null && changesOf(dry) > 0 && hasRoom(dry)
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
              ...suspects.map(({ id, user, means }) => ({
                value: id,
                label: text.onlyOf((user !== null && names.get(user)) || text.visitor, means),
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
        <section className="history-plan" aria-labelledby="history-plan" aria-live="polite">
          <h3 id="history-plan">{text.plan}</h3>
          {begun.error || followed.error ? (
            <ProblemView error={begun.error ?? followed.error} />
          ) : dry === undefined || !isOver(dry) ? (
            <p className="row dim">
              <Loader size="xs" /> {text.planning(dry?.total ?? 0)}
            </p>
          ) : (
            <Plan job={dry} />
          )}
        </section>
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

/** How many objects a rollback is to change. */
const changesOf = ({ plan }: Job): number =>
  plan === null ? 0 : plan.restored.objects + plan.replaced.objects + plan.deleted.objects
const hasRoom = ({ plan }: Job): boolean =>
  plan === null || plan.room_bytes === null || plan.growth_bytes <= Math.max(0, plan.room_bytes)

function Plan({ job }: { job: Job }) {
  const { plan } = job
  if (plan === null) return <p className="bad">{job.detail}</p>
  const { restored, replaced, deleted, erased, by_others, refused, growth_bytes, room_bytes } = plan
  const sentences = [
    restored.objects > 0 && text.restored(restored.objects, formatBytes(restored.bytes)),
    replaced.objects > 0 &&
      text.replaced(replaced.objects, formatBytes(replaced.bytes_before), formatBytes(replaced.bytes_after)),
    deleted.objects > 0 && text.removed(deleted.objects, formatBytes(deleted.bytes)),
    growth_bytes > 0 && text.grows(formatBytes(growth_bytes)),
  ]
  const left = [
    erased > 0 && text.erased(erased),
    by_others > 0 && text.byOthers(by_others),
    refused > 0 && text.refused(refused),
  ]
  const list = (lines: readonly (string | false)[]) =>
    lines.flatMap((line) => (line === false ? [] : [<li key={line}>{line}</li>]))
  return (
    <>
      {changesOf(job) === 0 ? <p>{text.noPlan}</p> : <ul className="history-sentences">{list(sentences)}</ul>}
      {hasRoom(job) ? null : <p className="bad">{text.noRoom(formatBytes(Math.max(0, room_bytes ?? 0)))}</p>}
      {left.some(Boolean) ? (
        <>
          <h4>{text.leftOut}</h4>
          <ul className="history-sentences warn">{list(left)}</ul>
        </>
      ) : null}
    </>
  )
}

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
