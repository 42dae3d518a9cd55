import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Role } from '../../../../contract/roles.ts'
import { useEndpoint } from '../../api/endpoint.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { Snippets } from '../../ui/Snippets.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { ViewTabs } from '../../ui/ViewTabs.tsx'
import { AdminPage } from './AdminPage.tsx'
import { connections } from './connections.ts'
import { text } from './messages.ts'
import { PoliciesOf } from './PoliciesOf.tsx'
import { refreshIdentities, roleQuery } from './queries.ts'
import { bodyOf, RoleForm, valuesOf } from './RoleForm.tsx'

/** One role: what it may, who may take it on, and how a program does. */
export default function RoleView() {
  const me = useMe()
  const { params, go } = useView()
  const { role: name = '' } = params
  const role = useQuery({ ...roleQuery(name), enabled: me.isAdmin })
  const remove = async () => {
    const question = {
      title: text.deleteRoleTitle(name),
      children: text.deleteRoleText,
      action: text.deleteRole,
    }
    if (!(await confirm(question))) return
    try {
      await client.deleteRole({ params: { role: name } })
    } catch (error) {
      return notify.problem(error)
    }
    notify.ok(text.deleted(name))
    await go('/admin/roles')
    queries.removeQueries({ queryKey: ['roles', name] })
    await refreshIdentities()
  }
  return (
    <AdminPage
      title={name}
      hint={role.data?.description}
      call={{ operation: 'getRole', params: { role: name } }}
      actions={
        role.data ? (
          <Button variant="default" className="bad" leftSection={<IconTrash size={15} />} onClick={() => void remove()}>
            {text.deleteRole}
          </Button>
        ) : null
      }
    >
      <StateView query={role}>
        {(role) => (
          <ViewTabs
            label={name}
            tabs={[
              {
                name: 'policies',
                label: text.policiesTab,
                content: () => <PoliciesOf kind="role" owner={role.name} />,
              },
              {
                name: 'trust',
                label: text.trustTab,
                content: () => <Settings key={JSON.stringify(role)} role={role} />,
              },
              { name: 'connect', label: text.connectTab, content: () => <Connect role={role} /> },
            ]}
          />
        )}
      </StateView>
    </AdminPage>
  )
}

function Settings({ role }: { role: Role }) {
  const form = useForm(valuesOf(role))
  const save = async () => {
    const body = bodyOf(form.values)
    if (!(await form.submit(() => client.updateRole({ params: { role: role.name }, body })))) return
    notify.ok(text.saved(role.name))
    await refreshIdentities()
  }
  return <RoleForm form={form} action={common.save} onSend={save} />
}

/** What a program needs to take on the role. */
function Connect({ role: { arn } }: { role: Role }) {
  const to = useEndpoint()
  if (!to) return <p className="dim">{text.connectOff}</p>
  return (
    <section className="card stack" aria-label={text.connectTab}>
      <p className="dim">{text.connectHint}</p>
      <CopyField label={text.roleArn} hideLabel={false} value={arn} mono />
      <CopyField label={text.endpoint} hideLabel={false} value={to.endpoint} mono />
      <Snippets title={null} label={text.program} snippets={connections({ ...to, arn })} />
    </section>
  )
}
