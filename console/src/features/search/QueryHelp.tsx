import './search.css'
import { Combobox, useCombobox } from '@mantine/core'
import { type KeyboardEvent, type Ref, useEffect, useEffectEvent, useId, useImperativeHandle, useState } from 'react'
import { legible } from '../../keys.ts'
import { text } from './messages.ts'
import { type Suggestion, useSuggestions } from './suggestions.ts'
import { termAt } from './term.ts'

export interface HelpHandle {
  /** Handles a key of the field; false if it is not for the list. */
  onKey: (event: KeyboardEvent) => boolean
}
/** What the field says of the list to screen readers. */
export interface Listed {
  list: string
  active: string | undefined
}

/** Suggestions for the term that is being typed, below the field that it is in. The field keeps the focus. */
export default function QueryHelp({
  query,
  position,
  bucket,
  handle,
  onListed,
  onTake,
  onClose,
}: {
  query: string
  /** Where in it one types. */
  position: number
  /** The bucket that is searched; undefined: all. */
  bucket: string | undefined
  handle: Ref<HelpHandle>
  /** Called with what is listed; undefined: nothing. */
  onListed: (listed: Listed | undefined) => void
  /** Puts in this query. `isOpen`: more can follow. */
  onTake: (query: string, position: number, isOpen: boolean) => void
  onClose: () => void
}) {
  const term = termAt(query, position)
  const suggestions = useSuggestions(term, bucket)
  const list = useId()
  const id = JSON.stringify(suggestions.map((one) => one.query))
  const [chosen, setChosen] = useState({ id, at: -1 })
  const at = chosen.id === id ? chosen.at : -1
  const isShown = suggestions.length > 0
  const store = useCombobox({ opened: isShown })
  const tell = useEffectEvent(onListed)
  const active = at < 0 ? undefined : `${list}-${at}`
  useEffect(() => tell(isShown ? { list, active } : undefined), [isShown, list, active])
  useEffect(() => () => tell(undefined), [])
  const take = (one: Suggestion | undefined) => {
    if (!one || !term) return
    const before = query.slice(0, term.start) + one.query
    onTake(before + query.slice(term.end), before.length, one.isOpen)
  }
  const move = (by: number) => {
    // One step beyond either end nothing is chosen: what was typed stands.
    const next = ((at + 1 + by + suggestions.length + 1) % (suggestions.length + 1)) - 1
    setChosen({ id, at: next })
    document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' })
  }
  useImperativeHandle(handle, () => ({
    onKey: (event) => {
      if (!isShown || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false
      const does = new Map<string, () => void>([
        ['ArrowDown', () => move(1)],
        ['ArrowUp', () => move(-1)],
        ['Escape', onClose],
        ...(at < 0 || event.shiftKey
          ? []
          : ([
              ['Enter', () => take(suggestions[at])],
              ['Tab', () => take(suggestions[at])],
            ] as const)),
      ]).get(event.key)
      if (!does) return false
      event.preventDefault()
      does()
      return true
    },
  }))
  return (
    <Combobox store={store} position="bottom-start" width={320} offset={4}>
      <Combobox.DropdownTarget>
        <span className="search-anchor" aria-hidden />
      </Combobox.DropdownTarget>
      <Combobox.Dropdown>
        <Combobox.Options id={list} aria-label={text.suggestions} className="search-suggestions">
          {suggestions.map((one, i) => (
            <Combobox.Option
              key={one.query}
              id={`${list}-${i}`}
              value={one.query}
              aria-selected={i === at}
              selected={i === at}
              onClick={() => take(one)}
            >
              <bdi>{legible(one.label)}</bdi>
              {one.hint ? <span className="dim">{one.hint}</span> : null}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
