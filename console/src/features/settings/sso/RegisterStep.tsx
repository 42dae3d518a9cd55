import { Alert, Button } from '@mantine/core'
import { CopyField } from '../../../ui/CopyField.tsx'
import { instructionsOf, providerText, text } from './messages.ts'
import type { Provider } from './presets.ts'

const isLocal = ({ hostname }: URL) => hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'

/** What to do at the provider, with the address that it asks for. */
export function RegisterStep({
  provider,
  redirectUri,
  onBack,
  onNext,
}: {
  provider: Provider
  redirectUri: string
  onBack: () => void
  onNext: () => void
}) {
  const address = new URL(redirectUri)
  return (
    <section className="card stack step-card" tabIndex={-1} aria-labelledby="sso-register">
      <h2 id="sso-register">
        {provider === 'other' ? text.registerOther : text.registerTitle(providerText[provider])}
      </h2>
      <CopyField label={text.redirect} hideLabel={false} description={text.redirectHint} value={redirectUri} mono />
      {address.origin !== location.origin ? (
        <Alert className="alert-warn">{text.elsewhere(location.origin)}</Alert>
      ) : address.protocol === 'http:' && !isLocal(address) ? (
        <Alert className="alert-warn">{text.insecure}</Alert>
      ) : null}
      <ol className="sso-instructions">
        {instructionsOf(provider).map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ol>
      <div className="dialog-actions">
        <Button variant="default" onClick={onBack}>
          {text.back}
        </Button>
        <Button onClick={onNext}>{text.next}</Button>
      </div>
    </section>
  )
}
