import { trimEndOf } from '../../base/trim-end.ts'
import { entraTenant } from '../../config/variables.ts'
import type { EffectiveSettings } from '../settings/effective.ts'
import type { DirectorySettings, IdentityDirectory } from './directory.ts'
import { openDirectory as openKind } from './open.ts'

const GRAPH = 'https://graph.microsoft.com'

/**
 * The configured directory, or null. Missing settings are taken from the identity provider: all of them with Entra,
 * otherwise only the client.
 */
export function openDirectory({ directory, idp }: EffectiveSettings, now: () => Date): IdentityDirectory | null {
  const issuer = idp.issuer_url ?? ''
  const kind = directory.kind ?? (entraTenant(issuer) === null ? null : 'msgraph')
  const url = directory.url ?? (kind === 'msgraph' ? GRAPH : null)
  if (kind === null || url === null) return null
  const settings: DirectorySettings = {
    kind,
    url: trimEndOf(url, '/'),
    tokenUrl: directory.token_url ?? defaultTokenUrl(kind, url, directory.realm, issuer),
    clientId: directory.client_id ?? idp.client_id,
    clientSecret: directory.client_secret ?? idp.client_secret,
    scope: kind === 'msgraph' ? `${new URL(url).origin}/.default` : null,
    realm: directory.realm,
    bearerToken: directory.bearer_token,
    subjectAttribute: directory.subject_attribute,
  }
  return openKind(settings, now)
}

function defaultTokenUrl(kind: string, url: string, realm: string | null, issuer: string): string | null {
  const tenant = entraTenant(issuer)
  if (kind === 'msgraph' && tenant !== null) return `${new URL(issuer).origin}/${tenant}/oauth2/v2.0/token`
  if (kind === 'keycloak' && realm !== null)
    return `${trimEndOf(url, '/')}/realms/${encodeURIComponent(realm)}/protocol/openid-connect/token`
  return null
}
