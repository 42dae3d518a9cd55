import { Button, type ButtonProps } from '@mantine/core'
import { type ReactNode, useRef } from 'react'

/** Opens the file or folder picker. */
export function PickButton({
  label,
  icon,
  folder = false,
  multiple = true,
  onPick,
  ...button
}: {
  label: string
  icon?: ReactNode
  folder?: boolean
  multiple?: boolean
  title?: string
  onPick: (files: File[]) => void
  'data-autofocus'?: true | undefined
} & ButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant="default" leftSection={icon} {...button} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        aria-label={label}
        multiple={multiple}
        {...(folder ? { webkitdirectory: '' } : {})}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          // Allows choosing the same file again.
          event.currentTarget.value = ''
          if (files.length > 0) onPick(files)
        }}
      />
    </>
  )
}
