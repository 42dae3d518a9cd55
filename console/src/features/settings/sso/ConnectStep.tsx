import { Alert, Button, TextInput } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import type { Settings, SettingsChange } from '../../../../../contract/settings.ts'
import { describeProblem } from '../../../api/problem.ts'
import { client } from '../../../api/session.ts'
import { notify } from '../../../ui/notify.tsx'
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts'
import { DraftField } from '../DraftField.tsx'
import { type Draft, isEmptyDraft, withValue } from '../fields.ts'
import { text as settingsText } from '../messages.ts'
import { SaveProblem } from '../SaveProblem.tsx'
import { useSaving } from '../useSaving.ts'
import { partHints, partText, text } from './messages.ts'
import { issuerOf, type Parts, type Provider, presets } from './presets.ts'

const ISSUER = 'idp.issuer_url'

/** What is not saved yet; it outlives a look at the step before. */
export interface Entered {
  /** Undefined until something is typed. */
  given?: Parts
  draft: Draft
}

/** The provider's issuer, client ID and secret: saved, and then the provider is asked whether it is there. */
export function ConnectStep({
  provider,
  settings,
  entered,
  onEntered,
  onBack,
  onNext,
}: {
  provider: Provider
  settings: Settings
  entered: Entered
  onEntered: (entered: Entered) => void
  onBack: () => void
  onNext: () => void
}) {
  const { parts, partsOf } = presets[provider]
  const saved = settings.idp.issuer_url
  const { draft } = entered
  const given = entered.given ?? (saved === null ? {} : (partsOf(saved) ?? {}))
  const [asking, setAsking] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const { sending, problem, faults, setFaults, clear, save } = useSaving()
  const isFixed = settings.fixed[ISSUER] !== undefined
  const issuer = isFixed ? (saved ?? undefined) : issuerOf(provider, given)
  const all = isFixed ? draft : withValue(draft, 'issuer_url', issuer ?? null, saved)
  const isTouched = !isEmptyDraft(draft) || (issuer !== undefined && !isEmptyDraft(all))
  useLeaveGuard(isTouched)
  const change = (next: Draft) => {
    clear()
    onEntered({ ...entered, draft: next })
  }

  const missing = () => {
    const clientId = 'client_id' in draft ? draft.client_id : settings.idp.client_id
    const hasSecret = 'client_secret' in draft ? Boolean(draft.client_secret) : settings.idp.client_secret_set
    const required = settingsText.required
    return {
      ...(issuer === undefined &&
        Object.fromEntries(parts.filter((part) => !given[part]?.trim()).map((part) => [part, required]))),
      ...(!clientId && { client_id: required }),
      ...(!hasSecret && { client_secret: required }),
    }
  }
  const connect = async () => {
    setRefusal(undefined)
    const found = missing()
    setFaults(found)
    if (Object.keys(found).length > 0) return
    if (!isEmptyDraft(all) && !(await save({ idp: all } as SettingsChange))) return
    onEntered({ draft: {} })
    setAsking(true)
    try {
      const { issuer } = await client.testIdp()
      notify.ok(text.connected(issuer))
      onNext()
    } catch (error) {
      setRefusal(describeProblem(error).detail)
    }
    setAsking(false)
  }
  return (
    <form
      className="card stack step-card"
      tabIndex={-1}
      aria-labelledby="sso-connect"
      onSubmit={(event) => {
        event.preventDefault()
        if (!sending && !asking) void connect()
      }}
    >
      <h2 id="sso-connect">{text.connectTitle}</h2>
      {isFixed
        ? null
        : parts.map((part) => (
            <TextInput
              key={part}
              className="settings-mono"
              label={partText[part]}
              description={partHints[part]}
              value={given[part] ?? ''}
              error={faults[part]}
              onChange={({ currentTarget: { value } }) => {
                clear()
                onEntered({ ...entered, given: { ...given, [part]: value } })
              }}
              maxLength={1024}
              autoComplete="off"
              spellCheck={false}
            />
          ))}
      {isFixed || parts[0] !== 'issuer' ? (
        <dl className="facts">
          <dt>{text.issuer}</dt>
          <dd className="mono">{issuer ?? '–'}</dd>
        </dl>
      ) : null}
      {isFixed ? <p className="dim small">{settingsText.fixedBy(settings.fixed[ISSUER] ?? '')}</p> : null}
      {faults.issuer_url === undefined ? null : (
        <p className="bad" role="alert">
          {text.issuer}: {faults.issuer_url}
        </p>
      )}
      {(['client_id', 'client_secret', 'name'] as const).map((name) => (
        <DraftField
          key={name}
          name={`idp.${name}`}
          settings={settings}
          draft={draft}
          fault={faults[name]}
          onDraft={change}
        />
      ))}
      <SaveProblem error={problem} atFields={Object.keys(faults).length > 0} />
      {refusal === undefined ? null : (
        <Alert role="alert" className="alert-bad" title={text.saved}>
          {refusal}
        </Alert>
      )}
      <div className="dialog-actions">
        <Button variant="default" onClick={onBack} disabled={sending || asking}>
          {text.back}
        </Button>
        <Button type="submit" leftSection={<IconPlugConnected size={15} />} loading={sending || asking}>
          {text.connect}
        </Button>
      </div>
    </form>
  )
}
