import type { View } from '../../routes.ts'

export const groupViews: readonly View[] = [
  { path: '/admin/groups', load: () => import('./Groups.tsx') },
  { path: '/b/:bucket/access', load: () => import('./Access.tsx') },
  { path: '/admin/groups/:id', load: () => import('./GroupView.tsx') },
]
