import type { View } from '../../routes.ts'

export const authViews: readonly View[] = [
  { path: '/login', load: () => import('./Login.tsx'), open: true },
  { path: '/setup', load: () => import('./Setup.tsx'), open: true },
  { path: '/invitation', load: () => import('./Invitation.tsx'), open: true },
  { path: '/auth/callback', load: () => import('./Callback.tsx'), open: true },
]
