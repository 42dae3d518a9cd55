import type {
  PasskeyAssertion,
  PasskeyCreation,
  PasskeyLogin,
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
  const made = await startRegistration({ optionsJSON: options as never }).catch(explain)
  const { id, rawId, type, response, clientExtensionResults } = made
  const { clientDataJSON, attestationObject, transports = [] } = response
  const { rk } = clientExtensionResults.credProps ?? {}
  const found = rk === undefined ? {} : { clientExtensionResults: { credProps: { rk } } }
  return { id, rawId, type, response: { clientDataJSON, attestationObject, transports }, ...found }
}

/** Has the browser sign with a passkey. */
export async function signWithPasskey(options: PasskeyRequest): Promise<PasskeyAssertion> {
  const { startAuthentication } = await library()
  const { id, rawId, type, response } = await startAuthentication({ optionsJSON: options as never }).catch(explain)
  const { clientDataJSON, authenticatorData, signature } = response
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature } }
}

/**
 * Has the browser sign with whichever passkey of the site the user picks; with `autofill`, in the suggestions of the field
 * for the email, until they pick one. Asking again ends what waits.
 */
export async function findPasskey(options: PasskeyRequest, autofill: boolean): Promise<PasskeyLogin> {
  const { startAuthentication } = await library()
  const signed = startAuthentication({ optionsJSON: options as never, useBrowserAutofill: autofill })
  const { id, rawId, type, response } = await signed.catch(explain)
  const { clientDataJSON, authenticatorData, signature, userHandle = '' } = response
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }
}

/** Whether this browser can suggest passkeys in a field. */
export const suggestsPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.().catch(() => false)) === true

/** Ends what waits for a passkey. */
export const stopPasskeys = async (): Promise<void> => (await library()).WebAuthnAbortService.cancelCeremony()
