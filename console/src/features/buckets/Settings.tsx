import './buckets.css'
import '../jobs/jobs.css'
import { Alert, Button, NumberInput, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Bucket } from '../../../../contract/buckets.ts'
import type { Job } from '../../../../contract/jobs.ts'
import { bucketQuery, isReadOnly, refreshBucket, totalsOf } from '../../api/buckets.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes, GB } from '../../i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { undoSave } from '../../ui/undoSave.ts'
import { useForm } from '../../ui/useForm.ts'
import { Status } from '../../ui/values.tsx'
import { beginJob, begun } from '../jobs/begin.ts'
import { isOver, statusOf } from '../jobs/describe.ts'
import { Progress } from '../jobs/Progress.tsx'
import { latestJobsQuery } from '../jobs/queries.ts'
import { text } from './messages.ts'
import { Release } from './Release.tsx'
import { ReleaseToEngine } from './ReleaseToEngine.tsx'
import { SourceCard } from './Source.tsx'
import { StorageCard } from './Storage.tsx'
import { TakeOverCard } from './TakeOverCard.tsx'

/** A bucket's settings, and emptying and deleting it; of an attached bucket what it shows, taking it over and releasing it. */
export default function Settings() {
  const me = useMe()
  const { bucket: name = '' } = useView().params
  const bucket = useQuery(bucketQuery(name))
  const mine = me.can('manage', name)
  return (
    <Page
      inBuckets
      title={name}
      windowTitle={`${text.settings} – ${name}`}
      call={{ operation: 'updateBucket', params: { bucket: name }, body: { quota_gb: 10 } }}
    >
      <BucketTabs bucket={name} active="settings" />
      <StateView query={bucket}>
        {(data) =>
          mine ? (
            <>
              {isReadOnly(data) ? null : (
                <>
                  <Limits key={JSON.stringify(limitsOf(data))} bucket={data} />
                  <StorageCard bucket={data} />
                </>
              )}
              {data.source ? (
                <div className="bucket-narrow">
                  <SourceCard bucket={data} source={data.source} />
                </div>
              ) : null}
              {data.mode === 'read_only' ? (
                <>
                  <TakeOverCard bucket={name} />
                  <Release bucket={data} />
                </>
              ) : isReadOnly(data) ? null : (
                <>
                  {data.source ? <ReleaseToEngine bucket={data} /> : null}
                  <Danger bucket={data} />
                </>
              )}
            </>
          ) : (
            <Alert role="status">{text.needsManage}</Alert>
          )
        }
      </StateView>
    </Page>
  )
}

/** What the form shows; a limit that is not set is an empty text. */
const limitsOf = ({ quota_gb, history_quota_gb, quota_includes_history, trash_days }: Bucket) => ({
  quota_gb: quota_gb ?? ('' as number | string),
  history_quota_gb: history_quota_gb ?? ('' as number | string),
  quota_includes_history,
  trash_days: trash_days as number | string,
})
const gigabytesIn = (value: number | string): number | null => (typeof value === 'number' ? value : null)

function Limits({ bucket }: { bucket: Bucket }) {
  const { name } = bucket
  const before = limitsOf(bucket)
  const form = useForm(before)
  const { values } = form
  const dirty = JSON.stringify(values) !== JSON.stringify(before)
  const { used_bytes = 0, reserved_bytes = 0, history_bytes = 0 } = totalsOf(bucket) ?? {}
  const used = used_bytes + reserved_bytes + (values.quota_includes_history ? history_bytes : 0)
  const isBelow = (limit: number | string, bytes: number) => typeof limit === 'number' && limit * GB < bytes
  const write = async (limits: typeof before) => {
    const { quota_gb, history_quota_gb, trash_days, quota_includes_history } = limits
    const saved = await client.updateBucket({
      params: { bucket: name },
      body: {
        quota_gb: gigabytesIn(quota_gb),
        history_quota_gb: gigabytesIn(history_quota_gb),
        quota_includes_history,
        trash_days: Number(trash_days),
      },
    })
    await refreshBucket(name)
    return limitsOf(saved)
  }
  /** Whether nothing is kept any more of what the bucket was, which turning the trash on again does not bring back. */
  const forgets = bucket.versioning === 'off' && before.trash_days !== 0 && Number(values.trash_days) === 0
  const save = async () => {
    if (forgets && !(await confirm({ title: text.noTrash, children: text.noTrashHint, action: text.noTrashAction })))
      return
    let saved = before
    const taken = await form.submit(async (limits) => {
      saved = await write(limits)
    })
    if (!taken) return
    const read = async () => limitsOf(await client.getBucket({ params: { bucket: name } }))
    notify.ok(text.saved, undoSave({ saved, before, read, write }))
  }
  return (
    <section className="card bucket-form" aria-labelledby="bucket-limits">
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (dirty && form.check({ trash_days: values.trash_days === '' && common.required })) void save()
        }}
      >
        <h2 id="bucket-limits">{text.limits}</h2>
        <NumberInput
          label={text.quota}
          description={
            isBelow(values.quota_gb, used) ? (
              <span className="warn">{text.below(formatBytes(used))}</span>
            ) : (
              text.quotaHint
            )
          }
          value={values.quota_gb}
          onChange={(value) => form.set('quota_gb', value)}
          error={form.faults.quota_gb}
          min={0}
          hideControls
        />
        <NumberInput
          label={text.trashDays}
          description={text.trashHint}
          value={values.trash_days}
          onChange={(value) => form.set('trash_days', value)}
          error={form.faults.trash_days}
          min={0}
          max={3650}
          allowDecimal={false}
          required
          withAsterisk={false}
        />
        <NumberInput
          label={text.historyQuota}
          description={
            isBelow(values.history_quota_gb, history_bytes) ? (
              <span className="warn">{text.historyBelow(formatBytes(history_bytes))}</span>
            ) : (
              text.historyQuotaHint
            )
          }
          value={values.history_quota_gb}
          onChange={(value) => form.set('history_quota_gb', value)}
          error={form.faults.history_quota_gb}
          min={0}
          hideControls
        />
        <Switch
          label={text.includesHistory}
          description={text.includesHistoryHint}
          checked={values.quota_includes_history}
          onChange={({ currentTarget }) => form.set('quota_includes_history', currentTarget.checked)}
        />
        <div className="dialog-actions row">
          <span className="dim small" role="status">
            {dirty ? text.dirty : ''}
          </span>
          <Button type="submit" loading={form.sending} disabled={!dirty}>
            {text.save}
          </Button>
        </div>
      </form>
    </section>
  )
}

/** The job that empties a bucket, until it is over; one that was started in this page also afterwards. */
function useEmptying({ name, created_at }: Bucket): Job | undefined {
  const { data } = useQuery(latestJobsQuery)
  return data?.find(
    (job) =>
      job.kind === 'empty_bucket' &&
      job.source_bucket === name &&
      // Not of a deleted bucket of this name.
      job.created_at >= created_at &&
      (!isOver(job) || begun.has(job.id)),
  )
}

const Emptying = ({ job }: { job: Job }) => {
  const { tone, word } = statusOf(job)
  return (
    <div className="bucket-emptying">
      <Progress job={job} />
      <Status tone={tone}>{word}</Status>
      <Link to={`/jobs/${job.id}`} className="job-link">
        {text.showJob}
      </Link>
    </div>
  )
}

function Danger({ bucket }: { bucket: Bucket }) {
  const { name, trash_days, versioning } = bucket
  const { object_count = 0, used_bytes = 0, trash_bytes = 0 } = totalsOf(bucket) ?? {}
  const emptying = useEmptying(bucket)
  const isEmptying = emptying !== undefined && !isOver(emptying)
  // Of delete markers, which take no bytes, nothing is counted.
  const isEmpty = object_count === 0 && versioning === 'off'
  const emptyHint =
    versioning === 'off'
      ? text.emptyBucketHint(object_count, formatBytes(used_bytes))
      : text.emptyVersionsHint(object_count, formatBytes(used_bytes))
  const me = useMe()
  const { go } = useView()
  const empty = async () => {
    const yes = await confirm({
      title: text.emptyBucketTitle(name),
      children: `${emptyHint} ${text.emptyTrash(trash_days)}`,
      action: text.emptyBucket,
      typed: name,
    })
    if (!yes) return
    try {
      await beginJob({ kind: 'empty_bucket', source_bucket: name })
    } catch (error) {
      notify.problem(error)
    }
  }
  const remove = async () => {
    const yes = await confirm({
      title: text.removeTitle(name),
      children: text.removeText(formatBytes(trash_bytes)),
      action: text.remove,
      typed: name,
    })
    if (!yes) return
    try {
      await client.deleteBucket({ params: { bucket: name } })
      notify.clear()
      notify.ok(text.removed(name))
      await queries.invalidateQueries({ queryKey: ['buckets'] })
      await go('/buckets')
    } catch (error) {
      notify.problem(error)
      await queries.invalidateQueries({ queryKey: ['bucket', name] })
    }
  }
  return (
    <section className="stack-tight" aria-labelledby="bucket-danger">
      <h2 id="bucket-danger">{text.danger}</h2>
      <div className="card bucket-danger">
        {me.canIn('delete', name) ? (
          <div className="bucket-danger-row">
            <div>
              <p role="status">{isEmptying ? text.emptyStarted : isEmpty ? text.emptyNothing : emptyHint}</p>
              {isEmpty || isEmptying ? null : <p className="dim">{text.emptyTrash(trash_days)}</p>}
              {emptying ? <Emptying job={emptying} /> : null}
            </div>
            <Button variant="default" disabled={isEmpty || isEmptying} onClick={empty}>
              {text.emptyBucket}
            </Button>
          </div>
        ) : null}
        <div className="bucket-danger-row">
          <div>
            <p>{object_count === 0 ? text.removeHint : text.removeFirst(object_count)}</p>
          </div>
          <Button color="danger" disabled={object_count > 0 || isEmptying} onClick={remove}>
            {text.remove}
          </Button>
        </div>
      </div>
    </section>
  )
}
