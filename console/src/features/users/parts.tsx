import { Anchor } from '@mantine/core'
import { IconId, IconPassword, IconShieldCheck } from '@tabler/icons-react'
import { useState } from 'react'
import type { User } from '../../../../contract/users.ts'
import { describeProblem } from '../../api/problem.ts'
import { Link } from '../../navigation/Link.tsx'
import { Status } from '../../ui/values.tsx'
import { text } from './messages.ts'

/** A user's sign-in methods. */
export const Source = ({
  user: { has_password, has_second_factor, idp_subject, invitation_expires_at },
}: {
  user: User
}) => (
  <span className="users-badges">
    {has_password ? (
      <span className="status">
        <IconPassword size={13} aria-hidden />
        {text.local}
      </span>
    ) : null}
    {has_password && has_second_factor ? (
      <span className="status status-ok">
        <IconShieldCheck size={13} aria-hidden />
        {text.twoStep}
      </span>
    ) : null}
    {idp_subject === null ? null : (
      <span className="status status-note">
        <IconId size={13} aria-hidden />
        {text.idp}
      </span>
    )}
    {has_password || idp_subject !== null ? null : invitation_expires_at !== null ? (
      <span className="dim">{text.notChosen}</span>
    ) : (
      <Status tone="warn">{text.noWayIn}</Status>
    )}
  </span>
)

export const State = ({ user: { is_active, invitation_expires_at } }: { user: User }) => {
  if (!is_active) return <Status tone="bad">{text.disabled}</Status>
  if (invitation_expires_at !== null) return <Status tone="note">{text.invited}</Status>
  return <Status tone="ok">{text.active}</Status>
}

export const GroupLinks = ({ groups }: { groups: User['groups'] }) =>
  groups.length === 0 ? (
    <Status tone="warn">{text.noGroup}</Status>
  ) : (
    groups.map(({ id, name }, i) => (
      <span key={id}>
        {i > 0 ? ', ' : ''}
        <Anchor component={Link} to={`/admin/groups/${id}`}>
          {name}
        </Anchor>
      </span>
    ))
  )

export interface Outcome {
  done: number
  failed: { email: string; why: string }[]
}

/** Applies an action to one user after another, and reports those that failed. */
export function useBulk() {
  const [running, setRunning] = useState(false)
  const run = async (users: readonly User[], work: (user: User) => Promise<unknown>): Promise<Outcome> => {
    setRunning(true)
    const failed: Outcome['failed'] = []
    for (const user of users)
      try {
        await work(user)
      } catch (error) {
        failed.push({ email: user.email, why: describeProblem(error).detail })
      }
    setRunning(false)
    return { done: users.length - failed.length, failed }
  }
  return { running, run }
}
