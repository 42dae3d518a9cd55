import type { View } from '../../routes.ts'

export const jobViews: readonly View[] = [
  { path: '/jobs', load: () => import('./Jobs.tsx') },
  { path: '/jobs/:id', load: () => import('./JobPage.tsx') },
]
