import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Settings, SettingsChange } from '../../../../contract/settings.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { CopyField } from '../../ui/CopyField.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { undoSave } from '../../ui/undoSave.ts'
import { DraftField } from './DraftField.tsx'
import { FixedByS3 } from './FixedByS3.tsx'
import { type Draft, type Field, type FieldName, fields, isEmptyDraft, type Section } from './fields.ts'
import { LogoInput } from './LogoInput.tsx'
import { Mails } from './Mails.tsx'
import { sectionText, text } from './messages.ts'
import { SaveProblem } from './SaveProblem.tsx'
import { TestDirectory, TestIdp, TestMail } from './Tests.tsx'
import { useSaving } from './useSaving.ts'

interface Props {
  section: Section
  settings: Settings
  draft: Draft
  onDraft: (draft: Draft) => void
}

const valueIn = (settings: Settings, section: Section, name: string): unknown =>
  (settings[section] as Readonly<Record<string, unknown>>)[name]

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
  const fieldsOf: Readonly<Record<string, Field>> = fields[section]
  const { sending, problem, faults, setFaults, clear, save: send } = useSaving()
  const dirty = !isEmptyDraft(draft)
  const change = (next: Draft) => {
    clear()
    onDraft(next)
  }

  const save = async () => {
    const missing = missingIn(section, draft)
    setFaults(missing)
    if (Object.keys(missing).length > 0) return
    if (!(await send({ [section]: draft } as SettingsChange))) return
    onDraft({})
    const names = Object.keys(draft)
    // A secret cannot be read again.
    const isShown = names.every((name) => fieldsOf[name]?.kind !== 'secret')
    const part = (of: Settings) => Object.fromEntries(names.map((name) => [name, valueIn(of, section, name)]))
    const read = async () => part(await client.getSettings())
    const write = async (before: ReturnType<typeof part>) =>
      cache.setQueryData(['settings'], await client.updateSettings({ body: { [section]: before } as SettingsChange }))
    const saved = cache.getQueryData<Settings>(['settings'])
    const undo = isShown && saved ? undoSave({ saved: part(saved), before: part(settings), read, write }) : undefined
    notify.ok(text.saved(sectionText[section]), undo)
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
        <>
          <div className="row">
            <Button variant="default" component={Link} to="/admin/settings/sso">
              {text.stepByStep}
            </Button>
            <span className="dim">{text.stepByStepHint}</span>
          </div>
          <CopyField
            label={text.redirect}
            hideLabel={false}
            description={text.redirectHint}
            value={settings.redirect_uri}
            mono
          />
        </>
      ) : null}
      <div className={section === 'images' ? 'settings-fields settings-grid' : 'settings-fields'}>
        {Object.keys(fields[section]).map((name) => (
          <DraftField
            key={name}
            name={`${section}.${name}` as FieldName}
            settings={settings}
            draft={draft}
            fault={faults[name]}
            onDraft={change}
          />
        ))}
        {section === 's3' ? <FixedByS3 /> : null}
      </div>
      {section === 'branding' ? <LogoInput url={settings.logo_url} /> : null}
      <SaveProblem error={problem} atFields={Object.keys(faults).length > 0} />
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
      {section === 'mail' ? (
        <>
          <TestMail dirty={dirty} />
          <Mails />
        </>
      ) : null}
    </form>
  )
}
