import { Alert, Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { CopyField } from './CopyField.tsx'
import { text } from './messages.ts'

/**
 * The one time a secret is shown. It closes by its button alone, so that no stray key loses it; the secret lives in the
 * state of whoever shows it, and in no cache, URL or storage.
 */
export function SecretReveal({
  title,
  label,
  secret,
  onClose,
  children,
}: {
  title: string
  label: string
  secret: string
  onClose: () => void
  children?: ReactNode
}) {
  const [copied, setCopied] = useState(false)
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={copied}
      closeOnEscape={copied}
      withCloseButton={copied}
    >
      <div className="stack">
        <Alert title={text.secretTitle}>{text.secretHint}</Alert>
        <CopyField label={label} hideLabel={false} value={secret} mono onCopied={() => setCopied(true)} />
        {children}
        <div className="dialog-actions">
          <Button onClick={onClose}>{text.secretStored}</Button>
        </div>
      </div>
    </Modal>
  )
}
