import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { TokenPair } from '../../../../contract/auth.ts'
import { codeOf, describeProblem } from '../../api/problem.ts'
import { publicClient, takeTokens } from '../../api/session.ts'
import { titled } from '../../branding.ts'
import { useView } from '../../navigation.ts'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { type Challenge, challengeOf } from '../second-factor/challenge.ts'
import { Card } from './Card.tsx'
import { text } from './messages.ts'
import { NextStep } from './NextStep.tsx'
import { bytesOf, fits } from './password.ts'
import { useEnter } from './useEnter.ts'

/** Whoever was invited chooses a password, and is signed in with it. */
export default function Invitation() {
  const { go } = useView()
  const token = useLocation({ select: ({ hash }) => hash })
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
      {data && !isOver ? <Accept token={token} {...data} onDone={signIn} onChallenge={setAsked} /> : null}
    </Card>
  )
}

function Accept({
  token,
  email,
  display_name,
  onDone,
  onChallenge,
}: {
  token: string
  email: string
  display_name: string
  onDone: (tokens: TokenPair) => Promise<void>
  onChallenge: (challenge: Challenge) => void
}) {
  const form = useForm({ password: '' })
  const [dead, setDead] = useState<string>()
  const { password } = form.values
  const accept = () =>
    form.submit(async () => {
      try {
        await onDone(await publicClient.acceptInvitation({ query: { session: 'cookie' }, body: { token, password } }))
      } catch (error) {
        const challenge = challengeOf(error)
        if (challenge) return onChallenge(challenge)
        if (codeOf(error) !== 'gone') throw error
        setDead(describeProblem(error).detail)
      }
    })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (fits(password)) void accept()
      }}
    >
      <p className="dim">{text.invitationHint(display_name)}</p>
      <TextInput label={text.email} value={email} autoComplete="username" readOnly size="md" />
      <PasswordInput
        {...form.field('password')}
        label={text.newPassword}
        description={text.passwordRule(bytesOf(password))}
        error={dead ?? form.faults.password}
        autoComplete="new-password"
        size="md"
        autoFocus
      />
      <Button type="submit" size="md" fullWidth loading={form.sending} disabled={!fits(password)}>
        {text.acceptInvitation}
      </Button>
    </form>
  )
}
