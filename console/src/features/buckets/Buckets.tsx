import { Anchor, Button } from '@mantine/core'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Bucket } from '../../../../contract/buckets.ts'
import { bucketsQuery, totalsOf } from '../../api/buckets.ts'
import { curlOf } from '../../api/curl.ts'
import { useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { AsOf, AttachedBadges } from '../../ui/AttachedBadges.tsx'
import { FilterField, Filters } from '../../ui/FilterField.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { text as common } from '../../ui/messages.ts'
import { OwnFolders } from '../../ui/OwnFolders.tsx'
import { Page } from '../../ui/Page.tsx'
import { PublicBadge } from '../../ui/PublicBadge.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { Bytes, Count, QuotaBar, TimeAgo } from '../../ui/values.tsx'
import { CreateBucket } from './CreateBucket.tsx'
import { text } from './messages.ts'
import { NoRights } from './NoRights.tsx'

const hidden = (
  <span className="dim" title={common.hiddenTotal}>
    –
  </span>
)
const columns: readonly Column<Bucket>[] = [
  {
    key: 'name',
    breaks: true,
    title: text.name,
    cell: (bucket) => (
      <>
        <span className="row">
          <Anchor component={Link} to={`/b/${bucket.name}`} fw={600}>
            {bucket.name}
          </Anchor>
          <AttachedBadges bucket={bucket} asOf={false} />
          <PublicBadge access={bucket.public_access} />
        </span>
        <OwnFolders bucket={bucket.name} />
      </>
    ),
  },
  {
    key: 'objects',
    title: text.objects,
    number: true,
    cell: ({ object_count }) => (object_count === null ? hidden : <Count n={object_count} />),
  },
  {
    key: 'used',
    title: text.used,
    cell: (bucket) => {
      const totals = totalsOf(bucket)
      if (totals === null) return hidden
      const { source, mode } = bucket
      return source && mode === 'read_only' ? (
        <span className="row">
          <Bytes bytes={totals.used_bytes} />
          <AsOf time={source.as_of} />
        </span>
      ) : (
        <QuotaBar used={totals.filled_bytes} reserved={totals.reserved_bytes} quotaGb={totals.quota_gb} />
      )
    },
  },
  {
    key: 'trash',
    title: text.trash,
    number: true,
    optional: true,
    cell: ({ trash_bytes, mode }) =>
      trash_bytes === null ? (
        hidden
      ) : mode === 'read_only' ? (
        <span className="dim">–</span>
      ) : (
        <Bytes bytes={trash_bytes} />
      ),
  },
  { key: 'created', title: text.created, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
]

/** The buckets a user has permissions on. `?new` creates one. */
export default function Buckets() {
  const me = useMe()
  const { search, change, open, go } = useView()
  const buckets = useQuery(bucketsQuery)
  const wanted = search.q ?? ''
  const mayCreate = me.canSomewhere('create')
  const create = mayCreate ? (
    <Button leftSection={<IconPlus size={15} />} onClick={() => void open({ new: '1' })}>
      {text.create}
    </Button>
  ) : null
  const actions = me.isAdmin ? (
    <>
      <Button variant="default" component={Link} to="/buckets/attach" leftSection={<IconPlugConnected size={15} />}>
        {text.attach}
      </Button>
      {create}
    </>
  ) : (
    create
  )
  return (
    <Page title={text.title} actions={actions} call={{ operation: 'listBuckets' }}>
      <StateView query={buckets}>
        {(all) => {
          if (all.length === 0 && !me.grantsAnything) return <NoRights />
          if (all.length === 0)
            return (
              <EmptyView
                title={text.emptyTitle}
                action={create}
                {...(mayCreate ? { curl: curlOf({ operation: 'createBucket', body: { name: 'photos' } }) } : {})}
              >
                {mayCreate ? text.emptyHint : text.noneVisible}
              </EmptyView>
            )
          const rows = all.filter(({ name }) => name.includes(wanted.toLowerCase()))
          return (
            <>
              <Filters count={text.count(rows.length)}>
                <FilterField label={text.filter} value={wanted} onChange={(q) => void change({ q })} />
              </Filters>
              {rows.length === 0 ? (
                <NoMatch query={wanted} clear={() => void change({ q: undefined })} />
              ) : (
                <ListTable
                  label={text.title}
                  columns={columns}
                  rows={rows}
                  rowKey={({ name }) => name}
                  onOpen={({ name }) => void go(`/b/${name}`)}
                />
              )}
            </>
          )
        }}
      </StateView>
      {mayCreate && search.new !== undefined ? <CreateBucket onClose={() => void change({ new: undefined })} /> : null}
    </Page>
  )
}
