import { Alert, Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Settings, SettingsChange } from '../../../../contract/settings.ts'
import { codeOf, describeProblem, faultsOf } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { FieldInput } from './FieldInput.tsx'
import { type Draft, type Field, type FieldName, fields, isEmptyDraft, type Section, withValue } from './fields.ts'
import { sectionText, text } from './messages.ts'
import { TestDirectory, TestIdp } from './Tests.tsx'

interface Props {
  section: Section
  settings: Settings
  draft: Draft
  onDraft: (draft: Draft) => void
}

/** Required fields that are empty. */
function missingIn(section: Section, draft: Draft): Record<string, string> {
  const missing: Record<string, string> = {}
  for (const [name, field] of Object.entries<Field>(fields[section])) {
    const value = draft[name]
    const empty =
      (value === null && (field.kind === 'number' || field.kind === 'choice') && !field.empty) ||
      (value === '' && (field.kind === 'text' || field.kind === 'secret')) ||
      (field.kind === 'mapping' &&
        ((value ?? []) as Settings['idp']['group_mapping']).some(
          (row) => row.value.trim() === '' || row.group_id === '',
        ))
    if (empty) missing[name] = text.required
  }
  return missing
}

/** A section of the settings, saved as a whole. */
export function SectionForm({ section, settings, draft, onDraft }: Props) {
  const cache = useQueryClient()
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [faults, setFaults] = useState<Record<string, string>>({})
  const saved = settings[section] as Readonly<Record<string, unknown>>
  const dirty = !isEmptyDraft(draft)
  const change = (next: Draft) => {
    setProblem(undefined)
    setFaults({})
    onDraft(next)
  }

  const save = async () => {
    const missing = missingIn(section, draft)
    setFaults(missing)
    if (Object.keys(missing).length > 0) return
    setSending(true)
    setProblem(undefined)
    try {
      if (!(await mayEndSession(draft))) return
      const next = await client.updateSettings({ body: { [section]: draft } as SettingsChange })
      cache.setQueryData(['settings'], next)
      void cache.invalidateQueries({ queryKey: ['auth-config'] })
      void cache.invalidateQueries({ queryKey: ['directory'] })
      onDraft({})
      notify.ok(text.saved(sectionText[section]))
    } catch (error) {
      const found = Object.entries(faultsOf(error)).map(([path, message]) => [
        path.split('.')[1] ?? path,
        // The field's hint explains more than a pattern would.
        message.startsWith('must match pattern') ? text.badForm : message,
      ])
      setFaults(Object.fromEntries(found))
      setProblem(error)
    } finally {
      setSending(false)
    }
  }
  return (
    <form
      className="card settings-section"
      aria-label={sectionText[section]}
      onSubmit={(event) => {
        event.preventDefault()
        if (dirty) void save()
      }}
    >
      <h2>{sectionText[section]}</h2>
      {section === 'idp' ? (
        <CopyField
          label={text.redirect}
          hideLabel={false}
          description={text.redirectHint}
          value={settings.redirect_uri}
          mono
        />
      ) : null}
      <div className={section === 'images' ? 'settings-fields settings-grid' : 'settings-fields'}>
        {Object.entries<Field>(fields[section]).map(([name, field]) => (
          <FieldInput
            key={name}
            name={`${section}.${name}` as FieldName}
            field={field}
            value={name in draft ? draft[name] : saved[name]}
            isSet={saved[`${name}_set`] === true}
            changed={name in draft}
            fault={faults[name]}
            variable={settings.fixed[`${section}.${name}`]}
            onChange={(value) => change(withValue(draft, name, value, saved[name]))}
            onForget={() => {
              const { [name]: _gone, ...rest } = draft
              change(rest)
            }}
          />
        ))}
      </div>
      {problem === undefined ? null : <Problem error={problem} atFields={Object.keys(faults).length > 0} />}
      <div className="dialog-actions settings-actions">
        {dirty ? <span className="warn grow">{common.unsaved}</span> : <span className="grow" />}
        <Button variant="default" disabled={!dirty} onClick={() => change({})}>
          {common.discard}
        </Button>
        <Button type="submit" loading={sending} disabled={!dirty}>
          {common.save}
        </Button>
      </div>
      {section === 'idp' ? <TestIdp dirty={dirty} /> : null}
      {section === 'directory' ? <TestDirectory dirty={dirty} /> : null}
    </form>
  )
}

/** Asks first if the draft requires a second step that the session of this very administrator lacks. */
async function mayEndSession({ second_factor }: Draft): Promise<boolean> {
  if (second_factor === undefined || second_factor === 'optional') return true
  if (!(await client.listSecondFactors()).session_ends) return true
  return confirm({ title: text.endsSession, children: text.endsSessionHint, action: text.endsSessionAction })
}

/** Why nothing was saved, without repeating the fields' errors. */
function Problem({ error, atFields }: { error: unknown; atFields: boolean }) {
  const { title, detail } = describeProblem(error)
  const lockOut = codeOf(error) === 'last_admin'
  return (
    <Alert role="alert" className="alert-bad" title={lockOut ? text.lockOut : title}>
      <p>{atFields ? text.seeFields : detail}</p>
      {lockOut ? <p>{text.lockOutHint}</p> : null}
    </Alert>
  )
}
