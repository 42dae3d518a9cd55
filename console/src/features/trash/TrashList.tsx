import './trash.css'
import { ActionIcon, Button, Checkbox } from '@mantine/core'
import { IconArrowBackUp, IconTrashX } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OnConflict, TrashItem } from '../../../../contract/trash.ts'
import { codeOf, type ProblemError } from '../../api/problem.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { commonParentOf, lastSegment, legible } from '../../keys.ts'
import { openView } from '../../navigation/history.ts'
import { useView } from '../../navigation/useView.ts'
import { confirm } from '../../ui/confirm.tsx'
import { FilterField } from '../../ui/FilterField.tsx'
import { type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { Bytes, Status, TimeAgo } from '../../ui/values.tsx'
import { LockStatus } from '../protection/LockStatus.tsx'
import { text } from './messages.ts'
import { Taken } from './Taken.tsx'

const MOST = 1000
const NAMED = 5

/** The contents of a bucket's trash, to restore or delete permanently. */
export function TrashList({ bucket, days, bytes }: { bucket: string; days: number; bytes: number }) {
  const me = useMe()
  const { search, change } = useView()
  const prefix = search.prefix ?? ''
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [taken, setTaken] = useState<{ asked: readonly TrashItem[]; taken: readonly TrashItem[] }>()
  const trash = useInfiniteQuery({
    queryKey: ['trash', bucket, prefix],
    queryFn: ({ pageParam }) =>
      client.listTrash({
        params: { bucket },
        query: { limit: 100, prefix, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  })
  const rows = trash.data?.pages.flatMap(({ items }) => items) ?? []
  const selected = rows.filter(({ id }) => chosen.has(id)).slice(0, MOST)
  const mayPurge = me.canIn('manage', bucket)
  const mayRestore = me.canIn('write', bucket)

  const changed = async () => {
    setChosen(new Set())
    const shown = [['trash', bucket], ['browse', bucket], ['bucket', bucket], ['buckets']]
    await Promise.all(shown.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
  /** Says what was done once the list shows it: until then, what is gone from the trash could still be chosen. */
  const done = async (message: string, show?: () => void) => {
    await changed()
    notify.ok(message, undefined, show && { label: text.show, run: show })
  }
  const failed = async (error: unknown) => {
    notify.problem(error)
    await changed()
  }
  /** Opens the folder that all of it is in. */
  const show = (keys: readonly string[]) => {
    const [only] = keys
    const place = { prefix: commonParentOf(keys), ...(only && keys.length === 1 ? { sel: only } : {}) }
    openView(`/b/${bucket}?${new URLSearchParams(place)}`)
  }
  const restore = async (items: readonly TrashItem[], on_conflict: OnConflict = 'fail') => {
    setTaken(undefined)
    try {
      const { restored } = await client.restoreTrash({
        params: { bucket },
        body: { ids: items.map(({ id }) => id), on_conflict },
      })
      const [only] = restored
      const isBeside = restored.length === 1 && only !== undefined && only.key !== only.original_key
      const name = legible(lastSegment(only?.key ?? ''))
      await done(
        restored.length !== 1
          ? text.restored(restored.length)
          : isBeside
            ? text.restoredAs(name)
            : text.restoredOne(name),
        me.canIn('read', bucket) && only ? () => show(restored.map(({ key }) => key)) : undefined,
      )
    } catch (error) {
      // Whoever has chosen how to restore is not asked again.
      if (codeOf(error) !== 'conflict' || on_conflict !== 'fail') return failed(error)
      const places = new Set((error as ProblemError).problem.errors?.map(({ path }) => Number(path.split('.').at(-1))))
      setTaken({ asked: items, taken: items.filter((_, i) => places.has(i)) })
    }
  }
  const purge = async (items: readonly TrashItem[]) => {
    const size = items.reduce((sum, item) => sum + item.size, 0)
    const yes = await confirm({
      title: text.purgeTitle(items.length),
      children: (
        <>
          <p>{text.purgeText(formatBytes(size))}</p>
          <ul className="trash-named">
            {items.slice(0, NAMED).map(({ id, key }) => (
              <li key={id}>{legible(key)}</li>
            ))}
            {items.length > NAMED ? <li className="dim">{text.more(items.length - NAMED)}</li> : null}
          </ul>
        </>
      ),
      action: text.purge,
      ...(items.length > 1 ? { typed: String(items.length) } : {}),
    })
    if (!yes) return
    try {
      const { purged } = await client.purgeTrash({
        params: { bucket },
        body: { ids: items.map(({ id }) => id) },
      })
      await done(text.purged(purged))
    } catch (error) {
      await failed(error)
    }
  }
  const emptyAll = async () => {
    const yes = await confirm({
      title: text.emptyAllTitle(bucket),
      children: text.emptyAllText(formatBytes(bytes)),
      action: text.emptyAll,
      typed: bucket,
    })
    if (!yes) return
    try {
      let purged = 0
      for (let more = true; more; ) {
        const step = await client.purgeTrash({ params: { bucket }, body: { all: true } })
        purged += step.purged
        more = step.more
      }
      await done(text.purged(purged))
    } catch (error) {
      await failed(error)
    }
  }
  const toggle = (id: string) =>
    setChosen((old) => (old.has(id) ? old.difference(new Set([id])) : old.union(new Set([id]))))

  const all: readonly Column<TrashItem>[] = [
    {
      key: 'select',
      title: common.selectColumn,
      untitled: true,
      width: 36,
      cell: ({ id, key }) => (
        <Checkbox aria-label={text.select(legible(key))} checked={chosen.has(id)} onChange={() => toggle(id)} />
      ),
    },
    {
      key: 'key',
      breaks: true,
      title: text.key,
      cell: ({ key, lock }) => (
        <>
          <bdi>{legible(key)}</bdi> <LockStatus lock={lock} />
        </>
      ),
    },
    { key: 'size', title: text.size, number: true, cell: ({ size }) => <Bytes bytes={size} /> },
    {
      key: 'reason',
      title: text.reason,
      optional: true,
      cell: ({ reason }) => <Status tone="idle">{text[reason]}</Status>,
    },
    { key: 'when', title: text.when, cell: ({ deleted_at }) => <TimeAgo time={deleted_at} /> },
    { key: 'expires', title: text.expires, optional: true, cell: ({ expires_at }) => <TimeAgo time={expires_at} /> },
    {
      key: 'actions',
      pinned: true,
      title: text.actions,
      width: 90,
      cell: (item) => (
        <span className="nowrap">
          {me.can('write', bucket, item.key) ? (
            <ActionIcon
              aria-label={text.restoreOne(legible(item.key))}
              title={text.restore}
              onClick={() => void restore([item])}
            >
              <IconArrowBackUp size={16} stroke={1.6} />
            </ActionIcon>
          ) : null}
          {me.can('manage', bucket, item.key) ? (
            <ActionIcon
              aria-label={text.purgeOne(legible(item.key))}
              title={text.purge}
              onClick={() => void purge([item])}
            >
              <IconTrashX size={16} stroke={1.6} />
            </ActionIcon>
          ) : null}
        </span>
      ),
    },
  ]

  const mayAnything = mayRestore || mayPurge
  const columns = mayAnything ? all : all.filter(({ key }) => key !== 'select' && key !== 'actions')
  return (
    <>
      <div className="filters">
        <FilterField
          label={text.filter}
          value={prefix}
          onChange={(typed) => void change({ prefix: typed || undefined })}
          width={320}
        />
        {rows.length > 0 && mayAnything ? (
          <Checkbox
            label={text.selectAll}
            checked={selected.length === Math.min(rows.length, MOST)}
            indeterminate={selected.length > 0 && selected.length < rows.length}
            onChange={(event) =>
              setChosen(new Set(event.currentTarget.checked ? rows.slice(0, MOST).map(({ id }) => id) : []))
            }
          />
        ) : null}
        <span role="status" className="dim">
          {selected.length > 0 ? text.selected(selected.length) : ''}
        </span>
        {selected.length > 0 ? (
          <>
            {mayRestore ? (
              <Button variant="default" onClick={() => void restore(selected)}>
                {text.restore}
              </Button>
            ) : null}
            {mayPurge ? (
              <Button variant="default" onClick={() => void purge(selected)}>
                {text.purge}
              </Button>
            ) : null}
          </>
        ) : null}
        <span className="grow" />
        {me.can('manage', bucket) && rows.length > 0 ? (
          <Button variant="default" leftSection={<IconTrashX size={15} />} onClick={emptyAll}>
            {text.emptyAll}
          </Button>
        ) : null}
      </div>
      <StateView query={trash}>
        {() =>
          rows.length > 0 ? (
            <ListTable label={text.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={moreOf(trash)} />
          ) : prefix === '' ? (
            <EmptyView title={text.noneTitle}>{text.noneHint(days)}</EmptyView>
          ) : (
            <NoMatch query={prefix} clear={() => void change({ prefix: undefined })} />
          )
        }
      </StateView>
      {taken ? (
        <Taken
          {...taken}
          bucket={bucket}
          keepsTrash={days > 0}
          onClose={() => setTaken(undefined)}
          answer={(onConflict, items) => void restore(items, onConflict)}
        />
      ) : null}
    </>
  )
}
