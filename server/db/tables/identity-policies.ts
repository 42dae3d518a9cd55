/** The policies of users and groups, in the language of AWS. */
export interface IdentityPolicyTables {
  /** Policies with a name of their own, which can be attached to many. */
  managed_policies: {
    id: string
    name: string
    /** Lower case: two names with the same key are the same. */
    name_key: string
    /** What stands before the name in its ARN. */
    path: string
    description: string
    /** The version that is in force. */
    default_version: number
    /** The highest that there has been. */
    latest_version: number
    created_at: string
    /** When it last got a version. */
    updated_at: string
  }
  managed_policy_versions: { policy_id: string; version: number; document: string; created_at: string }
  /** Policies that belong to one user, group or role. */
  inline_policies: {
    /** That of an access key limits it; it has one at most. */
    owner_kind: 'user' | 'group' | 'role' | 'access_key'
    owner_id: string
    name: string
    document: string
    updated_at: string
  }
  attached_policies: {
    owner_kind: 'user' | 'group' | 'role'
    owner_id: string
    /** The id of a managed policy, or `aws:` and the name of a built-in one. */
    policy: string
    attached_at: string
  }
}
