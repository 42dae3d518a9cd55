import { Button, Modal, PasswordInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { describeProblem } from '../api/problem.ts'
import { authConfigQuery } from '../api/queries.ts'
import { publicClient, takeTokens } from '../api/session.ts'
import { text } from './messages.ts'

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
  const leave = useEffectEvent(onLeave)
  const isPossible = config.data?.local ?? !config.error
  useEffect(() => {
    if (!isPossible) leave()
  }, [isPossible])
  const signIn = async () => {
    setSending(true)
    setProblem(undefined)
    try {
      takeTokens(await publicClient.login({ query: { session: 'cookie' }, body: { username: email, password } }))
      onDone()
    } catch (error) {
      setProblem(describeProblem(error).detail)
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
      <form
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
