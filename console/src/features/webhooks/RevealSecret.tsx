import './webhooks.css'
import { SecretReveal } from '../../ui/Secret.tsx'
import { Snippets } from '../../ui/Snippets.tsx'
import { text } from './messages.ts'
import { snippets } from './snippets.ts'

/** How a receiver verifies a delivery. */
export const Verify = () => (
  <Snippets
    label={text.language}
    snippets={snippets}
    title={
      <>
        <strong>{text.verify}</strong>
        <span className="dim small webhooks-line">{text.verifyHint}</span>
      </>
    }
  />
)

/** Shows a signing secret, this one time. */
export const RevealSecret = ({ secret, title, onClose }: { secret: string; title: string; onClose: () => void }) => (
  <SecretReveal title={title} label={text.secret} secret={secret} onClose={onClose}>
    <Verify />
  </SecretReveal>
)
