import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { TokenPair } from '../../../../contract/auth.ts'
import { codeOf } from '../../api/problem.ts'
import { publicClient, takeTokens } from '../../api/session.ts'
import { titled } from '../../branding.ts'
import { Link } from '../../navigation/Link.tsx'
import { useHere, useView } from '../../navigation/useView.ts'
import { ProblemView } from '../../ui/ProblemView.tsx'
import type { Challenge } from '../second-factor/challenge.ts'
import { Card } from './Card.tsx'
import { LinkPassword } from './LinkPassword.tsx'
import { text } from './messages.ts'
import { NextStep } from './NextStep.tsx'
import { useEnter } from './useEnter.ts'

/** Whoever was invited chooses a password, and is signed in with it. */
export default function Invitation() {
  const { go } = useView()
  const { hash: token } = useHere()
  const [asked, setAsked] = useState<Challenge>()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => publicClient.readInvitation({ body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  useEffect(() => {
    document.title = titled(text.invitationTitle)
  }, [])
  const enter = useEnter()
  const signIn = async (tokens: TokenPair) => {
    takeTokens(tokens)
    await enter()
  }
  const { data, error } = invitation
  if (asked && data)
    return <NextStep challenge={asked} email={data.email} onDone={signIn} onAgain={() => void go('/login')} />
  const isOver = token === '' || codeOf(error) === 'gone'
  return (
    <Card title={isOver ? text.invitationOver : text.invitationTitle}>
      {isOver ? (
        <>
          <p className="dim">{text.invitationOverHint}</p>
          <Button component={Link} to="/login" size="md" fullWidth>
            {text.toSignIn}
          </Button>
        </>
      ) : null}
      {error && !isOver ? <ProblemView error={error} retry={invitation.refetch} /> : null}
      {data && !isOver ? (
        <LinkPassword
          email={data.email}
          hint={text.invitationHint(data.display_name)}
          choose={(password) =>
            publicClient.acceptInvitation({ query: { session: 'cookie' }, body: { token, password } })
          }
          onDone={signIn}
          onChallenge={setAsked}
        />
      ) : null}
    </Card>
  )
}
