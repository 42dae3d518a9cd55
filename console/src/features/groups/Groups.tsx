import { Anchor, Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Group } from '../../../../contract/groups.ts'
import { curlOf } from '../../api/curl.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { FilterField, Filters } from '../../ui/FilterField.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { ViewTabs } from '../../ui/ViewTabs.tsx'
import { Count, Status } from '../../ui/values.tsx'
import { text as policies } from '../access-policies/messages.ts'
import { descriptionOf } from './describe.ts'
import { Explain } from './Explain.tsx'
import { GroupFields } from './GroupFields.tsx'
import { text } from './messages.ts'
import { groupsQuery, refreshPeople } from './queries.ts'
import { Simulate } from './Simulate.tsx'
import './groups.css'
import { placeWords } from '../../keys.ts'

const columns: readonly Column<Group>[] = [
  {
    key: 'name',
    breaks: true,
    title: text.name,
    cell: ({ id, name, builtin, description }) => (
      <>
        <span className="row">
          <Anchor component={Link} to={`/admin/groups/${id}`} fw={600}>
            {name}
          </Anchor>
          {builtin ? <Status tone="note">{text.builtin}</Status> : null}
        </span>
        {description ? (
          <span className="dim small groups-description">{descriptionOf({ builtin, description })}</span>
        ) : null}
      </>
    ),
  },
  {
    key: 'members',
    title: text.members,
    number: true,
    width: 110,
    cell: (group) => (group.public ? text.everyone : <Count n={group.member_count} />),
  },
  { key: 'rights', breaks: true, title: text.rights, optional: true, cell: (group) => <Summary group={group} /> },
]

/** A group's permissions in a line. */
function Summary({ group: { global, grants } }: { group: Group }) {
  if (global.includes('admin')) return text.everything
  const parts = [
    ...(global.includes('users.manage') ? [text.managesPeople] : []),
    ...new Set(
      grants.map(
        ({ bucket_pattern, prefix, preset }) => `${placeWords(bucket_pattern, prefix)} (${preset ?? text.custom})`,
      ),
    ),
  ]
  if (parts.length === 0) return <span className="dim">{text.noRights}</span>
  return parts.length > 4 ? `${parts.slice(0, 3).join(', ')} … ${text.grants(grants.length)}` : parts.join(', ')
}

/** The list of groups, and the access check. */
export default function Groups() {
  const me = useMe()
  const [creating, setCreating] = useState(false)
  if (!me.managesUsers)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  return (
    <Page
      title={text.title}
      call={{ operation: 'listGroups' }}
      actions={
        <Button leftSection={<IconPlus size={15} />} onClick={() => setCreating(true)}>
          {text.create}
        </Button>
      }
    >
      <ViewTabs
        label={text.title}
        tabs={[
          { name: 'list', label: text.listTab, content: () => <List /> },
          { name: 'explain', label: text.explainTab, content: () => <Explain /> },
          { name: 'simulate', label: policies.simulate, content: () => <Simulate /> },
        ]}
      />
      {creating ? <CreateGroup onClose={() => setCreating(false)} /> : null}
    </Page>
  )
}

function List() {
  const { search, change, go } = useView()
  const groups = useQuery(groupsQuery)
  const wanted = search.q ?? ''
  return (
    <StateView query={groups}>
      {(all) => {
        if (all.length === 0)
          return (
            <EmptyView
              title={text.emptyTitle}
              curl={curlOf({
                operation: 'createGroup',
                body: { name: 'Editors', grants: [{ bucket_pattern: 'photos', preset: 'editor' }] },
              })}
            >
              {text.emptyHint}
            </EmptyView>
          )
        const rows = all.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
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
                rowKey={({ id }) => id}
                onOpen={({ id }) => void go(`/admin/groups/${id}`)}
              />
            )}
          </>
        )
      }}
    </StateView>
  )
}

function CreateGroup({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient()
  const me = useMe()
  const { go } = useView()
  const form = useForm({ name: '', description: '' })
  const create = async () => {
    let made: Group | undefined
    const taken = await form.submit(async (body) => {
      made = await client.createGroup({ body })
    })
    if (!taken || !made) return
    notify.ok(text.made(made.name))
    void refreshPeople(cache)
    await go(`/admin/groups/${made.id}`, me.isAdmin ? { tab: 'permissions' } : {})
  }
  return <GroupFields title={text.create} action={common.create} form={form} onSend={create} onClose={onClose} />
}
