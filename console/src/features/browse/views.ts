import type { View } from '../../routes.ts'

export const browseViews: readonly View[] = [
  { path: '/b/$bucket', load: () => import('./Browse.tsx') },
  { path: '/b/$bucket/deleted', load: () => import('./Deleted.tsx') },
]
