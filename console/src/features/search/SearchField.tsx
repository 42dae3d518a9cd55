import { ActionIcon, TextInput } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { IconSearch, IconX } from '@tabler/icons-react'
import { lazy, type Ref, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { QueryFault } from '../../../../contract/query.ts'
import { wholeLanguage } from '../../i18n.ts'
import type { HelpHandle, Listed } from './QueryHelp.tsx'

const Fault = lazy(() => wholeLanguage().then(() => import('./Fault.tsx')))
const QueryHelp = lazy(() => wholeLanguage().then(() => import('./QueryHelp.tsx')))

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

/**
 * Searches when typing pauses, and what was typed is understood. The query is in the address. While one types, it suggests
 * what the term could be.
 */
export function SearchField({
  value,
  label,
  clearLabel,
  bucket,
  onSearch,
  onLeave,
  ref,
}: {
  value: string
  label: string
  /** The name of the button that empties it. */
  clearLabel: string
  /** The bucket that is searched; undefined: all. */
  bucket?: string | undefined
  onSearch: (search: string) => void
  /** Moves the focus to the results. */
  onLeave: () => void
  ref: Ref<HTMLInputElement>
}) {
  const [typed, setTyped] = useState(value)
  const [last, setLast] = useState(value)
  const [fault, setFault] = useState<QueryFault>()
  const field = useRef<HTMLInputElement>(null)
  const fieldRef = useMergedRef(ref, field)
  const help = useRef<HelpHandle>(null)
  const [position, setPosition] = useState(0)
  /** Typing has begun, and nothing has ended it. */
  const [isHelped, setHelped] = useState(false)
  const [listed, setListed] = useState<Listed>()
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
  const take = (query: string, at: number, isOpen: boolean) => {
    flushSync(() => {
      setTyped(query)
      setPosition(at)
      setHelped(isOpen)
    })
    field.current?.setSelectionRange(at, at)
  }
  return (
    <div className="browse-search">
      <TextInput
        ref={fieldRef}
        aria-label={label}
        placeholder={label}
        leftSection={<IconSearch size={15} />}
        value={typed}
        maxLength={MOST_QUERY}
        autoComplete="off"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={listed !== undefined}
        aria-controls={listed?.list}
        aria-activedescendant={listed?.active}
        error={
          fault && typed !== '' && !listed ? (
            <Suspense fallback={null}>
              <Fault query={typed} fault={fault} onRepair={setTyped} />
            </Suspense>
          ) : undefined
        }
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setPosition(event.currentTarget.selectionStart ?? 0)
          setHelped(true)
        }}
        onSelect={(event) => setPosition(event.currentTarget.selectionStart ?? 0)}
        onBlur={() => setHelped(false)}
        onKeyDown={(event) => {
          if (help.current?.onKey(event)) return
          if (event.key === 'Escape' && typed !== '') {
            event.preventDefault()
            clear()
          } else if (event.key === 'Escape' || event.key === 'ArrowDown') {
            event.preventDefault()
            onLeave()
          }
          if (event.key !== 'Enter') return
          setHelped(false)
          if (typed !== value)
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
      {isHelped && typed !== '' ? (
        <Suspense fallback={null}>
          <QueryHelp
            query={typed}
            position={position}
            bucket={bucket}
            handle={help}
            onListed={setListed}
            onTake={take}
            onClose={() => setHelped(false)}
          />
        </Suspense>
      ) : null}
    </div>
  )
}
