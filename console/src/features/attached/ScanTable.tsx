import { ActionIcon } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Scan } from '../../../../contract/scans.ts'
import { formatDuration, formatTime } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { text as common } from '../../ui/messages.ts'
import { Person } from '../../ui/Person.tsx'
import { useMedia } from '../../ui/useMedia.ts'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { isOfTakenOver, resultOf, secondsOf, toneOf } from './describe.ts'
import { scanText as text } from './messages.ts'

/** Scans with what they found. The open one (`scan`) is in the address. */
export function ScanTable({
  rows,
  takenOverAt,
  more,
}: {
  rows: readonly Scan[]
  takenOverAt: string | null
  more: { available: boolean; loading: boolean; load: () => unknown }
}) {
  const { search, open } = useView()
  const isNarrow = useMedia('(max-width: 800px)')
  const toggle = ({ id }: Scan) => void open({ scan: search.scan === id ? undefined : id })
  const statusOf = (scan: Scan) => <Status tone={toneOf(scan)}>{text.statuses(scan.status)}</Status>
  const columns: readonly Column<Scan>[] = [
    {
      key: 'open',
      title: common.detailsColumn,
      untitled: true,
      width: 36,
      cell: (scan) => {
        const Icon = search.scan === scan.id ? IconChevronDown : IconChevronRight
        return (
          <ActionIcon
            size={24}
            aria-label={text.details(formatTime(scan.created_at))}
            aria-expanded={search.scan === scan.id}
            onClick={() => toggle(scan)}
          >
            <Icon size={15} />
          </ActionIcon>
        )
      },
    },
    {
      key: 'when',
      title: text.when,
      cell: (scan) => (
        <span className="scans-when">
          <TimeAgo time={scan.started_at ?? scan.created_at} />
          {isNarrow ? statusOf(scan) : null}
        </span>
      ),
    },
    { key: 'trigger', title: text.trigger, optional: true, cell: ({ trigger }) => text.triggers(trigger) },
    ...(isNarrow ? [] : [{ key: 'status', title: text.status, cell: statusOf }]),
    { key: 'result', breaks: true, title: text.result, cell: (scan) => resultOf(scan, takenOverAt) },
    {
      key: 'took',
      title: text.took,
      number: true,
      optional: true,
      cell: (scan) => {
        const seconds = secondsOf(scan)
        return seconds === undefined ? '–' : formatDuration(seconds)
      },
    },
  ]
  return (
    <ListTable
      label={text.title}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      onOpen={toggle}
      below={(scan) => (scan.id === search.scan ? <Details scan={scan} takenOverAt={takenOverAt} /> : null)}
      more={more}
    />
  )
}

type Refused = Scan['refused_keys'][number]
const refusedColumns: readonly Column<Refused>[] = [
  { key: 'key', breaks: true, title: text.key, cell: ({ key }) => <bdi className="mono">{legible(key)}</bdi> },
  { key: 'reason', breaks: true, title: text.reason, cell: ({ reason }) => legible(reason) },
]

/** All that is known of a scan. */
function Details({ scan, takenOverAt }: { scan: Scan; takenOverAt: string | null }) {
  const { detail, created_by, confirmed_by, position, finished_at, missing, refused, refused_keys } = scan
  const facts: readonly (readonly [string, ReactNode])[] = [
    [text.trigger, text.triggers(scan.trigger)],
    [text.why, detail],
    [text.by, (scan.trigger === 'request' || scan.trigger === 'take_over') && <Person key="by" id={created_by} />],
    [text.confirmedBy, confirmed_by !== null && <Person key="confirmed" id={confirmed_by} />],
    [text.lastKey, position !== null && <bdi className="mono">{position}</bdi>],
    [text.finished, finished_at !== null && formatTime(finished_at)],
  ]
  return (
    <section className="stack scans-details" aria-label={text.details(formatTime(scan.created_at))}>
      <dl className="facts">
        {facts.map(([label, value]) =>
          value ? (
            <div key={label} className="scans-fact">
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      {missing > 0 && !isOfTakenOver(scan, takenOverAt) ? <p className="dim">{text.missingHint}</p> : null}
      {refused_keys.length === 0 ? null : (
        <div className="stack-tight">
          <h3>{text.refusedTitle}</h3>
          {refused > refused_keys.length ? (
            <p className="dim">{text.refusedFirst(refused_keys.length, refused)}</p>
          ) : null}
          <ListTable
            label={text.refusedTitle}
            columns={refusedColumns}
            rows={refused_keys}
            rowKey={({ key, reason }) => `${key}\n${reason}`}
          />
        </div>
      )}
    </section>
  )
}
