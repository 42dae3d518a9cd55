import type { View } from '../../routes.ts'

export const accessKeyViews: readonly View[] = [
  { path: '/access-keys', load: () => import('./AccessKeys.tsx') },
  { path: '/access-keys/new', load: () => import('./NewAccessKey.tsx') },
  { path: '/b/:bucket/connect', load: () => import('./Connect.tsx') },
]
