import type { View } from '../../routes.ts'

export const policyViews: readonly View[] = [
  { path: '/policies', load: () => import('./Policies.tsx') },
  { path: '/policies/new', load: () => import('./NewPolicy.tsx') },
  { path: '/policies/:id', load: () => import('./PolicyPage.tsx') },
]
