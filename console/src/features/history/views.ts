import type { View } from '../../routes.ts'

export const historyViews: readonly View[] = [{ path: '/b/:bucket/history', load: () => import('./History.tsx') }]
