import { Button } from '@mantine/core'
import type { NewToken } from '../../../../contract/tokens.ts'
import { SecretReveal } from '../../ui/Secret.tsx'
import { saveFile } from '../../ui/save.ts'
import { ApiCalls } from './ApiCalls.tsx'
import { text } from './messages.ts'

/** Shows a token's value, this one time. */
export const RevealToken = ({ token, title, onClose }: { token: NewToken; title: string; onClose: () => void }) => (
  <SecretReveal title={title} label={text.token} secret={token.token} onClose={onClose}>
    <p className="dim small">{text.useIt}</p>
    <ApiCalls token={token.token} scope={token.scope} />
    <div>
      <Button variant="default" onClick={() => saveFile('strongroom.env', `STRONGROOM_TOKEN=${token.token}\n`)}>
        {text.saveEnv}
      </Button>
    </div>
  </SecretReveal>
)
