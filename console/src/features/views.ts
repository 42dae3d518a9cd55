import type { View } from '../routes.ts'
import { authViews } from './auth/views.ts'
import { browseViews } from './browse/views.ts'
import { bucketViews } from './buckets/views.ts'
import { groupViews } from './groups/views.ts'
import { settingsViews } from './settings/views.ts'
import { userViews } from './users/views.ts'

/** Every view of the console. */
export const views: readonly View[] = [
  ...authViews,
  ...browseViews,
  ...bucketViews,
  ...groupViews,
  ...settingsViews,
  ...userViews,
]
