import type {
  PasskeyAssertion,
  PasskeyCreation,
  PasskeyRegistration,
  PasskeyRequest,
} from '../../../../contract/passkeys.ts'
import { text } from './messages.ts'

const library = () => import('@simplewebauthn/browser')

/** Whether this browser has passkeys at this address. */
export const hasPasskeys = (): boolean =>
  isSecureContext && 'credentials' in navigator && 'PublicKeyCredential' in window

/** A passkey that was not created or used; its message is for the user. */
class PasskeyError extends Error {}

const explain = (error: unknown): never => {
  const known = error instanceof Error && error.name === 'InvalidStateError'
  throw new PasskeyError(known ? text.passkeyKnown : text.passkeyFailed)
}

/** Has the browser create a passkey. */
export async function createPasskey(options: PasskeyCreation): Promise<PasskeyRegistration> {
  const { startRegistration } = await library()
  const { id, rawId, type, response } = await startRegistration({ optionsJSON: options as never }).catch(explain)
  const { clientDataJSON, attestationObject, transports = [] } = response
  return { id, rawId, type, response: { clientDataJSON, attestationObject, transports } }
}

/** Has the browser sign with a passkey. */
export async function signWithPasskey(options: PasskeyRequest): Promise<PasskeyAssertion> {
  const { startAuthentication } = await library()
  const { id, rawId, type, response } = await startAuthentication({ optionsJSON: options as never }).catch(explain)
  const { clientDataJSON, authenticatorData, signature } = response
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature } }
}
