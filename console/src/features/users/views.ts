import type { View } from '../../routes.ts'

export const userViews: readonly View[] = [
  { path: '/admin/users', load: () => import('./Users.tsx') },
  { path: '/admin/users/import', load: () => import('./Import.tsx') },
  { path: '/admin/users/:id', load: () => import('./UserView.tsx') },
]
