import { Button, PasswordInput } from '@mantine/core'
import { useState } from 'react'
import type { TokenPair } from '../../../../contract/auth.ts'
import { faultsOf, sentenceOf } from '../../api/problem.ts'
import { publicClient } from '../../api/session.ts'
import { FormProblem } from '../../ui/FormProblem.tsx'
import type { Challenge } from '../second-factor/challenge.ts'
import SecondStep, { type Answer } from '../second-factor/SecondStep.tsx'
import { text } from './messages.ts'
import { bytesOf, fits } from './password.ts'

/** Another password in place of the one that must be changed; those with a second step give it afterwards. */
export default function ReplacePassword({
  challenge,
  email,
  isChosen,
  onChosen,
  onDone,
  onAgain,
  onChallenge,
}: {
  challenge: Challenge
  email: string
  /** Whether the second step is asked for now. */
  isChosen: boolean
  onChosen: (isChosen: boolean) => void
  onDone: (tokens: TokenPair) => Promise<unknown>
  onAgain: () => void
  /** Whether an error says what the sign-in needs next. */
  onChallenge: (error: unknown) => boolean
}) {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [differ, setDiffer] = useState(false)
  const [fault, setFault] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [sending, setSending] = useState(false)

  const replace = async (answer: Answer): Promise<TokenPair> => {
    try {
      const body = { challenge: challenge.challenge, new_password: password, ...answer }
      return await publicClient.replaceExpiredPassword({ query: { session: 'cookie' }, body })
    } catch (error) {
      const { new_password } = faultsOf(error)
      if (new_password !== undefined) {
        setFault(new_password)
        onChosen(false)
      }
      throw error
    }
  }
  const submit = async () => {
    if (password !== again) return setDiffer(true)
    if (challenge.methods.length > 0) return onChosen(true)
    setSending(true)
    setProblem(undefined)
    try {
      await onDone(await replace({}))
    } catch (error) {
      if (onChallenge(error)) return
      if (faultsOf(error).new_password === undefined) setProblem(sentenceOf(error))
      setSending(false)
    }
  }
  if (isChosen) return <SecondStep challenge={challenge} send={replace} onDone={onDone} onAgain={onAgain} />
  return (
    <>
      <FormProblem>{problem}</FormProblem>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (fits(password) && again !== '') void submit()
        }}
      >
        <p className="dim">{text.replaceHint}</p>
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label={text.newPassword}
          description={text.passwordRule(bytesOf(password))}
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value)
            setFault(undefined)
          }}
          error={fault}
          autoComplete="new-password"
          size="md"
          autoFocus
        />
        <PasswordInput
          label={text.newPasswordAgain}
          value={again}
          onChange={(event) => setAgain(event.currentTarget.value)}
          error={differ && password !== again ? text.differ : undefined}
          autoComplete="new-password"
          size="md"
        />
        <Button type="submit" size="md" fullWidth loading={sending} disabled={!fits(password) || again === ''}>
          {text.replace}
        </Button>
      </form>
      <Button variant="subtle" onClick={onAgain}>
        {text.again}
      </Button>
    </>
  )
}
