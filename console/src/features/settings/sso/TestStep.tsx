import { Button, Loader } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AuditRecord } from '../../../../../contract/audit.ts'
import { errors } from '../../../../../contract/errors.ts'
import type { Settings } from '../../../../../contract/settings.ts'
import { client } from '../../../api/session.ts'
import { CopyField } from '../../../ui/CopyField.tsx'
import { ProblemView } from '../../../ui/ProblemView.tsx'
import { Status, TimeAgo } from '../../../ui/values.tsx'
import { DraftField } from '../DraftField.tsx'
import { SaveProblem } from '../SaveProblem.tsx'
import { useSaving } from '../useSaving.ts'
import { text } from './messages.ts'

/** Sign-ins through the provider since the step was opened, as they come in. */
export function TestStep({ settings, onBack, onDone }: { settings: Settings; onBack: () => void; onDone: () => void }) {
  // The clocks of browser and server may differ a little.
  const [from] = useState(() => new Date(Date.now() - 60_000).toISOString())
  const { sending, problem, save } = useSaving()
  const isOn = settings.auth.enable_idp
  const logins = useQuery({
    queryKey: ['audit', 'sso', from],
    queryFn: () =>
      client.listAudit({ query: { action: ['login', 'login_failed'], auth_method: 'idp', from, page_size: 5 } }),
    refetchInterval: 2_000,
    enabled: isOn,
  })
  const { name, issuer_url } = settings.idp
  return (
    <section className="card stack step-card" tabIndex={-1} aria-labelledby="sso-test">
      <h2 id="sso-test">{text.testTitle}</h2>
      {isOn ? (
        <>
          <p>{text.testHint(name ?? (issuer_url === null ? '' : new URL(issuer_url).hostname))}</p>
          <CopyField
            label={text.signInPage}
            hideLabel={false}
            value={`${new URL(settings.redirect_uri).origin}/console/login`}
            mono
          />
          <div aria-live="polite">
            {logins.error ? <ProblemView error={logins.error} retry={logins.refetch} /> : null}
            {logins.data?.items.length ? (
              <ul className="sso-logins">
                {logins.data.items.map((login) => (
                  <Login key={login.id} login={login} />
                ))}
              </ul>
            ) : (
              <p className="row dim">
                <Loader size="xs" /> {text.waiting}
              </p>
            )}
          </div>
        </>
      ) : (
        <>
          <DraftField
            name="auth.enable_idp"
            settings={settings}
            draft={{}}
            fault={undefined}
            onDraft={() => {
              if (!sending) void save({ auth: { enable_idp: true } })
            }}
          />
          <SaveProblem error={problem} atFields={false} />
        </>
      )}
      <div className="dialog-actions">
        <Button variant="default" onClick={onBack}>
          {text.back}
        </Button>
        <Button onClick={onDone}>{text.finish}</Button>
      </div>
    </section>
  )
}

const hints: Readonly<Record<string, string>> = {
  user_not_provisioned: text.notProvisioned,
  email_in_use: text.emailInUse,
}

function Login({ login }: { login: AuditRecord }) {
  const { result, error_code, actor, details, time } = login
  if (result === 'success')
    return (
      <li>
        <Status tone="ok">{text.signedIn(actor.email ?? '')}</Status> <TimeAgo time={time} />
      </li>
    )
  const known: Readonly<Record<string, { title: string }>> = errors
  const code = error_code ?? ''
  const who = typeof details.email === 'string' ? details.email : text.stranger
  return (
    <li>
      <Status tone="bad">{text.refused(who, known[code]?.title ?? code)}</Status> <TimeAgo time={time} />
      {hints[code] === undefined ? null : <p className="dim small">{hints[code]}</p>}
    </li>
  )
}
