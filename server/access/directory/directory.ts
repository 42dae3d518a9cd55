/** A person as the organisation's directory knows them. */
export interface DirectoryUser {
  /** The value of their logins' subject claim: identifies them here. */
  externalId: string
  email: string | null
  displayName: string
  username: string | null
  enabled: boolean
}

/** A directory in which people can be looked up before they have ever logged in. */
export interface IdentityDirectory {
  readonly kind: DirectoryKind
  /**
   * People whose name, address or login matches `q` (2–100 characters, trimmed, any text: it is escaped, so it cannot
   * change the query). `cursor` is the previous page's `nextCursor`. Throws the directory_* ServiceErrors; rejects with
   * the signal's reason when aborted.
   */
  search(
    q: string,
    options: { limit: number; cursor?: string | undefined; signal: AbortSignal },
  ): Promise<{ users: DirectoryUser[]; nextCursor: string | null }>
  /** One person by id; null if the directory has no such person. Throws as `search`. */
  get(externalId: string, options: { signal: AbortSignal }): Promise<DirectoryUser | null>
}

export const directoryKinds = ['msgraph', 'keycloak', 'scim2'] as const
export type DirectoryKind = (typeof directoryKinds)[number]

/** How a directory is reached. Fields a kind does not use are null. */
export interface DirectorySettings {
  kind: DirectoryKind
  /**
   * msgraph: the Graph host (`https://graph.microsoft.com`); keycloak: the base of the server, without `/realms`;
   * scim2: the base that `/Users` follows. Without a trailing slash.
   */
  url: string
  /** Where application tokens are issued (OAuth 2.0 client credentials); null with a fixed `bearerToken`. */
  tokenUrl: string | null
  clientId: string | null
  clientSecret: string | null
  /** msgraph: `https://graph.microsoft.com/.default`. */
  scope: string | null
  /** keycloak: the realm. */
  realm: string | null
  /** scim2: a fixed bearer token, instead of client credentials. */
  bearerToken: string | null
  /** scim2: the attribute that the subject claim of logins contains. */
  subjectAttribute: 'id' | 'externalId' | 'userName'
}
