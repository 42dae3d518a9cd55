import './webhooks.css'
import { Button, NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Webhook } from '../../../../contract/webhooks.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { useForm } from '../../ui/useForm.ts'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { EventPicker } from './EventPicker.tsx'
import { text } from './messages.ts'
import { adviceOn } from './target.ts'

type Draft = {
  name: string
  url: string
  events: string[]
  bucket: string
  prefix: string
  format: Webhook['format']
  max_in_flight: number | string
  enabled: boolean
}
export type WebhookBody = Pick<
  Webhook,
  'name' | 'url' | 'events' | 'bucket' | 'prefix' | 'format' | 'max_in_flight' | 'enabled'
>

const draftOf = (webhook: Webhook | undefined): Draft => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  events: webhook?.events ?? ['upload', 'delete'],
  bucket: webhook?.bucket ?? '',
  prefix: webhook?.prefix ?? '',
  format: webhook?.format ?? 'strongroom',
  max_in_flight: webhook?.max_in_flight ?? 2,
  enabled: webhook?.enabled ?? true,
})
const bodyOf = ({ bucket, prefix, max_in_flight, ...draft }: Draft): WebhookBody => ({
  ...draft,
  name: draft.name.trim(),
  url: draft.url.trim(),
  bucket: bucket === '' ? null : bucket,
  prefix: bucket === '' || prefix === '' ? null : prefix,
  max_in_flight: Number(max_in_flight),
})

/** An endpoint's URL, events and filter. */
export function WebhookForm({
  webhook,
  save,
  actions,
}: {
  webhook?: Webhook
  save: (body: WebhookBody) => Promise<unknown>
  actions?: ReactNode
}) {
  const [initial] = useState(() => draftOf(webhook))
  const form = useForm<Draft>(initial)
  const { values, faults } = form
  const buckets = useQuery(bucketsQuery)
  const dirty = JSON.stringify(values) !== JSON.stringify(initial)
  const [taken, setTaken] = useState(false)
  useLeaveGuard(dirty && !taken && !form.sending, { tabs: true })
  // A saved address was allowed when it was saved.
  const advice = webhook && values.url === initial.url ? undefined : adviceOn(values.url)
  const ready =
    values.name.trim() !== '' && values.url.trim() !== '' && values.events.length > 0 && values.max_in_flight !== ''
  const faultOf = (name: string) =>
    Object.entries(faults).find(([path]) => path === name || path.startsWith(`${name}.`))?.[1]
  const names = new Set([...(buckets.data ?? []).map(({ name }) => name), ...(values.bucket ? [values.bucket] : [])])
  return (
    <form
      className="stack webhooks-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!ready) return
        setTaken(true)
        void form.submit((draft) => save(bodyOf(draft))).then(setTaken)
      }}
    >
      <section className="card stack" aria-label={text.where}>
        <TextInput
          {...form.field('name')}
          label={text.name}
          placeholder={text.namePlaceholder}
          maxLength={100}
          autoComplete="off"
        />
        <TextInput
          {...form.field('url')}
          label={text.url}
          type="url"
          placeholder="https://hooks.example.com/strongroom"
          maxLength={2048}
          autoComplete="off"
          spellCheck={false}
          description={
            advice === undefined ? (
              text.urlHint
            ) : (
              <span className="warn">{advice === 'http' ? text.httpHint : text.privateHint}</span>
            )
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
        <Select
          label={text.format}
          description={text.formatHint(values.format)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={(['strongroom', 's3'] as const).map((value) => ({ value, label: text.formatName(value) }))}
          value={values.format}
          onChange={(format) => form.set('format', format === 's3' ? 's3' : 'strongroom')}
          allowDeselect={false}
          className="webhooks-short"
        />
        <NumberInput
          label={text.inFlight}
          description={text.inFlightHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={values.max_in_flight}
          onChange={(value) => form.set('max_in_flight', value)}
          error={faults.max_in_flight}
          min={1}
          max={50}
          allowDecimal={false}
          hideControls
          className="webhooks-short"
        />
      </section>
      <EventPicker
        value={values.events}
        onChange={(events) => form.set('events', events)}
        error={faultOf('events') ?? (values.events.length === 0 ? text.pickSome : undefined)}
      />
      <section className="card stack" aria-label={text.only}>
        <div>
          <h2>{text.only}</h2>
          <p className="dim small">{text.onlyHint}</p>
        </div>
        <div className="webhooks-pair">
          <Select
            label={text.bucket}
            data={[{ value: '', label: text.anyBucket }, ...[...names].map((name) => ({ value: name, label: name }))]}
            value={values.bucket}
            onChange={(bucket) => form.set('bucket', bucket ?? '')}
            error={faults.bucket}
            searchable
          />
          <TextInput
            {...form.field('prefix')}
            label={text.prefix}
            value={values.bucket === '' ? '' : values.prefix}
            disabled={values.bucket === ''}
            description={values.bucket === '' ? text.prefixNeeds : text.prefixHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
        </div>
      </section>
      <div className="row">
        {webhook ? null : (
          <Switch
            label={text.startOn}
            checked={values.enabled}
            onChange={(event) => form.set('enabled', event.currentTarget.checked)}
          />
        )}
        {actions}
        <span className="grow" />
        <Button type="submit" loading={form.sending} disabled={!ready || (webhook !== undefined && !dirty)}>
          {webhook ? text.save : text.createAction}
        </Button>
      </div>
    </form>
  )
}
