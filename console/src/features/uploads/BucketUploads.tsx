import { Button } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { Upload } from '../../../../contract/uploads.ts'
import { useReadOnly } from '../../api/buckets.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { Bar } from './Bar.tsx'
import { unsent } from './engine/item.ts'
import { engine, useUploads } from './instance.ts'
import { text } from './messages.ts'
import { openUpload } from './open.ts'
import { PickButton } from './PickButton.tsx'
import { start } from './start.ts'

/** A bucket's unfinished uploads, to resume or cancel. */
export default function BucketUploads() {
  const me = useMe()
  const { params } = useView()
  const { bucket = '' } = params
  const readOnly = useReadOnly(bucket)
  useUploads()
  const uploads = useInfiniteQuery({
    queryKey: ['uploads', bucket],
    queryFn: ({ pageParam }) =>
      client.listUploads({
        params: { bucket },
        query: { limit: 100, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const here = new Set(
    unsent.flatMap((state) => [...engine.store.those(state)].flatMap(({ upload }) => (upload ? [upload.id] : []))),
  )

  const resume = async ({ upload_id, key, part_size, file_size }: Upload, file: File | undefined) => {
    if (!file) return
    if (file_size !== null && file.size !== file_size)
      return notify.problem(new Error(text.wrongSize(formatBytes(file_size), formatBytes(file.size))))
    await start({ adopt: { bucket, key, id: upload_id, partSize: part_size, file } })
  }
  const giveUp = async ({ upload_id, key, received_bytes }: Upload) => {
    const yes = await confirm({
      title: text.abortTitle,
      children: text.abortText(legible(key), formatBytes(received_bytes)),
      action: text.abort,
    })
    if (!yes) return
    try {
      await client.abortUpload({ params: { bucket }, body: { upload_id } })
      notify.ok(text.aborted)
    } catch (error) {
      notify.problem(error)
    }
    await queries.invalidateQueries({ queryKey: ['uploads', bucket] })
    await queries.invalidateQueries({ queryKey: ['bucket', bucket] })
  }

  const columns: readonly Column<Upload>[] = [
    { key: 'key', breaks: true, title: text.key, cell: ({ key }) => <bdi>{legible(key)}</bdi> },
    {
      key: 'arrived',
      title: text.arrived,
      cell: ({ received_bytes, file_size, key }) =>
        file_size === null ? (
          <span className="dim">
            {formatBytes(received_bytes)}, {text.unknownSize}
          </span>
        ) : (
          <span className="uploads-arrived">
            <span className="number">{text.progress(formatBytes(received_bytes), formatBytes(file_size))}</span>
            <Bar percent={file_size === 0 ? 0 : (received_bytes / file_size) * 100} label={legible(key)} />
          </span>
        ),
    },
    { key: 'begun', title: text.begun, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
    {
      key: 'by',
      title: text.by,
      optional: true,
      cell: ({ created_by }) => (created_by === me.id ? text.you : <span className="dim">{text.somebody}</span>),
    },
    { key: 'expires', title: text.expires, optional: true, cell: ({ expires_at }) => <TimeAgo time={expires_at} /> },
    {
      key: 'actions',
      pinned: true,
      title: text.actions,
      cell: (upload) =>
        here.has(upload.upload_id) ? (
          <Status tone="note">{text.runsHere}</Status>
        ) : (
          <span className="uploads-choices">
            {upload.file_size === null ? null : (
              <PickButton
                label={text.resumeUpload}
                title={text.resumeHint(legible(upload.key))}
                multiple={false}
                onPick={([file]) => void resume(upload, file)}
              />
            )}
            <Button variant="default" onClick={() => giveUp(upload)}>
              {text.cancelThis}
            </Button>
          </span>
        ),
    },
  ]

  return (
    <Page
      inBuckets
      title={bucket}
      windowTitle={`${text.unfinished} – ${bucket}`}
      call={{ operation: 'listUploads', params: { bucket } }}
      actions={
        readOnly === false && me.canIn('write', bucket) ? (
          <Button leftSection={<IconUpload size={15} />} onClick={() => void openUpload({ bucket, prefix: '' })}>
            {text.title}
          </Button>
        ) : null
      }
    >
      <BucketTabs bucket={bucket} active="uploads" />
      <p className="dim">{text.unfinishedHint}</p>
      <StateView query={uploads}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          if (rows.length === 0) return <EmptyView title={text.noneTitle}>{text.noneHint}</EmptyView>
          return (
            <ListTable
              label={text.unfinished}
              columns={columns}
              rows={rows}
              rowKey={({ upload_id }) => upload_id}
              more={moreOf(uploads)}
            />
          )
        }}
      </StateView>
    </Page>
  )
}
