import { NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import type { Settings } from '../../../../contract/settings.ts'
import { EncryptionSelect } from '../encryption/EncryptionSelect.tsx'
import type { Field, FieldName } from './fields.ts'
import { MappingInput } from './MappingInput.tsx'
import { externalChangeChoices, hints, labels, mailSecurityChoices, secondFactorChoices, text } from './messages.ts'
import { SecretInput } from './SecretInput.tsx'

/** The choices of a field, if their values are not names. */
const choices: { readonly [N in FieldName]?: Readonly<Record<string, string>> } = {
  'auth.second_factor': secondFactorChoices,
  'mail.security': mailSecurityChoices,
  'audit.external_changes': externalChangeChoices,
}

interface Props {
  name: FieldName
  field: Field
  /** The draft's value, otherwise the saved one. */
  value: unknown
  /** For secrets: whether one is saved. */
  isSet: boolean
  /** The draft differs from the saved value. */
  changed: boolean
  fault: string | undefined
  /** The environment variable that overrides it. */
  variable: string | undefined
  onChange: (value: unknown) => void
  onForget: () => void
}

/** One setting's input, by its kind. */
export function FieldInput({ name, field, value, isSet, changed, fault, variable, onChange, onForget }: Props) {
  const label = labels[name]
  const fixed = variable !== undefined
  const common = {
    label,
    description: variable === undefined ? hints[name] : text.fixedBy(variable),
    error: fault,
    className: changed ? 'settings-field settings-changed' : 'settings-field',
  }
  const lock = fixed ? { rightSection: <IconLock size={15} aria-label={text.fixed} /> } : {}
  switch (field.kind) {
    case 'switch':
      return (
        <Switch
          {...common}
          checked={value === true}
          disabled={fixed}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...common}
          {...lock}
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => onChange(typeof next === 'number' ? next : null)}
          min={field.min ?? 0}
          max={field.max}
          allowDecimal={!field.whole}
          clampBehavior="none"
          suffix={field.unit ? ` ${text.units(field.unit)}` : ''}
          readOnly={fixed}
          hideControls
        />
      )
    case 'choice': {
      const named = choices[name] ?? {}
      return (
        <Select
          {...common}
          {...lock}
          data={[
            ...(field.empty ? [{ value: '', label: text.none }] : []),
            ...field.choices.map((value) => ({ value, label: named[value] ?? value })),
          ]}
          value={typeof value === 'string' ? value : ''}
          onChange={(next) => onChange(next === '' ? null : next)}
          allowDeselect={false}
          readOnly={fixed}
        />
      )
    }
    case 'secret':
      return (
        <SecretInput
          label={label}
          description={common.description}
          fault={fault}
          fixed={fixed}
          isSet={isSet}
          draft={changed ? (value as string | null) : undefined}
          onChange={onChange}
          onForget={onForget}
        />
      )
    case 'mapping':
      return (
        <MappingInput
          label={label}
          description={common.description}
          value={value as Settings['idp']['group_mapping']}
          fault={fault}
          fixed={fixed}
          onChange={onChange}
        />
      )
    case 'encryption':
      return (
        <EncryptionSelect
          {...common}
          {...lock}
          value={value as Settings['encryption']['new_buckets']}
          onChange={onChange}
          readOnly={fixed}
        />
      )
    case 'text':
      return (
        <TextInput
          {...common}
          {...lock}
          className={field.mono ? `${common.className} settings-mono` : common.className}
          value={typeof value === 'string' ? value : ''}
          onChange={({ currentTarget: { value } }) => onChange(value === '' && field.empty ? null : value)}
          readOnly={fixed}
          autoComplete="off"
          spellCheck={false}
        />
      )
  }
}
