import { ActionIcon, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'
import { lazy, type Ref, Suspense, useEffect, useEffectEvent, useState } from 'react'
import type { QueryFault } from '../../../../contract/query.ts'
import { wholeLanguage } from '../../i18n.ts'

const Fault = lazy(() => wholeLanguage().then(() => import('./Fault.tsx')))

const PAUSE_MS = 250
/** Most characters of a query. */
const MOST_QUERY = 2000

/** What of a query is not understood. The language is loaded once something is typed; without it, the server says so. */
async function readFault(query: string): Promise<QueryFault | undefined> {
  if (query === '') return undefined
  try {
    const { faultOf } = await import('./understood.ts')
    return faultOf(query)
  } catch (error) {
    console.error(error)
    return undefined
  }
}

/** Searches when typing pauses, and what was typed is understood. The query is in the address. */
export function SearchField({
  value,
  label,
  clearLabel,
  onSearch,
  onLeave,
  ref,
}: {
  value: string
  label: string
  /** The name of the button that empties it. */
  clearLabel: string
  onSearch: (search: string) => void
  /** Moves the focus to the results. */
  onLeave: () => void
  ref: Ref<HTMLInputElement>
}) {
  const [typed, setTyped] = useState(value)
  const [last, setLast] = useState(value)
  const [fault, setFault] = useState<QueryFault>()
  if (last !== value) {
    setLast(value)
    setTyped(value)
  }
  const search = useEffectEvent(onSearch)
  useEffect(() => {
    let isOld = false
    let timer: ReturnType<typeof setTimeout> | undefined
    void readFault(typed).then((found) => {
      if (isOld) return
      setFault(found)
      if (typed !== value && !found) timer = setTimeout(() => search(typed), PAUSE_MS)
    })
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [typed, value])
  const clear = () => {
    setTyped('')
    onSearch('')
  }
  return (
    <TextInput
      ref={ref}
      className="browse-search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={15} />}
      value={typed}
      maxLength={MOST_QUERY}
      error={
        fault && typed !== '' ? (
          <Suspense fallback={null}>
            <Fault query={typed} fault={fault} onRepair={setTyped} />
          </Suspense>
        ) : undefined
      }
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && typed !== '') {
          event.preventDefault()
          clear()
        } else if (event.key === 'Escape' || event.key === 'ArrowDown') {
          event.preventDefault()
          onLeave()
        }
        if (event.key === 'Enter' && typed !== value)
          void readFault(typed).then((found) => {
            if (!found) onSearch(typed)
          })
      }}
      rightSection={
        typed === '' ? null : (
          <ActionIcon aria-label={clearLabel} size={24} onClick={clear}>
            <IconX size={14} />
          </ActionIcon>
        )
      }
    />
  )
}
