import { Button, Modal, PasswordInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react'
import type { TokenPair } from '../../../contract/auth.ts'
import { describeProblem } from '../api/problem.ts'
import { authConfigQuery, useMe } from '../api/queries.ts'
import { client, onSignIn, publicClient, renew, takeTokens } from '../api/session.ts'
import { BASE_PATH } from '../base-path.ts'
import { type Challenge, challengeOf } from '../features/second-factor/challenge.ts'
import { hasPasskeys } from '../features/second-factor/passkeys.ts'
import { FormProblem } from '../ui/FormProblem.tsx'
import { text } from './messages.ts'

const SecondStep = lazy(() => import('../features/second-factor/SecondStep.tsx'))

/** Escape is not for the dialog that may be open below this one. */
const KEEPS_ESCAPE = { 'data-mantine-stop-propagation': 'true' }

/** The tab cannot reach this page, also not from the provider's. */
function openTab(): void {
  const tab = window.open(`${BASE_PATH}/login?next=/signed-in`)
  if (tab) tab.opener = null
}

/**
 * Signs in again over the view in which the session has expired, so that what was typed into it stays: with the password
 * here, and in every other way in a tab of its own, after which this one continues.
 */
export default function SignInAgain({ onDone }: { onDone: () => void }) {
  const { id, email } = useMe()
  const config = useQuery(authConfigQuery)
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [sending, setSending] = useState(false)
  const [asked, setAsked] = useState<Challenge>()
  const finish = (tokens: TokenPair): undefined => {
    takeTokens(tokens)
    onDone()
  }
  const proceed = useEffectEvent(async () => {
    try {
      if (!(await renew())) return
      // What somebody else may see is not what is here.
      if ((await client.me()).id === id) onDone()
      else location.reload()
    } catch (error) {
      setProblem(describeProblem(error).detail)
    }
  })
  useEffect(() => onSignIn(() => void proceed()), [])
  const byPasskey = async () => {
    setSending(true)
    setProblem(undefined)
    const { beginPasskeySignIn, explainSignIn, signInWithPasskey } = await import(
      '../features/second-factor/passkeySignIn.ts'
    )
    try {
      takeTokens(await signInWithPasskey(await beginPasskeySignIn()))
      // A passkey may be somebody else's.
      if ((await client.me()).id === id) onDone()
      else location.reload()
    } catch (error) {
      setProblem(explainSignIn(error))
      setSending(false)
    }
  }
  const signIn = async () => {
    setSending(true)
    setProblem(undefined)
    try {
      finish(await publicClient.login({ query: { session: 'cookie' }, body: { username: email, password } }))
    } catch (error) {
      const challenge = challengeOf(error)
      // Setting up a second step, and another password, need a page of their own.
      const here = challenge?.step === 'verify' ? challenge : undefined
      setAsked(here)
      if (!here) setProblem(challenge ? text.moreSteps : describeProblem(error).detail)
      setSending(false)
    }
  }
  const local = config.data?.local ?? false
  if (config.isPending) return null
  return (
    <Modal
      opened
      onClose={() => undefined}
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
        {local ? (
          <PasswordInput
            label={text.passwordOf(email)}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={problem}
            autoComplete="current-password"
            data-autofocus
            {...KEEPS_ESCAPE}
          />
        ) : (
          <FormProblem>{problem}</FormProblem>
        )}
        <div className="dialog-actions">
          <Button variant={local ? 'default' : 'filled'} onClick={openTab} {...KEEPS_ESCAPE}>
            {text.signInInTab}
          </Button>
          {config.data?.passkeys && hasPasskeys() ? (
            <Button variant="default" disabled={sending} onClick={() => void byPasskey()} {...KEEPS_ESCAPE}>
              {text.usePasskey}
            </Button>
          ) : null}
          {local ? (
            <Button type="submit" loading={sending} {...KEEPS_ESCAPE}>
              {text.signIn}
            </Button>
          ) : null}
        </div>
      </form>
    </Modal>
  )
}
