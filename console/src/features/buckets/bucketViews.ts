import type { View } from '../../routes.ts'

export const bucketPageViews: readonly View[] = [
  { path: '/b/$bucket/overview', load: () => import('./Overview.tsx') },
  { path: '/b/$bucket/settings', load: () => import('./Settings.tsx') },
]
