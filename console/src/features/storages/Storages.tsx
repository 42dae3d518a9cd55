import './storages.css'
import { Anchor, Badge, Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { DEFAULT_STORAGE, type Storage } from '../../../../contract/storages.ts'
import { useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Bytes, Count } from '../../ui/values.tsx'
import { Health } from './Health.tsx'
import { text } from './messages.ts'
import { Place } from './Place.tsx'
import { storagesQuery } from './queries.ts'
import { Room } from './Room.tsx'

const columns: readonly Column<Storage>[] = [
  {
    key: 'name',
    breaks: true,
    title: text.name,
    cell: ({ name }) => (
      <span className="row">
        <Anchor component={Link} to={`/admin/storages/${name}`} fw={600} data-data>
          {name}
        </Anchor>
        {name === DEFAULT_STORAGE ? <Badge className="storages-badge">{text.isDefault}</Badge> : null}
      </span>
    ),
  },
  { key: 'kind', title: text.kind, optional: true, cell: ({ kind }) => text.kindName(kind) },
  { key: 'where', breaks: true, title: text.where, optional: true, cell: (storage) => <Place storage={storage} /> },
  {
    key: 'buckets',
    title: text.buckets,
    number: true,
    optional: true,
    cell: ({ bucket_count }) => <Count n={bucket_count} />,
  },
  { key: 'used', title: text.used, number: true, cell: ({ used_bytes }) => <Bytes bytes={used_bytes} /> },
  { key: 'health', title: text.health, cell: (storage) => <Health storage={storage} /> },
]

/** The places where bytes of buckets lie. */
export default function Storages() {
  const me = useMe()
  const { go } = useView()
  const storages = useQuery({ ...storagesQuery, enabled: me.isAdmin })
  if (!me.isAdmin)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  return (
    <Page
      title={text.title}
      hint={text.hint}
      call={{ operation: 'listStorages' }}
      actions={
        <Button component={Link} to="/admin/storages/_new" leftSection={<IconPlus size={15} />}>
          {text.add}
        </Button>
      }
    >
      <Room />
      <StateView query={storages}>
        {(rows) => (
          <ListTable
            label={text.title}
            columns={columns}
            rows={rows}
            rowKey={({ name }) => name}
            onOpen={({ name }) => void go(`/admin/storages/${name}`)}
          />
        )}
      </StateView>
    </Page>
  )
}
