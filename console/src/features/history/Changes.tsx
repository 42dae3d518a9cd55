import { ActionIcon, Button, SegmentedControl } from '@mantine/core'
import { IconArrowBackUp, IconEye, IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import type { Bucket } from '../../../../contract/buckets.ts'
import { changeKinds, type ObjectChange } from '../../../../contract/changes.ts'
import { isSnapshotName } from '../../../../contract/names.ts'
import { isReadOnly } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { formatBytes, formatTime } from '../../i18n.ts'
import { legible, parentOf } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { FilterField } from '../../ui/FilterField.tsx'
import { actionsShape, type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { Tile, Tiles } from '../../ui/Tiles.tsx'
import { Bytes, Count, Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import MomentDialog from '../past/MomentDialog.tsx'
import { snapshotsQuery } from '../past/queries.ts'
import { Author, suspectsOf } from './author.tsx'
import { GoBack } from './GoBack.tsx'
import { LatestReturn } from './LatestReturn.tsx'
import { text } from './messages.ts'
import { changesQuery } from './queries.ts'

const DAY_MS = 24 * 3600_000
const tones: Readonly<Record<ObjectChange['change'], Tone>> = { added: 'ok', changed: 'note', deleted: 'bad' }

/** What is not the same in a bucket as it was at a moment, and the way back to it. */
export function Changes({ bucket }: { bucket: Bucket }) {
  const me = useMe()
  const { search, change: replace, open, go } = useView()
  const { name } = bucket
  // What was before is not known.
  const known = bucket.history_from ?? bucket.created_at
  const [usual] = useState(() => new Date(Math.max(Date.now() - DAY_MS, Date.parse(known))).toISOString())
  const from = search.from ?? usual
  const prefix = search.prefix ?? ''
  const kind = changeKinds.find((one) => one === search.kind)
  const asked = useDeferredValue(prefix)
  const changes = useInfiniteQuery(changesQuery({ bucket: name, from, prefix: asked, change: kind }))
  const [choosing, setChoosing] = useState(false)
  const [returning, setReturning] = useState(false)
  const first = changes.data?.pages[0]
  const rows = changes.data?.pages.flatMap(({ items }) => items) ?? []
  const totals = first?.totals
  const mayGoBack = !isReadOnly(bucket) && me.canIn('write', name) && me.canIn('read', name)
  const showIn = (key: string, at?: string) =>
    void go(`/b/${name}`, { prefix: parentOf(key), sel: key, ...(at === undefined ? {} : { at }) })
  const columns: readonly Column<ObjectChange>[] = [
    {
      key: 'change',
      title: text.changeColumn,
      width: 100,
      cell: ({ change }) => <Status tone={tones[change]}>{text.change(change)}</Status>,
    },
    { key: 'key', breaks: true, title: text.key, cell: ({ key }) => <bdi>{legible(key)}</bdi> },
    {
      key: 'size',
      title: text.size,
      number: true,
      optional: true,
      cell: ({ before, after }) =>
        before && after && before.size !== after.size ? (
          text.sizeChange(formatBytes(before.size), formatBytes(after.size))
        ) : (
          <Bytes bytes={(after ?? before)?.size ?? 0} />
        ),
    },
    { key: 'when', title: text.when, optional: true, cell: ({ moment }) => <TimeAgo time={moment} /> },
    { key: 'by', breaks: true, title: text.by, optional: true, cell: ({ by }) => <Author by={by} /> },
    {
      key: 'show',
      ...actionsShape,
      width: 76,
      cell: ({ key, before, after }) => (
        <span className="nowrap">
          {before ? (
            <ActionIcon
              aria-label={text.openBefore(legible(key))}
              title={text.openBefore(legible(key))}
              onClick={() => showIn(key, first?.from ?? from)}
            >
              <IconHistory size={16} stroke={1.6} />
            </ActionIcon>
          ) : null}
          {after ? (
            <ActionIcon
              aria-label={text.openNow(legible(key))}
              title={text.openNow(legible(key))}
              onClick={() => showIn(key)}
            >
              <IconEye size={16} stroke={1.6} />
            </ActionIcon>
          ) : null}
        </span>
      ),
    },
  ]
  return (
    <>
      <div className="history-span">
        <p>
          {text.from} <FromWords bucket={name} from={from} />
        </p>
        <Button variant="default" leftSection={<IconHistory size={15} />} onClick={() => setChoosing(true)}>
          {text.choose}
        </Button>
        <span className="grow" />
        {mayGoBack && rows.length > 0 ? (
          <Button leftSection={<IconArrowBackUp size={15} />} onClick={() => setReturning(true)}>
            {text.goBack}
          </Button>
        ) : null}
      </div>
      <LatestReturn bucket={name} />
      {totals ? (
        <Tiles>
          <Tile label={text.change('added')} note={formatBytes(totals.added.bytes)}>
            <Count n={totals.added.objects} />
          </Tile>
          <Tile
            label={text.change('changed')}
            note={text.sizeChange(formatBytes(totals.changed.bytes_before), formatBytes(totals.changed.bytes_after))}
          >
            <Count n={totals.changed.objects} />
          </Tile>
          <Tile label={text.change('deleted')} note={formatBytes(totals.deleted.bytes)}>
            <Count n={totals.deleted.objects} />
          </Tile>
        </Tiles>
      ) : null}
      <div className="filters">
        <SegmentedControl
          aria-label={text.kind}
          data={[
            { value: '', label: text.anyChange },
            ...changeKinds.map((value) => ({ value, label: text.change(value) })),
          ]}
          value={kind ?? ''}
          onChange={(value) => void open({ kind: value || undefined })}
        />
        <FilterField
          label={text.filter}
          value={prefix}
          onChange={(typed) => void replace({ prefix: typed || undefined })}
          width={320}
        />
      </div>
      <StateView query={changes}>
        {() =>
          rows.length > 0 ? (
            <ListTable
              label={text.changes}
              columns={columns}
              rows={rows}
              rowKey={({ key }) => key}
              more={moreOf(changes)}
            />
          ) : kind === undefined && prefix === '' ? (
            <EmptyView title={text.none}>{text.noneHint}</EmptyView>
          ) : (
            <NoMatch clear={() => void replace({ kind: undefined, prefix: undefined })} />
          )
        }
      </StateView>
      {choosing ? (
        <MomentDialog
          bucket={name}
          prefix={prefix}
          at={from}
          onChoose={(at) => {
            setChoosing(false)
            void open({ from: at })
          }}
          onClose={() => setChoosing(false)}
        />
      ) : null}
      {returning && first ? (
        <GoBack
          bucket={name}
          prefix={prefix}
          to={first.from}
          suspects={suspectsOf(rows)}
          onClose={() => setReturning(false)}
        />
      ) : null}
    </>
  )
}

/** A moment in words: its time, or the snapshot that it is. */
function FromWords({ bucket, from }: { bucket: string; from: string }) {
  const isSnapshot = isSnapshotName(from)
  const { data } = useQuery({ ...snapshotsQuery(bucket), enabled: isSnapshot })
  const moment = isSnapshot ? data?.find(({ name }) => name === from)?.moment : from
  const isTime = moment !== undefined && Number.isFinite(Date.parse(moment))
  return (
    <>
      <strong>{isSnapshot ? text.fromSnapshot(from) : isTime ? formatTime(from) : from}</strong>{' '}
      {isTime ? (
        <span className="dim">
          (<TimeAgo time={moment} />)
        </span>
      ) : null}
    </>
  )
}
