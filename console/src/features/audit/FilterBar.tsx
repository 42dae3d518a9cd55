import { Autocomplete, Button, MultiSelect, Select, TextInput } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { auditOnly } from '../../../../contract/actions.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation.ts'
import { localValue } from '../../ui/ExpiryField.tsx'
import { useMedia } from '../../ui/useMedia.ts'
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
  type = 'text',
}: {
  label: string
  value: string
  onCommit: (value: string) => void
  error?: string | undefined
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
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit()
      }}
    />
  )
}

const OFFERED = 20
const ACTOR = /@|^[0-9a-f-]{36}$/i
/** The actor: users are offered by a part of their name or email; anything else applies on Enter or blur. */
function ActorFilter({
  value,
  onCommit,
  error,
}: {
  value: string
  onCommit: (value: string) => void
  error: string | undefined
}) {
  const [draft, setDraft] = useState(value)
  useEffect(() => setDraft(value), [value])
  const q = draft.trim().slice(0, 100)
  const [isAsked, setAsked] = useState(false)
  const found = useQuery({
    queryKey: ['users', 'offered', q],
    queryFn: () => client.listUsers({ query: { ...(q === '' ? {} : { q }), limit: OFFERED } }),
    enabled: isAsked && (q === '' || q !== value),
    placeholderData: keepPreviousData,
  })
  const emails = (found.data?.items ?? []).map(({ email }) => email)
  const [isIncomplete, setIncomplete] = useState(false)
  const commit = (next: string) => {
    const wanted = next.trim()
    setIncomplete(wanted !== '' && !ACTOR.test(wanted))
    if (wanted === '' || ACTOR.test(wanted)) {
      setDraft(wanted)
      if (wanted !== value) onCommit(wanted)
    }
  }
  return (
    <Autocomplete
      label={text.actor}
      placeholder={text.actorHint}
      value={draft}
      data={emails}
      // The server has matched names too.
      filter={({ options }) => options}
      error={error ?? (isIncomplete ? text.actorIncomplete : undefined)}
      autoComplete="off"
      spellCheck={false}
      onChange={(next) => {
        setDraft(next)
        setIncomplete(false)
      }}
      onFocus={() => setAsked(true)}
      onOptionSubmit={commit}
      onBlur={() => commit(draft)}
      onKeyDown={(event) => {
        // With an option picked by arrow keys, Enter is the option's.
        const isPicked = event.currentTarget.getAttribute('aria-activedescendant')
        if (event.key === 'Enter' && !isPicked) commit(draft)
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
  const typed = (name: FilterName, label: string) => (
    <TypedFilter label={label} value={search[name] ?? ''} onCommit={(value) => set(name, value)} error={faults[name]} />
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
  // On a phone they would fill the screen before the first record.
  const isNarrow = useMedia('(max-width: 800px)')
  const [isOpen, setOpen] = useState(false)
  const count = names.filter((name) => search[name]).length
  return (
    <section className="audit-filters" aria-label={text.filters}>
      {isNarrow ? (
        <Button
          className="audit-toggle"
          variant="default"
          leftSection={<IconFilter size={15} />}
          aria-expanded={isOpen}
          onClick={() => setOpen((was) => !was)}
        >
          {text.filtersSet(count)}
        </Button>
      ) : null}
      {isNarrow && !isOpen ? null : (
        <>
          <ActorFilter value={search.actor ?? ''} onCommit={(value) => set('actor', value)} error={faults.actor} />
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
          {search.about ? typed('about', text.about) : null}
        </>
      )}
      {count > 0 ? (
        <Button variant="subtle" onClick={clear} className="audit-clear">
          {text.clear}
        </Button>
      ) : null}
    </section>
  )
}
