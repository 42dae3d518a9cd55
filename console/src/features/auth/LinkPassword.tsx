import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { TokenPair } from '../../../../contract/auth.ts'
import { codeOf, sentenceOf } from '../../api/problem.ts'
import { useForm } from '../../ui/useForm.ts'
import { type Challenge, challengeOf } from '../second-factor/challenge.ts'
import { text } from './messages.ts'
import { bytesOf, fits } from './password.ts'

/** Chooses the password of the account that a link is for. */
export function LinkPassword({
  email,
  hint,
  choose,
  onDone,
  onChallenge,
}: {
  email: string
  hint: string
  choose: (password: string) => Promise<TokenPair>
  onDone: (tokens: TokenPair) => Promise<void>
  onChallenge: (challenge: Challenge) => void
}) {
  const form = useForm({ password: '' })
  const [dead, setDead] = useState<string>()
  const { password } = form.values
  const send = () =>
    form.submit(async () => {
      try {
        await onDone(await choose(password))
      } catch (error) {
        const challenge = challengeOf(error)
        if (challenge) return onChallenge(challenge)
        if (codeOf(error) !== 'gone') throw error
        setDead(sentenceOf(error))
      }
    })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (fits(password)) void send()
      }}
    >
      <p className="dim">{hint}</p>
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
