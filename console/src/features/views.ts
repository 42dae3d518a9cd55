import type { View } from '../routes.ts'
import { accountViews } from './account/views.ts'
import { authViews } from './auth/views.ts'
import { bucketViews } from './buckets/views.ts'
import { linkViews } from './links/views.ts'
import { policyViews } from './policies/views.ts'
import { shareViews } from './shares/views.ts'
import { tokenViews } from './tokens/views.ts'

/** Every view of the console. */
export const views: readonly View[] = [
  ...authViews,
  ...bucketViews,
  ...shareViews,
  ...linkViews,
  ...tokenViews,
  ...policyViews,
  ...accountViews,
]
