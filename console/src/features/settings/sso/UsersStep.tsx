import { Anchor, Button } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../../../../contract/settings.ts'
import { Link } from '../../../navigation/Link.tsx'
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts'
import { DraftField } from '../DraftField.tsx'
import { type Draft, isEmptyDraft } from '../fields.ts'
import { text as settingsText } from '../messages.ts'
import { SaveProblem } from '../SaveProblem.tsx'
import { useSaving } from '../useSaving.ts'
import { providerText, text } from './messages.ts'
import { type Provider, presets } from './presets.ts'

/** Who gets in whom no account is linked to yet. */
export function UsersStep({
  provider,
  settings,
  onBack,
  onNext,
}: {
  provider: Provider
  settings: Settings
  onBack: () => void
  onNext: () => void
}) {
  const [auth, setAuth] = useState<Draft>({})
  const [idp, setIdp] = useState<Draft>({})
  const { sending, problem, faults, setFaults, clear, save } = useSaving()
  const isTouched = !isEmptyDraft(auth) || !isEmptyDraft(idp)
  useLeaveGuard(isTouched)
  const changeIdp = (draft: Draft) => {
    clear()
    setIdp(draft)
  }
  const next = async () => {
    const mapping = (idp.group_mapping ?? []) as Settings['idp']['group_mapping']
    if (mapping.some(({ value, group_id }) => value.trim() === '' || group_id === ''))
      return setFaults({ group_mapping: settingsText.required })
    // Without the claim, nothing would be mapped.
    const claim = 'groups_claim' in idp ? idp.groups_claim : settings.idp.groups_claim
    if (mapping.length > 0 && !claim) return setFaults({ groups_claim: settingsText.required })
    if (isTouched && !(await save({ ...(isEmptyDraft(auth) ? {} : { auth }), ...(isEmptyDraft(idp) ? {} : { idp }) })))
      return
    setAuth({})
    setIdp({})
    onNext()
  }
  const { verifiesEmail } = presets[provider]
  return (
    <form
      className="card stack step-card"
      tabIndex={-1}
      aria-labelledby="sso-users"
      onSubmit={(event) => {
        event.preventDefault()
        if (!sending) void next()
      }}
    >
      <div>
        <h2 id="sso-users">{text.usersTitle}</h2>
        <p className="dim">{text.usersHint}</p>
      </div>
      <DraftField
        name="auth.auto_create_users"
        settings={settings}
        draft={auth}
        fault={faults.auto_create_users}
        onDraft={(draft) => {
          clear()
          setAuth(draft)
        }}
      />
      {verifiesEmail || settings.idp.link_verified_email ? (
        <>
          <DraftField
            name="idp.link_verified_email"
            settings={settings}
            draft={idp}
            fault={faults.link_verified_email}
            onDraft={changeIdp}
          />
          {idp.link_verified_email === true ? <p className="warn small">{text.linkRisk}</p> : null}
        </>
      ) : (
        <p className="dim">{text.noVerified(providerText[provider])}</p>
      )}
      <section className="stack-tight" aria-labelledby="sso-groups">
        <div>
          <h3 id="sso-groups">{text.groupsTitle}</h3>
          <p className="dim">{text.groupsHint}</p>
        </div>
        {(['groups_claim', 'group_mapping'] as const).map((name) => (
          <DraftField
            key={name}
            name={`idp.${name}`}
            settings={settings}
            draft={idp}
            fault={faults[name]}
            onDraft={changeIdp}
          />
        ))}
      </section>
      <Anchor component={Link} to="/admin/settings" search={{ tab: 'idp' }}>
        {text.moreSettings}
      </Anchor>
      <SaveProblem error={problem} atFields={Object.keys(faults).length > 0} />
      <div className="dialog-actions">
        <Button variant="default" onClick={onBack} disabled={sending}>
          {text.back}
        </Button>
        <Button type="submit" loading={sending}>
          {text.next}
        </Button>
      </div>
    </form>
  )
}
