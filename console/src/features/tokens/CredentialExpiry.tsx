import { Alert } from '@mantine/core'
import { type Expiry, ExpiryField } from '../../ui/ExpiryField.tsx'
import { useLifetimes } from './lifetimes.ts'
import { text } from './messages.ts'

/** When a new credential expires, within what the settings allow. */
export function CredentialExpiry({
  value,
  onChange,
  error,
}: {
  value: Expiry
  onChange: (next: Expiry) => void
  error?: string | undefined
}) {
  const { most, lengths } = useLifetimes()
  return (
    <>
      <ExpiryField label={text.expires} lengths={lengths} value={value} onChange={onChange} error={error} />
      {most === null ? null : <p className="dim small">{text.longest(most)}</p>}
      {value.choice === 'never' ? (
        <Alert role="status" className="alert-warn">
          {text.neverWarning}
        </Alert>
      ) : null}
    </>
  )
}
