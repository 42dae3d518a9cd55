import type { View } from '../../routes.ts'

export const settingsViews: readonly View[] = [
  { path: '/admin/settings', load: () => import('./Settings.tsx') },
  { path: '/admin/settings/sso', load: () => import('./sso/Sso.tsx') },
]
