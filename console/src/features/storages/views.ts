import type { View } from '../../routes.ts'

export const storageViews: readonly View[] = [
  { path: '/admin/storages', load: () => import('./Storages.tsx') },
  // No storage can have this name.
  { path: '/admin/storages/_new', load: () => import('./NewStorage.tsx') },
  { path: '/admin/storages/:name', load: () => import('./StoragePage.tsx') },
]
