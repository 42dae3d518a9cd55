import { Anchor, Button, SegmentedControl, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus, IconUserSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../../contract/users.ts'
import { useCursorList } from '../../api/pages.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { FilterField } from '../../ui/FilterField.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { useSelection } from '../../ui/useSelection.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { groupsQuery, withMembers } from '../groups/queries.ts'
import { BulkBar } from './BulkBar.tsx'
import { CreateUser } from './CreateUser.tsx'
import { text } from './messages.ts'
import { GroupLinks, Source, State } from './parts.tsx'
import './users.css'

const PAUSE_MS = 200

/** The list of users. */
export default function Users() {
  const me = useMe()
  if (!me.managesUsers)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  return <List />
}

function List() {
  const me = useMe()
  const { search, change, go } = useView()
  const [creating, setCreating] = useState(false)
  const groups = useQuery(groupsQuery)
  const wanted = search.q ?? ''
  const [q] = useDebouncedValue(wanted.trim().slice(0, 100), PAUSE_MS)
  const { state, group } = search
  const filter = {
    ...(q === '' ? {} : { q }),
    ...(state === 'active' || state === 'disabled' ? { active: state === 'active' } : {}),
    ...(group ? { group_id: group } : {}),
  }
  const users = useCursorList(['users', 'list', filter], (at) => client.listUsers({ query: { ...filter, ...at } }))
  const selection = useSelection<User>(
    ({ id }) => id,
    ({ email }) => email,
  )
  const narrow = (next: Record<string, string | undefined>) => {
    selection.clear()
    void change(next)
  }
  const columns = (rows: readonly User[]): Column<User>[] => [
    selection.column(rows),
    {
      key: 'person',
      breaks: true,
      title: text.person,
      cell: ({ id, email, display_name, is_admin }) => (
        <>
          <span className="row">
            <Anchor component={Link} to={`/admin/users/${id}`} fw={600}>
              {display_name}
            </Anchor>
            {id === me.id ? <span className="dim small">({text.you})</span> : null}
            {is_admin ? <Status tone="note">{text.admin}</Status> : null}
          </span>
          <span className="dim small users-second">{email}</span>
        </>
      ),
    },
    { key: 'source', title: text.source, optional: true, cell: (user) => <Source user={user} /> },
    {
      key: 'groups',
      breaks: true,
      title: text.groups,
      optional: true,
      cell: (user) => <GroupLinks groups={user.groups} />,
    },
    {
      key: 'login',
      title: text.lastLogin,
      optional: true,
      cell: ({ last_login_at }) => <TimeAgo time={last_login_at} />,
    },
    { key: 'state', title: text.state, width: 110, cell: (user) => <State user={user} /> },
  ]
  return (
    <Page
      title={text.title}
      call={{ operation: 'listUsers', query: filter }}
      actions={
        <>
          <Button
            variant="default"
            component={Link}
            to="/admin/users/import"
            leftSection={<IconUserSearch size={15} />}
          >
            {text.import}
          </Button>
          <Button leftSection={<IconPlus size={15} />} onClick={() => setCreating(true)}>
            {text.create}
          </Button>
        </>
      }
    >
      {selection.picked.length > 0 ? (
        <BulkBar users={selection.picked} clear={selection.clear} />
      ) : (
        <div className="filters">
          <FilterField label={text.filter} value={wanted} onChange={(q) => narrow({ q })} />
          <SegmentedControl
            aria-label={text.stateFilter}
            data={[
              { value: '', label: text.all },
              { value: 'active', label: text.active },
              { value: 'disabled', label: text.disabled },
            ]}
            value={state ?? ''}
            onChange={(value) => narrow({ state: value })}
          />
          <Select
            aria-label={text.groupFilter}
            data={[
              { value: '', label: text.anyGroup },
              ...withMembers(groups.data).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={group ?? ''}
            onChange={(value) => narrow({ group: value ?? '' })}
            searchable
          />
        </div>
      )}
      <StateView query={users}>
        {(rows) => {
          if (rows.length > 0)
            return (
              <ListTable
                label={text.title}
                columns={columns(rows)}
                rows={rows}
                rowKey={({ id }) => id}
                onOpen={({ id }) => void go(`/admin/users/${id}`)}
                more={users.more}
              />
            )
          if (Object.keys(filter).length === 0) return <EmptyView title={text.emptyTitle} />
          return <NoMatch query={q} clear={() => narrow({ q: undefined, state: undefined, group: undefined })} />
        }}
      </StateView>
      {creating ? <CreateUser onClose={() => setCreating(false)} /> : null}
    </Page>
  )
}
