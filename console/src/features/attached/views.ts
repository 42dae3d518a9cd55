import type { View } from '../../routes.ts'

export const attachedViews: readonly View[] = [
  { path: '/buckets/attach', load: () => import('./Attach.tsx') },
  { path: '/b/$bucket/scans', load: () => import('./Scans.tsx') },
]
