// What the authorization server says of itself. All of it is below PUBLIC_BASE_URL, never what a request calls the service.
import type { Config } from '../../config/config.ts'

type Site = Pick<Config, 'publicBaseUrl'>

/** The one scope: what a client may do is what the user gave its agent. */
export const SCOPE = 'mcp'

/** The issuer (RFC 8414 section 2). */
export const issuerOf = ({ publicBaseUrl }: Site): string => publicBaseUrl

/** The MCP server as a resource (RFC 8707 section 2): what its tokens are for. */
export const resourceOf = ({ publicBaseUrl }: Site): string => `${publicBaseUrl}/mcp`

/** Where clients find out about it (RFC 9728 section 3). */
export const resourceMetadataUrl = ({ publicBaseUrl }: Site): string =>
  `${publicBaseUrl}/.well-known/oauth-protected-resource/mcp`

/** The challenge of a refusal (RFC 9728 section 5.1); `error` if there was a credential. */
export const challengeOf = (config: Site, error: string | null): string =>
  `Bearer ${error === null ? '' : `error="${error}", `}resource_metadata="${resourceMetadataUrl(config)}", scope="${SCOPE}"`

/** The metadata of the resource. */
export const describeResource = (config: Site) => ({
  resource: resourceOf(config),
  authorization_servers: [issuerOf(config)],
  scopes_supported: [SCOPE],
  bearer_methods_supported: ['header'],
  resource_name: 'Strongroom',
})

/** The metadata of the authorization server. */
export const describeServer = (config: Site) => ({
  issuer: issuerOf(config),
  authorization_endpoint: `${config.publicBaseUrl}/oauth/authorize`,
  token_endpoint: `${config.publicBaseUrl}/oauth/token`,
  registration_endpoint: `${config.publicBaseUrl}/oauth/register`,
  revocation_endpoint: `${config.publicBaseUrl}/oauth/revoke`,
  scopes_supported: [SCOPE],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})
