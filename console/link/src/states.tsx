import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Refused, unlock } from './api.ts'
import { Icon } from './icons.tsx'
import { text } from './language.ts'
import { reasonWords } from './problems.ts'

interface StateProps {
  icon: 'gone' | 'warning' | 'other'
  title: string
  hint: string
  children?: ComponentChildren
}
/** A page that has one thing to say. */
export const State = ({ icon, title, hint, children }: StateProps) => (
  <div class="state">
    <Icon name={icon} size={36} />
    <h1>{title}</h1>
    <p class="dim">{hint}</p>
    {children}
  </div>
)

/** Expired, revoked, used-up and unknown links look the same, so that nothing is revealed. */
export const Gone = ({ tookLast = false }: { tookLast?: boolean }) => (
  <State icon="gone" title={tookLast ? text.tookLast : text.goneTitle} hint={text.goneHint} />
)

export const Failed = ({ problem, again }: { problem: Refused; again: () => void }) => (
  <div role="alert">
    <State icon="warning" title={text.failedTitle} hint={reasonWords(problem)}>
      {problem.requestId === undefined ? null : (
        <p class="dim small mono">
          {text.request} {problem.requestId}
        </p>
      )}
      <button type="button" class="button plain" onClick={again}>
        {text.again}
      </button>
    </State>
  </div>
)

/** Asks for the link's password. */
export function Unlock({ onUnlocked }: { onUnlocked: () => Promise<unknown> }) {
  const [sending, setSending] = useState(false)
  const [shown, setShown] = useState(false)
  const [problem, setProblem] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const send = async (password: string) => {
    setSending(true)
    setProblem(undefined)
    try {
      await unlock(password)
      await onUnlocked()
    } catch (error) {
      const status = error instanceof Refused ? error.status : 0
      if (status === 410) await onUnlocked()
      setProblem(status === 401 ? text.wrong : reasonWords(error))
      if (status === 401) input.current?.select()
    }
    setSending(false)
  }
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const password = new FormData(event.currentTarget).get('password')
        if (typeof password === 'string' && password !== '' && !sending) void send(password)
      }}
    >
      <h1 class="row">
        <Icon name="lock" size={22} class="dim" />
        {text.locked}
      </h1>
      <div class="field">
        <label for="password">{text.password}</label>
        <p class="dim small" id="password-hint">
          {text.passwordHint}
        </p>
        <input
          ref={input}
          id="password"
          name="password"
          type={shown ? 'text' : 'password'}
          autocomplete="off"
          autofocus
          aria-describedby="password-hint password-problem"
          aria-invalid={problem !== undefined}
        />
        <p class="bad small" id="password-problem" role="alert">
          {problem}
        </p>
        <label class="row small">
          <input type="checkbox" checked={shown} onChange={(event) => setShown(event.currentTarget.checked)} />
          {text.showPassword}
        </label>
      </div>
      <button type="submit" class="button" aria-busy={sending}>
        {text.open}
      </button>
    </form>
  )
}
