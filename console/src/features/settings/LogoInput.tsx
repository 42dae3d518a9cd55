import { Button, Input } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { describeProblem } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { notify } from '../../ui/notify.tsx'
import { text } from './messages.ts'

/** The logo: shown on both backgrounds, replaced and removed at once, unlike the fields of the form. */
export function LogoInput({ url }: { url: string | null }) {
  const cache = useQueryClient()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [sending, setSending] = useState(false)
  const [fault, setFault] = useState<string>()
  const change = async (work: () => Promise<unknown>, words: string) => {
    setSending(true)
    setFault(undefined)
    try {
      await work()
      await cache.invalidateQueries({ queryKey: ['settings'] })
      notify.ok(words)
    } catch (error) {
      setFault(describeProblem(error).detail)
    }
    setSending(false)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would look like a section
    <div role="group" aria-labelledby={id} className="settings-field stack-tight">
      <div>
        <div className="settings-label" id={id}>
          {text.logo}
        </div>
        <Input.Description>{text.logoHint}</Input.Description>
      </div>
      {url === null ? (
        <span className="dim">{text.logoNone}</span>
      ) : (
        <div className="settings-logos">
          {(['light', 'dark'] as const).map((scheme) => (
            <span key={scheme} className={`settings-logo-${scheme}`}>
              <img src={url} alt={text.logoNow} />
            </span>
          ))}
        </div>
      )}
      <div className="row">
        <Button variant="default" loading={sending} onClick={() => input.current?.click()}>
          {text.logoChoose}
        </Button>
        {url === null ? null : (
          <Button
            variant="default"
            disabled={sending}
            onClick={() => void change(() => client.deleteLogo(), text.logoRemoved)}
          >
            {text.logoRemove}
          </Button>
        )}
        <input
          ref={input}
          type="file"
          hidden
          accept="image/png,image/jpeg,image/webp,image/avif,image/gif"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? []
            // The same file can be chosen again after it was changed.
            currentTarget.value = ''
            if (file) void change(() => client.setLogo({ body: file }), text.logoSaved)
          }}
        />
      </div>
      {fault === undefined ? null : (
        <p className="bad" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
