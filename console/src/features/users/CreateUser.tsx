import '@mantine/core/styles/Radio.css'
import { Button, Modal, Radio, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isEmail } from '../../../../contract/names.ts'
import { authConfigQuery, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import { refreshPeople } from '../groups/queries.ts'
import { InvitationLink } from './Invitation.tsx'
import { text } from './messages.ts'
import { NewPassword } from './NewPassword.tsx'

type Made = Awaited<ReturnType<typeof client.createUser>>
/** How a new user signs in first. */
const ways = ['invite', 'password', 'none'] as const
type Way = (typeof ways)[number]

export function CreateUser({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient()
  const { go } = useView()
  const { data: config } = useQuery(authConfigQuery)
  const { mail } = useMe()
  /** What to say of a way: where mail is set up, the link is sent too. */
  const asked = (way: Way) => (way === 'invite' && mail ? 'mail' : way)
  const form = useForm({ email: '', display_name: '', password: '', group_ids: [] as string[] })
  const [picked, setPicked] = useState<Way>()
  const [mustChange, setMustChange] = useState(true)
  const [made, setMade] = useState<Made>()
  const { email, display_name, password } = form.values
  // Where nobody signs in with a password, there is nothing to invite users to.
  const way = picked ?? (config?.local === false ? 'none' : 'invite')
  const isReady = () =>
    form.check({
      email: email.trim() === '' ? common.required : !isEmail(email.trim()) && common.badEmail,
      display_name: display_name.trim() === '' && common.required,
      password: way === 'password' && password === '' && common.required,
    })
  const open = async ({ id }: Made) => {
    await refreshPeople(cache)
    await go(`/admin/users/${id}`)
  }
  const create = async () => {
    let user: Made | undefined
    const login = {
      ...(way === 'password' ? { password, must_change_password: mustChange } : {}),
      ...(way === 'invite' ? { invite: true } : {}),
    }
    const taken = await form.submit(
      async ({ email, display_name, group_ids }) => {
        user = await client.createUser({ body: { email: email.trim(), display_name, group_ids, ...login } })
      },
      { already_exists: 'email' },
    )
    if (!taken || !user) return
    notify.ok(text.made(user.email))
    if (user.invitation) setMade(user)
    else await open(user)
  }
  if (made?.invitation)
    return <InvitationLink email={made.email} url={made.invitation.url} onClose={() => void open(made)} />
  const groupFault = Object.entries(form.faults).find(([name]) => name.startsWith('group_ids'))?.[1]
  return (
    <Modal opened onClose={onClose} title={text.create}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady()) void create()
        }}
      >
        <TextInput
          {...form.field('email')}
          type="email"
          label={text.email}
          maxLength={320}
          data-autofocus
          autoComplete="off"
        />
        <TextInput {...form.field('display_name')} label={text.name} maxLength={200} autoComplete="off" />
        <Radio.Group label={text.firstSignIn} value={way} onChange={(value) => setPicked(value as Way)}>
          <div className="stack-tight">
            {ways.map((one) => (
              <Radio
                key={one}
                value={one}
                label={text.ways(asked(one))}
                description={text.waysHint(asked(one))}
                disabled={one === 'invite' && config?.local === false}
              />
            ))}
          </div>
        </Radio.Group>
        {way === 'password' ? (
          <NewPassword
            field={form.field('password')}
            label={text.password}
            description={text.passwordNewHint}
            mustChangeLabel={text.mustChangeFirst}
            mustChange={mustChange}
            setPassword={(password) => form.set('password', password)}
            setMustChange={setMustChange}
          />
        ) : null}
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
          <Button type="submit" loading={form.sending}>
            {common.create}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
