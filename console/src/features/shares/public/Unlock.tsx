import { Button, PasswordInput } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useState } from 'react'
import { describeProblem, statusOf } from '../../../api/problem.ts'
import { unlock } from './api.ts'
import { text } from './messages.ts'

/** Asks for a link's password and exchanges it for a ticket. */
export function Unlock({ token, onUnlocked }: { token: string; onUnlocked: (ticket: string) => void }) {
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const send = async (password: string) => {
    setSending(true)
    setProblem(undefined)
    try {
      onUnlocked((await unlock(token, password)).ticket)
    } catch (error) {
      setProblem(statusOf(error) === 401 ? text.wrong : describeProblem(error).detail)
      setSending(false)
    }
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const password = new FormData(event.currentTarget).get('password')
        if (typeof password === 'string' && password !== '') void send(password)
      }}
    >
      <div className="row">
        <IconLock size={20} stroke={1.6} className="dim" aria-hidden />
        <h1>{text.locked}</h1>
      </div>
      <PasswordInput
        name="password"
        label={text.password}
        description={text.passwordHint}
        error={problem}
        size="md"
        autoComplete="off"
        autoFocus
      />
      <Button type="submit" size="md" loading={sending}>
        {text.open}
      </Button>
    </form>
  )
}
