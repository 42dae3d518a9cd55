import '@mantine/core/styles/Radio.css'
import { Button, Radio } from '@mantine/core'
import { useState } from 'react'
import { providerText, text } from './messages.ts'
import { type Provider, providers } from './presets.ts'

/** Which provider it is. */
export function ProviderStep({
  chosen,
  onNext,
}: {
  chosen: Provider | undefined
  onNext: (provider: Provider) => void
}) {
  const [provider, setProvider] = useState(chosen)
  return (
    <form
      className="card stack step-card"
      tabIndex={-1}
      aria-labelledby="sso-provider"
      onSubmit={(event) => {
        event.preventDefault()
        if (provider) onNext(provider)
      }}
    >
      <h2 id="sso-provider">{text.providerTitle}</h2>
      <Radio.Group
        aria-labelledby="sso-provider"
        value={provider ?? null}
        onChange={(value) => setProvider(value as Provider)}
      >
        <div className="stack-tight">
          {providers.map((one) => (
            <Radio key={one} value={one} label={providerText[one]} />
          ))}
        </div>
      </Radio.Group>
      <div className="dialog-actions">
        <Button type="submit" disabled={provider === undefined}>
          {text.next}
        </Button>
      </div>
    </form>
  )
}
