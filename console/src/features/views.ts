import type { View } from '../routes.ts'
import { authViews } from './auth/views.ts'
import { browseViews } from './browse/views.ts'
import { bucketViews } from './buckets/views.ts'

/** Every view of the console. */
export const views: readonly View[] = [...authViews, ...bucketViews, ...browseViews]
