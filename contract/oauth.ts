import Type from 'typebox'
import { newAgentFields } from './agents.ts'
import { route } from './route.ts'
import { Exactly, Nullable, Timestamp } from './shapes.ts'
import { Legible, Opaque, Plain } from './texts.ts'

/** The form that secret scanners look for. */
export const MCP_TOKEN_PATTERN = 'svc_mcp_[0-9A-Za-z]{36}'

/** Longest URI that an answer is sent to, in characters. */
const REDIRECT_LENGTH = 512
const MOST_REDIRECTS = 10

const RedirectUri = Opaque(REDIRECT_LENGTH, {
  description:
    'An `https` URL, an `http` URL of this machine (its port does not count), or a scheme of an application.',
  examples: ['http://127.0.0.1/callback'],
})
const Url = Type.String()

/** What says where clients sign in (RFC 9728 section 2). */
const ResourceMetadata = Type.Object({
  resource: Url,
  authorization_servers: Type.Array(Url),
  scopes_supported: Type.Array(Type.String()),
  bearer_methods_supported: Type.Array(Type.String()),
  resource_name: Type.String(),
})

/** What says how clients sign in (RFC 8414 section 2). */
const AuthorizationServer = Type.Object({
  issuer: Url,
  authorization_endpoint: Url,
  token_endpoint: Url,
  registration_endpoint: Url,
  revocation_endpoint: Url,
  scopes_supported: Type.Array(Type.String()),
  response_types_supported: Type.Array(Type.String()),
  response_modes_supported: Type.Array(Type.String()),
  grant_types_supported: Type.Array(Type.String()),
  token_endpoint_auth_methods_supported: Type.Array(Type.String()),
  revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
  code_challenge_methods_supported: Type.Array(Type.String()),
  authorization_response_iss_parameter_supported: Type.Boolean(),
  client_id_metadata_document_supported: Type.Boolean(),
})

const metadata = {
  method: 'GET',
  root: true,
  tag: 'oauth',
  access: 'public',
  status: 200,
} as const
const ofResource = {
  ...metadata,
  summary: 'Find out where clients of the MCP server sign in',
  reply: ResourceMetadata,
} as const

const ClientId = Type.Optional(Plain(REDIRECT_LENGTH, { description: 'Required.' }))
/** What the console hands back: the request as the service has checked and signed it. */
const SignedRequest = Opaque(4096, { description: 'What the consent page was opened with.' })

export const Authorization = Type.Object({
  client_name: Type.String({ description: 'What the client calls itself.' }),
  client_host: Nullable(Type.String(), {
    description:
      'The host that the client’s document is on; null for a client that registered itself, whose name nothing confirms.',
  }),
  redirect_host: Type.String({ description: 'Where the answer is sent: a host, or the scheme of an application.' }),
  on_this_machine: Type.Boolean({ description: 'Whether the answer stays on the machine of the browser.' }),
  refuse_url: Type.String({ description: 'Where to send the browser if the user refuses.' }),
  expires_at: Timestamp,
})
export type Authorization = Type.Static<typeof Authorization>

const tokenForm = {
  client_id: ClientId,
  client_secret: Type.Optional(Plain(4096, { description: 'Ignored: clients have no secret.' })),
}

export const operations = {
  getMcpResource: route({ ...ofResource, url: '/.well-known/oauth-protected-resource/mcp' }),
  getMcpResourceAtRoot: route({ ...ofResource, url: '/.well-known/oauth-protected-resource' }),

  getAuthorizationServer: route({
    ...metadata,
    url: '/.well-known/oauth-authorization-server',
    summary: 'Find out how clients of the MCP server sign in',
    reply: AuthorizationServer,
  }),

  registerClient: route({
    method: 'POST',
    url: '/oauth/register',
    root: true,
    tag: 'oauth',
    summary: 'Register a client',
    description:
      'RFC 7591. For clients that have no document of their own to name as `client_id`. It lasts for a day, and for as long as an agent made with it is valid. At most ten a minute from one address.',
    access: 'public',
    status: 201,
    body: Type.Object(
      {
        redirect_uris: Type.Array(RedirectUri, { minItems: 1, maxItems: MOST_REDIRECTS, uniqueItems: true }),
        client_name: Type.Optional(Legible(100)),
        grant_types: Type.Optional(Type.Array(Plain(100), { maxItems: 10 })),
        response_types: Type.Optional(Type.Array(Plain(100), { maxItems: 10 })),
      },
      { description: 'Other members are ignored.' },
    ),
    reply: Type.Object({
      client_id: Type.String(),
      client_id_issued_at: Type.Integer({ description: 'Seconds since 1970.' }),
      client_name: Type.String(),
      redirect_uris: Type.Array(Type.String()),
      token_endpoint_auth_method: Type.Literal('none'),
      grant_types: Type.Array(Type.String()),
      response_types: Type.Array(Type.String()),
    }),
    errors: ['invalid_oauth_request', 'rate_limited'],
    records: ['client_register'],
  }),

  beginAuthorization: route({
    method: 'GET',
    url: '/oauth/authorize',
    root: true,
    tag: 'oauth',
    summary: 'Ask a user for access to the MCP server',
    description:
      'Where clients send the browser. It goes on to the console, where the user signs in and makes an agent. Errors are shown there, and never sent to the redirect URI: anyone can register one.',
    access: 'public',
    status: 303,
    query: Type.Object(
      {
        response_type: Type.Optional(Plain(100, { description: 'Must be `code`.' })),
        client_id: Type.Optional(
          Plain(REDIRECT_LENGTH, { description: 'Of a registration, or the URL of the client’s document.' }),
        ),
        redirect_uri: Type.Optional(Plain(REDIRECT_LENGTH)),
        state: Type.Optional(Plain(800)),
        code_challenge: Type.Optional(Plain(128)),
        code_challenge_method: Type.Optional(Plain(20, { description: 'Must be `S256`.' })),
        resource: Type.Optional(Plain(2048, { description: 'Must be the URL of the MCP server if present.' })),
      },
      { description: 'Other parameters are ignored.' },
    ),
    produces: 'bytes',
    errors: ['invalid_oauth_request', 'rate_limited'],
  }),

  readAuthorization: route({
    method: 'POST',
    url: '/oauth/authorization',
    tag: 'oauth',
    summary: 'Get what a client asks for',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    body: Exactly({ request: SignedRequest }),
    reply: Authorization,
    errors: ['gone'],
    records: [],
  }),

  approveAuthorization: route({
    method: 'POST',
    url: '/oauth/authorization/approve',
    tag: 'oauth',
    summary: 'Make an agent for a client',
    description:
      'Makes an agent as `POST /agents` does, whose token the client gets: the URL returned has a code for it that works once, within 60 seconds. Needs a session: tokens cannot give themselves away.',
    access: 'signed_in',
    ofAccount: true,
    status: 201,
    body: Exactly({ request: SignedRequest, ...newAgentFields.properties }),
    reply: Type.Object({ redirect_to: Type.String({ description: 'Where to send the browser.' }) }),
    errors: ['invalid_request', 'limit_reached', 'not_found', 'read_only', 'gone'],
    records: ['agent_create', 'create_bucket'],
  }),

  exchangeToken: route({
    method: 'POST',
    url: '/oauth/token',
    root: true,
    tag: 'oauth',
    summary: 'Exchange a code or a refresh token for tokens',
    description:
      'Access tokens are valid for 30 minutes, at the MCP server alone. Each exchange replaces the refresh token; a replaced one that is used again revokes the agent, except within 30 seconds while its successor is unused: then it returns the same successor. So does a code that is used again.',
    access: 'public',
    consumes: 'form',
    status: 200,
    body: Type.Object(
      {
        grant_type: Type.Optional(Plain(100, { description: '`authorization_code` or `refresh_token`.' })),
        ...tokenForm,
        code: Type.Optional(Plain(200)),
        code_verifier: Type.Optional(Plain(128)),
        redirect_uri: Type.Optional(Plain(REDIRECT_LENGTH, { description: 'As when the code was asked for.' })),
        refresh_token: Type.Optional(Plain(2048)),
        resource: Type.Optional(Plain(2048, { description: 'Must be the URL of the MCP server if present.' })),
      },
      { description: 'Other fields are ignored.' },
    ),
    reply: Type.Object({
      access_token: Type.String(),
      token_type: Type.Literal('Bearer'),
      expires_in: Type.Integer({ description: 'Seconds.' }),
      refresh_token: Type.String(),
      scope: Type.String(),
    }),
    errors: ['invalid_oauth_request'],
    records: ['agent_connect', 'agent_revoke'],
  }),

  revokeOauthToken: route({
    method: 'POST',
    url: '/oauth/revoke',
    root: true,
    tag: 'oauth',
    summary: 'Revoke the agent that a token is of',
    description: 'RFC 7009. Takes either token, and answers unknown ones with success.',
    access: 'public',
    consumes: 'form',
    status: 200,
    body: Type.Object(
      { token: Type.Optional(Plain(2048, { description: 'Required.' })), ...tokenForm },
      { description: 'Other fields are ignored.' },
    ),
    reply: Type.Object({}),
    errors: ['invalid_oauth_request'],
    records: ['agent_revoke'],
  }),
}
