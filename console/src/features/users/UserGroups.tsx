import { ActionIcon, Anchor, Button, Tooltip } from '@mantine/core'
import { IconUserMinus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Group } from '../../../../contract/groups.ts'
import type { User } from '../../../../contract/users.ts'
import { describeProblem } from '../../api/problem.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { placeWords } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import { text as groupText } from '../groups/messages.ts'
import { groupsQuery, refreshPeople } from '../groups/queries.ts'
import { text } from './messages.ts'
import { groupsOf, mayWith } from './queries.ts'

/** A user's groups. */
export function UserGroups({ user }: { user: User }) {
  const me = useMe()
  const cache = useQueryClient()
  const groups = useQuery(groupsQuery)
  const [wanted, setWanted] = useState<string[]>([])
  const [fault, setFault] = useState<string>()
  const [sending, setSending] = useState(false)
  const may = mayWith(me, user, groups.data ?? [])
  const body = { user_ids: [user.id] }

  const add = async () => {
    setSending(true)
    setFault(undefined)
    try {
      for (const id of wanted) await client.addMembers({ params: { id }, body })
      notify.ok(text.joined(wanted.length))
      setWanted([])
    } catch (error) {
      setFault(describeProblem(error).detail)
    }
    setSending(false)
    await refreshPeople(cache)
  }
  const leave = async (group: Group) => {
    const put = async (back: boolean) => {
      const call = { params: { id: group.id }, body }
      try {
        await (back ? client.addMembers(call) : client.removeMembers(call))
        if (back) notify.note(text.joined(1))
        else notify.ok(text.left(group.name), me.covers([group]) ? () => void put(true) : undefined)
        await refreshPeople(cache)
      } catch (error) {
        notify.problem(error)
      }
    }
    await put(false)
  }
  const columns: Column<Group>[] = [
    {
      key: 'name',
      breaks: true,
      title: text.groups,
      cell: ({ id, name }) => (
        <Anchor component={Link} to={`/admin/groups/${id}`} fw={600}>
          {name}
        </Anchor>
      ),
    },
    {
      key: 'rights',
      breaks: true,
      title: text.rights,
      cell: ({ global, grants }) =>
        [
          ...(global.includes('admin') ? [groupText.everything] : []),
          ...(global.includes('users.manage') ? [groupText.managesPeople] : []),
          ...grants.map(({ bucket_pattern, prefix, preset }) => {
            const at = placeWords(bucket_pattern, prefix)
            return `${at} (${preset ?? groupText.custom})`
          }),
        ].join(', ') || groupText.noRights,
    },
    {
      key: 'leave',
      ...actionsShape,
      width: 52,
      cell: (group) => (
        <Tooltip label={may.own && !may.leave(group) ? text.ownAdminGroup : text.leave(group.name)} multiline maw={260}>
          <ActionIcon
            aria-label={text.leave(group.name)}
            disabled={!may.leave(group)}
            onClick={() => void leave(group)}
          >
            <IconUserMinus size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ]
  return (
    <div className="stack">
      <form
        className="card users-card"
        aria-label={text.addGroups}
        onSubmit={(event) => {
          event.preventDefault()
          if (wanted.length > 0) void add()
        }}
      >
        <GroupPicker
          label={text.addGroups}
          description={text.groupsHint}
          value={wanted}
          onChange={setWanted}
          error={fault}
          without={user.groups.map(({ id }) => id)}
        />
        <div>
          <Button type="submit" loading={sending} disabled={wanted.length === 0}>
            {text.addPeople}
          </Button>
        </div>
      </form>
      <StateView query={groups}>
        {(all) => {
          const rows = groupsOf(user, all)
          if (rows.length === 0) return <EmptyView title={text.noGroupsList} />
          return <ListTable label={text.groups} columns={columns} rows={rows} rowKey={({ id }) => id} />
        }}
      </StateView>
    </div>
  )
}
