import { entraTenant } from '../../config/variables.ts'
import type { Ctx } from '../../context.ts'
import type { EffectiveSettings } from './effective.ts'

const DEFAULT_SCOPE = 'openid profile email'

/** The identity provider of the current settings. */
export interface Idp {
  issuer: string
  clientId: string
  clientSecret: string | null
  subjectClaim: string
  groupsClaim: string | null
  /** Whether a first login is linked to the account with a confirmed email. */
  linksEmail: boolean
  /** What logins ask for, with `openid`. */
  scope: string
}

/** The configured provider, or null. */
export function idpOf({ idp }: EffectiveSettings): Idp | null {
  const { issuer_url, client_id, client_secret, subject_claim, groups_claim, scope, link_verified_email } = idp
  if (issuer_url === null || client_id === null) return null
  return {
    issuer: issuer_url,
    clientId: client_id,
    clientSecret: client_secret,
    subjectClaim: subject_claim ?? (entraTenant(issuer_url) === null ? 'sub' : 'oid'),
    groupsClaim: groups_claim,
    linksEmail: link_verified_email,
    scope: scope ?? DEFAULT_SCOPE,
  }
}

/** The provider while people can log in with it, or null. */
export const idpInForce = (settings: EffectiveSettings): Idp | null =>
  settings.auth.enable_idp ? idpOf(settings) : null

/**
 * Where the provider sends the browser after a login, to be registered there: from the configuration, never from a Host
 * header, which the caller chooses.
 */
export const redirectUri = ({ config }: Pick<Ctx, 'config'>): string => `${config.publicBaseUrl}/api/v1/auth/callback`
