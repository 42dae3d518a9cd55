import { Button, Select } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconFilter, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { auditOnly } from '../../../../contract/actions.ts'
import { formatTime } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { ManyPicker } from '../../ui/ManyPicker.tsx'
import { useMedia } from '../../ui/useMedia.ts'
import { eventsQuery } from '../webhooks/queries.ts'
import { ActorFilter, TimeFilter, TypedFilter } from './fields.tsx'
import { actionsOf, type FilterName, names, periodNames, periodOf, results, startOf } from './filters.ts'
import { text } from './messages.ts'

const MOST_ACTIONS = 20
/** What is filtered by less often. */
const more: readonly FilterName[] = ['bucket', 'key', 'result', 'ip', 'request', 'about']
type Faults = Partial<Record<FilterName, string>>

/** The filters, each a query parameter of the address: the most used in fields, the others behind a button. */
export function FilterBar({ faults }: { faults: Faults }) {
  const { search, open } = useView()
  const set = (name: FilterName, value: string) => void open({ [name]: value.trim() || undefined, e: undefined })
  const clear = () => void open({ ...Object.fromEntries(names.map((name) => [name, undefined])), e: undefined })
  const isNarrow = useMedia('(max-width: 800px)')
  const [isOpen, setOpen] = useState(false)
  const isRejected = more.some((name) => faults[name])
  // On a phone all fields would fill the screen before the first record.
  const hasFields = !isNarrow || isOpen
  const hasMore = isOpen || (!isNarrow && isRejected)
  const chosen = names.filter((name) => search[name])
  const chips = chosen.filter((name) => (hasFields ? more.includes(name) && !hasMore : true))
  const clearAll = (
    <Button variant="subtle" onClick={clear}>
      {text.clear}
    </Button>
  )
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
          {text.filtersSet(chosen.length)}
        </Button>
      ) : null}
      {hasFields ? (
        <div className="audit-fields">
          <UsualFilters faults={faults} set={set} />
          {isNarrow ? null : (
            <div className="audit-more">
              <Button
                variant="default"
                leftSection={<IconAdjustmentsHorizontal size={15} />}
                aria-expanded={hasMore}
                onClick={() => setOpen(!hasMore)}
              >
                {text.moreFilters}
              </Button>
              {chosen.length > 0 ? clearAll : null}
            </div>
          )}
        </div>
      ) : null}
      {hasMore ? (
        <div className="audit-fields">
          <MoreFilters faults={faults} set={set} />
        </div>
      ) : null}
      {chips.length > 0 || (isNarrow && chosen.length > 0) ? (
        <div className="audit-chips">
          {chips.map((name) => (
            <Chip key={name} name={name} onRemove={() => set(name, '')} />
          ))}
          {isNarrow ? clearAll : null}
        </div>
      ) : null}
    </section>
  )
}

interface FieldsProps {
  faults: Faults
  set: (name: FilterName, value: string) => void
}

function UsualFilters({ faults, set }: FieldsProps) {
  const { search } = useView()
  const events = useQuery(eventsQuery)
  const actions = actionsOf(search)
  const all = new Set<string>([...(events.data ?? []).map(({ name }) => name), ...auditOnly, ...actions])
  return (
    <>
      <PeriodFilter faults={faults} set={set} />
      <ActorFilter value={search.actor ?? ''} onCommit={(value) => set('actor', value)} error={faults.actor} />
      <ManyPicker
        className="audit-actions"
        label={text.action}
        {...(actions.length === 0 ? { placeholder: text.anyAction } : {})}
        data={[...all].sort()}
        value={actions}
        onChange={(next) => set('action', next.join(','))}
        maxValues={MOST_ACTIONS}
        error={faults.action}
      />
    </>
  )
}

/** A period up to now, which moves with the time, or two fixed times. */
function PeriodFilter({ faults, set }: FieldsProps) {
  const { search, open } = useView()
  const period = periodOf(search)
  const [isAsked, setAsked] = useState(false)
  const isCustom = Boolean(search.from || search.to || (isAsked && period === undefined))
  const choose = (next: string | null) => {
    setAsked(next === 'custom')
    // Two times start from what was shown before.
    const from = next === 'custom' ? (search.from ?? (period && startOf(period))) : undefined
    const to = next === 'custom' ? search.to : undefined
    void open({ time: next === 'custom' ? undefined : next || undefined, from, to, e: undefined })
  }
  return (
    <>
      <Select
        label={text.time}
        data={[
          { value: '', label: text.anyTime },
          ...periodNames.map((one) => ({ value: one, label: text.periods(one) })),
          { value: 'custom', label: text.customTime },
        ]}
        value={isCustom ? 'custom' : (period ?? '')}
        onChange={choose}
        allowDeselect={false}
      />
      {isCustom ? (
        <>
          <TimeFilter
            label={text.from}
            value={search.from}
            onCommit={(value) => set('from', value)}
            error={faults.from}
          />
          <TimeFilter label={text.to} value={search.to} onCommit={(value) => set('to', value)} error={faults.to} />
        </>
      ) : null}
    </>
  )
}

function MoreFilters({ faults, set }: FieldsProps) {
  const { search } = useView()
  const typed = (name: FilterName, label: string) => (
    <TypedFilter label={label} value={search[name] ?? ''} onCommit={(value) => set(name, value)} error={faults[name]} />
  )
  return (
    <>
      {typed('bucket', text.bucket)}
      {typed('key', text.key)}
      <Select
        label={text.result}
        data={[{ value: '', label: text.anyResult }, ...results.map((one) => ({ value: one, label: text[one] }))]}
        value={search.result ?? ''}
        onChange={(result) => set('result', result ?? '')}
      />
      {typed('ip', text.ip)}
      {typed('request', text.request)}
      {typed('about', text.about)}
    </>
  )
}

/** A filter that is set and has no field on the page. */
function Chip({ name, onRemove }: { name: FilterName; onRemove: () => void }) {
  const { search } = useView()
  const words = text.is(text[name], legible(wordsOf(name, search[name] ?? '')))
  return (
    <Button
      className="audit-chip"
      size="compact-sm"
      variant="default"
      rightSection={<IconX size={13} />}
      aria-label={text.remove(words)}
      title={text.remove(words)}
      onClick={onRemove}
    >
      <bdi>{words}</bdi>
    </Button>
  )
}

/** A filter's value in the words of its field. */
function wordsOf(name: FilterName, value: string): string {
  const time = Date.parse(value)
  if (name === 'from' || name === 'to') return Number.isFinite(time) ? formatTime(time) : value
  if (name === 'time') return periodNames.some((one) => one === value) ? text.periods(value) : value
  if (name === 'result') return results.some((one) => one === value) ? text[value as (typeof results)[number]] : value
  return name === 'action' ? value.split(',').join(', ') : value
}
