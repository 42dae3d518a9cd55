import { ActionIcon, Alert, Anchor, Button, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconUserMinus, IconUserPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Group } from '../../../../contract/groups.ts'
import type { User } from '../../../../contract/users.ts'
import { useCursorList } from '../../api/pages.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { FilterField } from '../../ui/FilterField.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { useSelection } from '../../ui/useSelection.tsx'
import { Status } from '../../ui/values.tsx'
import { AddMembers } from './AddMembers.tsx'
import { text } from './messages.ts'
import { givesAdmin, refreshPeople } from './queries.ts'

/** A group's members. */
export function Members({ group }: { group: Group }) {
  const me = useMe()
  const cache = useQueryClient()
  const { search, change, go } = useView()
  const [adding, setAdding] = useState(false)
  const wanted = search.q ?? ''
  const [q] = useDebouncedValue(wanted.trim(), 200)
  const selection = useSelection<User>(
    ({ id }) => id,
    ({ email }) => email,
  )
  const members = useCursorList(['members', group.id, q], (at) =>
    client.listUsers({ query: { group_id: group.id, ...(q === '' ? {} : { q: q.slice(0, 100) }), ...at } }),
  )

  const mayAdd = me.covers([group])
  const mayRemove = me.isAdmin || !givesAdmin(group)
  // Keeps administrators from removing themselves by accident; another administrator can.
  const isFree = ({ id }: User) => mayRemove && !(givesAdmin(group) && id === me.id)
  const remove = async (people: readonly User[]) => {
    const user_ids = people.map(({ id }) => id)
    const put = async (back: boolean) => {
      const call = { params: { id: group.id }, body: { user_ids } }
      try {
        await (back ? client.addMembers(call) : client.removeMembers(call))
      } catch (error) {
        return notify.problem(error)
      }
      if (back) notify.note(text.added(user_ids.length))
      else notify.ok(text.removed(user_ids.length), mayAdd ? () => void put(true) : undefined)
      selection.clear()
      await refreshPeople(cache)
    }
    await put(false)
  }
  const columns = (rows: readonly User[]): Column<User>[] => [
    ...(mayRemove ? [selection.column(rows, isFree)] : []),
    {
      key: 'email',
      breaks: true,
      title: text.person,
      cell: ({ id, email, display_name }) => (
        <>
          <Anchor component={Link} to={`/admin/users/${id}`} fw={600}>
            {display_name}
          </Anchor>
          <span className="dim small groups-description">{email}</span>
        </>
      ),
    },
    {
      key: 'state',
      title: text.state,
      optional: true,
      width: 130,
      cell: ({ is_active }) => (
        <Status tone={is_active ? 'ok' : 'idle'}>{is_active ? text.active : text.disabled}</Status>
      ),
    },
    ...(mayRemove
      ? [
          {
            key: 'remove',
            ...actionsShape,
            width: 52,
            cell: (user: User) => (
              <Tooltip label={isFree(user) ? text.remove : text.ownAdmin} multiline maw={260}>
                <ActionIcon
                  aria-label={text.removeOne(user.email)}
                  disabled={!isFree(user)}
                  onClick={() => void remove([user])}
                >
                  <IconUserMinus size={16} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            ),
          },
        ]
      : []),
  ]
  const { picked } = selection
  const add = (
    <Button leftSection={<IconUserPlus size={15} />} disabled={!mayAdd} onClick={() => setAdding(true)}>
      {text.addMembers}
    </Button>
  )
  return (
    <div className="stack">
      {mayAdd || (givesAdmin(group) && !me.isAdmin) ? null : <Alert>{text.cannotAdd}</Alert>}
      <div className="filters">
        <FilterField
          label={text.filterMembers}
          value={wanted}
          onChange={(q) => {
            selection.clear()
            void change({ q })
          }}
        />
        <span className="grow" />
        {picked.length > 0 ? (
          <Button variant="default" leftSection={<IconUserMinus size={15} />} onClick={() => void remove(picked)}>
            {text.removePicked(picked.length)}
          </Button>
        ) : null}
        {add}
      </div>
      <StateView query={members}>
        {(rows) =>
          rows.length > 0 ? (
            <ListTable
              label={text.membersTab}
              columns={columns(rows)}
              rows={rows}
              rowKey={({ id }) => id}
              onOpen={({ id }) => void go(`/admin/users/${id}`)}
              more={members.more}
            />
          ) : q === '' ? (
            <EmptyView title={text.noMembers}>{text.noMembersHint}</EmptyView>
          ) : (
            <NoMatch query={q} clear={() => void change({ q: undefined })} />
          )
        }
      </StateView>
      {adding ? <AddMembers group={group} onClose={() => setAdding(false)} /> : null}
    </div>
  )
}
