import './jobs.css'
import { Button } from '@mantine/core'
import { IconArrowBackUp, IconDownload, IconPlayerStop, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Job } from '../../../../contract/jobs.ts'
import { bucketQuery, fateIn } from '../../api/buckets.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatCount, formatDuration } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { confirm } from '../../ui/confirm.tsx'
import { csvOf, saveText } from '../../ui/csv.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Tile, Tiles } from '../../ui/Tiles.tsx'
import { noteDeed } from '../../ui/undo.ts'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { beginJob, isUndoable, restoreRun, undoJob } from './begin.ts'
import { isOver, shortfallOf, statusOf, titleOf } from './describe.ts'
import { JobTags } from './JobTags.tsx'
import { text } from './messages.ts'
import { Progress } from './Progress.tsx'
import { jobQuery } from './queries.ts'
import { Resume } from './Resume.tsx'

/** One job: progress, failures with their reasons, cancel and retry. */
export default function JobPage() {
  const { id = '' } = useView().params
  const query = useQuery(jobQuery(id))
  const job = query.data
  return (
    <Page
      title={job ? titleOf(job) : text.job}
      windowTitle={job ? `${titleOf(job)} – ${text.title}` : text.title}
      call={{ operation: 'getJob', params: { id } }}
      actions={job ? <Actions job={job} /> : null}
    >
      <StateView query={query}>{(data) => <Detail job={data} />}</StateView>
    </Page>
  )
}

/** Where cancelling is more than stopping. */
const cancelTexts: { [K in Job['kind']]?: string } = { migrate: text.cancelMigration, release: text.cancelRelease }

const undoTexts: { [K in Job['kind']]?: string } = {
  move: text.moveBack,
  rollback: text.undoRollback,
  merge: text.undoMerge,
  tag: text.undoTags,
}

function Actions({ job }: { job: Job }) {
  const me = useMe()
  const { go } = useView()
  const deletes = job.kind === 'delete' || job.kind === 'empty_bucket'
  const about = useQuery({ ...bucketQuery(job.source_bucket), enabled: deletes })
  const isInTrash = deletes && job.done > 0 && about.data !== undefined && fateIn(about.data) === 'trash'
  const reload = () => queries.invalidateQueries({ queryKey: ['jobs'] })
  const cancel = async () => {
    const yes = await confirm({
      title: text.cancelTitle,
      children: cancelTexts[job.kind] ?? text.cancelText,
      action: text.cancel,
    })
    if (!yes) return
    try {
      await client.cancelJob({ params: { id: job.id } })
    } catch (error) {
      notify.problem(error)
    }
    await reload()
  }
  const undo = async () => {
    try {
      const { id } = await undoJob(job, noteDeed())
      await go(`/jobs/${id}`)
    } catch (error) {
      notify.problem(error)
    }
  }
  // A newer object under the key is not what the user chose to delete.
  const again = deletes ? job.errors.filter(({ code }) => code !== 'changed') : job.errors
  const retry = async () => {
    if (job.kind === 'release' || job.kind === 'fork') return
    const {
      kind,
      source_bucket,
      prefix,
      dest_bucket,
      dest_prefix,
      if_none_match,
      keep_both,
      to,
      keep_new,
      by,
      on_conflict,
    } = job
    try {
      // What a restore could not restore is still in the trash, so everything is tried again.
      if (job.of_run !== null) return await go(`/jobs/${(await restoreRun(job.of_run, job.source_bucket)).id}`)
      if (job.kind === 'encrypt' || job.kind === 'decrypt')
        return await go(`/jobs/${(await beginJob({ kind, source_bucket })).id}`)
      if (job.kind === 'rollback' && to !== null) {
        const again = await beginJob({ kind, source_bucket, prefix, to, keep_new, ...(by && { by }) })
        return await go(`/jobs/${again.id}`)
      }
      if (job.kind === 'merge') {
        const again = await beginJob({ kind, source_bucket, prefix, ...(on_conflict && { on_conflict }) })
        return await go(`/jobs/${again.id}`)
      }
      if (job.of !== null) return await go(`/jobs/${(await undoJob({ id: job.of }, noteDeed())).id}`)
      const { id } = await beginJob({
        kind: kind === 'empty_bucket' ? 'delete' : kind,
        source_bucket,
        prefix,
        keys: [...new Set(again.map(({ key }) => key))],
        ...(dest_bucket === null ? {} : { dest_bucket }),
        ...(dest_prefix === null ? {} : { dest_prefix }),
        ...(if_none_match === null ? {} : { if_none_match }),
        ...(keep_both && { keep_both }),
        ...(job.tags && { tags: job.tags }),
      })
      notify.note(text.retried)
      await go(`/jobs/${id}`)
    } catch (error) {
      notify.problem(error)
    }
  }
  if (!isOver(job))
    return (
      <Button variant="default" leftSection={<IconPlayerStop size={15} />} onClick={cancel}>
        {text.cancel}
      </Button>
    )
  if (job.kind === 'migrate') return <Resume job={job} />
  if (job.kind === 'release')
    return (
      <Button variant="default" component={Link} to={`/b/${job.source_bucket}`}>
        {text.openBucket}
      </Button>
    )
  return (
    <>
      {isUndoable(job, me) ? (
        <Button variant="default" leftSection={<IconArrowBackUp size={15} />} onClick={undo}>
          {undoTexts[job.kind] ?? text.undo}
        </Button>
      ) : null}
      {isInTrash ? (
        <Button
          variant="default"
          leftSection={<IconTrash size={15} />}
          onClick={() => void go(`/b/${job.source_bucket}/trash`, job.prefix ? { prefix: job.prefix } : {})}
        >
          {text.inTrash}
        </Button>
      ) : null}
      {again.length > 0 ? (
        <Button leftSection={<IconRefresh size={15} />} onClick={retry}>
          {text.retry(isOfAll(job) ? job.failed : again.length)}
        </Button>
      ) : null}
    </>
  )
}

/** Whether a job is not of named objects: what is left of it is looked for again. */
const isOfAll = ({ kind }: Job): boolean =>
  kind === 'restore' || kind === 'encrypt' || kind === 'decrypt' || kind === 'rollback' || kind === 'merge'

/** The job that a restore undoes, by its name while it exists. */
function Undone({ id }: { id: string }) {
  const { data } = useQuery(jobQuery(id))
  return data ? titleOf(data) : text.job
}

type Failure = Job['errors'][number]
const columns: readonly Column<Failure>[] = [
  { key: 'key', breaks: true, title: text.errorKey, cell: ({ key }) => <bdi>{legible(key)}</bdi> },
  { key: 'code', title: text.errorCode, cell: ({ code }) => <span className="mono">{code}</span> },
  { key: 'detail', breaks: true, title: text.errorDetail, cell: ({ detail }) => legible(detail) },
]

function Detail({ job }: { job: Job }) {
  const { tone, word } = statusOf(job)
  const shortfall = shortfallOf(job)
  const { total, done, failed, errors, started_at, finished_at } = job
  const took = started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : null
  const isWhole = ['migrate', 'release', 'encrypt', 'decrypt'].includes(job.kind)
  const download = () =>
    saveText(
      `job-${job.id}-errors.csv`,
      'text/csv',
      csvOf(
        ['key', 'code', 'detail'],
        errors.map(({ key, code, detail }) => [key, code, detail]),
      ),
    )
  return (
    <>
      <div className="card stack-tight">
        <p className="row">
          <Status tone={tone}>{word}</Status>
        </p>
        <Progress job={job} />
      </div>
      <Tiles>
        <Tile label={text.total}>{total === null ? '…' : formatCount(total)}</Tile>
        <Tile label={text.doneCount}>{formatCount(done)}</Tile>
        {shortfall.skipped > 0 ? <Tile label={text.skippedCount}>{formatCount(shortfall.skipped)}</Tile> : null}
        <Tile label={text.failedCount}>{formatCount(shortfall.failed)}</Tile>
        <Tile label={text.left}>{total === null ? '…' : formatCount(Math.max(0, total - done - failed))}</Tile>
      </Tiles>
      <div className="card">
        <dl className="facts">
          <dt>{isWhole ? text.bucket : text.source}</dt>
          <dd>
            {job.source_bucket}
            {isWhole ? null : <bdi>{legible(`/${job.prefix}`)}</bdi>}
          </dd>
          {job.dest_storage === null ? null : (
            <>
              <dt>{text.storage}</dt>
              <dd>{job.dest_storage}</dd>
            </>
          )}
          {job.kind === 'release' && job.dest_prefix ? (
            <>
              <dt>{text.prefix}</dt>
              <dd>
                <bdi className="mono">{legible(job.dest_prefix)}</bdi>
              </dd>
            </>
          ) : null}
          {job.dest_bucket === null ? null : (
            <>
              <dt>{text.destination}</dt>
              <dd>
                <bdi>{legible(`${job.dest_bucket}/${job.dest_prefix ?? ''}`)}</bdi>
              </dd>
              <dt>{text.ifTaken}</dt>
              <dd>{job.keep_both ? text.keptBoth : job.if_none_match === null ? text.replaced : text.leftAlone}</dd>
            </>
          )}
          {job.of === null ? null : (
            <>
              <dt>{text.undoes}</dt>
              <dd>
                <Link to={`/jobs/${job.of}`} className="job-link">
                  <Undone id={job.of} />
                </Link>
              </dd>
            </>
          )}
          {job.of_run === null ? null : (
            <>
              <dt>{text.undoes}</dt>
              <dd>
                <Link
                  to={`/policies/${job.of_run.policy_id}`}
                  search={{ tab: 'runs', run: job.of_run.run_id }}
                  className="job-link"
                >
                  {text.policyRun}
                </Link>
              </dd>
            </>
          )}
          {job.search === null ? null : (
            <>
              <dt>{text.search}</dt>
              <dd>{legible(job.search)}</dd>
            </>
          )}
          {job.query === null ? null : (
            <>
              <dt>{text.query}</dt>
              <dd className="mono">{legible(job.query)}</dd>
            </>
          )}
          {job.tags ? <JobTags {...job.tags} /> : null}
          <dt>{text.by}</dt>
          <dd>{job.created_by_email ?? '–'}</dd>
          <dt>{text.created}</dt>
          <dd>
            <TimeAgo time={job.created_at} />
          </dd>
          {took === null ? null : (
            <>
              <dt>{text.took}</dt>
              <dd>{formatDuration(took)}</dd>
            </>
          )}
          {job.detail === null ? null : (
            <>
              <dt>{text.why}</dt>
              <dd className="bad">{legible(job.detail)}</dd>
            </>
          )}
        </dl>
      </div>
      {errors.length === 0 ? null : (
        <section className="stack-tight" aria-labelledby="job-errors">
          <div className="row">
            <h2 id="job-errors">{text.errors}</h2>
            <span className="grow" />
            <Button variant="default" leftSection={<IconDownload size={15} />} onClick={download}>
              {text.csv}
            </Button>
          </div>
          {failed > errors.length ? <p className="dim">{text.retryFirst(errors.length, failed)}</p> : null}
          <ListTable
            label={text.errors}
            columns={columns}
            rows={errors}
            rowKey={({ key, code }) => `${key}\n${code}`}
          />
        </section>
      )}
    </>
  )
}
