import { ActionIcon, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { copyText } from './copy.ts'
import { text } from './messages.ts'

/** Copies a text and confirms it. */
export function CopyButton({
  value,
  label = text.copy,
  onCopied,
}: {
  value: string
  label?: string
  onCopied?: () => void
}) {
  const [done, setDone] = useState(false)
  const copy = async () => {
    if (!(await copyText(value))) return
    setDone(true)
    onCopied?.()
    setTimeout(() => setDone(false), 2000)
  }
  return (
    <ActionIcon aria-label={label} title={label} onClick={copy}>
      {done ? <IconCheck size={16} className="ok" /> : <IconCopy size={16} stroke={1.6} />}
      <span className="visually-hidden" role="status">
        {done ? text.copied : ''}
      </span>
    </ActionIcon>
  )
}

/** A text to select as a whole or copy. */
export const CopyField = ({
  label,
  value,
  mono = false,
  hideLabel = true,
  description,
  onCopied,
}: {
  label: string
  value: string
  mono?: boolean
  hideLabel?: boolean
  description?: string
  onCopied?: () => void
}) => (
  <TextInput
    className="copy-field"
    {...(mono ? { classNames: { input: 'mono' } } : {})}
    {...(hideLabel ? { 'aria-label': label } : { label })}
    {...(description ? { description } : {})}
    value={value}
    readOnly
    onFocus={(event) => event.currentTarget.select()}
    rightSection={<CopyButton value={value} {...(onCopied ? { onCopied } : {})} />}
  />
)
