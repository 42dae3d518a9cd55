import './policies.css'
import { Button, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { bucketsQuery } from '../../api/buckets.ts'
import { faultsOf } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { MomentField } from '../../ui/MomentField.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'
import { Preview } from './Preview.tsx'
import { type Draft, isComplete, type Rule, ruleOf, schedules } from './rule.ts'

const DEBOUNCE_MS = 400
const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** The rule beside its preview. It can be saved once the preview of the current rule was shown. */
export function PolicyForm({
  initial,
  save,
  actions,
}: {
  initial: Draft
  save: (body: Rule & { name: string; enabled: boolean }) => Promise<unknown>
  actions?: ReactNode
}) {
  const form = useForm<Draft>(initial)
  const { values } = form
  const buckets = useQuery(bucketsQuery)
  const rule = ruleOf(values)
  const wanted = JSON.stringify(rule)
  const [asked] = useDebouncedValue(wanted, DEBOUNCE_MS)
  const complete = isComplete(rule)
  const preview = useQuery({
    queryKey: ['policies', 'preview', asked],
    queryFn: ({ signal }) => client.previewPolicy({ body: JSON.parse(asked) as Rule, signal }),
    enabled: isComplete(JSON.parse(asked) as Rule),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  })
  const current = asked === wanted && !preview.isPlaceholderData
  const seen = complete && current && preview.data !== undefined && preview.error === null
  const [own, setOwn] = useState(!schedules.some(({ value }) => value === initial.cron))
  const faults = { ...faultsOf(preview.error), ...form.faults }
  const faultOf = (name: string): string | undefined =>
    Object.entries(faults).find(([path]) => path === name || path.startsWith(`${name}.`))?.[1]
  const number = (name: keyof Draft, label: string, more: object = {}) => (
    <NumberInput
      label={label}
      value={values[name] as number | string}
      onChange={(value) => form.set(name, value as never)}
      error={faultOf(name)}
      min={0}
      hideControls
      {...more}
    />
  )
  return (
    <form
      className="policies-editor"
      onSubmit={(event) => {
        event.preventDefault()
        if (seen && values.name.trim() !== '')
          void form.submit(() => save({ ...rule, name: values.name.trim(), enabled: values.enabled }))
      }}
    >
      <div className="stack">
        <section className="card stack">
          <TextInput
            {...form.field('name')}
            label={text.name}
            placeholder={text.namePlaceholder}
            maxLength={100}
            autoComplete="off"
          />
          <TagsInput
            label={text.buckets}
            description={text.bucketsHint}
            data={(buckets.data ?? []).filter(({ mode }) => mode !== 'read_only').map(({ name }) => name)}
            value={values.bucket_patterns}
            onChange={(value) =>
              form.set('bucket_patterns', [...new Set(value.flatMap((one) => one.split(/[,\s]+/)))].filter(Boolean))
            }
            error={faultOf('bucket_patterns') === undefined ? undefined : text.badPattern}
            splitChars={[',', ' ']}
            acceptValueOnBlur
          />
          <TextInput
            {...form.field('prefix')}
            error={faultOf('prefix')}
            label={text.prefix}
            description={text.prefixHint}
          />
        </section>
        <section className="card stack" aria-label={text.conditions}>
          <div>
            <h2>{text.conditions}</h2>
            <p className="dim small">{text.conditionsHint}</p>
          </div>
          <div className="policies-pair">
            {number('older_than_days', text.olderThan, { allowDecimal: false })}
            {number('min_size', text.minSize, { decimalScale: 6 })}
            {number('max_size', text.maxSize, { decimalScale: 6 })}
            <TextInput {...form.field('glob')} error={faultOf('glob')} label={text.glob} placeholder="**/*.tmp" />
            <MomentField
              label={text.from}
              value={values.date.slice(0, 16)}
              onChange={({ currentTarget: { value } }) => form.set('date', value === '' ? '' : `${value}:00.000Z`)}
              error={faultOf('date')}
            />
          </div>
          <p className="dim small">{text.globHint}</p>
          <Textarea
            {...form.field('tags')}
            label={text.tags}
            description={text.tagsHint}
            error={faultOf('tags')}
            spellCheck={false}
            rows={2}
          />
          <h3>{text.exceptions}</h3>
          {number('keep_newest', text.keepNewest, { min: 1, allowDecimal: false })}
        </section>
        <section className="card stack" aria-label={text.ofVersions}>
          <div>
            <h2>{text.ofVersions}</h2>
            <p className="dim small">{text.ofVersionsHint}</p>
          </div>
          <div className="policies-pair">
            {number('noncurrent_days', text.noncurrentDays, { allowDecimal: false })}
            {number('keep_versions', text.keepVersions, { min: 1, allowDecimal: false })}
          </div>
          <Switch
            label={text.expiredMarkers}
            checked={values.expired_markers}
            onChange={(event) => form.set('expired_markers', event.currentTarget.checked)}
          />
        </section>
        <section className="card stack" aria-label={text.snapshots}>
          <div>
            <h2>{text.snapshots}</h2>
            <p className="dim small">{text.snapshotsHint}</p>
          </div>
          {number('keep_snapshots', text.keepSnapshots, { min: 1, max: 500, allowDecimal: false })}
        </section>
        <section className="card stack" aria-label={text.schedule}>
          <h2>{text.schedule}</h2>
          <Select
            aria-label={text.schedule}
            data={[...schedules, { value: 'own', label: text.own }]}
            value={own ? 'own' : values.cron}
            onChange={(value) => {
              setOwn(value === 'own')
              form.set('cron', value === 'own' ? values.cron || '30 2 * * *' : (value ?? ''))
            }}
          />
          {own ? (
            <TextInput {...form.field('cron')} className="mono" error={faultOf('cron')} label={text.cron} />
          ) : null}
          {values.cron === '' ? null : (
            <>
              <Select
                label={text.timezone}
                data={zones()}
                value={values.timezone}
                onChange={(zone) => form.set('timezone', zone ?? 'UTC')}
                error={faultOf('timezone')}
                searchable
                limit={200}
              />
              <Switch
                label={text.enabled}
                checked={values.enabled}
                onChange={(event) => form.set('enabled', event.currentTarget.checked)}
              />
            </>
          )}
        </section>
        <section className="card stack" aria-label={text.guards}>
          <div>
            <h2>{text.guards}</h2>
            <p className="dim small">{text.guardsHint}</p>
          </div>
          <div className="policies-pair">
            {number('max_deletes', text.maxDeletes, { allowDecimal: false })}
            {number('max_delete_percent', text.maxPercent, { max: 100 })}
          </div>
        </section>
        <div className="policies-actions">
          <span className="dim small grow">{seen ? text.authorNote : text.seeFirst}</span>
          {actions}
          <Button type="submit" loading={form.sending} disabled={!seen || values.name.trim() === ''}>
            {text.save}
          </Button>
        </div>
      </div>
      <Preview rule={rule} complete={complete} current={current} preview={preview} />
    </form>
  )
}
