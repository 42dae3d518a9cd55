import './second-factor.css'
import { TextInput } from '@mantine/core'
import { text } from './messages.ts'

/** Six digits of an authenticator app, which browsers and phones can fill in. */
export const CodeField = ({
  value,
  error,
  focused = false,
  onChange,
}: {
  value: string
  error?: string | undefined
  focused?: boolean
  onChange: (value: string) => void
}) => (
  <TextInput
    className="second-factor-code"
    label={text.code}
    name="otp"
    value={value}
    error={error}
    onChange={(event) => onChange(event.currentTarget.value)}
    inputMode="numeric"
    autoComplete="one-time-code"
    maxLength={7}
    spellCheck={false}
    autoFocus={focused}
    size="md"
  />
)
