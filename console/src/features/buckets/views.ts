import type { View } from '../../routes.ts'

export const bucketViews: readonly View[] = [
  { path: '/', load: () => import('./Home.tsx') },
  { path: '/buckets', load: () => import('./Buckets.tsx') },
]
