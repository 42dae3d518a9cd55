import type { View } from '../../routes.ts'

export const attachedViews: readonly View[] = [
  { path: '/buckets/attach', load: () => import('./Attach.tsx') },
  { path: '/b/:bucket/scans', load: () => import('./Scans.tsx') },
  { path: '/b/:bucket/findings', load: () => import('./Findings.tsx') },
  { path: '/b/:bucket/take-over', load: () => import('./TakeOver.tsx') },
]
