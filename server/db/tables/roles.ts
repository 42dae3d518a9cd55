/** Roles, the identity providers whose tokens open sessions of them, and the credentials of those sessions. */
export interface RoleTables {
  roles: {
    /** `AROA…`: a role that is made again under the same name is another one. */
    id: string
    name: string
    /** Lower case: two names with the same key are the same. */
    name_key: string
    /** `/`, or `/team/`. */
    path: string
    description: string
    /** JSON: KeptPolicy, who may take it on. */
    trust: string
    /** JSON: Tag[] */
    tags: string
    max_session_seconds: number
    created_at: string
  }
  oidc_providers: {
    /** The issuer without its scheme, which is how ARNs and conditions name it. */
    issuer_key: string
    issuer: string
    /** JSON: string[], the clients whose tokens count. */
    audiences: string
    /** JSON: string[]; kept for who asks for them, and not used. */
    thumbprints: string
    /** JSON: Tag[] */
    tags: string
    created_at: string
  }
  /** Key pairs with an end. Neither their secrets nor their tokens are stored: they are derived from SECRET_KEY. */
  temporary_credentials: {
    id: string
    access_key_id: string
    /** Which SECRET_KEY its secret and its token are derived from. */
    secret_key_id: string
    /** What it may: what a role may, what a user may, or what members of groups may. */
    kind: 'role' | 'user' | 'groups'
    role_id: string | null
    /** Whose it is, or who took on the role; null for whom an identity provider alone knows. */
    user_id: string | null
    /** Of the provider whose token opened the session. */
    issuer_key: string | null
    /** The session with whose credentials this one was asked for: it ends with that. */
    parent_id: string | null
    session_name: string
    /** Who the provider says it is. */
    subject: string | null
    source_identity: string | null
    /** The text of the policy of the session. */
    policy: string | null
    /** JSON: ScopeEntry[], what the access key was limited to with which it was asked for. */
    scope: string | null
    /** JSON: the values of the session's tags, by name. */
    tags: string
    /** JSON: the claims of the token. */
    claims: string
    /** From where it was asked for. */
    ip: string | null
    created_at: string
    expires_at: string
    revoked_at: string | null
  }
  /** The groups whose permissions a session of the kind `groups` has. */
  temporary_credential_groups: { credential_id: string; group_id: string }
}
