import './audit.css'
import { ActionIcon, Alert, Button, CloseButton, Switch } from '@mantine/core'
import { IconArrowUp, IconChevronDown, IconChevronRight, IconShieldCheck } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { AuditRecord } from '../../../../contract/audit.ts'
import { faultsOf, statusOf } from '../../api/problem.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { text as common } from '../../ui/messages.ts'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView, ProblemView } from '../../ui/ProblemView.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { Action, Actor, Moment, Place, Result } from './cells.tsx'
import { Export } from './Export.tsx'
import { FilterBar } from './FilterBar.tsx'
import {
  type AuditQuery,
  type FilterName,
  filterOf,
  names,
  periodOf,
  queryOf,
  recordsQuery,
  startOf,
} from './filters.ts'
import { text } from './messages.ts'
import { Verify } from './Verify.tsx'
import { Whole } from './Whole.tsx'

const LIVE_MS = 2000
const LIVE_PAGE = 50

/** The audit log. The filters, the open record (`e`) and `live` are in the address. */
export default function Audit() {
  const me = useMe()
  const { search, open } = useView()
  const period = periodOf(search)
  // It stays while the list is shown: a start that moves would ask again all the time.
  const since = useMemo(() => period && startOf(period), [period])
  const query = queryOf(search, since)
  const records = useInfiniteQuery({ ...recordsQuery(query), enabled: me.isAdmin })
  const [verifying, setVerifying] = useState(false)
  if (!me.isAdmin)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  const live = search.live === '1'
  const toggle = (id: string) => void open({ e: search.e === id ? undefined : id })
  const columns: readonly Column<AuditRecord>[] = [
    {
      key: 'open',
      title: common.detailsColumn,
      untitled: true,
      width: 36,
      cell: ({ id, action }) => {
        const Icon = search.e === id ? IconChevronDown : IconChevronRight
        return (
          <ActionIcon
            size={24}
            aria-label={text.record(action)}
            aria-expanded={search.e === id}
            onClick={() => toggle(id)}
          >
            <Icon size={15} />
          </ActionIcon>
        )
      },
    },
    { key: 'time', title: text.time, cell: ({ time }) => <Moment time={time} /> },
    { key: 'actor', breaks: true, title: text.actor, cell: (record) => <Actor record={record} /> },
    { key: 'action', title: text.action, cell: (record) => <Action record={record} /> },
    { key: 'where', breaks: true, title: text.where, optional: true, cell: (record) => <Place record={record} /> },
    { key: 'result', title: text.result, cell: ({ result }) => <Result result={result} /> },
    {
      key: 'ip',
      title: text.address,
      optional: true,
      cell: ({ actor_ip }) => <span className="mono dim">{actor_ip ?? ''}</span>,
    },
  ]
  const filtered = Object.keys(query).length > 0
  const clear = () => void open({ ...Object.fromEntries(names.map((name) => [name, undefined])), e: undefined })
  const faults = Object.fromEntries(
    Object.entries(faultsOf(records.error)).map(([path, message]) => {
      const name = path.split('.')[0] ?? path
      return [filterOf[name] ?? name, message]
    }),
  ) as Partial<Record<FilterName, string>>
  return (
    <Page
      title={text.title}
      hint={text.hint}
      call={{ operation: 'listAudit', query }}
      actions={
        <>
          <Switch
            label={text.live}
            checked={live}
            onChange={(event) => void open({ live: event.currentTarget.checked ? '1' : undefined })}
          />
          <Button variant="default" leftSection={<IconShieldCheck size={15} />} onClick={() => setVerifying(true)}>
            {text.verify}
          </Button>
          <Export query={query} />
        </>
      }
    >
      <FilterBar faults={faults} />
      <StateView query={records}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          const [first] = pages
          const lost = search.e !== undefined && !rows.some(({ id }) => id === search.e)
          return (
            <>
              <div className="row audit-count">
                <span className="dim" role="status">
                  {text.total(first?.total ?? 0, first?.total_is_estimate ?? false)}
                </span>
                {live && !records.isPlaceholderData ? <Fresh query={query} newest={rows[0]?.id} /> : null}
              </div>
              {lost && search.e ? <Elsewhere id={search.e} onClose={() => void open({ e: undefined })} /> : null}
              {rows.length === 0 && !filtered ? <EmptyView title={text.emptyTitle} /> : null}
              {rows.length === 0 && filtered ? <NoMatch clear={clear} /> : null}
              {rows.length === 0 ? null : (
                <ListTable
                  label={text.title}
                  columns={columns}
                  rows={rows}
                  rowKey={({ id }) => id}
                  onOpen={({ id }) => toggle(id)}
                  below={(record) => (record.id === search.e ? <Whole record={record} /> : null)}
                  more={moreOf(records)}
                />
              )}
            </>
          )
        }}
      </StateView>
      {verifying ? <Verify onClose={() => setVerifying(false)} /> : null}
    </Page>
  )
}

/** The record in the address, if it is not among those loaded. */
function Elsewhere({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', 'one', id],
    queryFn: () => client.getAuditRecord({ params: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const gone = [404, 422].includes(statusOf(error) ?? 0)
  if (gone) return <Alert>{text.noRecord}</Alert>
  if (error) return <ProblemView error={error} retry={refetch} />
  if (!data) return null
  return (
    <section className="audit-elsewhere" aria-label={text.linked}>
      <header className="row">
        <Action record={data} />
        <Moment time={data.time} />
        <Actor record={data} />
        <Place record={data} />
        <Result result={data.result} />
        <CloseButton aria-label={text.close} onClick={onClose} className="audit-close" />
      </header>
      <Whole record={data} />
    </section>
  )
}

/** Shows how many new records there are. They appear only on request, so that the list does not move by itself. */
function Fresh({ query, newest }: { query: AuditQuery; newest: string | undefined }) {
  const latest = useQuery({
    queryKey: ['audit', 'latest', query],
    queryFn: () => client.listAudit({ query: { ...query, page_size: LIVE_PAGE } }),
    refetchInterval: LIVE_MS,
    staleTime: 0,
  })
  const items = latest.data?.items ?? []
  const known = items.findIndex(({ id }) => id === newest)
  const count = known === -1 ? items.length : known
  if (count === 0) return null
  const show = async () => {
    await queries.resetQueries({ queryKey: ['audit', 'list', query] })
  }
  return (
    <Button variant="light" leftSection={<IconArrowUp size={14} />} onClick={() => void show()} className="audit-fresh">
      {text.fresh(count, known === -1 && count === LIVE_PAGE)}
    </Button>
  )
}
