import type { View } from '../../routes.ts'

export const usageViews: readonly View[] = [{ path: '/admin/usage', load: () => import('./Usage.tsx') }]
