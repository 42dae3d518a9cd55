import { Button, MultiSelect, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { auditOnly } from '../../../../contract/actions.ts'
import { useView } from '../../navigation.ts'
import { localValue } from '../../ui/ExpiryField.tsx'
import { eventsQuery } from '../webhooks/queries.ts'
import { actionsOf, type FilterName, names } from './filters.ts'
import { text } from './messages.ts'

const MOST_ACTIONS = 20

/** A text filter, applied on Enter or blur. */
function TypedFilter({
  label,
  value,
  onCommit,
  error,
  placeholder,
  type = 'text',
}: {
  label: string
  value: string
  onCommit: (value: string) => void
  error?: string | undefined
  placeholder?: string
  type?: 'text' | 'datetime-local'
}) {
  const [draft, setDraft] = useState(value)
  useEffect(() => setDraft(value), [value])
  const commit = () => {
    if (draft !== value) onCommit(draft)
  }
  return (
    <TextInput
      label={label}
      type={type}
      value={draft}
      error={error}
      autoComplete="off"
      spellCheck={false}
      {...(placeholder ? { placeholder } : {})}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit()
      }}
    />
  )
}

/** The filters, each a query parameter of the address. */
export function FilterBar({ faults }: { faults: Partial<Record<FilterName, string>> }) {
  const { search, open } = useView()
  const events = useQuery(eventsQuery)
  const actions = actionsOf(search)
  const all = new Set<string>([...(events.data ?? []).map(({ name }) => name), ...auditOnly, ...actions])
  const set = (name: FilterName, value: string) => void open({ [name]: value.trim() || undefined, e: undefined })
  const typed = (name: FilterName, label: string, placeholder?: string) => (
    <TypedFilter
      label={label}
      value={search[name] ?? ''}
      onCommit={(value) => set(name, value)}
      error={faults[name]}
      {...(placeholder ? { placeholder } : {})}
    />
  )
  const timed = (name: 'from' | 'to', label: string) => {
    const time = new Date(search[name] ?? '')
    const known = Number.isFinite(time.getTime())
    return (
      <TypedFilter
        label={label}
        type="datetime-local"
        value={known ? localValue(time) : ''}
        onCommit={(value) => {
          const next = new Date(value)
          set(name, Number.isFinite(next.getTime()) ? next.toISOString() : '')
        }}
        error={faults[name]}
      />
    )
  }
  const clear = () => void open({ ...Object.fromEntries(names.map((name) => [name, undefined])), e: undefined })
  return (
    <section className="audit-filters" aria-label={text.filters}>
      {typed('actor', text.actor, text.actorHint)}
      <MultiSelect
        label={text.action}
        {...(actions.length === 0 ? { placeholder: text.anyAction } : {})}
        data={[...all].sort()}
        value={actions}
        onChange={(next) => set('action', next.join(','))}
        maxValues={MOST_ACTIONS}
        error={faults.action}
        searchable
        hidePickedOptions
      />
      {typed('bucket', text.bucket)}
      {typed('key', text.key)}
      {timed('from', text.from)}
      {timed('to', text.to)}
      <Select
        label={text.result}
        data={[
          { value: '', label: text.anyResult },
          ...(['success', 'denied', 'failure'] as const).map((one) => ({ value: one, label: text[one] })),
        ]}
        value={search.result ?? ''}
        onChange={(result) => set('result', result ?? '')}
      />
      {typed('ip', text.ip)}
      {typed('request', text.request)}
      {names.some((name) => search[name]) ? (
        <Button variant="subtle" onClick={clear} className="audit-clear">
          {text.clear}
        </Button>
      ) : null}
    </section>
  )
}
