import { Button, Divider, PasswordInput, TextInput } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import type { Api } from '../../../../contract/index.ts'
import type { Reply } from '../../../../contract/route.ts'
import type { Proof } from '../../../../contract/second-factor.ts'
import { client } from '../../api/session.ts'
import { digitsOf, isCode } from './challenge.ts'
import { text } from './messages.ts'
import { hasPasskeys, signWithPasskey } from './passkeys.ts'

type Found = Reply<Api['listSecondFactors']>

/** What proves that the account is the user's: their password, or a code where that is not enough; or one of their passkeys. */
export interface ProofWays {
  typed: 'password' | 'code'
  passkey: boolean
}

export const proofWaysOf = ({ items, verified, passkeys }: Found): ProofWays => ({
  typed: items.length > 0 && !verified ? 'code' : 'password',
  passkey: passkeys && hasPasskeys() && items.some(({ kind }) => kind === 'passkey'),
})

/** Has the browser prove it with a passkey. */
export async function provePasskey(): Promise<Proof> {
  const { challenge, passkey } = await client.challengeSecondFactor()
  return { passkey: { challenge, credential: await signWithPasskey(passkey) } }
}

/** Proves it with a passkey instead of what is typed. */
export const PasskeyProof = ({ sending, onUse }: { sending: boolean; onUse: () => void }) => (
  <>
    <Divider label={text.or} />
    <Button variant="default" leftSection={<IconFingerprint size={15} />} disabled={sending} onClick={onUse}>
      {text.usePasskey}
    </Button>
  </>
)

export const proofOf = ({ typed }: ProofWays, value: string): Proof =>
  typed === 'password'
    ? { current_password: value }
    : isCode(value)
      ? { otp: digitsOf(value) }
      : { recovery_code: value }

/** A form's error about its proof, by the server's field names. */
const errorOf = (faults: Readonly<Record<string, string>>): string | undefined => {
  const [, message] = Object.entries(faults).find(([name]) => name.startsWith('proof.')) ?? []
  return message === 'is wrong' ? text.wrong : message
}

export function ProofField({
  ways,
  value,
  faults,
  onChange,
}: {
  ways: ProofWays
  value: string
  faults: Readonly<Record<string, string>>
  onChange: (value: string) => void
}) {
  const common = {
    value,
    error: errorOf(faults),
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  return ways.typed === 'password' ? (
    <PasswordInput {...common} label={text.password} autoComplete="current-password" />
  ) : (
    <TextInput
      {...common}
      label={text.proofCode}
      description={text.proofCodeHint}
      autoComplete="one-time-code"
      spellCheck={false}
    />
  )
}
