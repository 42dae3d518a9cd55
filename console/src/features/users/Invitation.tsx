import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Invitation as Link, User } from '../../../../contract/users.ts'
import { authConfigQuery, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { SecretReveal } from '../../ui/Secret.tsx'
import { TimeAgo } from '../../ui/values.tsx'
import { refreshPeople } from '../groups/queries.ts'
import { text } from './messages.ts'

/** Shows the link of an invitation, once. */
export const InvitationLink = ({ email, url, onClose }: { email: string; url: string; onClose: () => void }) => (
  <SecretReveal title={text.invitationTitle(email)} label={text.invitationLink} secret={url} onClose={onClose}>
    <p className="dim">{useMe().mail ? text.invitationMailed(email) : text.invitationLinkHint}</p>
  </SecretReveal>
)

/** Invites a user who has no password, again where they were invited, and revokes that. */
export function Invitation({ user }: { user: User }) {
  const cache = useQueryClient()
  const config = useQuery(authConfigQuery)
  const [link, setLink] = useState<Link>()
  const [sending, setSending] = useState(false)
  const { id, email, is_active, invitation_expires_at } = user
  const invite = async () => {
    setSending(true)
    try {
      setLink(await client.inviteUser({ params: { id } }))
      await refreshPeople(cache)
    } catch (error) {
      notify.problem(error)
    }
    setSending(false)
  }
  const revoke = async () => {
    const question = { title: text.revokeInvitationTitle(email), children: text.revokeInvitationHint }
    if (!(await confirm({ ...question, action: text.revokeInvitation }))) return
    try {
      await client.revokeInvitation({ params: { id } })
      notify.ok(text.invitationRevoked)
      await refreshPeople(cache)
    } catch (error) {
      notify.problem(error)
    }
  }
  const isInvited = invitation_expires_at !== null
  if (!isInvited && !(is_active && config.data?.local)) return null
  return (
    <>
      {isInvited ? (
        <p className="dim">
          {text.invitedUntil} <TimeAgo time={invitation_expires_at} />
        </p>
      ) : null}
      <div className="row">
        <Button variant="default" loading={sending} onClick={() => void invite()}>
          {isInvited ? text.inviteAgain : text.invite}
        </Button>
        {isInvited ? (
          <Button variant="default" onClick={() => void revoke()}>
            {text.revokeInvitation}
          </Button>
        ) : null}
      </div>
      {link ? <InvitationLink email={email} url={link.url} onClose={() => setLink(undefined)} /> : null}
    </>
  )
}
