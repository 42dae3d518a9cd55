import type { View } from '../../routes.ts'

export const accessPolicyViews: readonly View[] = [
  { path: '/b/:bucket/policy', load: () => import('./BucketPolicy.tsx') },
  { path: '/admin/machine-sessions', load: () => import('./MachineSessions.tsx') },
]
