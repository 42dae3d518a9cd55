import { isIP } from 'node:net'
import { ServiceError } from '../../../contract/errors.ts'
import type {
  PasskeyAssertion,
  PasskeyCreation,
  PasskeyRegistration,
  PasskeyRequest,
} from '../../../contract/passkeys.ts'
import type { Config } from '../../config/config.ts'
import type { FactorRow } from './store.ts'

/** ES256, EdDSA and RS256 (COSE). */
const ALGORITHMS = [-7, -8, -257]
const TIMEOUT_MS = 5 * 60_000

/** What passkeys are made for, and signed on. */
export interface Site {
  /** The relying party's id: a host name. */
  id: string
  origin: string
}

/** The site of PUBLIC_BASE_URL, never of a Host header; null where browsers have no passkeys: on http, and on addresses. */
export function siteOf({ publicBaseUrl }: Pick<Config, 'publicBaseUrl'>): Site | null {
  const { protocol, hostname, origin } = new URL(publicBaseUrl)
  const secure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
  return secure && isIP(hostname) === 0 && !hostname.startsWith('[') ? { id: hostname, origin } : null
}

/** The site; throws conflict where browsers have no passkeys. */
export function requireSite(config: Pick<Config, 'publicBaseUrl'>): Site {
  const site = siteOf(config)
  if (!site)
    throw new ServiceError('conflict', 'Passkeys need https, or localhost, and a host name that is not an IP address.')
  return site
}

const descriptors = (factors: readonly FactorRow[]) =>
  factors.flatMap(({ credential_id, transports }) =>
    credential_id === null
      ? []
      : [{ id: credential_id, type: 'public-key' as const, transports: JSON.parse(transports ?? '[]') as string[] }],
  )

/** Options that ask a browser to sign the challenge with one of these passkeys. */
export const requestOf = (site: Site, challenge: string, factors: readonly FactorRow[]): PasskeyRequest => ({
  challenge,
  timeout: TIMEOUT_MS,
  rpId: site.id,
  allowCredentials: descriptors(factors),
  userVerification: 'preferred',
})

/** Options that ask a browser to sign the challenge with any passkey of the site, once its user is verified. */
export const openRequestOf = (site: Site, challenge: string): PasskeyRequest => ({
  ...requestOf(site, challenge, []),
  userVerification: 'required',
})

/** Options that ask a browser for a passkey besides these. It can sign in alone where the device has room for that. */
export const creationOf = (
  site: Site & { name: string },
  challenge: string,
  user: { id: string; email: string; display_name: string },
  factors: readonly FactorRow[],
): PasskeyCreation => ({
  challenge,
  timeout: TIMEOUT_MS,
  rp: { id: site.id, name: site.name },
  user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.display_name },
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  excludeCredentials: descriptors(factors),
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  attestation: 'none',
  extensions: { credProps: true },
})

/** Loaded with the first passkey: it takes 27 MB. */
const webauthn = () => import('@simplewebauthn/server')

/** The columns of a new passkey that was made for the challenge; null if it was not. */
export async function readRegistration(site: Site, challenge: string, given: PasskeyRegistration) {
  const { verifyRegistrationResponse } = await webauthn()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...given, clientExtensionResults: {} } as never,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => ({ verified: false as const, registrationInfo: undefined }))
  if (!verified || !registrationInfo) return null
  const { id, publicKey, counter } = registrationInfo.credential
  const discoverable = given.clientExtensionResults?.credProps?.rk
  return {
    credential_id: id,
    public_key: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: JSON.stringify(given.response.transports ?? []),
    discoverable: discoverable === undefined ? null : Number(discoverable),
  }
}

/** What a passkey had to sign, and how. */
export interface Signing {
  site: Site
  challenge: string
  /** Whether the authenticator must have verified its user. */
  verified: boolean
}

/** The counter of a signature of the challenge by this passkey; null if it is none, or an old one. */
export async function readAssertion(
  { site, challenge, verified: requireUserVerification }: Signing,
  factor: FactorRow,
  given: PasskeyAssertion,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await webauthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...given, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification,
    credential: {
      id: factor.credential_id ?? '',
      publicKey: new Uint8Array(Buffer.from(factor.public_key ?? '', 'base64url')),
      counter: factor.counter ?? 0,
    },
  }).catch(() => ({ verified: false as const, authenticationInfo: undefined }))
  return verified && authenticationInfo ? authenticationInfo.newCounter : null
}
