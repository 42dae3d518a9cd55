import './shares.css'
import { ActionIcon, Anchor, Button, Menu, SegmentedControl, Select, TextInput } from '@mantine/core'
import {
  IconDots,
  IconEdit,
  IconFile,
  IconFiles,
  IconFolder,
  IconInbox,
  IconLink,
  IconLinkOff,
  IconList,
  IconSearch,
} from '@tabler/icons-react'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Share } from '../../../../contract/shares.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { formatBytes } from '../../i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { actionsShape, type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { Count, Status, TimeAgo } from '../../ui/values.tsx'
import { Accesses } from './Accesses.tsx'
import { kindOf, nameOf, stateWords, typesWords } from './describe.ts'
import { EditShare } from './EditShare.tsx'
import { KeptLinkDialog } from './KeptLink.tsx'
import { text } from './messages.ts'
import { PickTarget } from './PickTarget.tsx'
import { type Filters, filled, sharesQuery } from './queries.ts'
import { revoke } from './revoke.tsx'
import ShareDialog from './ShareDialog.tsx'

const icons = { object: IconFile, folder: IconFolder, selection: IconFiles, upload: IconInbox } as const
const states = ['active', 'expired', 'revoked'] as const

/** Where to view a link's object or folder. */
function placeOf({ bucket, object_key, prefix, keys }: Share) {
  const key = object_key ?? keys?.[0] ?? prefix ?? ''
  const folder = key.slice(0, key.lastIndexOf('/') + 1)
  return { to: `/b/${bucket}`, search: { prefix: folder, sel: object_key ?? '' } }
}

/**
 * The user's share links; administrators see all. `?new=photos&key=a.jpg` creates one; `?pick=give` (or `take`) asks first
 * for what.
 */
export default function Shares() {
  const me = useMe()
  const cache = useQueryClient()
  const { search, open, change } = useView()
  const filters: Filters = {
    state: states.find((one) => one === search.state),
    bucket: search.bucket,
    q: search.q,
  }
  const shares = useInfiniteQuery(sharesQuery(filters))
  const buckets = useQuery(bucketsQuery)
  const clear = () => void open({ state: undefined, bucket: undefined, q: undefined })

  const columns: readonly Column<Share>[] = [
    {
      key: 'target',
      breaks: true,
      title: text.target,
      cell: (share) => {
        const Icon = icons[share.kind]
        return (
          <div className="shares-target">
            <Icon size={17} stroke={1.6} className="dim" aria-hidden />
            <div>
              <Anchor component={Link} {...placeOf(share)}>
                <bdi>{nameOf(share)}</bdi>
              </Anchor>
              <span className="dim small">
                {kindOf(share)} · {share.bucket}
                {share.has_password ? ` · ${text.hasPassword}` : ''}
                {share.content_types === null ? '' : ` · ${typesWords(share)}`}
              </span>
            </div>
          </div>
        )
      },
    },
    ...(me.isAdmin
      ? [
          {
            key: 'by',
            breaks: true,
            title: text.by,
            optional: true,
            cell: (share: Share) => share.created_by_email ?? '',
          },
        ]
      : []),
    { key: 'created', title: text.created, optional: true, cell: (share) => <TimeAgo time={share.created_at} /> },
    {
      key: 'state',
      title: text.state,
      cell: ({ state }) => <Status tone={stateWords[state].tone}>{stateWords[state].word}</Status>,
    },
    {
      key: 'expires',
      title: text.expires,
      optional: true,
      cell: ({ state, expires_at }) =>
        state === 'spent' || state === 'revoked' ? <span className="dim">–</span> : <TimeAgo time={expires_at} />,
    },
    {
      key: 'opens',
      title: text.opens,
      number: true,
      optional: true,
      cell: (share) =>
        share.kind === 'upload' ? (
          <span className="number">{text.uploads(share.access_count, formatBytes(share.received_bytes))}</span>
        ) : (
          <span className="number">
            <Count n={share.access_count} />
            {share.max_downloads === null ? '' : ` / ${share.max_downloads}`}
          </span>
        ),
    },
    {
      key: 'actions',
      ...actionsShape,
      width: 48,
      cell: (share) => (
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon aria-label={text.actions(nameOf(share))}>
              <IconDots size={17} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {share.has_link ? (
              <Menu.Item leftSection={<IconLink size={15} />} onClick={() => void open({ link: share.id })}>
                {text.showLink}
              </Menu.Item>
            ) : null}
            <Menu.Item leftSection={<IconList size={15} />} onClick={() => void open({ d: share.id })}>
              {text.accesses}
            </Menu.Item>
            {share.state === 'revoked' ? null : (
              <>
                <Menu.Item leftSection={<IconEdit size={15} />} onClick={() => void open({ edit: share.id })}>
                  {text.edit}
                </Menu.Item>
                <Menu.Item
                  color="danger"
                  leftSection={<IconLinkOff size={15} />}
                  onClick={() => void revoke(cache, share)}
                >
                  {text.revoke}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      ),
    },
  ]

  const newOnes = me.canSomewhere('share') ? (
    <>
      <Button variant="default" leftSection={<IconInbox size={15} />} onClick={() => void open({ pick: 'take' })}>
        {text.requestFiles}
      </Button>
      <Button leftSection={<IconLink size={15} />} onClick={() => void open({ pick: 'give' })}>
        {text.newLink}
      </Button>
    </>
  ) : null
  const filtered = Object.keys(filled(filters)).length > 0
  return (
    <Page
      title={text.title}
      hint={text.hint}
      call={{ operation: 'listShares', query: filled(filters) }}
      actions={newOnes}
    >
      <div className="filters">
        <SegmentedControl
          aria-label={text.state}
          data={[{ value: '', label: text.all }, ...states.map((state) => ({ value: state, label: text[state] }))]}
          value={filters.state ?? ''}
          onChange={(state) => void open({ state })}
        />
        <Select
          aria-label={text.bucket}
          data={[
            { value: '', label: text.anyBucket },
            ...(buckets.data ?? []).map(({ name }) => ({ value: name, label: name })),
          ]}
          value={filters.bucket ?? ''}
          onChange={(bucket) => void open({ bucket: bucket ?? undefined })}
          searchable
        />
        <TextInput
          aria-label={text.filter}
          placeholder={text.filter}
          leftSection={<IconSearch size={15} />}
          value={search.q ?? ''}
          maxLength={200}
          onChange={(event) => void change({ q: event.currentTarget.value })}
        />
      </div>
      <StateView query={shares}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          const opened = rows.find(({ id }) => id === search.d)
          const shown = rows.find(({ id }) => id === search.link)
          const edited = rows.find(({ id }) => id === search.edit)
          if (rows.length === 0 && !filtered)
            return (
              <EmptyView
                title={text.emptyTitle}
                icon={<IconLink size={28} stroke={1.4} />}
                action={<div className="row">{newOnes}</div>}
              >
                {text.emptyHint}
              </EmptyView>
            )
          if (rows.length === 0) return <NoMatch query={filters.q} clear={clear} />
          return (
            <>
              <ListTable
                label={text.title}
                columns={columns}
                rows={rows}
                rowKey={({ id }) => id}
                onOpen={({ id }) => void open({ d: id })}
                more={moreOf(shares)}
              />
              {opened ? <Accesses share={opened} onClose={() => void open({ d: undefined })} /> : null}
              {shown ? <KeptLinkDialog share={shown} onClose={() => void open({ link: undefined })} /> : null}
              {edited ? <EditShare share={edited} onClose={() => void open({ edit: undefined })} /> : null}
            </>
          )
        }}
      </StateView>
      {search.new === undefined ? null : (
        <ShareDialog
          bucket={search.new}
          {...(search.key === undefined ? { prefix: search.prefix ?? '' } : { objectKey: search.key })}
          takes={search.take !== undefined}
          onClose={() => void open({ new: undefined, key: undefined, prefix: undefined, take: undefined })}
        />
      )}
      {search.pick === 'give' || search.pick === 'take' ? (
        <PickTarget
          purpose={search.pick}
          onPick={({ bucket, key, prefix }) =>
            void change({
              pick: undefined,
              new: bucket,
              key,
              prefix: key === undefined ? prefix : undefined,
              take: search.pick === 'take' ? '1' : undefined,
            })
          }
          onClose={() => void change({ pick: undefined })}
        />
      ) : null}
    </Page>
  )
}
