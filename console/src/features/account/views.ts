import type { View } from '../../routes.ts'

export const accountViews: readonly View[] = [{ path: '/account', load: () => import('./Account.tsx') }]
