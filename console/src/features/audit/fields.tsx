import { Autocomplete, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { client } from '../../api/session.ts'
import { localValue } from '../../ui/ExpiryField.tsx'
import { MomentField } from '../../ui/MomentField.tsx'
import { text } from './messages.ts'

/** A text filter, applied on Enter or blur. */
export function TypedFilter({
  label,
  value,
  onCommit,
  error,
  isMoment = false,
}: {
  label: string
  value: string
  onCommit: (value: string) => void
  error?: string | undefined
  /** A local time. */
  isMoment?: boolean
}) {
  const [draft, setDraft] = useState(value)
  useEffect(() => setDraft(value), [value])
  const commit = () => {
    if (draft !== value) onCommit(draft)
  }
  const Field = isMoment ? MomentField : TextInput
  return (
    <Field
      label={label}
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
export function ActorFilter({
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

/** A time as a filter: a date field in the local time zone, and an ISO time in the address. */
export function TimeFilter({
  value = '',
  onCommit,
  ...props
}: {
  label: string
  value: string | undefined
  onCommit: (value: string) => void
  error: string | undefined
}) {
  const time = new Date(value)
  const known = Number.isFinite(time.getTime())
  return (
    <TypedFilter
      {...props}
      isMoment
      value={known ? localValue(time) : ''}
      onCommit={(value) => {
        const next = new Date(value)
        onCommit(Number.isFinite(next.getTime()) ? next.toISOString() : '')
      }}
    />
  )
}
