import type { TokenPair } from '../../../../contract/auth.ts'
import { codeOf, sentenceOf } from '../../api/problem.ts'
import { publicClient } from '../../api/session.ts'
import { text } from './messages.ts'
import { findPasskey } from './passkeys.ts'

type Begun = Awaited<ReturnType<typeof publicClient.beginPasskeyLogin>>

/** A challenge for a sign-in with a passkey alone. */
export const beginPasskeySignIn = (): Promise<Begun> => publicClient.beginPasskeyLogin()

/** Signs in with the passkey that the user picks. Throws an Error for the user, and the server's problems. */
export async function signInWithPasskey({ challenge, passkey }: Begun, autofill = false): Promise<TokenPair> {
  const body = { challenge, passkey: await findPasskey(passkey, autofill) }
  return publicClient.passkeyLogin({ query: { session: 'cookie' }, body })
}

/** What to show for an error of a sign-in with a passkey alone. */
export const explainSignIn = (error: unknown): string =>
  codeOf(error) === 'invalid_passkey' ? text.passkeyRefused : sentenceOf(error)
