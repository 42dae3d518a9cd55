import type { View } from '../../routes.ts'

export const trashViews: readonly View[] = [
  { path: '/trash', load: () => import('./Trash.tsx') },
  { path: '/b/:bucket/trash', load: () => import('./BucketTrash.tsx') },
]
