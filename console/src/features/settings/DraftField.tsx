import type { Settings } from '../../../../contract/settings.ts'
import { FieldInput } from './FieldInput.tsx'
import { type Draft, type Field, type FieldName, fields, type Section, withValue } from './fields.ts'

interface Props {
  name: FieldName
  settings: Settings
  /** The unsaved changes of its section. */
  draft: Draft
  fault: string | undefined
  onDraft: (draft: Draft) => void
}

/** A setting's input: shows the unsaved value if there is one, otherwise the saved one. */
export function DraftField({ name: path, settings, draft, fault, onDraft }: Props) {
  const [section, name] = path.split('.') as [Section, string]
  const saved = settings[section] as Readonly<Record<string, unknown>>
  return (
    <FieldInput
      name={path}
      field={(fields[section] as Readonly<Record<string, Field>>)[name] as Field}
      value={name in draft ? draft[name] : saved[name]}
      isSet={saved[`${name}_set`] === true}
      changed={name in draft}
      fault={fault}
      variable={settings.fixed[path]}
      onChange={(value) => onDraft(withValue(draft, name, value, saved[name]))}
      onForget={() => {
        const { [name]: _gone, ...rest } = draft
        onDraft(rest)
      }}
    />
  )
}
