import { Button, PasswordInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { meQuery, useMe } from '../../api/queries.ts'
import { client, takeTokens } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'

const empty = { current_password: '', new_password: '', again: '' }

/** Changes the password. All other sessions end; this one continues with new tokens. */
export function ChangePassword() {
  const me = useMe()
  const cache = useQueryClient()
  const form = useForm(empty)
  const { search } = useView()
  const current = useRef<HTMLInputElement>(null)
  // Where this page was opened to change it.
  useEffect(() => {
    if (search.change === 'password') current.current?.focus()
  }, [search.change])
  const [differ, setDiffer] = useState(false)
  const { current_password, new_password, again } = form.values
  const send = async () => {
    if (new_password !== again) return setDiffer(true)
    const done = await form.submit(async () => {
      takeTokens(
        await client.changePassword({ query: { session: 'cookie' }, body: { current_password, new_password } }),
      )
    })
    if (!done) return
    form.reset()
    notify.ok(text.changed)
    await Promise.all([cache.invalidateQueries({ queryKey: ['sessions'] }), cache.invalidateQueries(meQuery)])
  }
  const field = (name: keyof typeof empty, label: string, autoComplete: string) => ({
    ...form.field(name),
    label,
    autoComplete,
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <input type="text" name="username" autoComplete="username" value={me.email} readOnly hidden />
      <PasswordInput {...field('current_password', text.current, 'current-password')} ref={current} />
      <PasswordInput {...field('new_password', text.next, 'new-password')} description={text.nextHint} />
      <PasswordInput
        {...field('again', text.again, 'new-password')}
        error={differ && new_password !== again ? text.differ : undefined}
      />
      <div className="dialog-actions">
        <Button
          type="submit"
          loading={form.sending}
          disabled={current_password === '' || new_password === '' || again === ''}
        >
          {text.change}
        </Button>
      </div>
    </form>
  )
}
