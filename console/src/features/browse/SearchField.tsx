import { ActionIcon, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'
import { type Ref, useEffect, useEffectEvent, useState } from 'react'
import { text } from './messages.ts'

const PAUSE_MS = 250

/** Searches when typing pauses. The query is in the address. */
export function SearchField({
  value,
  onSearch,
  onLeave,
  ref,
}: {
  value: string
  onSearch: (search: string) => void
  /** Moves the focus to the results. */
  onLeave: () => void
  ref: Ref<HTMLInputElement>
}) {
  const [typed, setTyped] = useState(value)
  const [last, setLast] = useState(value)
  if (last !== value) {
    setLast(value)
    setTyped(value)
  }
  const search = useEffectEvent(onSearch)
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => search(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, value])
  return (
    <TextInput
      ref={ref}
      className="browse-search"
      aria-label={text.search}
      placeholder={text.search}
      leftSection={<IconSearch size={15} />}
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && typed !== '') {
          event.preventDefault()
          setTyped('')
          onSearch('')
        } else if (event.key === 'Escape' || event.key === 'ArrowDown') {
          event.preventDefault()
          onLeave()
        }
        if (event.key === 'Enter' && typed !== value) onSearch(typed)
      }}
      rightSection={
        typed === '' ? null : (
          <ActionIcon
            aria-label={text.clearSearch}
            size={24}
            onClick={() => {
              setTyped('')
              onSearch('')
            }}
          >
            <IconX size={14} />
          </ActionIcon>
        )
      }
    />
  )
}
