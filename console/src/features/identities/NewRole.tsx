import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { AdminPage } from './AdminPage.tsx'
import { text } from './messages.ts'
import { refreshIdentities } from './queries.ts'
import { bodyOf, RoleForm, valuesOf } from './RoleForm.tsx'

/** A new role; its policies come next. */
export default function NewRole() {
  const { go } = useView()
  const form = useForm(valuesOf())
  const create = async () => {
    const name = form.values.name.trim()
    if (!(await form.submit((values) => client.createRole({ body: { name, ...bodyOf(values) } })))) return
    notify.ok(text.made(name))
    await refreshIdentities()
    await go(`/admin/roles/${name}`)
  }
  return (
    <AdminPage title={text.newRole} hint={text.rolesHint}>
      <RoleForm form={form} isNew action={text.create} onSend={create} />
    </AdminPage>
  )
}
