import { Alert, Button, Modal } from '@mantine/core'
import { IconLogout, IconUserOff, IconUsersPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../../contract/users.ts'
import { describeProblem } from '../../api/problem.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import { refreshPeople } from '../groups/queries.ts'
import { text } from './messages.ts'
import { type Outcome, useBulk } from './parts.tsx'

const NAMED = 5
/** The affected users: the first few by name, and the number of others. */
const Names = ({ users, hint }: { users: readonly User[]; hint: string }) => (
  <div className="stack-tight">
    <ul className="users-names">
      {users.slice(0, NAMED).map(({ id, email }) => (
        <li key={id}>{email}</li>
      ))}
      {users.length > NAMED ? <li className="dim">{text.more(users.length - NAMED)}</li> : null}
    </ul>
    <p>{hint}</p>
  </div>
)

/** Bulk actions on users. No one can apply them to themselves by accident. */
export function BulkBar({ users, clear }: { users: readonly User[]; clear: () => void }) {
  const me = useMe()
  const cache = useQueryClient()
  const { running, run } = useBulk()
  const [choosing, setChoosing] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const others = users.filter(({ id, is_admin }) => id !== me.id && (me.isAdmin || !is_admin))
  const active = others.filter(({ is_active }) => is_active)

  const perform = async (on: readonly User[], work: (user: User) => Promise<unknown>) => {
    const result = await run(on, work)
    await refreshPeople(cache)
    if (result.failed.length > 0) return setOutcome(result)
    notify.ok(text.bulkDone(result.done))
    clear()
  }
  const deactivate = async () => {
    const children = <Names users={active} hint={text.deactivateHint} />
    if (await confirm({ title: text.deactivateTitle(active.length), children, action: text.deactivate }))
      await perform(active, ({ id }) => client.updateUser({ params: { id }, body: { is_active: false } }))
  }
  const endSessions = async () => {
    const children = <Names users={others} hint={text.endHint} />
    if (await confirm({ title: text.endTitle(others.length), children, action: text.endSessions }))
      await perform(others, ({ id }) => client.endUserSessions({ params: { id } }))
  }
  return (
    <>
      <div className="filters users-bulk">
        <strong role="status">{text.picked(users.length)}</strong>
        <Button
          variant="default"
          leftSection={<IconUsersPlus size={15} />}
          disabled={running}
          onClick={() => setChoosing(true)}
        >
          {text.addToGroup}
        </Button>
        <Button
          variant="default"
          leftSection={<IconUserOff size={15} />}
          disabled={active.length === 0}
          loading={running}
          onClick={() => void deactivate()}
        >
          {text.deactivate}
        </Button>
        <Button
          variant="default"
          leftSection={<IconLogout size={15} />}
          disabled={others.length === 0}
          loading={running}
          onClick={() => void endSessions()}
        >
          {text.endSessions}
        </Button>
        <Button variant="subtle" onClick={clear}>
          {text.clear}
        </Button>
      </div>
      {outcome ? (
        <Alert
          role="alert"
          className="alert-bad"
          title={text.bulkFailed(outcome.failed.length, outcome.failed.length + outcome.done)}
          withCloseButton
          closeButtonLabel={text.bulkClose}
          onClose={() => setOutcome(undefined)}
        >
          <ul className="users-names">
            {outcome.failed.map(({ email, why }) => (
              <li key={email}>
                {email}: {why}
              </li>
            ))}
          </ul>
        </Alert>
      ) : null}
      {choosing ? <AddToGroups users={users} onClose={() => setChoosing(false)} onDone={clear} /> : null}
    </>
  )
}

/** Adds users to groups. */
function AddToGroups({
  users,
  onClose,
  onDone,
}: {
  users: readonly Pick<User, 'id'>[]
  onClose: () => void
  onDone: () => void
}) {
  const cache = useQueryClient()
  const [groups, setGroups] = useState<string[]>([])
  const [sending, setSending] = useState(false)
  const [fault, setFault] = useState<string>()
  const add = async () => {
    setSending(true)
    try {
      for (const id of groups)
        await client.addMembers({ params: { id }, body: { user_ids: users.map((user) => user.id) } })
      notify.ok(text.joined(groups.length))
      onClose()
      onDone()
    } catch (error) {
      setFault(describeProblem(error).detail)
      setSending(false)
    }
    await refreshPeople(cache)
  }
  return (
    <Modal opened onClose={onClose} title={text.addToGroupTitle(users.length)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (groups.length > 0) void add()
        }}
      >
        <GroupPicker
          label={text.groups}
          description={text.groupsHint}
          value={groups}
          onChange={setGroups}
          error={fault}
          autoFocus
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={sending} disabled={groups.length === 0}>
            {text.addPeople}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
