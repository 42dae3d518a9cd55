import { PasswordInput, TextInput } from '@mantine/core'
import type { Proof } from '../../../../contract/second-factor.ts'
import { digitsOf, isCode } from './challenge.ts'
import { text } from './messages.ts'

/** What proves that the account is the user's: their password, or a code where the password is not enough. */
export type ProofKind = 'password' | 'code'

export const proofKindOf = ({ items, verified }: { items: readonly unknown[]; verified: boolean }): ProofKind =>
  items.length > 0 && !verified ? 'code' : 'password'

export const proofOf = (kind: ProofKind, value: string): Proof =>
  kind === 'password'
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
  kind,
  value,
  faults,
  onChange,
}: {
  kind: ProofKind
  value: string
  faults: Readonly<Record<string, string>>
  onChange: (value: string) => void
}) {
  const common = {
    value,
    error: errorOf(faults),
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  return kind === 'password' ? (
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
