import { Anchor, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Settings } from '../../../../../contract/settings.ts'
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts'
import { DraftField } from '../DraftField.tsx'
import { type Draft, isEmptyDraft } from '../fields.ts'
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
  const { sending, problem, faults, clear, save } = useSaving()
  const isTouched = !isEmptyDraft(auth) || !isEmptyDraft(idp)
  useLeaveGuard(isTouched)
  const next = async () => {
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
            onDraft={(draft) => {
              clear()
              setIdp(draft)
            }}
          />
          {idp.link_verified_email === true ? <p className="warn small">{text.linkRisk}</p> : null}
        </>
      ) : (
        <p className="dim">{text.noVerified(providerText[provider])}</p>
      )}
      <Anchor component={Link} to="/admin/settings" search={{ tab: 'idp' } as never}>
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
