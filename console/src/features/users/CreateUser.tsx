import { Button, Modal, PasswordInput, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { isEmail } from '../../../../contract/names.ts'
import type { User } from '../../../../contract/users.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import { refreshPeople } from '../groups/queries.ts'
import { text } from './messages.ts'

export function CreateUser({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient()
  const { go } = useView()
  const form = useForm({ email: '', display_name: '', password: '', group_ids: [] as string[] })
  const { email, display_name } = form.values
  const ready = isEmail(email.trim()) && display_name.trim() !== ''
  const create = async () => {
    let made: User | undefined
    const taken = await form.submit(
      async ({ email, password, ...rest }) => {
        const body = { ...rest, email: email.trim(), ...(password === '' ? {} : { password }) }
        made = await client.createUser({ body })
      },
      { already_exists: 'email' },
    )
    if (!taken || !made) return
    notify.ok(text.made(made.email))
    await refreshPeople(cache)
    await go(`/admin/users/${made.id}`)
  }
  const groupFault = Object.entries(form.faults).find(([name]) => name.startsWith('group_ids'))?.[1]
  return (
    <Modal opened onClose={onClose} title={text.create}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) void create()
        }}
      >
        <p className="dim">{text.createHint}</p>
        <TextInput
          {...form.field('email')}
          type="email"
          label={text.email}
          maxLength={320}
          data-autofocus
          autoComplete="off"
        />
        <TextInput {...form.field('display_name')} label={text.name} maxLength={200} autoComplete="off" />
        <PasswordInput
          {...form.field('password')}
          label={text.password}
          description={text.passwordNewHint}
          autoComplete="new-password"
        />
        <GroupPicker
          label={text.groups}
          description={text.groupsHint}
          value={form.values.group_ids}
          onChange={(ids) => form.set('group_ids', ids)}
          error={groupFault}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!ready}>
            {text.create}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
