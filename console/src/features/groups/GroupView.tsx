import { Alert, Button } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Group } from '../../../../contract/groups.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { ViewTabs } from '../../ui/ViewTabs.tsx'
import { text as identities } from '../identities/messages.ts'
import { PoliciesOf } from '../identities/PoliciesOf.tsx'
import { descriptionOf } from './describe.ts'
import { GroupFields } from './GroupFields.tsx'
import { Members } from './Members.tsx'
import { text } from './messages.ts'
import { Permissions } from './Permissions.tsx'
import { givesAdmin, groupQuery, refreshPeople } from './queries.ts'
import './groups.css'

/** One group: its members and permissions. */
export default function GroupView() {
  const me = useMe()
  const { params } = useView()
  const { id = '' } = params
  const group = useQuery({ ...groupQuery(id), enabled: me.managesUsers })
  const [renaming, setRenaming] = useState(false)
  const cache = useQueryClient()
  const { go } = useView()
  if (!me.managesUsers)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )

  const remove = async ({ name, member_count }: Group) => {
    const yes = await confirm({
      title: text.deleteTitle(name),
      children: member_count === 0 ? text.deleteEmpty : text.deleteMembers(member_count),
      action: text.delete,
    })
    if (!yes) return
    try {
      await client.deleteGroup({ params: { id }, query: { force: member_count > 0 } })
    } catch (error) {
      return notify.problem(error)
    }
    notify.ok(text.deleted(name))
    await go('/admin/groups')
    cache.removeQueries({ queryKey: ['group', id] })
    await refreshPeople(cache)
  }
  const data = group.data
  const mayChange = data !== undefined && (me.isAdmin || !givesAdmin(data))
  return (
    <Page
      title={data?.name ?? text.title}
      hint={data && descriptionOf(data)}
      call={{ operation: 'getGroup', params: { id } }}
      actions={
        data && mayChange ? (
          <>
            <Button variant="default" leftSection={<IconPencil size={15} />} onClick={() => setRenaming(true)}>
              {text.edit}
            </Button>
            {data.builtin ? null : (
              <Button
                variant="default"
                className="bad"
                leftSection={<IconTrash size={15} />}
                onClick={() => void remove(data)}
              >
                {text.delete}
              </Button>
            )}
          </>
        ) : null
      }
    >
      <StateView query={group}>
        {(group) => (
          <>
            {group.builtin ? <Alert>{group.public ? text.publicHint : text.builtinHint}</Alert> : null}
            {!group.builtin && !mayChange ? <Alert>{text.adminOnly}</Alert> : null}
            <ViewTabs
              label={group.name}
              tabs={[
                ...(group.public
                  ? []
                  : [
                      {
                        name: 'members',
                        label: `${text.membersTab} (${group.member_count})`,
                        content: () => <Members group={group} />,
                      },
                    ]),
                {
                  name: 'permissions',
                  label: text.permissionsTab,
                  content: () => <Permissions key={group.id} group={group} />,
                },
                ...(me.isAdmin && !group.public
                  ? [
                      {
                        name: 'policies',
                        label: identities.policiesTab,
                        content: () => <PoliciesOf kind="group" owner={group.id} />,
                      },
                    ]
                  : []),
              ]}
            />
            {renaming ? <Rename group={group} onClose={() => setRenaming(false)} /> : null}
          </>
        )}
      </StateView>
    </Page>
  )
}

function Rename({ group, onClose }: { group: Group; onClose: () => void }) {
  const cache = useQueryClient()
  const form = useForm({ name: group.name, description: group.description })
  const save = async () => {
    const taken = await form.submit((body) => client.updateGroup({ params: { id: group.id }, body }))
    if (!taken) return
    notify.ok(text.saved(form.values.name))
    onClose()
    await refreshPeople(cache)
  }
  return (
    <GroupFields title={text.editTitle(group.name)} action={common.save} form={form} onSend={save} onClose={onClose} />
  )
}
