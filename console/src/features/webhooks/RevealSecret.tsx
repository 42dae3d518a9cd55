import './webhooks.css'
import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../../ui/CopyField.tsx'
import { SecretReveal } from '../../ui/Secret.tsx'
import { text } from './messages.ts'
import { type Language, snippets } from './snippets.ts'

/** How a receiver verifies a delivery. */
export function Verify() {
  const [language, setLanguage] = useState<Language>('Node')
  return (
    <div className="stack-tight">
      <div className="row">
        <span className="grow">
          <strong>{text.verify}</strong>
          <span className="dim small webhooks-line">{text.verifyHint}</span>
        </span>
        <SegmentedControl
          aria-label={text.language}
          size="xs"
          data={Object.keys(snippets)}
          value={language}
          onChange={(next) => setLanguage(next as Language)}
        />
        <CopyButton value={snippets[language]} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <pre className="webhooks-code" tabIndex={0}>
        {snippets[language]}
      </pre>
    </div>
  )
}

/** Shows a signing secret, this one time. */
export const RevealSecret = ({ secret, title, onClose }: { secret: string; title: string; onClose: () => void }) => (
  <SecretReveal title={title} label={text.secret} secret={secret} onClose={onClose}>
    <Verify />
  </SecretReveal>
)
