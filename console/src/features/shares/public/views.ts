import type { View } from '../../../routes.ts'

export const publicShareViews: readonly View[] = [
  { path: '/s/$token', load: () => import('./LinkPage.tsx'), open: true },
]
