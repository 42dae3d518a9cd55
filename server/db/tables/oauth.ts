/** Clients of the MCP server that sign in by OAuth, and the agents that users made for them. */
export interface OauthTables {
  /** Clients that registered themselves. */
  oauth_clients: {
    id: string
    name: string
    /** JSON: string[] */
    redirect_uris: string
    created_at: string
    /** Until when it can be used; null once a user has made an agent for it. */
    expires_at: string | null
  }
  /** One row for each agent that was made for a client. Tokens and codes are only here as hashes. */
  oauth_grants: {
    agent_id: string
    /** Of a registration, or the URL of the client's document. */
    client_id: string
    client_name: string
    redirect_uri: string
    /** SHA-256 of the verifier in base64url (RFC 7636). */
    code_challenge: string
    /** SHA-256 in hex. */
    code_hash: string
    code_expires_at: string
    code_used_at: string | null
    /** SHA-256 in hex of the access token that is valid; null before the code was exchanged. */
    access_hash: string | null
    access_expires_at: string | null
    /** The number of the refresh token that is valid. */
    refreshes: number
    refreshed_at: string | null
    refresh_expires_at: string | null
  }
}
