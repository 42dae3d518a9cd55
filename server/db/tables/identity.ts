import type { Generated } from 'kysely'
import type { LanguageTag } from '../../../contract/languages.ts'

/** What people issue to themselves, for programs: both kinds live and end alike. */
interface Credential {
  id: string
  user_id: string
  name: string
  /** JSON: ScopeEntry[], what it is limited to; null for all that its owner may do. */
  scope: string | null
  /** When the value that the last rotation replaced stops working. */
  previous_until: string | null
  created_at: string
  created_via: 'local' | 'idp' | 'pat'
  created_by_token_id: string | null
  expires_at: string | null
  last_used_at: string | null
  last_used_ip: string | null
  revoked_at: string | null
  /** The last notice before its expiry that was recorded, in days. */
  notice_days: number | null
}

/** People, their groups and rights, and what they log in with. */
export interface IdentityTables {
  users: {
    id: string
    email: string
    /** NFKC, lower case: two addresses with the same key are the same. */
    email_key: string
    display_name: string
    /** Address and name, NFKC and lower case: what a search matches. */
    search_key: string
    /** bcrypt; null for people who come only through an identity provider. */
    password_hash: string | null
    /** 1: they choose another password when they next log in with it. */
    must_change_password: Generated<number>
    /** 1: the password is one that the service generated and printed; 0: it was replaced; null: there was none. */
    password_generated: number | null
    /** Of the console, and of mail to them; null for the browser's, and English. */
    language: LanguageTag | null
    idp_issuer: string | null
    idp_subject: string | null
    /** Incremented to end all of the user's access tokens at once. */
    token_version: number
    disabled_at: string | null
    /** 1: only programs act as it, with access keys; it can never sign in. */
    service_account: Generated<number>
    /** Of IAM: what stands before the name in its ARN. */
    path: Generated<string>
    created_at: string
    last_login_at: string | null
  }
  groups: {
    id: string
    name: string
    name_key: string
    description: string
    /** Names a group that comes with Strongroom. */
    builtin: 'administrators' | 'public' | null
    /** JSON: GlobalRight[] */
    global: string
    /** Of IAM: what stands before the name in its ARN. */
    path: Generated<string>
    created_at: string
  }
  group_members: { group_id: string; user_id: string; added_at: string }
  grants: {
    id: string
    group_id: string
    bucket_pattern: string
    prefix: string
    /** JSON: BucketAction[] */
    actions: string
  }
  /** A login and everything refreshed from it: the refresh family. */
  sessions: {
    id: string
    user_id: string
    auth_method: 'local' | 'idp'
    ip: string | null
    user_agent: string | null
    created_at: string
    /** The session cannot be refreshed after this. */
    expires_at: string
    last_used_at: string
    revoked_at: string | null
    /** When a second factor was given; null where the password alone opened it, or the identity provider. */
    second_factor_at: string | null
    /** What opened it; `link`: an invitation or another link with which a password is chosen. Null for older ones. */
    signed_in_with: Generated<'password' | 'passkey' | 'identity_provider' | 'link' | null>
  }
  refresh_tokens: {
    jti: string
    session_id: string
    issued_at: string
    expires_at: string
    consumed_at: string | null
    successor_jti: string | null
  }
  tokens: Credential & {
    token_prefix: string
    /** SHA-256 in hex. */
    token_hash: string
    /** Hash of the value that the last rotation replaced, which works until `previous_until`. */
    previous_hash: string | null
  }
  /** Key pairs that sign S3 requests. */
  access_keys: Credential & {
    access_key_id: string
    /** Encrypted with a key derived from SECRET_KEY: a signature can only be checked with the secret itself. */
    secret: string
    /** The secret that the last rotation replaced, which works until `previous_until`. */
    previous_secret: string | null
    /** Since when it is turned off; null while it can be used. */
    deactivated_at: Generated<string | null>
  }
  /** Logins that were sent to the identity provider and have not come back yet. */
  idp_logins: {
    state_hash: string
    cookie_hash: string
    nonce: string
    /** Encrypted with a key derived from SECRET_KEY. */
    code_verifier: string
    return_to: string | null
    created_at: string
    expires_at: string
  }
  /** Finished browser logins whose tokens wait to be fetched. */
  handoffs: {
    code_hash: string
    session_id: string
    refresh_jti: string
    expires_at: string
    /** Hash of the cookie of the browser that started the login. */
    cookie_hash: string | null
  }
  /** Authenticator apps and passkeys, for logins with a password. */
  second_factors: {
    id: string
    user_id: string
    kind: 'totp' | 'passkey'
    name: string
    /** Of an app: its key, encrypted with a key derived from SECRET_KEY. */
    secret: string | null
    /** Of an app: the time step of the latest code that was used; none before it works any more. */
    last_step: number | null
    /** Of a passkey, in base64url. */
    credential_id: string | null
    /** Of a passkey: its COSE key in base64url. */
    public_key: string | null
    /** Of a passkey: how many signatures it has made, where it counts them. */
    counter: number | null
    /** Of a passkey: JSON, how browsers reach it. */
    transports: string | null
    /** Of a passkey: 1 if browsers find it without being told which one to look for; null where that is not known. */
    discoverable: Generated<number | null>
    created_at: string
    last_used_at: string | null
  }
  /** Those that were not used yet. */
  recovery_codes: { code_hash: string; user_id: string; created_at: string }
  /** Challenges that a sign-in with a passkey has used: they are signed, not stored, and work once. */
  used_passkey_challenges: { challenge_hash: string; expires_at: string }
  /** Who has forgotten their password, as they typed their address; a worker answers them, so that nobody can tell by the time. */
  password_reset_requests: {
    id: string
    email: string
    email_key: string
    /** Of the page on which it was typed. */
    language: LanguageTag | null
    /** JSON: Origin. */
    origin: string
    requested_at: string
  }
  /** Links with which a forgotten password is replaced, with the address and the login that their users had then. */
  password_resets: {
    /** SHA-256 of the link's token in hex. */
    token_hash: string
    user_id: string
    email_key: string
    token_version: number
    expires_at: string
  }
  /** Users who were invited to choose their first password, with the address and the login that they had then. */
  invitations: {
    user_id: string
    /** SHA-256 of the link's token in hex. */
    token_hash: string
    email_key: string
    token_version: number
    expires_at: string
  }
  /** What waits for a second factor, for one that is being set up, or for another password. */
  second_factor_challenges: {
    challenge_hash: string
    user_id: string
    purpose: 'login' | 'login_enrollment' | 'enrollment' | 'proof' | 'password_change'
    /** The user's when it was made: a changed password ends it. */
    token_version: number
    /** What a passkey is to sign. */
    passkey_challenge: string | null
    /** The key of an app that is being set up, encrypted with a key derived from SECRET_KEY. */
    secret: string | null
    /** How many answers were tried. */
    tries: number
    expires_at: string
  }
  /** One row. Locked by every change of who can administer the service. */
  settings: {
    id: number
    /** JSON: what was set instead of the defaults, by section; secrets in it are encrypted. */
    overrides: string
    /** SHA-256 of the setup link's token in hex; null where there is no such link. */
    setup_hash: string | null
  }
  /** One row, or none. */
  site_logo: {
    id: number
    png: Uint8Array
    /** SHA-256 in hex; it is in the logo's address. */
    hash: string
    updated_at: string
  }
  login_throttle: { key: string; failures: number; window_started_at: string; blocked_until: string | null }
}
