/** A person as the organisation's directory knows them. */
export interface DirectoryUser {
  /** The value that the subject claim of their logins carries: what identifies them here (O7). */
  externalId: string
  email: string | null
  displayName: string
  username: string | null
  enabled: boolean
}

/** A place where people can be looked up before they have ever logged in. */
export interface IdentityDirectory {
  readonly kind: DirectoryKind
  /**
   * People whose name, address or login fits `q` (2–100 characters, trimmed, any text: it cannot change the query,
   * O17). `cursor` is the `nextCursor` of the page before. Throws the directory_* ServiceErrors (O15); rejects with the
   * signal's reason when it is aborted.
   */
  search(
    q: string,
    options: { limit: number; cursor?: string | undefined; signal: AbortSignal },
  ): Promise<{ users: DirectoryUser[]; nextCursor: string | null }>
  /** One person by id; null when the directory has none such. Throws as `search`. */
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
  /** scim2: a fixed bearer token, in place of client credentials. */
  bearerToken: string | null
  /** scim2: which attribute the subject claim of logins carries. */
  subjectAttribute: 'id' | 'externalId' | 'userName'
}
