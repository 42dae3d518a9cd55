import type { View } from '../../routes.ts'

export const authViews: readonly View[] = [
  { path: '/login', load: () => import('./Login.tsx'), inFrame: true, open: true },
  { path: '/signed-in', load: () => import('./SignedIn.tsx'), inFrame: true, open: true },
  { path: '/setup', load: () => import('./Setup.tsx'), inFrame: true, open: true },
  { path: '/invitation', load: () => import('./Invitation.tsx'), inFrame: true, open: true },
  { path: '/forgot-password', load: () => import('./ForgotPassword.tsx'), inFrame: true, open: true },
  { path: '/password-reset', load: () => import('./PasswordReset.tsx'), inFrame: true, open: true },
  { path: '/auth/callback', load: () => import('./Callback.tsx'), inFrame: true, open: true },
]
