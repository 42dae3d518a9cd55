import { TextInput } from '@mantine/core'
import type { IdentityPolicy } from '../../../../contract/identity-policies.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { AdminPage } from './AdminPage.tsx'
import { DocumentForm } from './DocumentForm.tsx'
import { text } from './messages.ts'
import { refreshIdentities } from './queries.ts'

/** A new policy that can be attached. */
export default function NewPolicy() {
  const { go } = useView()
  const form = useForm({ name: '', description: '', document: '' })
  const create = async () => {
    let made: IdentityPolicy | undefined
    const done = await form.submit(async (values) => {
      made = await client.createIdentityPolicy({ body: { ...values, name: values.name.trim() } })
    })
    if (!done || !made) return
    notify.ok(text.made(made.name))
    await refreshIdentities()
    await go(`/admin/identity-policies/${made.id}`)
  }
  return (
    <AdminPage title={text.newPolicy} hint={text.policiesHint}>
      <DocumentForm form={form} action={text.createPolicy} ready={form.values.name.trim() !== ''} onSend={create}>
        <div className="policy-question">
          <TextInput
            {...form.field('name')}
            label={text.name}
            description={text.nameHint}
            maxLength={128}
            autoComplete="off"
            spellCheck={false}
            required
          />
          <TextInput {...form.field('description')} label={text.description} maxLength={1000} autoComplete="off" />
        </div>
      </DocumentForm>
    </AdminPage>
  )
}
