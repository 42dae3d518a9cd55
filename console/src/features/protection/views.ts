import type { View } from '../../routes.ts'

export const protectionViews: readonly View[] = [
  { path: '/b/:bucket/protection', load: () => import('./Protection.tsx') },
]
