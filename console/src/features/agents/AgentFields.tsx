import './agents.css'
import { Button, Checkbox, NumberInput, Switch, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ApprovableAction } from '../../../../contract/agents.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { ExpiryField } from '../../ui/ExpiryField.tsx'
import type { useForm } from '../../ui/useForm.ts'
import { faultsOfRows, newRow } from '../groups/changes.ts'
import { GrantRows } from '../groups/GrantRows.tsx'
import { type Draft, forkable, grantable } from './draft.ts'
import { text } from './messages.ts'

const LENGTHS = ['1d', '7d', '30d', '90d', 'never']
const approvable: readonly (readonly [action: ApprovableAction, label: string])[] = [
  ['share', text.approveShare],
  ['delete', text.approveDelete],
  ['write', text.approveWrite],
]

/** The fields of a new agent: what it may reach, how much, and what needs approval. */
export function AgentFields({ form }: { form: ReturnType<typeof useForm<Draft>> }) {
  const buckets = useQuery(bucketsQuery)
  const { rows, fork, approve, expiry } = form.values
  const refusal = Object.entries(form.faults).find(([path]) => path.startsWith('scope'))?.[1]
  const amount = (name: 'deletes' | 'changes' | 'readMegabytes' | 'above', label: string, placeholder: string) => (
    <NumberInput
      label={label}
      placeholder={placeholder}
      min={0}
      allowDecimal={false}
      allowNegative={false}
      value={form.values[name]}
      onChange={(value) => form.set(name, value)}
    />
  )
  return (
    <>
      <TextInput
        {...form.field('name')}
        label={text.name}
        description={text.nameHint}
        maxLength={100}
        autoComplete="off"
        data-autofocus
      />
      <fieldset className="agents-fields stack">
        <legend>{text.scope}</legend>
        <p className="dim small">{text.scopeHint}</p>
        <GrantRows
          rows={rows}
          faults={faultsOfRows({ rows })}
          buckets={(buckets.data ?? []).map((one) => one.name)}
          actions={grantable}
          readOnly={false}
          onChange={(next) => form.set('rows', next)}
        />
        {refusal === undefined ? null : <p className="bad small">{refusal}</p>}
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={15} />}
            onClick={() => form.set('rows', [...rows, newRow()])}
          >
            {text.addPart}
          </Button>
        </div>
        <Switch
          label={text.fork}
          description={text.forkHint}
          disabled={forkable({ rows }) === undefined}
          checked={fork && forkable({ rows }) !== undefined}
          onChange={(event) => form.set('fork', event.currentTarget.checked)}
        />
      </fieldset>
      <fieldset className="agents-fields agents-columns">
        <legend>{text.budget}</legend>
        {amount('deletes', text.deletes, text.unlimited)}
        {amount('changes', text.changes, text.unlimited)}
        {amount('readMegabytes', text.reads, text.unlimited)}
      </fieldset>
      <fieldset className="agents-fields agents-columns">
        <legend>{text.approval}</legend>
        <div className="stack-tight">
          {approvable.map(([action, label]) => (
            <Checkbox
              key={action}
              label={label}
              checked={approve.includes(action)}
              onChange={(event) =>
                form.set(
                  'approve',
                  event.currentTarget.checked ? [...approve, action] : approve.filter((one) => one !== action),
                )
              }
            />
          ))}
        </div>
        {amount('above', text.aboveObjects, text.never)}
        <ExpiryField
          label={text.expires}
          lengths={LENGTHS}
          value={expiry}
          onChange={(next) => form.set('expiry', next)}
          error={form.faults.expires_at}
        />
      </fieldset>
    </>
  )
}
