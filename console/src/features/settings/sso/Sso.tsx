import './sso.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Settings } from '../../../../../contract/settings.ts'
import { useMe } from '../../../api/queries.ts'
import { useView } from '../../../navigation/useView.ts'
import { Page } from '../../../ui/Page.tsx'
import { ForbiddenView } from '../../../ui/ProblemView.tsx'
import { StateView } from '../../../ui/StateView.tsx'
import { StepList, useStepFocus } from '../../../ui/StepList.tsx'
import { text as settingsText } from '../messages.ts'
import { settingsQuery } from '../queries.ts'
import { ConnectStep, type Entered } from './ConnectStep.tsx'
import { text } from './messages.ts'
import { ProviderStep } from './ProviderStep.tsx'
import { providerOf, providers } from './presets.ts'
import { RegisterStep } from './RegisterStep.tsx'
import { type Step, steps } from './steps.ts'
import { TestStep } from './TestStep.tsx'
import { UsersStep } from './UsersStep.tsx'

/** Sets up sign-in with an identity provider, from the redirect URI to a test. Provider and step are in the address. */
export default function Sso() {
  const me = useMe()
  const settings = useQuery({ ...settingsQuery, enabled: me.isAdmin })
  return (
    <Page title={text.title} hint={me.isAdmin ? text.hint : undefined}>
      {me.isAdmin ? (
        <StateView query={settings}>{(settings) => <Steps settings={settings} />}</StateView>
      ) : (
        <ForbiddenView right={settingsText.right} />
      )}
    </Page>
  )
}

function Steps({ settings }: { settings: Settings }) {
  const { search, open, go } = useView()
  const [entered, setEntered] = useState<Entered>({ draft: {} })
  const { issuer_url, client_id } = settings.idp
  const provider =
    providers.find((one) => one === search.provider) ?? (issuer_url === null ? undefined : providerOf(issuer_url))
  const last: Step =
    provider === undefined ? 'provider' : issuer_url === null || client_id === null ? 'connect' : 'test'
  const wanted = steps.find((one) => one === search.step) ?? 'provider'
  const step = steps.indexOf(wanted) > steps.indexOf(last) ? last : wanted
  const frame = useStepFocus(step)
  const show = (next: Step) => void open({ step: next === 'provider' ? undefined : next })
  return (
    <div className="sso" ref={frame}>
      <StepList steps={steps} step={step} labelOf={text.step} onOpen={show} />
      {step === 'provider' || provider === undefined ? (
        <ProviderStep
          chosen={provider}
          onNext={(next) => {
            // An issuer is written in each provider's own way.
            if (next !== provider) setEntered({ draft: entered.draft })
            void open({ provider: next, step: 'register' })
          }}
        />
      ) : step === 'register' ? (
        <RegisterStep
          provider={provider}
          redirectUri={settings.redirect_uri}
          onBack={() => show('provider')}
          onNext={() => show('connect')}
        />
      ) : step === 'connect' ? (
        <ConnectStep
          provider={provider}
          settings={settings}
          entered={entered}
          onEntered={setEntered}
          onBack={() => show('register')}
          onNext={() => show('users')}
        />
      ) : step === 'users' ? (
        <UsersStep provider={provider} settings={settings} onBack={() => show('connect')} onNext={() => show('test')} />
      ) : (
        <TestStep
          settings={settings}
          onBack={() => show('users')}
          onDone={() => void go('/admin/settings', { tab: 'idp' })}
        />
      )}
    </div>
  )
}
