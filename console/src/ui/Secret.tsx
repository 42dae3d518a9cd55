import { Alert, Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { CopyField } from './CopyField.tsx'
import { text } from './messages.ts'

/**
 * Shows a secret once. Only its button closes it, so that no stray key loses it. The secret exists only in the caller's
 * state: not in a cache, a URL or storage.
 */
export function SecretReveal({
  title,
  label,
  secret,
  several = false,
  onClose,
  children,
}: {
  title: string
  label: string
  secret: string
  /** It is more than one, written after one another. */
  several?: boolean
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
        <Alert title={text.secretTitle}>{several ? text.secretsHint : text.secretHint}</Alert>
        <CopyField label={label} hideLabel={false} value={secret} mono onCopied={() => setCopied(true)} />
        {children}
        <div className="dialog-actions">
          <Button onClick={onClose}>{several ? text.secretsStored : text.secretStored}</Button>
        </div>
      </div>
    </Modal>
  )
}
