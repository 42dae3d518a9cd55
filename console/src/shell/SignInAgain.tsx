import { Button, Modal, PasswordInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react'
import type { TokenPair } from '../../../contract/auth.ts'
import { describeProblem } from '../api/problem.ts'
import { authConfigQuery } from '../api/queries.ts'
import { publicClient, takeTokens } from '../api/session.ts'
import { type Challenge, challengeOf } from '../features/second-factor/challenge.ts'
import { text } from './messages.ts'

const SecondStep = lazy(() => import('../features/second-factor/SecondStep.tsx'))

/** Escape is not for the dialog that may be open below this one. */
const KEEPS_ESCAPE = { 'data-mantine-stop-propagation': 'true' }

/**
 * Asks for the password over the view in which the session has expired. Who signs in otherwise is taken to the sign-in
 * page.
 */
export default function SignInAgain({
  email,
  onDone,
  onLeave,
}: {
  email: string
  onDone: () => void
  onLeave: () => void
}) {
  const config = useQuery(authConfigQuery)
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [sending, setSending] = useState(false)
  const [asked, setAsked] = useState<Challenge>()
  const leave = useEffectEvent(onLeave)
  const isPossible = config.data?.local ?? !config.error
  useEffect(() => {
    if (!isPossible) leave()
  }, [isPossible])
  const finish = (tokens: TokenPair): undefined => {
    takeTokens(tokens)
    onDone()
  }
  const signIn = async () => {
    setSending(true)
    setProblem(undefined)
    try {
      finish(await publicClient.login({ query: { session: 'cookie' }, body: { username: email, password } }))
    } catch (error) {
      const challenge = challengeOf(error)
      // Setting up a second step, and another password, need a page of their own.
      if (challenge && challenge.step !== 'verify') return onLeave()
      setAsked(challenge)
      if (!challenge) setProblem(describeProblem(error).detail)
      setSending(false)
    }
  }
  if (!config.data?.local) return null
  return (
    <Modal
      opened
      onClose={onLeave}
      title={text.expiredTitle}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      // Who looks at the screen meanwhile sees nothing of the view.
      overlayProps={{ backgroundOpacity: 0.85, blur: 12 }}
      zIndex={400}
    >
      {asked ? (
        <div className="stack" {...KEEPS_ESCAPE}>
          <Suspense fallback={null}>
            <SecondStep
              challenge={asked}
              onDone={finish}
              onAgain={() => {
                setAsked(undefined)
                setPassword('')
              }}
            />
          </Suspense>
        </div>
      ) : null}
      <form
        hidden={asked !== undefined}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (password !== '') void signIn()
        }}
      >
        <p role="status">{text.expiredHint}</p>
        <PasswordInput
          label={text.passwordOf(email)}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problem}
          autoComplete="current-password"
          data-autofocus
          {...KEEPS_ESCAPE}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onLeave} {...KEEPS_ESCAPE}>
            {text.signInOtherwise}
          </Button>
          <Button type="submit" loading={sending} {...KEEPS_ESCAPE}>
            {text.signIn}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
