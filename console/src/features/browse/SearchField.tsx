import { ActionIcon, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'
import { type Ref, useEffect, useEffectEvent, useState } from 'react'
import { MOST_QUERY, parseQuery, QueryError, type QueryFault } from '../../../../contract/query.ts'
import { legible } from '../../keys.ts'
import { text } from './messages.ts'

const PAUSE_MS = 250

function faultOf(query: string): QueryFault | undefined {
  try {
    parseQuery(query)
    return undefined
  } catch (error) {
    if (error instanceof QueryError) return error.fault
    throw error
  }
}

/** Searches when typing pauses, and what was typed is understood. The query is in the address. */
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
    if (typed === value || faultOf(typed)) return
    const timer = setTimeout(() => search(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, value])
  const fault = faultOf(typed)
  return (
    <TextInput
      ref={ref}
      className="browse-search"
      aria-label={text.search}
      placeholder={text.search}
      leftSection={<IconSearch size={15} />}
      value={typed}
      maxLength={MOST_QUERY}
      error={fault ? <Fault query={typed} fault={fault} onRepair={setTyped} /> : undefined}
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
        if (event.key === 'Enter' && typed !== value && !fault) onSearch(typed)
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

/** What of a query is not understood, and a button that puts in its place what could be meant. */
function Fault({
  query,
  fault: { position, length, suggestion },
  onRepair,
}: {
  query: string
  fault: QueryFault
  onRepair: (query: string) => void
}) {
  const part = query.slice(position, position + length)
  return (
    <>
      {text.notUnderstood(legible(part || query))}{' '}
      {suggestion === null ? null : (
        <button
          type="button"
          className="browse-repair"
          onClick={() => onRepair(query.slice(0, position) + suggestion + query.slice(position + length))}
        >
          {text.searchInstead(legible(suggestion))}
        </button>
      )}
    </>
  )
}
