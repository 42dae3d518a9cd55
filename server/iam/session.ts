/** What temporary credentials are of: a session of a role, or of a user. */
export interface ActingSession {
  /** The role's name; null for a session of a user. */
  role: string | null
  role_id: string | null
  name: string
  /** Who took on the role, if they have an account here. */
  user_id: string | null
  email: string | null
  /** Who the identity provider says it is. */
  subject: string | null
  source_identity: string | null
}
