import './settings.css'
import { Button, Input, PasswordInput } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { Status } from '../../ui/values.tsx'
import { text } from './messages.ts'

interface Props {
  label: string
  description: string
  fault: string | undefined
  fixed: boolean
  /** A secret is saved. */
  isSet: boolean
  /** What saving does: undefined keeps it, null removes it, a string replaces it. */
  draft: string | null | undefined
  onChange: (value: string | null) => void
  onForget: () => void
}

/** A write-only secret: shows whether it is set, and sets, replaces and removes it. */
export function SecretInput({ label, description, fault, fixed, isSet, draft, onChange, onForget }: Props) {
  const id = useId()
  const state =
    draft === null ? (
      <Status tone="warn">{text.willClear}</Status>
    ) : draft !== undefined && isSet ? (
      <Status tone="warn">{text.willReplace}</Status>
    ) : (
      <Status tone={isSet ? 'ok' : 'idle'}>{isSet ? text.isSet : text.isNotSet}</Status>
    )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would look like a section
    <div
      role="group"
      aria-labelledby={id}
      className={draft === undefined ? 'settings-field' : 'settings-field settings-changed'}
    >
      <div className="settings-label" id={id}>
        {label}
      </div>
      <Input.Description>{description}</Input.Description>
      <div className="row settings-secret">
        {state}
        {fixed ? null : draft === undefined ? (
          <>
            <Button variant="default" size="compact-sm" onClick={() => onChange('')}>
              {isSet ? text.replace : text.setSecret}
            </Button>
            {isSet ? (
              <Button variant="default" size="compact-sm" onClick={() => onChange(null)}>
                {text.clear}
              </Button>
            ) : null}
          </>
        ) : (
          <Button variant="default" size="compact-sm" onClick={onForget}>
            {text.keep}
          </Button>
        )}
      </div>
      {typeof draft === 'string' ? (
        <PasswordInput
          aria-label={text.newValue(label)}
          value={draft}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={fault}
          autoFocus
          autoComplete="off"
          maxLength={1000}
        />
      ) : fault ? (
        <Input.Error>{fault}</Input.Error>
      ) : null}
    </div>
  )
}
