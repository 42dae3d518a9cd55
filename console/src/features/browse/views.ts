import type { View } from '../../routes.ts'

export const browseViews: readonly View[] = [
  { path: '/b/:bucket', load: () => import('./Browse.tsx'), inFrame: true, keepsScroll: true },
  { path: '/b/:bucket/deleted', load: () => import('./Deleted.tsx'), inFrame: true },
]
