import type { View } from '../../routes.ts'

export const identityViews: readonly View[] = [
  { path: '/admin/roles', load: () => import('./Roles.tsx') },
  { path: '/admin/roles/:role', load: () => import('./RoleView.tsx') },
  { path: '/admin/new-role', load: () => import('./NewRole.tsx') },
  { path: '/admin/identity-policies/:policy', load: () => import('./PolicyView.tsx') },
  { path: '/admin/new-identity-policy', load: () => import('./NewPolicy.tsx') },
]
