import './jobs.css'
import { SegmentedControl } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { Job } from '../../../../contract/jobs.ts'
import { useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { statusOf, titleOf } from './describe.ts'
import { text } from './messages.ts'
import { Progress } from './Progress.tsx'
import { jobsQuery } from './queries.ts'

const states = ['running', 'queued', 'succeeded', 'failed', 'cancelled'] as const
type State = (typeof states)[number]

const columns: readonly Column<Job>[] = [
  {
    key: 'job',
    breaks: true,
    title: text.job,
    cell: (job) => (
      <Link to={`/jobs/${job.id}`} className="job-link">
        {titleOf(job)}
      </Link>
    ),
  },
  {
    key: 'status',
    title: text.status,
    cell: (job) => {
      const { tone, word } = statusOf(job)
      return <Status tone={tone}>{word}</Status>
    },
  },
  { key: 'progress', title: text.progress, cell: (job) => <Progress job={job} /> },
  { key: 'begun', title: text.begun, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
]
const by: Column<Job> = {
  key: 'by',
  breaks: true,
  title: text.by,
  optional: true,
  cell: ({ created_by_email }) => created_by_email ?? '–',
}

/** The background jobs. */
export default function Jobs() {
  const me = useMe()
  const { search, open, go } = useView()
  const status = states.find((one) => one === search.status)
  const jobs = useInfiniteQuery({ ...jobsQuery(status), placeholderData: keepPreviousData })
  return (
    <Page
      title={text.title}
      hint={text.hint}
      call={{ operation: 'listJobs', ...(status ? { query: { status } } : {}) }}
    >
      <div className="filters">
        <SegmentedControl
          aria-label={text.filter}
          data={[{ value: '', label: text.all }, ...states.map((value) => ({ value, label: text[value] }))]}
          value={status ?? ''}
          onChange={(value) => void open({ status: (value as State) || undefined })}
        />
      </div>
      <StateView query={jobs}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          if (rows.length === 0)
            return status ? (
              <NoMatch query={text[status]} clear={() => void open({ status: undefined })} />
            ) : (
              <EmptyView title={text.emptyTitle}>{text.emptyHint}</EmptyView>
            )
          return (
            <ListTable
              label={text.title}
              columns={me.isAdmin ? [...columns, by] : columns}
              rows={rows}
              rowKey={({ id }) => id}
              onOpen={({ id }) => void go(`/jobs/${id}`)}
              more={moreOf(jobs)}
            />
          )
        }}
      </StateView>
    </Page>
  )
}
