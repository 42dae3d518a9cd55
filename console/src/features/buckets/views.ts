import type { View } from '../../routes.ts'

export const bucketViews: readonly View[] = [
  { path: '/buckets', load: () => import('./Buckets.tsx') },
  { path: '/b/:bucket/overview', load: () => import('./Overview.tsx') },
  { path: '/b/:bucket/settings', load: () => import('./Settings.tsx') },
]
