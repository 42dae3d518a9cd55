import type { View } from '../../routes.ts'

export const shareViews: readonly View[] = [{ path: '/shares', load: () => import('./Shares.tsx') }]
