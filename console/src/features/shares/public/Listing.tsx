import { ActionIcon, Button } from '@mantine/core'
import { IconDownload, IconFolder } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import type { ShareInfo, ShareListing } from '../../../../../contract/shares.ts'
import { statusOf } from '../../../api/problem.ts'
import { formatTime } from '../../../i18n.ts'
import { type Column, ListTable, moreOf } from '../../../ui/ListTable.tsx'
import { StateView } from '../../../ui/StateView.tsx'
import { Bytes, TimeAgo } from '../../../ui/values.tsx'
import { contentsUrl, listLink, type Opened } from './api.ts'
import { plainType } from './FilePage.tsx'
import { Gone } from './Gone.tsx'
import { text } from './messages.ts'
import type { Take } from './useLimited.ts'

type Item = ShareListing['items'][number]

/** The files of a shared folder or selection, to download one by one or all at once. */
export function Listing({
  opened,
  info,
  take,
  spent,
  onStale,
}: {
  opened: Opened
  info: ShareInfo
  take: Take
  /** What to show instead of the files, once nothing can be downloaded. */
  spent: ReactNode
  onStale: () => void
}) {
  const listing = useInfiniteQuery({
    queryKey: ['link-listing', opened],
    queryFn: ({ pageParam }) => listLink(opened, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    gcTime: 0,
  })
  const status = statusOf(listing.error)
  useEffect(() => {
    if (status === 401) onStale()
  }, [status, onStale])
  if (status === 410 && !spent) return <Gone />
  const columns: readonly Column<Item>[] = [
    { key: 'name', breaks: true, title: text.name, cell: ({ name }) => <span className="link-name">{name}</span> },
    { key: 'size', title: text.size, number: true, cell: ({ size }) => <Bytes bytes={size} /> },
    {
      key: 'type',
      breaks: true,
      title: text.type,
      optional: true,
      cell: ({ content_type }) => plainType(content_type),
    },
    {
      key: 'changed',
      title: text.changed,
      optional: true,
      cell: ({ last_modified }) => <TimeAgo time={last_modified} />,
    },
    {
      key: 'download',
      pinned: true,
      title: text.download,
      untitled: true,
      width: 52,
      cell: ({ name }) => (
        <ActionIcon
          component="a"
          size={36}
          href={contentsUrl(opened, { key: name, download: '1' })}
          download={name.split('/').at(-1) ?? ''}
          onClick={take}
          aria-label={text.downloadOf(name)}
        >
          <IconDownload size={18} stroke={1.6} />
        </ActionIcon>
      ),
    },
  ]
  return (
    <div className="stack">
      <div className="link-head">
        <IconFolder size={28} stroke={1.3} className="link-folder" aria-hidden />
        <div className="grow">
          <p className="dim small">{text.shared}</p>
          <h1>{info.name}</h1>
          {info.expires_at ? <p className="dim">{text.untilTime(formatTime(info.expires_at))}</p> : null}
          {info.downloads_left === null || spent ? null : <p className="dim">{text.left(info.downloads_left)}</p>}
        </div>
        {spent ? null : (
          <Button
            component="a"
            size="md"
            href={contentsUrl(opened, { archive: '1' })}
            download
            onClick={take}
            leftSection={<IconDownload size={17} />}
          >
            {text.downloadAll}
          </Button>
        )}
      </div>
      {spent ?? (
        <StateView query={listing}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items)
            if (items.length === 0) return <p className="dim">{text.empty}</p>
            return (
              <>
                <ListTable
                  label={text.files}
                  columns={columns}
                  rows={items}
                  rowKey={({ name }) => name}
                  more={moreOf(listing)}
                />
                <p className="dim small" role="status">
                  {listing.hasNextPage ? text.loadedMore(items.length) : text.loaded(items.length)}
                </p>
              </>
            )
          }}
        </StateView>
      )}
    </div>
  )
}
