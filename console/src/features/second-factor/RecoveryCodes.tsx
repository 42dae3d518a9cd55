import './second-factor.css'
import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { SecretReveal } from '../../ui/Secret.tsx'
import { saveFile } from '../../ui/save.ts'
import { text } from './messages.ts'

/** Shows new recovery codes once. */
export function RecoveryCodes({
  codes,
  email,
  onClose,
}: {
  codes: readonly string[]
  email: string
  onClose: () => void
}) {
  const file = `${text.recoveryFile(email)}\n\n${codes.join('\n')}\n`
  return (
    <SecretReveal
      title={text.recoveryTitle}
      label={text.recoveryAll}
      secret={codes.join(' ')}
      several
      onClose={onClose}
    >
      <p>{text.recoveryUse}</p>
      <ul className="second-factor-codes mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div>
        <Button
          variant="default"
          leftSection={<IconDownload size={15} />}
          onClick={() => saveFile('strongroom-recovery-codes.txt', file, 'text/plain')}
        >
          {text.download}
        </Button>
      </div>
    </SecretReveal>
  )
}
