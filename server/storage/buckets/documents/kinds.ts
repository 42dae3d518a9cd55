import type { Website } from '../../../../contract/bucket-rules.ts'
import type { Ownership } from '../../../../contract/public-access.ts'
import type { BucketTags } from '../../../../contract/shapes.ts'
import type { KeptPolicy } from '../../../access/policies/book.ts'
import type { Acl } from './acl.ts'
import type { CorsRule } from './cors.ts'
import type { LifecycleRule } from './lifecycle.ts'

/** What can be configured of a bucket. */
export interface BucketConfig {
  cors: readonly CorsRule[]
  lifecycle: readonly LifecycleRule[]
  tagging: BucketTags
  policy: KeptPolicy
  acl: Acl
  /** `none`: nothing is said, and ACLs count; without any, there are no ACLs. */
  ownership: Ownership | 'none'
  public_access_block: PublicAccessBlock
  website: Website
}

/** What of a bucket must not be public, whatever else is configured. */
export interface PublicAccessBlock {
  /** Refuses ACLs that grant anything to everyone. */
  block_acls: boolean
  /** Such ACLs have no effect. */
  ignore_acls: boolean
  /** Refuses policies that allow anything to everyone. */
  block_policy: boolean
  /** Such policies, and grants of the group of everyone, have no effect. */
  restrict: boolean
}
