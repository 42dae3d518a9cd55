import { Button, Checkbox, PasswordInput } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../../ui/CopyField.tsx'
import { text } from './messages.ts'

/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 20

/** A random password of 115 bits. */
function generate(): string {
  const letters: string[] = []
  while (letters.length < LENGTH)
    // The last bytes are left out, so that no letter comes more often than others.
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
      if (byte < 256 - (256 % ALPHABET.length)) letters.push(ALPHABET[byte % ALPHABET.length] ?? '')
  return letters.slice(0, LENGTH).join('')
}

/** A password that is given to somebody else, typed or generated, and whether they must change it. */
export function NewPassword({
  field,
  label,
  description,
  mustChangeLabel,
  mustChange,
  setPassword,
  setMustChange,
  focused = false,
}: {
  field: { value: string; error: string | undefined; onChange: (event: { currentTarget: { value: string } }) => void }
  label: string
  description: string
  mustChangeLabel: string
  mustChange: boolean
  setPassword: (password: string) => void
  setMustChange: (mustChange: boolean) => void
  focused?: boolean
}) {
  const [isVisible, setVisible] = useState(false)
  return (
    <>
      <PasswordInput
        {...field}
        label={label}
        description={description}
        visible={isVisible}
        onVisibilityChange={setVisible}
        autoComplete="new-password"
        autoFocus={focused}
      />
      <div className="row">
        <Button
          variant="default"
          onClick={() => {
            setPassword(generate())
            setVisible(true)
          }}
        >
          {text.generate}
        </Button>
        {field.value === '' ? null : <CopyButton value={field.value} label={text.copyPassword} />}
      </div>
      <Checkbox
        label={mustChangeLabel}
        checked={mustChange}
        onChange={(event) => setMustChange(event.currentTarget.checked)}
      />
    </>
  )
}
