import type { View } from '../routes.ts'
import { authViews } from './auth/views.ts'
import { bucketPageViews } from './bucket/views.ts'
import { bucketViews } from './buckets/views.ts'
import { jobViews } from './jobs/views.ts'
import { trashViews } from './trash/views.ts'
import { uploadViews } from './uploads/views.ts'
import { usageViews } from './usage/views.ts'

/** Every view of the console. */
export const views: readonly View[] = [
  ...authViews,
  ...bucketViews,
  ...bucketPageViews,
  ...jobViews,
  ...trashViews,
  ...uploadViews,
  ...usageViews,
]
