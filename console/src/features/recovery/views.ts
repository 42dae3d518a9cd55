import type { View } from '../../routes.ts'

export const recoveryViews: readonly View[] = [{ path: '/admin/protection', load: () => import('./Recovery.tsx') }]
